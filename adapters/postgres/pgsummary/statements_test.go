package pgsummary

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the SQL in testdata")

func TestStatementsAreThoseInTestdata(t *testing.T) {
	files := map[string]*golden{"fold": {}, "rebuild": {}, "verify": {}}
	files["fold"].add("the open batches", selectBatches)
	for _, sql := range foldStatements {
		files["fold"].add("fold the batch $1", sql)
	}
	for _, sql := range rebuildStatements {
		files["rebuild"].add("rebuild", sql)
	}
	for _, c := range checks {
		files["verify"].add("differences of "+c.model, c.statement())
	}
	for name, g := range files {
		path := filepath.Join("testdata", name+".sql")
		if *update {
			if err := os.WriteFile(path, []byte(g.String()), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if g.String() != string(want) {
			t.Errorf("%s differs: see what has changed after go test ./adapters/postgres/pgsummary -update", path)
		}
	}
}

// golden is statements with titles.
type golden struct{ strings.Builder }

func (g *golden) add(title, sql string) {
	if g.Len() > 0 {
		g.WriteString("\n")
	}
	g.WriteString("-- " + title + "\n" + sql + ";\n")
}
