package pgsummary

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
)

var update = flag.Bool("update", false, "rewrite the SQL in testdata")

func TestStatementsAreThoseInTestdata(t *testing.T) {
	files := map[string]*golden{"fold": {}, "rebuild": {}, "verify": {}}
	fold, rebuild, verify := files["fold"], files["rebuild"], files["verify"]
	fold.add("the open batches", selectBatches)
	for i, r := range rollups {
		fold.add("fold a batch into "+r.table, foldStatements[i])
		rebuild.add("stage "+r.table, r.stage())
		rebuild.add("add folded batches to the staged "+r.table, catchUpStatements[i])
		rebuild.add("replace "+r.table, r.replace())
	}
	for i, p := range pageIndexes {
		fold.add("fold a batch into the page index of "+p.Table, foldStatements[len(rollups)+i])
	}
	for i, p := range stagedPageIndexes {
		rebuild.add("stage the page index of "+p.Table, p.fill())
		rebuild.add("revert the open batches in the staged page index of "+p.Table, p.add(openReverted))
		rebuild.add("add folded batches to the staged page index of "+p.Table, catchUpStatements[len(rollups)+i])
	}
	for _, p := range pageIndexes {
		fold.add("split segments of "+p.Table, splitStatements[p.Table])
	}
	rebuild.add("correct months of payment", correctPaidMonths)
	for _, l := range listdef.All {
		rebuild.add("correct search keys in "+l.Search, correctSearchKeys(l))
		rebuild.add("remove orphans from "+l.Search, deleteOrphans(l))
	}
	for _, c := range checks {
		verify.add("differences of "+c.model, c.statement())
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
