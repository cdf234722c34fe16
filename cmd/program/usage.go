package program

import (
	"context"
	"strings"

	"github.com/urfave/cli/v3"
)

// guard makes the command and its subcommands report incorrect calls as misuse, and
// errors of their actions as failures.
func guard(cmd *cli.Command) {
	cmd.OnUsageError = usageError
	cmd.ShellComplete = complete
	action := cmd.Action
	if action == nil {
		action = requireSubcommand
	}
	cmd.Action = func(ctx context.Context, cmd *cli.Command) error {
		if len(cmd.Commands) == 0 && cmd.ArgsUsage == "" && cmd.Args().Present() {
			return misused("%s takes no argument, but got %q; see %s --help", cmd.FullName(), cmd.Args().First(), cmd.FullName())
		}
		if err := action(ctx, cmd); err != nil {
			return failure{err}
		}
		return nil
	}
	for _, c := range cmd.Commands {
		guard(c)
	}
}

func requireSubcommand(_ context.Context, cmd *cli.Command) error {
	if name := cmd.Args().First(); name != "" && name != "help" {
		return unknownCommand(cmd, name)
	}
	return showHelp(cmd)
}

func unknownCommand(of *cli.Command, name string) error {
	var candidates []*cli.Command
	for _, c := range of.Commands {
		if isSimilar(c.Name, name) {
			candidates = append(candidates, c)
		}
	}
	suggestion := ""
	if len(candidates) > 0 {
		suggestion = "; did you mean " + of.FullName() + " " + cli.SuggestCommand(candidates, name) + "?"
	}
	return misused("unknown command %q of %s%s", name, of.FullName(), orHelp(suggestion, of))
}

func orHelp(suggestion string, cmd *cli.Command) string {
	if suggestion != "" {
		return suggestion
	}
	return "; see " + cmd.FullName() + " --help"
}

// isSimilar reports whether one word may be a misspelling of the other: they begin
// with the same letter, or have most letters in common.
func isSimilar(word, misspelled string) bool {
	if misspelled != "" && strings.HasPrefix(word, misspelled[:1]) {
		return true
	}
	common := 0
	for _, letter := range word {
		if strings.ContainsRune(misspelled, letter) {
			common++
		}
	}
	return 3*common >= 2*max(len(word), len(misspelled))
}

// usageError reports an incorrect call in the words of the library, with a
// suggestion for a misspelled option.
//
// The library has no type for an unknown option and does not export its own
// suggestion, so the option is cut from the text. If the text changes, only the
// suggestion is lost.
func usageError(_ context.Context, cmd *cli.Command, err error, _ bool) error {
	suggestion := ""
	if option, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: -"); ok {
		for _, f := range cmd.VisibleFlags() {
			if isSimilar(f.Names()[0], option) {
				suggestion = "; did you mean " + cli.SuggestFlag(cmd.VisibleFlags(), option, true) + "?"
				break
			}
		}
	}
	return misused("%w%s", err, orHelp(suggestion, cmd))
}
