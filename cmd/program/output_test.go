package program

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/adapters/postgres"
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
	for format, want := range map[string]string{
		"table": "STATE    MIGRATION\napplied  00001_users.sql\nmissing  00002_more.sql\n",
		"json":  `[{"version":1,"name":"00001_users.sql","applied":true},{"version":2,"name":"00002_more.sql","applied":false}]` + "\n",
	} {
		var out bytes.Buffer
		if err := (output{format}).migrations(&out, list); err != nil || out.String() != want {
			t.Errorf("as %s migrations are %v\n%swant\n%s", format, err, &out, want)
		}
	}
}

// contract 1.40
func TestOutputJSONIsSupportedByEveryCommandThatPrintsData(t *testing.T) {
	folder := dataFolder(t)
	t.Setenv("KONTOR_DATA_DIR", folder)
	t.Setenv("KONTOR_DATABASE_URL", private(t, folder).Config().ConnString())
	for _, words := range []string{
		"migrate up", "migrate status", "user add --username ann --role admin", "user list", "token issue --user ann", "token list",
		"timezone show", "readmodel verify", "doctor", "version",
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
