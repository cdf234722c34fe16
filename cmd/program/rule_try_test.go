package program

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/test/pgtest"
)

// contract 12.71, 12.74, 1.66
func TestRuleTryTriesStoredAndUnsavedRules(t *testing.T) {
	url := pgtest.URL(t)
	t.Setenv("KONTOR_DATABASE_URL", url)
	for _, name := range []string{"ann", "bob"} {
		if code, _, reported := called(t, "user", "add", "--username", name, "--role", "viewer"); code != codeDone {
			t.Fatal(reported)
		}
	}
	if _, err := pgtest.Pool(t, url).Exec(t.Context(), `
insert into rules (name, resource, operations, expression, message, mode, source, created_at, updated_at)
values
    ('no-bob', 'user', 3, 'after.username != "bob"', '="is " + after.username', 'shadow', 'typed', now(), now()),
    ('no-admin', 'user', 2, 'actor.role != "admin"', 'no', 'shadow', 'typed', now(), now()),
    ('ours', 'user', 3, null, null, 'shadow', 'program', now(), now()),
    ('client-stays-with-manager', 'client', 7, null, null, 'enforce', 'program', now(), now())`); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "rule.json")
	for line, want := range map[string]struct {
		rule            string // in the file
		code            int
		printed, report string
	}{
		"no-bob": {"", codeFound, "1 passed, 1 refused, 0 failed.\n\nREFUSED  MESSAGE\n2        is bob\n", "kontor: the rule does not let all records pass: 1 of 2 do not\n"},
		"no-bob --output json": {"", codeFound, `{"name":"no-bob","resource":"user","on":["create","update"],"forbidden":false,"as":"manager","passed":1,"refused":1,"failed":0,"refusals":[{"record_id":2,"message":"is bob"}],"failures":[]}` + "\n",
			"kontor: the rule does not let all records pass: 1 of 2 do not\n"},
		"--file FILE": {`{"id": 3, "name": "no-viewer", "resource": "user", "on": ["update"], "expression": "after.role == \"viewer\"", "message": "no"}`,
			codeDone, "The rule no-viewer was tried on 2 records (user) in ", ""},
		"--file FILE --as=viewer": {`{"name": "x", "resource": "user", "on": ["update"], "variables": [{"name": "a", "expression": "actor.role"}], "expression": "variables.a == \"viewer\"", "message": "no"}`,
			codeDone, "2 passed, 0 refused, 0 failed.", ""},
		"--file FILE --timezone UTC":  {`{"name": "x", "resource": "user", "on": ["update"], "expression": "after.shoe", "message": "no"}`, codeFailed, "", "kontor: expression line 1, column "},
		"--file FILE --output table":  {`{"name": "x"`, codeFailed, "", "kontor: FILE: it is not a rule in JSON: line 1, column 12: unexpected end of JSON input\n"},
		"--file FILE --as admin":      {"{\n  \"name\": \"x\",\n  \"on\": \"update\"}", codeFailed, "", "kontor: FILE: it is not a rule in JSON: line 3, column 16: json: "},
		"--file FILE --as viewer":     {"{\n  \"name\": x}", codeFailed, "", "kontor: FILE: it is not a rule in JSON: line 2, column 11: invalid character 'x'"},
		"--file FILE.none":            {"", codeFailed, "", "kontor: FILE.none: open FILE.none: no such file or directory\n"},
		"nobody":                      {"", codeFailed, "", "kontor: nobody: there is no such rule\n"},
		"ours":                        {"", codeFailed, "", "kontor: ours: this program does not contain the rule: it is compiled into another one\n"},
		"client-stays-with-manager":   {"", codeDone, "The rule client-stays-with-manager was tried on 0 records (client) in ", ""},
		"deal-stays-with-manager":     {"", codeDone, "The rule deal-stays-with-manager was tried on 0 records (deal) in ", ""}, // without a record
		"no-bob --on delete":          {"", codeFailed, "", "kontor: no-bob: expression line 1, column 6: after is always null in a rule for delete only; read before"},
		"no-admin --as admin":         {"", codeFound, "0 passed, 2 refused, 0 failed.\n", "kontor: the rule does not let all records pass: 2 of 2 do not\n"},
		"no-admin":                    {"", codeDone, "2 passed, 0 refused, 0 failed.\n", ""},
		"no-admin --as boss":          {"", codeMisuse, "", "kontor: --as must be admin, manager or viewer; see kontor rule try --help\n"},
		"no-bob --timeout 0s":         {"", codeMisuse, "", "kontor: --timeout must be positive; see kontor rule try --help\n"},
		"no-bob --timeout 1ns":        {"", codeFailed, "", "kontor: the trial has not ended within 1ns: set --timeout\n"},
		"no-bob --on write":           {"", codeFailed, "", "kontor: no-bob: on must be a list of create, update, delete\n"},
		"--file FILE --on create":     {"{}", codeMisuse, "", "kontor: --on is for stored rules: in a file, \"on\" has the operations; see kontor rule try --help\n"},
		"":                            {"", codeMisuse, "", "kontor: the name of a rule is required, or --file; see kontor rule try --help\n"},
		"no-bob --file FILE":          {"{}", codeMisuse, "", "kontor: the name of a rule is required, or --file; see kontor rule try --help\n"},
		"--file FILE --data-dir /tmp": {"{}", codeFailed, "", "kontor: name is required"},
	} {
		if err := os.WriteFile(file, []byte(want.rule), 0o600); err != nil {
			t.Fatal(err)
		}
		words := strings.Fields("rule try " + strings.ReplaceAll(line, "FILE", file))
		code, printed, reported := called(t, words...)
		if code != want.code || !strings.Contains(printed, want.printed) || !strings.HasPrefix(reported, strings.ReplaceAll(want.report, "FILE", file)) || (want.report == "") != (reported == "") {
			t.Errorf("kontor rule try %s ends with %d, prints\n%s\nand reports\n%s", line, code, printed, reported)
		}
	}
}

// contract 12.115, 12.121
func TestOperatorTurnsARuleOff(t *testing.T) {
	url := pgtest.URL(t)
	t.Setenv("KONTOR_DATABASE_URL", url)
	if _, err := pgtest.Pool(t, url).Exec(t.Context(), `
insert into rules (name, resource, operations, expression, message, mode, source, created_at, updated_at)
values ('nobody-new', 'user', 1, 'false', 'no', 'enforce', 'typed', now(), now())`); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		line, report string // the beginning
	}{
		{"user add --username ann", "kontor: ann: "},
		{"rule mode nobody-new off", ""},
		{"user add --username ann", ""},
		{"rule mode nobody-new enforce", ""},
		{"user add --username bob", "kontor: bob: "},
		{"rule mode none off", "kontor: none: there is no such rule\n"},
	} {
		_, _, reported := called(t, strings.Fields(step.line)...)
		if !strings.HasPrefix(reported, step.report) || (step.report == "") != (reported == "") {
			t.Errorf("kontor %s reports %q, want %q", step.line, reported, step.report)
		}
	}
}

// contract 12.74
func TestProgressBarIsForTerminalsOnly(t *testing.T) {
	var elsewhere strings.Builder
	show, clearLine := progressBar(&elsewhere)
	show(0.5)
	clearLine()
	if elsewhere.Len() > 0 {
		t.Errorf("outside of a terminal it shows %q", elsewhere.String())
	}
	var bar strings.Builder
	writeProgress(&bar, 0.25)
	if want := "\r[" + strings.Repeat("#", 10) + strings.Repeat(" ", 30) + "]  25 %"; bar.String() != want {
		t.Errorf("it shows %q, want %q", bar.String(), want)
	}
}
