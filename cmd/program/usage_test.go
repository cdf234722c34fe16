package program

import (
	"bytes"
	"errors"
	"strings"
	"testing"
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
func TestMisuseIsReported(t *testing.T) {
	t.Setenv("KONTOR_DATABASE_URL", nowhere)
	for line, want := range map[string]string{
		"usr":                              `unknown command "usr" of kontor; did you mean "user"?`,
		"import":                           `unknown command "import" of kontor; see kontor --help`,
		"user lsit":                        `unknown command "lsit" of kontor user; did you mean "list"?`,
		"help usr":                         "No help topic for 'usr'",
		"--wat":                            "flag provided but not defined: -wat",
		"serve --lisen :80":                "flag provided but not defined: -lisen",
		"user list ann":                    `kontor user list takes no argument, but got "ann"`,
		"user role":                        `Required flags "username, role" not set`,
		"user add --username":              "flag needs an argument: --username",
		"user add --username x --role boo": `--role: "boo" is not a role: must be admin, manager or viewer`,
		"user list --output yaml":          `invalid value "yaml" for flag -output: must be table or json`,
		"user list --timezone Mars":        `--timezone: "Mars" is not an IANA time zone`,
		"rule mode x":                      "the name of a rule and a mode are required",
		"rule mode x of":                   `"of" is not a mode: must be off, shadow, warn or enforce`,
		"timezone set":                     "one time zone is required",
		"timezone set Mars":                `"Mars" is not an IANA time zone`,
		"token revoke":                     "one id or public id is required",
		"token issue --user x --ttl -1h":   "--ttl must be positive",
		"token issue --user x --ttl 0d":    "--ttl must be positive",
		"token issue --user x --ttl -1d":   `invalid value "-1d" for flag -ttl: must be a duration, such as 30d, 12h or 1d12h`,
		"token issue --user x --ttl 1d-1h": `invalid value "1d-1h" for flag -ttl: must be a duration`,
		"token issue --user x --ttl soon":  `invalid value "soon" for flag -ttl: must be a duration`,
		"serve --max-connections many":     `invalid value "many" for flag -max-connections: `,
		"serve --listen 8080":              "--listen: must be an address and a port",
	} {
		code, _, reported := called(t, strings.Fields(line)...)
		if code != codeMisuse || !strings.Contains(reported, "\nkontor: "+want) && !strings.HasPrefix(reported, "kontor: "+want) {
			t.Errorf("kontor %s ends with %d and reports\n%swant %s", line, code, reported, want)
		}
	}
}

func TestMisuseNamesAnInvalidVariable(t *testing.T) {
	for _, variable := range []string{"KONTOR_MAX_CONNECTIONS", "KONTOR_REQUEST_TIMEOUT", "KONTOR_DEMO"} {
		t.Run(variable, func(t *testing.T) {
			t.Setenv(variable, "soon")
			code, _, reported := called(t, "serve", "--database-url="+nowhere)
			if code != codeMisuse || !strings.Contains(reported, `"soon"`) || !strings.Contains(reported, `"`+variable+`"`) {
				t.Errorf("with %s=soon kontor serve ends with %d and reports %s", variable, code, reported)
			}
		})
	}
}

func TestHelpShowsUsage(t *testing.T) {
	for line, parts := range map[string][]string{
		"":                    {"   serve ", "   completion ", "KONTOR_DATABASE_URL", "   3  doctor", "--version, -v"},
		"help":                {"   serve "},
		"user":                {"kontor user [command", "   add "},
		"help user":           {"kontor user [command", "   add "},
		"user role -h":        {"kontor user role [options]", "[$KONTOR_DATABASE_URL]"},
		"timezone set --help": {"kontor timezone set [options] <IANA name>"},
		"token revoke --database-url nonsense -h": {"kontor token revoke [options] <id or public id>"},
		"token issue -h": {"(default: 90d)"},
	} {
		code, printed, reported := called(t, strings.Fields(line)...)
		for _, part := range parts {
			if code != codeDone || reported != "" || !strings.Contains(printed, part) {
				t.Errorf("kontor %s ends with %d, reports %q and prints, without %q,\n%s", line, code, reported, part, printed)
			}
		}
	}
}

// contract 1.70
func TestCompletionHasAScriptForEachShell(t *testing.T) {
	for shell, part := range map[string]string{
		"bash": "complete -o bashdefault", "zsh": "#compdef kontor", "fish": "complete -c kontor", "pwsh": "Register-ArgumentCompleter",
	} {
		if code, printed, reported := called(t, "completion", shell); code != codeDone || reported != "" || !strings.Contains(printed, part) {
			t.Errorf("kontor completion %s ends with %d, reports %q and prints\n%s", shell, code, reported, printed)
		}
	}
	if _, printed, _ := called(t, "user", "--generate-shell-completion"); !strings.Contains(printed, "add:add a user\n") {
		t.Errorf("after kontor user the shell is offered\n%s", printed)
	}
}

// contract 1.66
func TestExitCodeDistinguishesFailureFromMisuse(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{failed(errors.New("the database is down")), 1},
		{failed(errDisagree), 1},
		{failed(misused("no such role")), 2},
		{errors.New("of the library, before any command"), 2},
		{failed(failure{errors.New("there is something to fix"), codeFound}), 3},
	} {
		if got := exitCode(c.err); got != c.want {
			t.Errorf("%v ends with %d, want %d", c.err, got, c.want)
		}
	}
}

// contract 1.67
func TestSuggestionsAreWithinTwoEdits(t *testing.T) {
	t.Setenv("KONTOR_DATABASE_URL", nowhere)
	for line, want := range map[string]string{
		"serve --lisen :80":     `Did you mean "--listen"?`,
		"serve --prot 80":       "",
		"user list --outpt x":   `Did you mean "--output"?`,
		"user list --json":      "",
		"help usr":              "user",
		"help imports":          "",
		"user ad":               `did you mean "add"?`,
		"user create":           "",
		"token issue --usr ann": `Did you mean "--user"?`,
	} {
		_, printed, reported := called(t, strings.Fields(line)...)
		all := printed + reported
		if suggests := strings.Contains(strings.ToLower(all), "did you mean"); want == "" && suggests || !strings.Contains(all, want) {
			t.Errorf("kontor %s prints, want %q,\n%s", line, want, all)
		}
	}
}

// contract 1.96
func TestUnknownVariablesAreNamed(t *testing.T) {
	t.Setenv("KONTOR_DATABASE_URL", nowhere)
	t.Setenv("KONTOR_LISTN", "hush")
	t.Setenv("KONTOR_COLOUR", "hush")
	t.Setenv("KONTOR_DEMO", "true") // of kontor serve only
	const want = "kontor: KONTOR_COLOUR is not a setting of Kontor\nkontor: KONTOR_LISTN is not a setting of Kontor; did you mean KONTOR_LISTEN?\n"
	if _, _, reported := called(t, "user", "list"); !strings.HasPrefix(reported, want+"kontor: ") || strings.Contains(reported, "hush") {
		t.Errorf("with unknown variables kontor user list reports\n%s", reported)
	}
	serve := process(t, "serve")
	log, _ := serve.CombinedOutput()
	for _, part := range []string{`"level":"WARN","msg":"unknown environment variable","explanation":"KONTOR_COLOUR is not a setting of Kontor"`, "did you mean KONTOR_LISTEN?"} {
		if !strings.Contains(string(log), part) {
			t.Errorf("without %s kontor serve logs\n%s", part, log)
		}
	}
}
