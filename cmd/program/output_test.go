package program

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/tenant"
	"github.com/kontor-crm/kontor/test/pgtest"
)

func TestTableIsAlignedDespiteTabsAndLineEnds(t *testing.T) {
	var out bytes.Buffer
	table := newTable(&out, "NAME", "TOWN")
	table.row("Ann\tLee", "Ulm\nBonn")
	table.row("Zoë", "")
	if err := table.flush(); err != nil {
		t.Fatal(err)
	}
	if want := "NAME     TOWN\nAnn Lee  Ulm Bonn\nZoë      \n"; out.String() != want {
		t.Errorf("the table is\n%q, want\n%q", &out, want)
	}
}

func TestMigrationsArePrintedAsTableAndJSON(t *testing.T) {
	list := []postgres.Migration{{Version: 1, Name: "00001_users.sql", Applied: true}, {Version: 2, Name: "00002_more.sql"}}
	companies := []tenant.Tenant{{Migration: 2}, {Migration: 1}}
	for _, c := range []struct {
		format    string
		companies []tenant.Tenant
		want      string
	}{
		{"table", nil, "STATE    MIGRATION\napplied  00001_users.sql\nmissing  00002_more.sql\n"},
		{"json", nil, `[{"version":1,"name":"00001_users.sql","applied":true},{"version":2,"name":"00002_more.sql","applied":false}]` + "\n"},
		{"table", companies, "STATE    MIGRATION        COMPANIES\napplied  00001_users.sql  2 of 2\nmissing  00002_more.sql   1 of 2\n"},
		{"json", companies, `[{"version":1,"name":"00001_users.sql","applied":true,"companies":2},{"version":2,"name":"00002_more.sql","applied":false,"companies":1}]` + "\n"},
	} {
		var out bytes.Buffer
		if err := (output{c.format}).migrations(&out, list, c.companies); err != nil || out.String() != c.want {
			t.Errorf("as %s migrations are %v\n%swant\n%s", c.format, err, &out, c.want)
		}
	}
}

// contract 14.6
func TestCompanyOnAWorkerThatDoesNotRespondHasNoSize(t *testing.T) {
	lost := fault.New(fault.Unavailable, "the worker 10.0.0.32:5432 does not respond")
	for format, says := range map[string]string{
		"table": "NODE        10.0.0.32:5432\nSIZE        unknown: the worker 10.0.0.32:5432 does not respond\n",
		"json":  `"node":"10.0.0.32:5432"}` + "\n",
	} {
		var out bytes.Buffer
		c := tenant.Tenant{Name: "bakery", State: tenant.Active, Migration: postgres.Version, Node: "10.0.0.32:5432"}
		if err := (output{format}).company(&out, c, 0, lost); err != nil || !strings.HasSuffix(out.String(), says) {
			t.Errorf("as %s the company is %v\n%s", format, err, &out)
		}
	}
}

// contract 1.40
func TestOutputJSONIsSupportedByEveryCommandThatPrintsData(t *testing.T) {
	t.Setenv("KONTOR_DATABASE_URL", pgtest.URL(t))
	for _, words := range []string{
		"migrate up", "migrate status", "user add --username ann --role admin", "user list", "token issue --user ann", "token list",
		"timezone show", "readmodel verify", "rule list", "doctor", "version",
	} {
		code, printed, reported := called(t, append(strings.Fields(words), "--output", "json")...)
		if code != codeDone || !json.Valid([]byte(printed)) || !strings.HasSuffix(printed, "\n") {
			t.Errorf("kontor %s ends with %d, reports %q and prints for scripts %s", words, code, reported, printed)
		}
	}
	if _, printed, _ := called(t, "timezone", "show", "--output=json"); printed != `{"timezone":"UTC"}`+"\n" {
		t.Errorf("for scripts the time zone is %s", printed)
	}
}

// contract 12.12, 12.121
func TestRuleListShowsTheRulesThatMigrateUpHasStored(t *testing.T) {
	t.Setenv("KONTOR_DATABASE_URL", pgtest.URL(t))
	for range 2 {
		if code, _, reported := called(t, "migrate", "up"); code != codeDone {
			t.Fatalf("migrate up ends with %d and reports %s", code, reported)
		}
	}
	_, table, _ := called(t, "rule", "list")
	const want = "ID  NAME                       RESOURCE  ON                    MODE     SOURCE   WOULD_REFUSE\n" +
		"1   client-stays-with-manager  client    create,update,delete  enforce  program  0\n" +
		"2   deal-stays-with-manager    deal      create,update,delete  enforce  program  0\n"
	if table != want {
		t.Errorf("the table is\n%swant\n%s", table, want)
	}
	_, list, _ := called(t, "rule", "list", "--output", "json")
	if want := `{"id":2,"name":"deal-stays-with-manager","resource":"deal","on":["create","update","delete"],"variables":[],"expression":null,`; !strings.Contains(list, want) {
		t.Errorf("for scripts it is %s", list)
	}
}
