package pgsummary

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
)

var update = flag.Bool("update", false, "rewrite the SQL in testdata")

func TestStatementsAreThoseInTestdata(t *testing.T) {
	files := map[string]*golden{"fold": {}, "rebuild": {}, "verify": {}}
	fold, rebuild, verify := files["fold"], files["rebuild"], files["verify"]
	fold.add("the open batches", selectBatches)
	fold.add("the lists that a batch changes", selectChanged)
	for i, r := range rollups {
		fold.add("fold a batch into "+r.table, foldStatements[i].sql)
		rebuild.add("stage "+r.table, r.stage())
		rebuild.add("add folded batches to the staged "+r.table, catchUpStatements[i])
		rebuild.add("replace "+r.table, r.replace())
	}
	for i, p := range pageIndexes {
		fold.add("fold a batch into the page index of "+p.Table, foldStatements[len(rollups)+i].sql)
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

func TestFoldOfABatchRunsTheStatementsOfChangedLists(t *testing.T) {
	for _, c := range []struct {
		changed []*listdef.List
		want    []string // what the statements change
	}{
		{nil, nil},
		{[]*listdef.List{listdef.Clients}, []string{"client_totals", "page_index of clients"}},
		{[]*listdef.List{listdef.Deals}, []string{"deal_totals", "client_counts", "page_index of deals"}},
		{[]*listdef.List{listdef.Offers}, []string{"client_counts", "page_index of offers"}},
		{[]*listdef.List{listdef.Invoices}, []string{"invoice_totals", "client_counts", "page_index of invoices", "page_index of invoice_lines"}},
		{[]*listdef.List{listdef.Clients, listdef.Offers}, []string{"client_totals", "client_counts", "page_index of clients", "page_index of offers"}},
	} {
		var got []string
		for _, sql := range foldingOf(c.changed) {
			changes := regexp.MustCompile(`(?:insert into|update) (\w+)`).FindStringSubmatch(sql)[1]
			if list := regexp.MustCompile(`i\.list = '(\w+)'`).FindStringSubmatch(sql); list != nil {
				changes += " of " + list[1]
			}
			got = append(got, changes)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("a batch with changes of %d lists is folded into %q, want %q", len(c.changed), got, c.want)
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
