package api_test

import (
	"encoding/json"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

// program runs kontor on a database.
type program struct {
	t              *testing.T
	file, database string
}

// try runs a command, and returns what it prints and whether it succeeded.
func (p program) try(arguments string) (printed string, ok bool) {
	p.t.Helper()
	printed, code := p.exit(arguments)
	return printed, code == 0
}

// exit runs a command, and returns what it prints and its exit code.
func (p program) exit(arguments string) (printed string, code int) {
	p.t.Helper()
	cmd := exec.CommandContext(p.t.Context(), p.file, strings.Fields(arguments)...)
	cmd.Env = append(cmd.Environ(), "KONTOR_DATABASE_URL="+p.database)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		p.t.Fatalf("kontor %s: %v", arguments, err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// run runs a command that succeeds, and returns what it prints.
func (p program) run(arguments string) string {
	p.t.Helper()
	printed, ok := p.try(arguments)
	if !ok {
		p.t.Fatalf("kontor %s: %s", arguments, printed)
	}
	return printed
}

// issue issues a token for the existing user mira.
func (p program) issue(arguments string) (token, publicID string, expires *time.Time) {
	p.t.Helper()
	var issued map[string]*string
	if err := json.Unmarshal([]byte(p.run("token issue --user mira --output json "+arguments)), &issued); err != nil {
		p.t.Fatal(err)
	}
	parts := regexp.MustCompile(`^kt_([0-9a-f]+)_`).FindStringSubmatch(*issued["token"])
	if _, ends := issued["expires_at"]; !ends || len(issued) != 2 || parts == nil {
		p.t.Fatalf("token issue printed %v", issued)
	}
	if end := issued["expires_at"]; end != nil {
		at, err := time.Parse(time.RFC3339, *end)
		if err != nil {
			p.t.Fatal(err)
		}
		expires = &at
	}
	return *issued["token"], parts[1], expires
}

// listed returns the records that a list prints as JSON.
func (p program) listed(arguments string) (records []map[string]any) {
	p.t.Helper()
	printed := p.run(arguments + " --output json")
	if err := json.Unmarshal([]byte(printed), &records); err != nil {
		p.t.Fatalf("kontor %s: %v\n%s", arguments, err, printed)
	}
	return records
}
