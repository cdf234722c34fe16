package program

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"
)

// called runs the command line with the words, and is the exit code and what is
// printed, the report included.
func called(t *testing.T, words ...string) (code int, printed, reported string) {
	t.Helper()
	var out, errors bytes.Buffer
	command := newCommand()
	command.Writer, command.ErrWriter = &out, &errors
	code = report(&errors, command.Run(t.Context(), append([]string{"kontor"}, words...)))
	return code, out.String(), errors.String()
}

// contract 1.66, 1.67
func TestMisuseIsReportedInOneLine(t *testing.T) {
	t.Setenv("KONTOR_DATABASE_URL", nowhere)
	for line, want := range map[string]string{
		"usr":                              `unknown command "usr" of kontor; did you mean kontor user?`,
		"xyz":                              `unknown command "xyz" of kontor; see kontor --help`,
		"help usr":                         `unknown command "usr" of kontor; did you mean kontor user?`,
		"user lsit":                        `unknown command "lsit" of kontor user; did you mean kontor user list?`,
		"completion tcsh":                  `unknown command "tcsh" of kontor completion; see kontor completion --help`,
		"--wat":                            "flag provided but not defined: -wat; see kontor --help",
		"serve --lisen :80":                "flag provided but not defined: -lisen; did you mean --listen?",
		"user list ann":                    `kontor user list takes no argument, but got "ann"`,
		"user add":                         `Required flag "username" not set; see kontor user add --help`,
		"user role":                        `Required flags "username, role" not set; see kontor user role --help`,
		"user add --username":              "flag needs an argument: --username; see kontor user add --help",
		"user add --username x --role boo": `--role: "boo" is not a role: must be admin, manager or viewer`,
		"user list --output yaml":          `invalid value "yaml" for flag -output: must be table or json`,
		"user list --timezone Mars":        `--timezone: "Mars" is not an IANA time zone`,
		"timezone set":                     "one time zone is required",
		"timezone set Mars":                `"Mars" is not an IANA time zone`,
		"token revoke":                     "one public id is required",
		"token issue --user x --ttl -1h":   "--ttl must be positive",
		"token issue --user x --ttl 1":     `invalid value "1" for flag -ttl: `,
		"rule new":                         "one name is required; see kontor rule new --help",
		"rule new a b":                     "one name is required; see kontor rule new --help",
		"rule new Sunday":                  `"Sunday" is not a name: it must begin with a letter`,
		"rule new 2-days":                  `"2-days" is not a name: it must begin with a letter`,
		"rule new x --on money":            `invalid value "money" for flag -on: must be one of client, contact, `,
		"serve --max-connections many":     `invalid value "many" for flag -max-connections: `,
		"serve --rate-limit much":          `invalid value "much" for flag -rate-limit: `,
		"serve --public-lists=perhaps":     `invalid value "perhaps" for flag -public-lists: `,
		"serve --listen 8080":              "--listen: must be an address and a port",
	} {
		code, printed, reported := called(t, strings.Fields(line)...)
		if code != codeMisuse || printed != "" || !strings.HasPrefix(reported, "kontor: "+want) || strings.Count(reported, "\n") != 1 {
			t.Errorf("kontor %s ends with %d, prints %q and reports\n%swant %s", line, code, printed, reported, want)
		}
	}
}

func TestMisuseNamesAnInvalidVariable(t *testing.T) {
	for _, variable := range []string{"KONTOR_MAX_CONNECTIONS", "KONTOR_REQUEST_TIMEOUT", "KONTOR_DEMO"} {
		t.Run(variable, func(t *testing.T) {
			t.Setenv(variable, "soon")
			code, _, reported := called(t, "serve", "--database-url="+nowhere)
			if code != codeMisuse || !strings.Contains(reported, `"soon"`) || !strings.Contains(reported, `"`+variable+`"`) || strings.Count(reported, "\n") != 1 {
				t.Errorf("with %s=soon kontor serve ends with %d and reports %s", variable, code, reported)
			}
		})
	}
}

func TestCommandsHaveUsageAndValidExamples(t *testing.T) {
	t.Chdir(t.TempDir()) // for the files that they write
	t.Setenv("KONTOR_DATABASE_URL", nowhere)
	var lines []string
	look := newCommand()
	look.Writer = new(bytes.Buffer)
	if err := look.Run(t.Context(), []string{"kontor", "version"}); err != nil { // which adds completion
		t.Fatal(err)
	}
	_ = look.Walk(func(cmd *cli.Command) error {
		of := examplesOf(cmd)
		if cmd.Usage == "" || len(of) == 0 {
			t.Errorf("%s has the usage %q and %d examples", cmd.FullName(), cmd.Usage, len(of))
		}
		for _, line := range of {
			if !strings.HasPrefix(line, cmd.FullName()) {
				t.Errorf("%q is an example of %s", line, cmd.FullName())
			}
		}
		lines = append(lines, of...)
		return nil
	})
	for _, line := range lines {
		words, _, _ := strings.Cut(line, "#")
		called := false
		command := newCommand()
		command.Writer = new(bytes.Buffer)
		_ = command.Walk(func(cmd *cli.Command) error {
			act := cmd.Action
			cmd.Action = func(ctx context.Context, cmd *cli.Command) error {
				called = true
				if err := act(ctx, cmd); exitCode(err) == codeMisuse {
					return err
				}
				return nil
			}
			return nil
		})
		err := command.Run(stopped(t), strings.Fields(words))
		if isCompletion := strings.HasPrefix(line, "kontor completion"); err != nil || !called && !isCompletion {
			t.Errorf("%s: %v, called: %v", line, err, called)
		}
	}
}

func TestHelpShowsUsage(t *testing.T) {
	for line, parts := range map[string][]string{
		"": {
			"kontor <command> [options]", "THE SERVICE:\n   serve ", "   help ", "   completion ", "EXAMPLES:\n   kontor serve --demo", "KONTOR_DATABASE_URL",
			"EXIT CODES:\n   0  success", "   3  doctor", "--version, -v",
		},
		"--help":                            {"kontor <command> [options]"},
		"help":                              {"kontor <command> [options]"},
		"user":                              {"kontor user <command> [options]", "COMMANDS:\n   add ", "EXAMPLES:\n   kontor user add"},
		"user help":                         {"kontor user <command> [options]"},
		"user --help":                       {"kontor user <command> [options]"},
		"help user":                         {"kontor user <command> [options]"},
		"help user role":                    {"kontor user role --username <username> --role <role> [options]", "EXAMPLES:\n   kontor user role --username ann"},
		"user role -h":                      {"kontor user role --username <username> --role <role> [options]", "[$KONTOR_DATABASE_URL]"},
		"timezone set Europe/Berlin --help": {"kontor timezone set <IANA name> [options]"},
		"doctor --help":                     {"The exit code is 0 if there are at most warnings", "--max-connections"},
		"rule new --help":                   {"kontor rule new <name> [options]", "--on resource", "--reaction"},
		"token revoke --database-url nonsense -h": {"kontor token revoke <public id> [options]"},
	} {
		code, printed, reported := called(t, strings.Fields(line)...)
		for _, part := range parts {
			if code != codeDone || reported != "" || !strings.Contains(printed, part) {
				t.Errorf("kontor %s ends with %d, reports %q and prints, without %q,\n%s", line, code, reported, part, printed)
			}
		}
	}
}

// contract 1.66
func TestExitCodeDistinguishesFailureFromMisuse(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{failure{errors.New("the database is down")}, 1},
		{failure{errDisagree}, 1},
		{failure{misused("no such role")}, 2},
		{errors.New("of the library, before any command"), 2},
		{failure{errFound}, 3},
	} {
		if got := exitCode(c.err); got != c.want {
			t.Errorf("%v ends with %d, want %d", c.err, got, c.want)
		}
	}
}

// stopped is a context that has ended, so that nothing is started.
func stopped(t *testing.T) context.Context {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	return ctx
}
