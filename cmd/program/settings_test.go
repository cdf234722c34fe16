package program

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v3"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

// contract 1.19, 1.22, 1.23, 1.72, 3.35
func TestHelpShowsEverySettingWithItsDefault(t *testing.T) {
	help := printed(t, "serve", "--help")
	for flag, value := range map[string]string{
		"database-url":      "",
		"data-dir":          "", // depends on the user: 11.2
		"listen":            `"127.0.0.1:8080"`,
		"admin-listen":      "",
		"tls-cert":          "",
		"tls-key":           "",
		"base-url":          "",
		"trusted-proxies":   "",
		"timezone":          `"UTC"`,
		"default-format":    `"documented"`,
		"max-body":          "1048576",
		"lenient":           "false",
		"public-lists":      "false",
		"rate-limit":        "0",
		"cors-origins":      "",
		"max-requests":      "256",
		"caller-share":      "25",
		"max-connections":   "32",
		"slow-connections":  "a sixteenth of --max-connections",
		"request-timeout":   "30s",
		"statement-timeout": "10s",
		"lock-timeout":      "5s",
		"drain-delay":       "0s",
		"shutdown-timeout":  "20s",
		"log-format":        `"auto"`,
		"log-level":         `"info"`,
	} {
		line := lineOf(help, "   --"+flag+" ") // of the options, not of an example
		if variable := "[$KONTOR_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_")) + "]"; !strings.Contains(line, variable) {
			t.Errorf("--%s does not go with %s: %s", flag, variable, line)
		}
		if value != "" && !strings.Contains(line, "(default: "+value+")") {
			t.Errorf("--%s is not %s by default: %s", flag, value, line)
		}
	}
	for _, flag := range serveCommand(bootstrap.Config{}).Flags {
		names := flag.(interface{ GetEnvVars() []string }).GetEnvVars()
		if want := "KONTOR_" + strings.ToUpper(strings.ReplaceAll(flag.Names()[0], "-", "_")); !slices.Equal(names, []string{want}) {
			t.Errorf("--%s goes with %v, want %s", flag.Names()[0], names, want)
		}
	}
}

// contract 1.19
func TestPageListsEverySetting(t *testing.T) {
	text, err := os.ReadFile("../../docs/running.md")
	if err != nil {
		t.Fatal(err)
	}
	var described, want []string
	for _, row := range regexp.MustCompile("(?m)^\\| (`KONTOR_[^|]*) \\|").FindAllStringSubmatch(string(text), -1) {
		described = append(described, strings.Split(strings.Trim(row[1], "`"), "`, `")...)
	}
	for _, flag := range serveCommand(bootstrap.Config{}).Flags {
		want = append(want, flag.(interface{ GetEnvVars() []string }).GetEnvVars()...)
	}
	slices.Sort(described)
	slices.Sort(want)
	if diff := cmp.Diff(want, described); diff != "" {
		t.Errorf("docs/running.md: -settings +described\n%s", diff)
	}
}

// printed is what the program prints.
func printed(t *testing.T, arguments ...string) string {
	t.Helper()
	var out bytes.Buffer
	command := newCommand()
	command.Writer = &out
	if err := command.Run(t.Context(), append([]string{"kontor"}, arguments...)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func lineOf(text, part string) string {
	for line := range strings.Lines(text) {
		if strings.Contains(line, part) {
			return line
		}
	}
	return ""
}

// contract 1.19
func TestSettingsAreReadFromEnvironmentVariables(t *testing.T) {
	t.Setenv("KONTOR_LISTEN", "127.0.0.1:8123")
	want := settled(t, "--listen=127.0.0.1:8123")
	if got := settled(t); !cmp.Equal(got, want, cmp.AllowUnexported(bootstrap.Config{})) || got.Listen != "127.0.0.1:8123" {
		t.Errorf("the variables make %+v, the flags %+v", got, want)
	}
}

// nowhere is the URL of no database, so that a setting which passes by mistake
// starts no private one.
const nowhere = "postgres://127.0.0.1:1/nowhere"

// contract 1.19, 3.35, 3.36
func TestSettingsErrorNamesAnInvalidSetting(t *testing.T) {
	for _, wrong := range []string{
		"--statement-timeout=30s", "--drain-delay=-1s", "--log-format=xml", "--log-level=loud", "--max-connections=0",
		"--database-url=postgres://a:70000/kontor", "--database-url=postgres://a/kontor?connect_timeout=soon", "--max-requests=0", "--caller-share=0", "--caller-share=101", "--slow-connections=-1", "--slow-connections=16", "--default-format=yaml", "--timezone=Mars/Olympus", "--listen=8080", "--admin-listen=9090",
	} {
		flag, _, _ := strings.Cut(wrong, "=")
		err := newCommand().Run(t.Context(), []string{"kontor", "serve", "--database-url=" + nowhere, wrong})
		if err == nil || !strings.HasPrefix(err.Error(), flag+" (KONTOR_") {
			t.Errorf("kontor serve %s ends with %v", wrong, err)
		}
	}
}

// contract 1.19
func TestLogFormatAndLevelFollowTheSettings(t *testing.T) {
	for format, isText := range map[string]bool{"auto": false, "json": false, "text": true} {
		var file bytes.Buffer
		c := bootstrap.Config{LogFormat: format, LogLevel: slog.LevelWarn}
		log := newLogger(c, &file)
		log.Info("a whisper")
		log.Warn("a word")
		if got := !strings.HasPrefix(file.String(), "{"); got != isText || strings.Count(file.String(), "\n") != 1 || !strings.Contains(file.String(), "a word") {
			t.Errorf("%s writes\n%s", format, &file)
		}
	}
	if terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0); err == nil { // a pseudo-terminal, if the system has them
		if !isTerminal(terminal) {
			t.Error("auto does not write text to a terminal")
		}
		terminal.Close()
	}
	for _, level := range []string{"debug", "info", "warn", "error"} {
		c := settled(t, "--log-level="+level)
		if got := strings.ToLower(c.LogLevel.String()); got != level {
			t.Errorf("--log-level=%s lets pass what is %s or worse", level, got)
		}
	}
}

// settled is the configuration of kontor serve with the arguments.
func settled(t *testing.T, arguments ...string) bootstrap.Config {
	t.Helper()
	var c bootstrap.Config
	command := &cli.Command{Name: "serve", Flags: c.ServeFlags(), Action: func(context.Context, *cli.Command) error { return c.Validate() }}
	if err := command.Run(t.Context(), append([]string{"serve"}, arguments...)); err != nil {
		t.Fatal(err)
	}
	return c
}
