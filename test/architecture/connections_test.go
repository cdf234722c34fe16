package architecture

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A pool runs statements in the schema of whatever company its connections served last, so that only the handle of a
// company may use it. The catalogue, with the schema in the names of its tables, is read and written without one.
func TestStatementsRunThroughTheHandleOfACompany(t *testing.T) {
	t.Parallel()
	owners := []string{"adapters/postgres", "adapters/postgres/pgtenant"}
	for from, imported := range readImports(t) {
		if slices.Contains(imported, "github.com/jackc/pgx/v5/pgxpool") && !slices.Contains(owners, from) && !within(from, []string{"test"}) {
			t.Errorf("%s imports pgxpool: use the handle of a company, postgres.DB", from)
		}
	}
	leak := regexp.MustCompile(`(?m)^func (\([^)]*\) )?[A-Z]\w*\(.*\*pgxpool\.(Pool|Conn)\b`)
	walk(t, func(file string) {
		if path.Dir(file) == owners[0] && strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go") {
			if found := leak.FindString(read(t, file)); found != "" {
				t.Errorf("%s: %s: a pool leaves the package", file, found)
			}
		}
	})
}
