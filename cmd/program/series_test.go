package program

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/test/pgtest"
)

// contract 16.65
func TestSeriesVerifyListsMissingDocuments(t *testing.T) {
	url := pgtest.URL(t)
	t.Setenv("KONTOR_DATABASE_URL", url)
	if got := run(t, "series", "verify"); got != "All 0 documents are as they were issued.\n" {
		t.Errorf("of a new database verify prints %s", got)
	}
	execute(t, url, "insert into performers (id, name, name_key, vat_use, vat_percent, status, created_at, updated_at) values (7, 'A', 'a', true, 20, 1, now(), now())")
	execute(t, url, "insert into series (performer_id, kind, year, last_seq) values (7, 2, 2026, 3)")
	for output, want := range map[string]string{
		"table": "7 credit 2026 0 the series has 3 documents, of which the last one found is number 0",
		"json":  `[{"performer_id":7,"kind":"credit","year":2026,"invoice_id":0,"number":"","problem":"the series has 3 documents, of which the last one found is number 0"}]`,
	} {
		var out bytes.Buffer
		command := newCommand()
		command.Writer = &out
		if err := command.Run(t.Context(), []string{"kontor", "series", "verify", "--output", output}); !errors.Is(err, errChanged) {
			t.Errorf("verify ends with %v", err)
		}
		if got := strings.Join(strings.Fields(out.String()), ""); !strings.Contains(got, strings.ReplaceAll(want, " ", "")) {
			t.Errorf("verify prints %s, want %s", &out, want)
		}
	}
}
