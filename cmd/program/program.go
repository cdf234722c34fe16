// Package program is the program kontor: the CRM and invoicing service and the commands
// to operate it, one file each.
//
// Chose: a package over code in cmd/kontor. Because: another module can then build Kontor with its
// own rules in a few lines. Costs: a public function.
package program

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	_ "time/tzdata" // one binary: time zones must not depend on the machine

	"github.com/urfave/cli/v3"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

// Main runs the command in os.Args and exits with its exit code. The rules and reactions
// are added after Kontor's own.
func Main(rules ...rule.Option) {
	// A closed output must not kill the service and leave its private PostgreSQL
	// running: the write fails instead.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := newCommand(rules...).Run(ctx, os.Args)
	stop()
	os.Exit(report(os.Stderr, err))
}

const description = `Kontor stores clients, contacts, deals and invoices for other programs, which read and write them in JSON or XML.
kontor serve --demo tries it: no database is needed, and a token is printed.

Each setting is also an environment variable: --database-url is KONTOR_DATABASE_URL. An option takes precedence.
kontor serve --help lists all settings. Without a database URL, commands use a private PostgreSQL in the data directory.

Exit codes:
0  success
1  failure; readmodel verify: the read models differ from the records
2  incorrect call: unknown command or option, invalid value, missing or surplus argument
3  doctor found something to fix; rule try: not all records pass`

func newCommand(rules ...rule.Option) *cli.Command {
	suggestNear()
	c := bootstrap.Config{Rules: rules}
	root := &cli.Command{
		Name:        "kontor",
		Usage:       "CRM and invoicing service over HTTP",
		Version:     bootstrap.BuildVersion().Version,
		Description: description,
		Commands: []*cli.Command{
			serveCommand(c),
			demoCommand(),
			healthCommand(),
			doctorCommand(c),
			userCommand(c),
			tokenCommand(c),
			ruleCommand(c),
			migrateCommand(c),
			companyCommand(),
			timezoneCommand(),
			readmodelCommand(),
			seriesCommand(),
			versionCommand(),
		},
		ArgValidator:                    validateArguments,
		EnableShellCompletion:           true,
		ConfigureShellCompletionCommand: func(cmd *cli.Command) { cmd.Hidden = false },
		// Main reports the error.
		ExitErrHandler: func(context.Context, *cli.Command, error) {},
	}
	_ = root.Walk(func(cmd *cli.Command) error {
		cmd.Suggest = true
		cmd.OnUsageError = explainUsage
		cmd.HideHelpCommand = cmd != root // otherwise no company could be called help
		if action := cmd.Action; action != nil {
			cmd.Action = func(ctx context.Context, cmd *cli.Command) error {
				if cmd.Name != "serve" { // which has a log
					for _, sentence := range unknownVariables(root, os.Environ()) {
						fmt.Fprintln(root.ErrWriter, "kontor: "+sentence)
					}
				}
				return failed(action(ctx, cmd))
			}
		}
		return nil
	})
	return root
}

// validateArguments rejects the arguments of a command that takes none.
func validateArguments(_ context.Context, cmd *cli.Command) error {
	name := cmd.Args().First()
	switch {
	case name == "" || cmd.ArgsUsage != "":
		return nil
	case len(cmd.VisibleCommands()) > 0:
		if meant := suggestCommand(cmd.VisibleCommands(), name); meant != "" {
			return fmt.Errorf("unknown command %q of %s; did you mean %q?", name, cmd.FullName(), meant)
		}
		var names []string
		for _, c := range cmd.VisibleCommands() {
			names = append(names, c.Name)
		}
		return fmt.Errorf("unknown command %q of %s; its commands are %s", name, cmd.FullName(), strings.Join(names, ", "))
	}
	return fmt.Errorf("%s takes no argument, but got %q", cmd.FullName(), name)
}
