package program

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v3"
)

// The groups of the commands, in the order of kontor --help.
const (
	ofService = "The service"
	ofAccess  = "Users and tokens"
	ofRules   = "Business rules"
	ofData    = "The database"
	ofProgram = "This program"
)

// exampleKey is the metadata key of a command's examples.
const exampleKey = "examples"

func examples(lines ...string) map[string]any { return map[string]any{exampleKey: lines} }

func examplesOf(cmd *cli.Command) []string {
	lines, _ := cmd.Metadata[exampleKey].([]string)
	return lines
}

// init replaces the library's help by showHelp, for all commands.
func init() {
	cli.VersionPrinter = printVersion
	cli.ShowRootCommandHelp = showHelp
	cli.ShowSubcommandHelp = showHelp
	cli.ShowCommandHelp = func(_ context.Context, cmd *cli.Command, name string) error {
		if len(cmd.Commands) == 0 {
			return showHelp(cmd) // name is an argument
		}
		return showHelpOf(cmd, name)
	}
}

func helpCommand() *cli.Command {
	return &cli.Command{
		Name:      "help",
		Category:  ofProgram,
		Usage:     "describe a command and its options",
		ArgsUsage: "[command]",
		Metadata:  examples("kontor help", "kontor help user add"),
		Action: func(_ context.Context, cmd *cli.Command) error {
			return showHelpOf(cmd.Root(), cmd.Args().Slice()...)
		},
	}
}

func showHelpOf(from *cli.Command, path ...string) error {
	for _, name := range path {
		next := from.Command(name)
		if next == nil {
			return unknownCommand(from, name)
		}
		from = next
	}
	return showHelp(from)
}

func showHelp(cmd *cli.Command) error {
	w := cmd.Root().Writer
	fmt.Fprintf(w, "%s - %s\n\nUSAGE:\n   %s\n", cmd.FullName(), cmd.Usage, usageOf(cmd))
	if cmd.Description != "" {
		fmt.Fprintf(w, "\n%s\n", cmd.Description)
	}
	for _, group := range groupsOf(cmd) {
		t := section(w, cmp.Or(group, "Commands"))
		for _, c := range cmd.Commands {
			if c.Category == group && !c.Hidden {
				fmt.Fprintf(t, "   %s\t%s\n", c.Name, c.Usage)
			}
		}
		t.Flush()
	}
	if lines := examplesOf(cmd); len(lines) > 0 {
		fmt.Fprintf(section(w, "Examples"), "   %s\n", strings.Join(lines, "\n   "))
	}
	if cmd == cmd.Root() {
		fmt.Fprint(w, generalHelp)
	}
	t := section(w, "Options")
	for _, f := range cmd.VisibleFlags() {
		fmt.Fprintf(t, "   %s\n", f)
	}
	return t.Flush()
}

func section(w io.Writer, name string) *tabwriter.Writer {
	fmt.Fprintf(w, "\n%s:\n", strings.ToUpper(name))
	return tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
}

const generalHelp = `
ENVIRONMENT:
   Each setting is also an environment variable: --database-url is KONTOR_DATABASE_URL. An option takes precedence.
   kontor serve --help lists all settings. Most commands use these:

   KONTOR_DATABASE_URL  the database, such as postgres://kontor:secret@db.example.org:5432/kontor?sslmode=verify-full
   KONTOR_DATA_DIR      without a URL: the folder of the private PostgreSQL, which Kontor starts and stops itself
   KONTOR_TIMEZONE      the time zone of the database
   NO_COLOR             any value: no colours on a terminal

EXIT CODES:
   0  success
   1  failure, explained on the last lines; readmodel verify: the read models differ from the records
   2  incorrect call: unknown command or option, invalid value, missing or surplus argument
   3  doctor found something to fix; rule try: not all records pass
`

// groupsOf returns the categories of a command's subcommands, in order of
// appearance.
func groupsOf(cmd *cli.Command) (groups []string) {
	for _, c := range cmd.Commands {
		if !c.Hidden && !slices.Contains(groups, c.Category) {
			groups = append(groups, c.Category)
		}
	}
	return groups
}

func usageOf(cmd *cli.Command) string {
	words := []string{cmd.FullName()}
	if len(cmd.Commands) > 0 {
		words = append(words, "<command>")
	}
	for _, f := range cmd.VisibleFlags() {
		if r, ok := f.(cli.RequiredFlag); ok && r.IsRequired() {
			words = append(words, "--"+f.Names()[0]+" <"+f.Names()[0]+">")
		}
	}
	if cmd.ArgsUsage != "" {
		words = append(words, cmd.ArgsUsage)
	}
	return strings.Join(append(words, "[options]"), " ")
}
