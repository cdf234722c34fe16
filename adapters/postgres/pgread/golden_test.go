package pgread_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/adapters/postgres/pgread"
)

var update = flag.Bool("update", false, "rewrite the statements in testdata and the table in docs/performance.md")

// statement is a statement that testdata shows.
type statement struct {
	file    string // without .sql
	request string
	beside  string // see pgread.DescribePage
}

// The statements of pages: of each resource a first page, and one for each access
// path, total and position that differs.
var pages = []statement{
	{file: "clients-first-page", request: "client"},
	{file: "clients-first-page-with-counts", request: "client?fields=name&count_deals=1&count_offers=1&count_contracts=1&count_invoices=1"},
	{file: "clients-page-by-number", request: "client?fields=name&page=3"},
	{file: "clients-page-by-number-ascending", request: "client?fields=name&sort=-created_at&page=3"},
	{file: "clients-next-page", request: "client?fields=name", beside: "after"},
	{file: "clients-previous-page", request: "client?fields=name", beside: "before"},
	{file: "clients-by-email-next-page", request: "client?fields=name&sort=email", beside: "after"},
	{file: "clients-by-email-next-page-after-null", request: "client?fields=name&sort=email", beside: "after null"},
	{file: "clients-by-email-previous-page-before-null", request: "client?fields=name&sort=email", beside: "before null"},
	{file: "clients-by-name-page-by-number", request: "client?fields=name&sort=name&page=3"},
	{file: "clients-by-two-attributes", request: "client?fields=name&sort=type,-name"},
	{file: "clients-of-user-first-page", request: "client?fields=name&user_id=1"},
	{file: "clients-of-user-by-name", request: "client?user_id=1&sort=name"},
	{file: "clients-of-user-page-by-number", request: "client?fields=name&user_id=1&page=3"},
	{file: "clients-of-user-by-update-by-cost", request: "client?fields=name&user_id=1&sort=updated_at"},
	{file: "clients-named", request: "client?name=nord"},
	{file: "clients-named-next-page", request: "client?fields=name&name=nord", beside: "after"},
	{file: "clients-named-page-by-number", request: "client?fields=name&name=nord&page=3"},
	{file: "clients-named-shortly", request: "client?fields=name&name=no"},
	{file: "clients-named-with-email", request: "client?fields=name&name=nord&email=office@nord.example"},

	{file: "deals-first-page", request: "deal?expand=client,user,type,status"},
	{file: "deals-of-client", request: "deal?fields=name&client_id=1"},
	{file: "deals-of-client-sorted-by-name-by-cost", request: "deal?fields=name&client_id=1&sort=name"},
	{file: "deals-of-client-in-status", request: "deal?fields=name&client_id=1&status_id=2"},
	{file: "deals-of-user-in-status", request: "deal?fields=name&user_id=1&status_id=2"},

	{file: "deals-of-users-merge-runs", request: "deal?fields=name&user_id=1,40"},

	{file: "offers-first-page", request: "offer"},
	{file: "offers-page-by-number", request: "offer?fields=number&page=3"},
	{file: "offers-of-client", request: "offer?fields=number&client_id=1"},
	{file: "offers-of-deal", request: "offer?fields=number&deal_id=7"},
	{file: "offers-numbered", request: "offer?fields=number&number=777"},

	{file: "invoices-first-page", request: "invoice"},
	{file: "invoices-first-page-expanded", request: "invoice?expand=company,manager,status,items,deal"},
	{file: "invoices-of-year-merge-months", request: "invoice?fields=number&year=2022"},
	{file: "invoices-of-year-page-by-number-merge-months", request: "invoice?fields=number&year=2022&page=3"},
	{file: "invoices-of-year-and-user-merge-months", request: "invoice?fields=number&year=2022&user_id=1"},
	{file: "invoices-of-any-march-merge-months", request: "invoice?fields=number&month=3"},
	{file: "invoices-of-year-and-paid-year-merge-months", request: "invoice?fields=number&year=2022&paid_year=2022"},
	{file: "invoices-of-month-sorted-by-number-by-cost", request: "invoice?fields=number&year=2022&month=3&sort=number"},
	{file: "invoices-of-month-in-status", request: "invoice?year=2022&month=3&status=1"},
	{file: "invoices-of-days-in-statuses", request: "invoice?fields=number&date_from=2022-03-01&paid_to=2022-03-31&status=2,3"},
	{file: "invoices-of-company", request: "invoice?fields=number&company=nord"},
	{file: "invoices-of-company-in-status", request: "invoice?fields=number&company=nord&status=2"},

	{file: "invoice-items-first-page", request: "invoice-items"},
	{file: "invoice-items-page-by-number", request: "invoice-items?fields=name&page=3"},
	{file: "invoice-items-of-invoice", request: "invoice-items?fields=name&invoice_id=7&name=oak"},

	{file: "payments-first-page", request: "payment"},
	{file: "payments-of-invoices", request: "payment?fields=id&invoice_id=7,8"},

	{file: "contacts-of-deal", request: "contact?deal_id=7"},
	{file: "contacts-of-deal-and-client", request: "contact?fields=name&deal_id=7&client_id=1&per_page=20"},
	{file: "deal-history", request: "deal-history"},
	{file: "tokens-of-user", request: "token?username=mara"},
	{file: "rules-of-resource", request: "rule?resource=deal&mode=shadow&source=typed&name=no"},
	{file: "rule-violations", request: "rule-violations"},
	{file: "changes", request: "changes"},
}

func TestStatementsAreThoseInTestdata(t *testing.T) {
	lists := listsOf(nil)
	known := map[string]bool{}
	compare := func(s statement, d pgread.Described, err error) {
		t.Helper()
		known[s.file+".sql"] = true
		switch {
		case err != nil:
			t.Errorf("%s: %v", s.file, err)
		default:
			compareFile(t, s.file+".sql", golden(s, d))
		}
	}
	for _, s := range pages {
		list, query := parseRequest(t, s.request)
		d, err := lists[list].describePage(query, s.beside)
		compare(s, d, err)
	}
	for _, s := range []statement{
		{file: "client-record", request: "client"},
		{file: "client-record-with-count", request: "client?fields=name&count_deals=1"},
		{file: "contact-record", request: "contact?expand=client,deal"},
	} {
		list, query := parseRequest(t, s.request)
		d, err := lists[list].describeRecord(query)
		compare(s, d, err)
	}
	files, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if name := file.Name(); strings.HasSuffix(name, ".sql") && !known[name] {
			t.Errorf("no statement belongs to testdata/%s", name)
		}
	}
}

// golden is what testdata shows of a statement.
func golden(s statement, d pgread.Described) string {
	arguments := make([]string, len(d.Arguments))
	for i, value := range d.Arguments {
		arguments[i] = fmt.Sprintf("$%d = %v", i+1, value)
	}
	request := "/rest/" + s.request
	if s.beside != "" {
		request += " (" + s.beside + " a cursor)"
	}
	text := "-- " + request + "\n-- " + d.Plan
	if len(arguments) > 0 {
		text += "; " + strings.Join(arguments, ", ")
	}
	return text + "\n" + format(d.SQL) + ";\n"
}

func compareFile(t *testing.T, name, want string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%s is out of date: go test ./adapters/postgres/pgread -update rewrites it", path)
	}
}
