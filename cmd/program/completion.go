package program

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/kontor-crm/kontor/domain/ruledef"
)

// Scripts that replace the library's: its bash script needs the package
// bash-completion, and executes what is typed in $(); its PowerShell script must be
// in a file of a certain name, and ignores what is typed so far.
var (
	//go:embed completion.bash
	bashScript string
	//go:embed completion.ps1
	powershellScript string
)

func customizeCompletion(cmd *cli.Command) {
	cmd.Hidden = false
	cmd.Category = ofProgram
	cmd.Usage = "print a script with which a shell completes commands and options"
	cmd.Description = "bash, in ~/.bashrc:      source <(kontor completion bash)\n" +
		"zsh, in ~/.zshrc:        source <(kontor completion zsh), after compinit\n" +
		"fish, once:              kontor completion fish > ~/.config/fish/completions/kontor.fish\n" +
		"PowerShell, in $PROFILE: kontor completion powershell | Out-String | Invoke-Expression"
	cmd.Metadata = examples("kontor completion bash", "kontor completion powershell")
	for _, shell := range cmd.Commands {
		shell.Usage = "print the script for " + shell.Name
		shell.Metadata = examples("kontor completion " + shell.Name)
		switch shell.Name {
		case "bash":
			shell.Action = printing(bashScript)
		case "pwsh":
			shell.Name, shell.Aliases = "powershell", []string{"pwsh"}
			shell.Usage = "print the script for PowerShell"
			shell.Metadata = examples("kontor completion powershell")
			shell.Action = printing(powershellScript)
		}
	}
	guard(cmd)
}

func printing(script string) cli.ActionFunc {
	return func(_ context.Context, cmd *cli.Command) error {
		_, err := io.WriteString(cmd.Root().Writer, script)
		return err
	}
}

var choices = map[string][]string{
	"output":         {"table", "json"},
	"on":             ruledef.Resources,
	"role":           {"admin", "manager", "viewer"},
	"default-format": {"json", "xml", "documented"},
	"log-format":     {"json", "text", "auto"},
	"log-level":      {"debug", "info", "warn", "error"},
}

// complete prints the possible next words, one per line, with a colon before the
// description. Scripts drop those that do not begin with the word being typed.
func complete(_ context.Context, cmd *cli.Command) {
	w, words := cmd.Root().Writer, cmd.Args().Slice()
	var last string
	if len(words) > 0 {
		last = words[len(words)-1]
	}
	flag := strings.TrimPrefix(last, "--")
	switch {
	case flag != last && choices[flag] != nil && slices.ContainsFunc(cmd.VisibleFlags(), func(f cli.Flag) bool { return f.Names()[0] == flag }):
		fmt.Fprintln(w, strings.Join(choices[flag], "\n"))
	case strings.HasPrefix(last, "-"):
		completeFlags(w, cmd, last)
	case cmd.Name == "help":
		completeCommands(w, cmd.Root(), words)
	default:
		completeCommands(w, cmd, nil)
	}
}

func completeFlags(w io.Writer, cmd *cli.Command, begun string) {
	for _, f := range cmd.VisibleFlags() {
		name := "--" + f.Names()[0]
		if name == begun || !strings.HasPrefix(name, begun) {
			continue
		}
		if d, ok := f.(cli.DocGenerationFlag); ok && d.GetUsage() != "" {
			name += ":" + strings.ReplaceAll(d.GetUsage(), "`", "")
		}
		fmt.Fprintln(w, name)
	}
}

// completeCommands prints the subcommands of the command with that path, or of the
// last one on it that exists.
func completeCommands(w io.Writer, from *cli.Command, path []string) {
	for _, name := range path {
		if next := from.Command(name); next != nil {
			from = next
		}
	}
	for _, c := range from.Commands {
		fmt.Fprintf(w, "%s:%s\n", c.Name, c.Usage)
	}
}
