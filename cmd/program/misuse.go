package program

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/urfave/cli/v3"
)

// The errors of the CLI library, which are texts.
var (
	unknownOption  = regexp.MustCompile(`^flag provided but not defined: -(.*)$`)
	withoutValue   = regexp.MustCompile(`^flag needs an argument: -*(.*)$`)
	withoutOptions = regexp.MustCompile(`^Required flags? "(.*)" not set$`)
	wrongVariable  = regexp.MustCompile(`(?s)^could not parse (".*") as .* value from environment variable "(\w+)" for flag ([\w-]+): (.*)$`)
	wrongOption    = regexp.MustCompile(`(?s)^invalid value (".*") for flag -+([\w-]+): (.*)$`)
)

// explainUsage is the OnUsageError of all commands. Instead of their help, which hides the error, it names what
// the command has.
func explainUsage(ctx context.Context, cmd *cli.Command, err error, _ bool) error {
	if len(cmd.VisibleCommands()) > 0 && cmd.Args().Present() {
		return validateArguments(ctx, cmd) // the subcommand is wrong, so that it is none of its options
	}
	if found := unknownOption.FindStringSubmatch(err.Error()); found != nil {
		return fmt.Errorf("%s has no option %s; %s", cmd.FullName(), option(found[1]), optionsMeant(cmd, found[1]))
	}
	if found := withoutValue.FindStringSubmatch(err.Error()); found != nil {
		return fmt.Errorf("%s needs a value", option(found[1]))
	}
	if found := withoutOptions.FindStringSubmatch(err.Error()); found != nil {
		names := strings.Split(found[1], ", ")
		for i, name := range names {
			names[i] = option(name)
		}
		return fmt.Errorf("%s needs %s; see %s --help", cmd.FullName(), strings.Join(names, " and "), cmd.FullName())
	}
	return err
}

// option returns the name of an option as it is typed.
func option(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// optionsMeant says which option of the command is probably meant, or which it has.
func optionsMeant(cmd *cli.Command, name string) string {
	if meant := suggestFlag(cmd.Flags, name); meant != "" {
		return "did you mean " + meant + "?"
	}
	var names []string
	for _, flag := range cmd.VisibleFlags() {
		names = append(names, option(flag.Names()[0]))
	}
	return "its options are " + strings.Join(names, ", ")
}

// explainValue returns the text of an error of an incorrect call, with the setting and its values in plain
// words. The library returns errors of variables without calling OnUsageError.
func explainValue(err error) string {
	if found := wrongVariable.FindStringSubmatch(err.Error()); found != nil {
		return fmt.Sprintf("%s (--%s): %s, but is %s", found[2], found[3], valueRule(found[3], found[4]), found[1])
	}
	if found := wrongOption.FindStringSubmatch(err.Error()); found != nil {
		return fmt.Sprintf("--%s: %s, but is %s", found[2], valueRule(found[2], found[3]), found[1])
	}
	return err.Error()
}

// valueRule says what the value of an option must be, with an example, for the reason of Go's parsers. Kontor's own
// reasons say it already.
func valueRule(option, reason string) string {
	switch {
	case strings.HasSuffix(reason, "value out of range"):
		return "must be a smaller number"
	case option == "max-body":
		return "must be a whole number of bytes, such as 1048576"
	case strings.HasPrefix(reason, "strconv.ParseInt"):
		return "must be a whole number, such as 32"
	case strings.HasPrefix(reason, "strconv.ParseFloat"):
		return "must be a number, such as 20 or 0.5"
	case strings.HasPrefix(reason, "time: "):
		return "must be a duration with its unit, such as 30s or 5m"
	case reason == "parse error":
		return "must be true or false"
	}
	return reason
}
