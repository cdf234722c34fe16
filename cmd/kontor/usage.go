package main

import (
	"context"
	"strings"

	"github.com/urfave/cli/v3"
)

// guard makes the command and all below it say what is wrong with how they are
// called, and tell that from what goes wrong afterwards.
func guard(cmd *cli.Command) {
	cmd.OnUsageError = wrongly
	cmd.ShellComplete = complete
	act := cmd.Action
	if act == nil {
		act = choose
	}
	cmd.Action = func(ctx context.Context, cmd *cli.Command) error {
		if len(cmd.Commands) == 0 && cmd.ArgsUsage == "" && cmd.Args().Present() {
			return misused("%s takes no argument, and was given %q; see %s --help", cmd.FullName(), cmd.Args().First(), cmd.FullName())
		}
		if err := act(ctx, cmd); err != nil {
			return failure{err}
		}
		return nil
	}
	for _, c := range cmd.Commands {
		guard(c)
	}
}

// choose is what a command does that only has others below it.
func choose(_ context.Context, cmd *cli.Command) error {
	if name := cmd.Args().First(); name != "" && name != "help" {
		return unknownCommand(cmd, name)
	}
	return showHelp(cmd)
}

func unknownCommand(of *cli.Command, name string) error {
	return misused("%q is no command of %s%s %s --help lists them", name, of.FullName(), meantCommand(of, name), of.FullName())
}

// meantCommand asks for the command that is most like the name, unless none is.
func meantCommand(of *cli.Command, name string) string {
	var visible []*cli.Command
	for _, c := range of.Commands {
		if alike(c.Name, name) {
			visible = append(visible, c)
		}
	}
	if len(visible) == 0 {
		return ";"
	}
	return ": did you mean " + of.FullName() + " " + cli.SuggestCommand(visible, name) + "?"
}

// alike tells whether one may be a slip of the other: they begin alike, or have most
// letters in common.
func alike(word, slip string) bool {
	if slip != "" && strings.HasPrefix(word, slip[:1]) {
		return true
	}
	common := 0
	for _, letter := range word {
		if strings.ContainsRune(slip, letter) {
			common++
		}
	}
	return 3*common >= 2*max(len(word), len(slip))
}

// wrongly is an error of the library about how a command is called, in words of this
// program.
func wrongly(_ context.Context, cmd *cli.Command, err error, _ bool) error {
	text, name := err.Error(), cmd.FullName()
	if flag, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		return misused("--%s is no option of %s%s %s --help lists them", flag, name, meantFlag(cmd, flag), name)
	}
	if flag, ok := strings.CutPrefix(text, "flag needs an argument: "); ok {
		return misused("%s needs a value; see %s --help", flag, name)
	}
	if flags, ok := strings.CutPrefix(text, "Required flag"); ok {
		_, list, _ := strings.Cut(flags, `"`)
		list, _, _ = strings.Cut(list, `"`)
		return misused("missing: --%s; see %s --help", strings.ReplaceAll(list, ", ", " and --"), name)
	}
	if rest, ok := strings.CutPrefix(text, "invalid value "); ok {
		value, problem, _ := strings.Cut(rest, " for flag -")
		flag, why, _ := strings.Cut(problem, ": ")
		return misused("--%s: %s is not possible: %s", flag, value, inWords(why))
	}
	return misused("%w; see %s --help", err, name)
}

// ofVariable is the error of a value that a variable of the environment has, in words
// of this program; false if it is another.
func ofVariable(err error) (string, bool) {
	rest, ok := strings.CutPrefix(err.Error(), "could not parse ")
	if !ok {
		return "", false
	}
	value, rest, _ := strings.Cut(rest, " as ")
	_, rest, _ = strings.Cut(rest, ` from environment variable "`)
	variable, rest, _ := strings.Cut(rest, `" for flag `)
	_, why, _ := strings.Cut(rest, ": ")
	return variable + ": " + value + " is not possible: " + inWords(why), true
}

// kinds are what values have to be, by the function of Go that has refused them, or
// how it begins to tell.
var kinds = map[string]string{
	"strconv.ParseInt":   "must be a whole number",
	"strconv.ParseFloat": "must be a number",
	"parse error":        "must be true or false",
	"time":               "must be a time with its unit, such as 30s or 5m",
}

func inWords(why string) string {
	source, _, _ := strings.Cut(why, ": ")
	if kind, ok := kinds[source]; ok {
		return kind
	}
	return why
}

func meantFlag(cmd *cli.Command, flag string) string {
	for _, f := range cmd.VisibleFlags() {
		if alike(f.Names()[0], flag) {
			return ": did you mean " + cli.SuggestFlag(cmd.VisibleFlags(), flag, true) + "?"
		}
	}
	return ";"
}
