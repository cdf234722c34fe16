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
		"usr":                                   `unknown command "usr" of kontor; did you mean "user"?`,
		"import":                                `unknown command "import" of kontor; its commands are serve, demo, health, `,
		"user lsit":                             `unknown command "lsit" of kontor user; did you mean "list"?`,
		"help usr":                              "No help topic for 'usr'",
		"--wat":                                 "kontor has no option --wat; its options are --help, --version",
		"serve --lisen :80":                     "kontor serve has no option --lisen; did you mean --listen?",
		"serve --port 80":                       "kontor serve has no option --port; did you mean --listen?",
		"user list --port 80":                   "kontor user list has no option --port; its options are --database-url, ",
		"user create --username x":              `unknown command "create" of kontor user; did you mean "add"?`,
		"user conjure --username x":             `unknown command "conjure" of kontor user; its commands are add, list, `,
		"user list ann":                         `kontor user list takes no argument, but got "ann"`,
		"user role":                             "kontor user role needs --username and --role; see kontor user role --help",
		"user add --username":                   "--username needs a value",
		"user add --username x --role boo":      `--role: "boo" is not a role: must be admin, manager or viewer`,
		"user list --output yaml":               `--output: must be table or json, but is "yaml"`,
		"user list --timezone Mars":             `--timezone (KONTOR_TIMEZONE): "Mars" is not an IANA time zone`,
		"rule mode x":                           "the name of a rule and a mode are required",
		"rule mode x of":                        `"of" is not a mode: must be off, shadow, warn or enforce`,
		"timezone set":                          "one time zone is required",
		"timezone set Mars":                     `"Mars" is not an IANA time zone`,
		"token revoke":                          "one id or public id is required",
		"token issue --user x --ttl -1h":        "--ttl must be positive",
		"token issue --user x --ttl 0d":         "--ttl must be positive",
		"token issue --user x --ttl -1d":        `--ttl: must be a duration, such as 30d, 12h or 1d12h, but is "-1d"`,
		"token issue --user x --ttl 1d-1h":      "--ttl: must be a duration, ",
		"token issue --user x --ttl soon":       "--ttl: must be a duration, ",
		"serve --max-connections many":          `--max-connections: must be a whole number, such as 32, but is "many"`,
		"serve --max-body 99999999999999999999": `--max-body: must be a smaller number, but is "99999999999999999999"`,
		"serve --listen :99999":                 "--listen (KONTOR_LISTEN): must be an address and a port up to 65535",
		"serve --listen :htp":                   "--listen (KONTOR_LISTEN): must be an address and a port up to 65535",
		"serve --listen 8080":                   "--listen (KONTOR_LISTEN): must be an address and a port up to 65535",
	} {
		code, _, reported := called(t, strings.Fields(line)...)
		if code != codeMisuse || !strings.Contains(reported, "\nkontor: "+want) && !strings.HasPrefix(reported, "kontor: "+want) || strings.Count(reported, "\n") > 2 {
			t.Errorf("kontor %s ends with %d and reports\n%swant %s", line, code, reported, want)
		}
	}
}

// contract 1.67
func TestMisuseNamesAnInvalidVariable(t *testing.T) {
	for variable, want := range map[string]string{
		"KONTOR_MAX_BODY":        "KONTOR_MAX_BODY (--max-body): must be a whole number of bytes, such as 1048576",
		"KONTOR_REQUEST_TIMEOUT": "KONTOR_REQUEST_TIMEOUT (--request-timeout): must be a duration with its unit, such as 30s or 5m",
		"KONTOR_LENIENT":         "KONTOR_LENIENT (--lenient): must be true or false",
		"KONTOR_RATE_LIMIT":      "KONTOR_RATE_LIMIT (--rate-limit): must be a number, such as 20 or 0.5",
	} {
		t.Run(variable, func(t *testing.T) {
			t.Setenv(variable, "soon")
			code, _, reported := called(t, "serve", "--database-url="+nowhere)
			if code != codeMisuse || reported != "kontor: "+want+`, but is "soon"`+"\n" {
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
func TestSuggestionsAreSynonymsOrWithinTwoEdits(t *testing.T) {
	t.Setenv("KONTOR_DATABASE_URL", nowhere)
	for line, want := range map[string]string{
		"serve --lisen :80":     `did you mean --listen?`,
		"serve --prot 80":       "",
		"user list --outpt x":   `did you mean --output?`,
		"user list --json":      `did you mean --output?`,
		"help usr":              "user",
		"help imports":          "",
		"user ad":               `did you mean "add"?`,
		"user conjure":          "",
		"user create":           `did you mean "add"?`,
		"token create":          `did you mean "issue"?`,
		"token delete 1":        `did you mean "revoke"?`,
		"start":                 `did you mean "serve"?`,
		"serve --db x":          `did you mean --database-url?`,
		"user add --name ann":   `did you mean --username?`,
		"token issue --usr ann": `did you mean --user?`,
	} {
		_, printed, reported := called(t, strings.Fields(line)...)
		all := printed + reported
		if suggests := strings.Contains(strings.ToLower(all), "did you mean"); want == "" && suggests || !strings.Contains(all, want) {
			t.Errorf("kontor %s prints, want %q,\n%s", line, want, all)
		}
	}
}

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
