package pgstore

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the SQL in testdata")

func TestReadModelStatementsAreThoseInTestdata(t *testing.T) {
	var all strings.Builder
	add := func(title, sql string) {
		sql = strings.Replace(strings.TrimSpace(sql), "b.id, "+writerVersion+",", "b.id, :version,", 1)
		all.WriteString("-- " + title + "\n" + sql + ";\n\n")
	}
	for _, l := range []struct {
		name    string
		changes changeSQL
		search  searchSQL
	}{
		{"client", listedClients.changes, listedClients.search},
		{"deal", listedDeals.changes, listedDeals.search},
		{"offer", listedOffers.changes, listedOffers.search},
		{"contract", listedContracts.changes, listedContracts.search},
		{"invoice", listedInvoices.changes, listedInvoices.search},
	} {
		add(l.name+" added", l.changes.added)
		add(l.name+" removed", l.changes.removed)
		add(l.name+" changed", l.changes.changed)
		add("search key of an added "+l.name, l.search.add)
		add("search key of a changed "+l.name, l.search.change)
		add("search key of a removed "+l.name, l.search.remove)
	}
	add("offers of a deal with another client", listedOffers.move)
	add("contracts of a deal with another client", listedContracts.move)
	expectFile(t, "testdata/read_models.sql", all.String())
}

func TestTableStatementsAreThoseInTestdata(t *testing.T) {
	var all strings.Builder
	for _, statements := range [][]string{
		statementsOf(users), statementsOf(statuses), statementsOf(dealTypes), statementsOf(invoiceTypes), statementsOf(performers),
		statementsOf(clients), statementsOf(contacts), statementsOf(deals), statementsOf(offers), statementsOf(contracts),
		statementsOf(rules), {parties.selects, parties.insert, parties.update}, {tokens.selects, tokens.insert, selectGrant, selectRuleSet},
		{invoices.selects, insertInvoice, updateInvoice, invoiceLines.selects, addLines, updateLines},
	} {
		for _, sql := range statements {
			all.WriteString(strings.TrimSpace(sql) + ";\n\n")
		}
	}
	expectFile(t, "testdata/tables.sql", all.String())
}

func statementsOf[ID ~int64, A interface{ State() S }, S any](t *table[ID, A, S]) []string {
	return []string{t.selects, t.insert, t.update, t.remove}
}

func expectFile(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs: see what has changed after go test ./adapters/postgres/pgstore -update", path)
	}
}
