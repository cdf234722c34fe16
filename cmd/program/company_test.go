package program

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// kontor runs a command line that has to succeed, and is what it prints.
func kontor(t *testing.T, line string) string {
	t.Helper()
	code, printed, reported := called(t, strings.Fields(line)...)
	if code != codeDone {
		t.Fatalf("kontor %s ends with %d: %s", line, code, reported)
	}
	return printed
}

// rejected runs a command line that has to fail, and is what it reports.
func rejected(t *testing.T, want int, line string) string {
	t.Helper()
	code, printed, reported := called(t, strings.Fields(line)...)
	if code != want || printed != "" {
		t.Errorf("kontor %s ends with %d and prints %q: %s", line, code, printed, reported)
	}
	return reported
}

// contract 14.1, 14.3, 14.6, 14.34, 14.10, 14.11, 14.23
func TestCompanyCommandsFromAdditionToRemoval(t *testing.T) {
	t.Setenv("KONTOR_DATABASE_URL", pgtest.URL(t))
	kontor(t, "timezone set Asia/Tokyo")
	t.Setenv("KONTOR_TIMEZONE", "Asia/Tokyo")
	if list := kontor(t, "company list --output json"); list != "[]\n" {
		t.Errorf("without companies the list is %s", list)
	}
	if _, findings, _ := called(t, "doctor"); strings.Contains(findings, "companies") {
		t.Errorf("without companies there is a check of them:\n%s", findings)
	}
	var added []companyRow
	if err := json.Unmarshal([]byte(kontor(t, "company add bakery --output json")), &added); err != nil {
		t.Fatal(err)
	}
	bakery := added[0]
	if bakery.Name != "bakery" || bakery.State != "active" || bakery.TimeZone != "Asia/Tokyo" || bakery.Migration != postgres.Version || len(bakery.Code) != 8 {
		t.Errorf("added is %+v", bakery)
	}
	kontor(t, "user add --company bakery --username ann --role admin")
	if token := kontor(t, "token issue --company bakery --user ann"); !strings.HasPrefix(token, "kt_"+bakery.Code) {
		t.Errorf("the token is %s", token)
	}
	kontor(t, "timezone set --company bakery Europe/Berlin")
	for line, want := range map[string]string{
		"user list --company bakery":                   "ann",
		"token list --company bakery":                  bakery.Code,
		"timezone show --company bakery":               "Europe/Berlin\n",
		"timezone show":                                "Asia/Tokyo\n",
		"rule list --company bakery":                   "NAME",
		"readmodel verify --company bakery":            "agree",
		"readmodel rebuild --company bakery":           "rebuilt",
		"doctor --company bakery":                      "1, all complete",
		"doctor --company bakery --max-connections 10": "opens up to 14,",
		"migrate status":                               "1 of 1",
		"company show bakery":                          "company_" + bakery.Code,
		"company show bakery --output json":            `"size":`,
	} {
		if printed := kontor(t, line); !strings.Contains(printed, want) {
			t.Errorf("kontor %s prints %s", line, printed)
		}
	}
	if list := kontor(t, "user list"); strings.Contains(list, "ann") {
		t.Errorf("the default company has the users\n%s", list)
	}
	kontor(t, "company rename bakery mill")
	kontor(t, "company disable mill")
	if list := kontor(t, "company list"); !strings.Contains(list, "mill  disabled") {
		t.Errorf("disabled, the list is\n%s", list)
	}
	kontor(t, "user list --company mill")
	kontor(t, "company enable mill")
	for line, says := range map[string]string{
		"company add mill":                       "mill: another company has this name",
		"company add Mill":                       "must begin with a letter",
		"company add public":                     "is reserved",
		"company disable bakery":                 "bakery: there is no company of this name",
		"user list --company bakery":             "bakery: there is no company of this name",
		"company add copy --code " + bakery.Code: "there is a company with the code " + bakery.Code,
		"company add copy --code 01234567":       "no tables of a company in the schema company_01234567",
	} {
		if reported := rejected(t, codeFailed, line); !strings.Contains(reported, says) {
			t.Errorf("kontor %s reports %s", line, reported)
		}
	}
	for line, says := range map[string]string{
		"company add":                                  "requires the name of one company",
		"company rename mill":                          "requires two names",
		"company remove mill":                          "confirm with --really",
		"company add x --timezone Mars":                `"Mars" is not an IANA time zone`,
		"company add x --code bakery":                  "8 hexadecimal digits",
		"company add x --code 01234567 --timezone UTC": "cannot be given with --code",
		"timezone set --company mill Mars":             `"Mars" is not an IANA time zone`,
	} {
		reported := rejected(t, exitCode(misused("")), line)
		if !strings.Contains(reported, says) {
			t.Errorf("kontor %s reports %s", line, reported)
		}
	}
	kontor(t, "company remove mill --really")
	if list := kontor(t, "company list --output json"); list != "[]\n" {
		t.Errorf("removed, the list is %s", list)
	}
}

// contract 14.20, 14.22, 14.23
func TestMigrateNamesCompaniesThatAreNotMigrated(t *testing.T) {
	url := pgtest.URL(t)
	t.Setenv("KONTOR_DATABASE_URL", url)
	var added []companyRow
	if err := json.Unmarshal([]byte(kontor(t, "company add a --output json")), &added); err != nil {
		t.Fatal(err)
	}
	kontor(t, "company add b")
	if reported := rejected(t, codeMisuse, "migrate down"); !strings.Contains(reported, "and those of 2 companies") {
		t.Errorf("kontor migrate down reports %s", reported)
	}
	if status := kontor(t, "migrate down --to 0 --really"); !strings.Contains(status, "0 of 2") {
		t.Errorf("rolled back, the status is\n%s", status)
	}
	in, err := postgres.InTenant(url, "") // the default one
	if err != nil {
		t.Fatal(err)
	}
	pool := pgtest.Pool(t, in)
	execute := func(sql string) {
		if _, err := pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	execute("create table company_" + added[0].Code + ".settings ()") // in the way of the migration
	reported := rejected(t, codeFailed, "migrate up")
	if !strings.Contains(reported, "company a: ") || !strings.Contains(reported, `"settings" already exists`) || !strings.Contains(reported, "1 of 2 companies") || strings.Contains(reported, "company b") {
		t.Errorf("it reports\n%s", reported)
	}
	code, printed, _ := called(t, "doctor")
	if code != codeFound || !strings.Contains(printed, "1 of 2 are not migrated, and their requests are rejected: a") {
		t.Errorf("doctor ends with %d:\n%s", code, printed)
	}
	if reported := rejected(t, codeFailed, "user list --company a"); !strings.Contains(reported, "run kontor migrate up") {
		t.Errorf("the records of a company that is not migrated are read: %s", reported)
	}
	execute("drop table company_" + added[0].Code + ".settings")
	if status := kontor(t, "migrate up"); strings.Contains(status, "missing") || strings.Contains(status, "1 of 2") {
		t.Errorf("migrated, the status is\n%s", status)
	}
	if err := json.Unmarshal([]byte(kontor(t, "company list --output json")), &added); err != nil {
		t.Fatal(err)
	}
	for _, edit := range []string{"update %s.migration_checksums set sha256 = repeat('0', 64)", "drop table %s.migration_checksums"} {
		execute(strings.ReplaceAll(edit, "%s", "company_"+added[1].Code))
		code, printed, _ = called(t, "doctor")
		if code != codeFound || !strings.Contains(printed, "1 of 2 have applied a migration that was edited") ||
			!strings.Contains(printed, "rejected: b (00001_baseline.sql)") {
			t.Errorf("doctor ends with %d:\n%s", code, printed)
		}
	}
}

func TestDoctorNamesTheRulesOfAllCompaniesThatDoNotCompile(t *testing.T) {
	url := pgtest.URL(t)
	t.Setenv("KONTOR_DATABASE_URL", url)
	var added []companyRow
	if err := json.Unmarshal([]byte(kontor(t, "company add bakery --output json")), &added); err != nil {
		t.Fatal(err)
	}
	for _, schema := range []string{"", "company_" + added[0].Code + "."} {
		_, err := pgtest.Pool(t, url).Exec(t.Context(), `
insert into `+schema+`rules (name, resource, operations, expression, message, mode, source, created_at, updated_at)
values ('typo', 'deal', 1, 'after.nam == ""', 'x', 'enforce', 'typed', now(), now())`)
		if err != nil {
			t.Fatal(err)
		}
	}
	const reason = "on the resource deal, in the mode enforce: expression line 1, column 6: there is no attribute nam"
	for line, want := range map[string][]string{
		"doctor":                  {"2 cannot be compiled: typo, " + reason, "; typo of the company bakery, " + reason},
		"doctor --company bakery": {"1 cannot be compiled: typo, " + reason},
	} {
		code, printed, _ := called(t, strings.Fields(line)...)
		for _, text := range want {
			if code != codeFound || !strings.Contains(printed, text) {
				t.Errorf("kontor %s ends with %d and prints, without %s,\n%s", line, code, text, printed)
			}
		}
	}
}
