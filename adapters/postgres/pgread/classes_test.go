package pgread_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A Class says how the time of a list grows.
type Class string

// The classes.
const (
	// Flat lists take as long among a million clients as among ten thousand.
	Flat Class = "A"
	// Bounded lists take as long as the bound says, however long the list is.
	Bounded Class = "B"
	// Open lists are right, and may be slow: the statement timeout ends them.
	Open Class = "C"
)

// Row is one way to read lists.
type Row struct {
	Lists   string // of these resources
	Filters string
	Sort    string
	Pages   string
	Class   Class
	Bound   string // what an answer looks at most; of class A nothing
	// Requests stand for the row: the resource and the query. page may be
	// middle, last, next or previous.
	Requests []string
	// Sorts says why the database may sort more than a page; "" if it must not.
	Sorts string
}

const (
	ends    = "first, last, `next`, `prev`"
	anyPage = "any"
	merges  = "the first rows of each run are merged"
)

// Classes is every way to read the lists of the contract.
var Classes = []Row{
	{
		Lists: "client, deal, offer, contract, invoice, invoice-items", Filters: "none", Sort: "the default, either way", Pages: ends, Class: Flat,
		Requests: []string{
			"client", "client?page=2", "client?page=last", "client?sort=-created_at&page=last", "client?page=next", "client?page=previous",
			"client?count_deals=true&count_offers=true&count_contracts=true&count_invoices=true&expand=user&page=2",
			"deal", "deal?page=last", "deal?expand=client,user,type,status&page=next",
			"offer", "offer?page=last", "contract", "contract?sort=-created_on&page=last",
			"invoice", "invoice?page=last", "invoice?page=next", "invoice?sort=-created_on&page=previous",
			"invoice-items", "invoice-items?page=last", "invoice-items?sort=-id&page=2", "invoice-items?page=next",
		},
	},
	{
		Lists: "client", Filters: "none", Sort: "id, name, updated_at", Pages: ends, Class: Flat,
		Requests: each("client", "sort", "id", "name", "updated_at", "-name"),
	},
	{
		Lists: "deal", Filters: "none", Sort: "id, name, updated_at", Pages: ends, Class: Flat,
		Requests: each("deal", "sort", "id", "name", "updated_at", "-name"),
	},
	{
		Lists: "offer, contract", Filters: "none", Sort: "id, number, date", Pages: ends, Class: Flat,
		Requests: append(each("offer", "sort", "id", "number", "date"), each("contract", "sort", "-id", "-number", "-date")...),
	},
	{
		Lists: "invoice", Filters: "none", Sort: "id, number, date, paid_on, updated_on, total_price, pay_price",
		Pages: ends, Class: Flat,
		Requests: each("invoice", "sort", "id", "number", "date", "total_price", "pay_price", "paid_on", "-paid_on", "updated_on"),
	},
	{
		Lists: "invoice-items", Filters: "none", Sort: "total_price", Pages: ends, Class: Flat,
		Requests: each("invoice-items", "sort", "total_price"),
	},
	{
		Lists: "client", Filters: "user_id, type, or both", Sort: "the default", Pages: ends, Class: Flat,
		Requests: append(each("client", "user_id", "1", "40"), append(each("client", "type", "1", "2"), "client?user_id=1&type=2")...),
	},
	{
		Lists: "client", Filters: "user_id", Sort: "name", Pages: ends, Class: Flat,
		Requests: each("client?user_id=1", "sort", "name", "-name"),
	},
	{
		Lists: "client", Filters: "email", Sort: "any", Pages: anyPage, Class: Bounded, Bound: "the clients with the address", Sorts: "these are few",
		Requests: []string{"client?email=both@example.org", "client?email=both@example.org&sort=phone&page=2&per_page=5"},
	},
	{
		Lists: "client, contact, deal, invoice, performer", Filters: "ref", Sort: "any", Pages: anyPage, Class: Flat,
		Requests: []string{"client?ref=c-7", "contact?ref=p-7", "deal?ref=d-7&sort=name", "invoice?ref=i-7&page=last", "performer?ref=k-7"},
	},
	{
		Lists: "deal", Filters: "client_id, user_id, status_id or type_id", Sort: "the default", Pages: ends, Class: Flat,
		Requests: append(append(each("deal", "client_id", "1", "777"), each("deal", "user_id", "1", "40")...), append(each("deal", "status_id", "2"), each("deal", "type_id", "1")...)...),
	},
	{
		Lists: "deal", Filters: "user_id, status_id and type_id, two or all", Sort: "the default", Pages: ends, Class: Flat,
		Requests: []string{"deal?user_id=40&status_id=2", "deal?user_id=1&type_id=1&status_id=1", "deal?status_id=2&type_id=2"},
	},
	{
		Lists: "invoice", Filters: "client_id, user_id, type_id or status", Sort: "the default", Pages: ends, Class: Flat,
		Requests: append(append(each("invoice", "client_id", "1", "777"), each("invoice", "user_id", "1", "40")...), append(each("invoice", "status", "1", "2", "4"), each("invoice", "type_id", "2")...)...),
	},
	{
		Lists: "invoice", Filters: "year, month, paid_year, paid_month; each alone, and a year with its month", Sort: "the default", Pages: ends, Class: Flat, Sorts: merges,
		Requests: append(append(each("invoice", "year", "2022"), each("invoice", "month", "3")...), append(
			append(each("invoice", "paid_year", "2022"), each("invoice", "paid_month", "3")...),
			append(each("invoice?year=2022", "month", "3"), each("invoice?paid_year=2022", "paid_month", "3")...)...)...),
	},
	{
		Lists: "invoice", Filters: "such a date with user_id, type_id or status", Sort: "the default", Pages: ends, Class: Flat, Sorts: merges,
		Requests: append(append(each("invoice?year=2022&month=3", "status", "2"), each("invoice?year=2022", "user_id", "1", "40")...), append(
			append(each("invoice?month=3", "status", "2"), each("invoice?paid_year=2022", "user_id", "1", "40")...),
			"invoice?year=2022&type_id=2", "invoice?year=2022&user_id=1&type_id=2", "invoice?paid_month=3&type_id=2&page=last")...),
	},
	{
		Lists: "invoice", Filters: "user_id, type_id and status, two or all", Sort: "the default", Pages: ends, Class: Flat,
		Requests: []string{"invoice?user_id=1&status=2", "invoice?user_id=1&type_id=2", "invoice?type_id=2&status=2", "invoice?user_id=1&type_id=2&status=2"},
	},
	{
		Lists: "client, deal, invoice", Filters: "several values of one: client_id, user_id, status_id, type_id or status", Sort: "the default", Pages: ends, Class: Flat,
		Sorts: merges,
		Requests: slices.Concat(
			each("client", "user_id", "1,40", hundred), each("deal", "client_id", "1,777", hundred), each("deal", "user_id", "1,40"),
			each("deal", "status_id", "1,2"), each("deal", "type_id", "1,2"), each("invoice", "client_id", "1,777", hundred),
			each("invoice", "user_id", "1,40", hundred), each("invoice", "type_id", "2,3"), each("invoice", "status", "1,4", "1,2,3,4"),
		),
	},
	{
		Lists: "the same", Filters: "several values with others that are flat with one value", Sort: "the default", Pages: ends, Class: Bounded, Sorts: merges,
		Bound: "for each value or month, the first records until a page of them matches",
		Requests: []string{
			"client?user_id=1,40&type=1", "deal?user_id=1,40&status_id=1,2", "deal?status_id=1,2&type_id=1&page=next", "invoice?user_id=1,40&status=1,2&page=last",
			"invoice?year=2022&user_id=1,40", "invoice?year=2022&month=3&status=1,2", "invoice?paid_month=3&type_id=1,2&page=next",
		},
	},
	{
		Lists: "invoice", Filters: "date_from, date_to, paid_from, paid_to; each alone, or with others", Sort: "any", Pages: anyPage, Class: Bounded,
		Bound: "the invoices of these days, which are counted", Sorts: "these are sorted",
		Requests: []string{
			"invoice?date_from=2022-03-01&date_to=2022-03-31", "invoice?date_from=2024-09-01&page=next", "invoice?date_to=2019-03-01&sort=number&page=last",
			"invoice?paid_from=2022-03-01&paid_to=2022-03-31&page=previous", "invoice?paid_from=2024-09-01&status=2,3", "invoice?paid_to=2019-03-01&user_id=1",
		},
	},
	{
		Lists: "client, deal, offer, contract, invoice", Filters: "id", Sort: "any", Pages: anyPage, Class: Bounded, Bound: "the records with these ids",
		Sorts: "these are sorted",
		Requests: []string{
			"client?id=" + hundred + "&sort=phone", "deal?id=7", "offer?id=1,7&sort=number", "contract?id=" + hundred, "invoice?id=" + hundred + "&status=1,2&page=next",
		},
	},
	{
		Lists: "invoice", Filters: "year or month together with paid_year or paid_month", Sort: "the default", Pages: ends, Class: Bounded, Bound: "for each month of payment, the first invoices until a page of them matches",
		Sorts: merges,
		Requests: append(append(each("invoice?year=2022", "paid_year", "2022"), each("invoice?year=2022&month=3&paid_year=2022", "paid_month", "4")...),
			append(each("invoice?month=12", "paid_month", "1"), "invoice?year=2022&paid_month=3", "invoice?month=3&paid_year=2022&page=last")...),
	},
	{
		Lists: "invoice", Filters: "the same with type_id, status or user_id", Sort: "the default", Pages: ends, Class: Bounded,
		Bound: "for each month of payment, the first invoices until a page of them matches; with user_id, also the user's invoices in these months, which are counted", Sorts: merges,
		Requests: []string{
			"invoice?year=2022&paid_year=2022&type_id=2", "invoice?year=2022&paid_year=2022&status=2", "invoice?year=2022&paid_year=2022&user_id=1",
			"invoice?month=12&paid_month=1&user_id=1&page=last",
		},
	},
	{
		Lists: "client, deal, offer, contract, invoice", Filters: "name, search or number", Sort: "the default, id, name or number", Pages: anyPage, Class: Bounded,
		Bound: "the texts with its rarest trigram, whose matches are counted; with fewer than three characters, all texts", Sorts: "the matches are sorted",
		Requests: []string{
			"client?name=quendel", "client?name=technik", "client?name=technik&page=2", "client?name=technik&page=last", "client?name=altona&sort=name",
			"client?search=technik&page=next", "deal?name=service", "offer?number=777", "contract?number=777&sort=number", "invoice?number=777",
		},
	},
	{
		Lists: "the same", Filters: "the same with others, or in another order", Sort: "any", Pages: anyPage, Class: Bounded,
		Bound: "the matches", Sorts: "the matches are sorted",
		Requests: []string{"client?name=technik&user_id=1", "client?name=technik&sort=phone", "deal?name=service&status_id=1", "invoice?number=777&status=2"},
	},
	{
		Lists: "invoice", Filters: "company", Sort: "any", Pages: anyPage, Class: Bounded, Bound: "the clients that match and their invoices", Sorts: "the matches are sorted",
		Requests: []string{"invoice?company=quendel", "invoice?company=technik"},
	},
	{
		Lists: "deal, invoice", Filters: "client_id with others", Sort: "any", Pages: anyPage, Class: Bounded, Bound: "what the clients have", Sorts: "this is sorted",
		Requests: []string{"deal?client_id=1&status_id=1", "deal?client_id=1&sort=name", "invoice?client_id=1&status=2", "invoice?client_id=1&sort=number", "invoice?client_id=1,777&status=2", "deal?client_id=1,777&sort=name"},
	},
	{
		Lists: "offer, contract", Filters: "deal_id, client_id", Sort: "any", Pages: anyPage, Class: Bounded, Bound: "the documents of the deal, or of the clients' deals", Sorts: "these are sorted",
		Requests: []string{"offer?deal_id=7", "contract?client_id=1", "contract?client_id=1,777&page=next", "offer?client_id=1&sort=number"},
	},
	{
		Lists: "invoice", Filters: "deal_id", Sort: "any", Pages: anyPage, Class: Bounded, Bound: "the invoices of the deal",
		Requests: []string{"invoice?deal_id=7", "invoice?deal_id=7&sort=number"},
	},
	{
		Lists: "client, deal, offer, contract, invoice", Filters: "updated_since", Sort: "any", Pages: anyPage, Class: Bounded,
		Bound: "the records changed since then", Sorts: "these are sorted",
		Requests: []string{
			"client?updated_since=2024-12-30", "client?updated_since=2024-12-30&sort=updated_at,id&page=next", "deal?updated_since=2024-12-30",
			"offer?updated_since=2030-05-01", "contract?updated_since=2030-05-01&sort=id", "invoice?updated_since=2024-09-01",
			"invoice?updated_since=2024-09-01&sort=updated_on&page=last",
		},
	},
	{
		Lists: "invoice", Filters: "due", Sort: "any", Pages: anyPage, Class: Bounded, Bound: "the invoices of which something is due", Sorts: "these are sorted",
		Requests: []string{"invoice?due=1", "invoice?due=1&page=last", "invoice?due=1&sort=date", "invoice?due=1&client_id=1"},
	},
	{
		Lists: "payment", Filters: "client_id, invoice_id, ref, reference, id", Sort: "any", Pages: anyPage, Class: Bounded, Bound: "the payments of the clients, those for the invoices, and those with the keys",
		Requests: []string{"payment?client_id=777", "payment?client_id=1,7&sort=date&page=next", "payment?invoice_id=7,8", "payment?ref=p-7", "payment?reference=r-7", "payment?id=7,8"},
	},
	{
		Lists: "payment", Filters: "date_from, date_to, updated_since, left", Sort: "any", Pages: anyPage, Class: Bounded, Bound: "the payments of the days, those changed since then, those of which something is left",
		Sorts:    "these are sorted",
		Requests: []string{"payment?date_from=2024-06-01&date_to=2024-06-09", "payment?date_to=2019-03-01&page=last", "payment?updated_since=2024-08-30", "payment?left=1&sort=amount"},
	},
	{
		Lists: "invoice", Filters: "due_from, due_before, overdue", Sort: "any", Pages: anyPage, Class: Bounded,
		Bound: "the invoices that are due in these days; those that are not paid", Sorts: "these are sorted",
		Requests: []string{"invoice?due_before=2019-06-01&page=next", "invoice?due_from=2024-08-20&due_before=2024-08-27&sort=due_date", "invoice?overdue=1", "invoice?overdue=1&sort=due_date&page=last", "invoice?overdue=1&user_id=1"},
	},
	{
		Lists: "invoice", Filters: "credits, other than 0", Sort: "any", Pages: anyPage, Class: Bounded, Bound: "the credit notes for the invoices",
		Requests: []string{"invoice?credits=7", "invoice?credits=7,8&sort=number&page=next", "invoice?credits=7&status=2"},
	},
	{
		Lists: "invoice-items", Filters: "invoice_id", Sort: "any", Pages: anyPage, Class: Bounded, Bound: "the lines of the invoice",
		Requests: []string{"invoice-items?invoice_id=7", "invoice-items?invoice_id=7&name=oak&sort=name"},
	},
	{
		Lists: "contact", Filters: "client_id, deal_id; these with updated_since or id", Sort: "any", Pages: anyPage, Class: Bounded, Bound: "the contacts of the clients or the deal", Sorts: "these are sorted",
		Requests: []string{"contact?client_id=1", "contact?deal_id=7&sort=name", "contact?client_id=1,7&updated_since=2024-12-30", "contact?client_id=1,7&id=7,8"},
	},
	{
		Lists: "all with a filter", Filters: "any of the above", Sort: "the default", Pages: "others", Class: Bounded, Bound: "the matches before the page or after it, whichever are fewer, in an index",
		Sorts:    merges,
		Requests: []string{"client?user_id=1&page=middle", "deal?status_id=2&page=middle", "invoice?year=2022&page=middle", "invoice?status=2&page=middle"},
	},
	{
		Lists: "all with a filter", Filters: "any of the above", Sort: "another that is flat without a filter", Pages: anyPage, Class: Bounded, Bound: "the matches; if there are many and they are spread evenly, at most √(list size × page size)",
		Sorts:    "the matches are sorted, if they are few",
		Requests: []string{"client?user_id=50&sort=updated_at", "client?user_id=1&sort=id", "client?user_id=1,40&sort=name", "client?type=1&sort=-updated_at&page=next", "deal?user_id=50&sort=name", "invoice?user_id=50&sort=number", "invoice?year=2022&month=3&sort=number"},
	},
	{
		Lists: "all", Filters: "none", Sort: "one of the above", Pages: "others, by their number", Class: Open, Bound: "half of the list, in an index",
		Requests: []string{"client?page=middle", "deal?sort=name&page=middle", "offer?sort=number&page=middle", "invoice?sort=-date&page=middle", "invoice-items?page=middle"},
	},
	{
		Lists: "all", Filters: "any", Sort: "another: several attributes, or one that is not named above", Pages: anyPage, Class: Open, Bound: "the list, which is sorted",
		Requests: []string{
			"client?sort=type,name&page=last", "client?sort=phone", "deal?user_id=1&sort=type_id", "invoice?sort=-vat_price&page=next", "client?user_id=1&sort=-phone", "deal?sort=user,name", "contract?sort=-deal_id",
			"invoice?status=2&sort=total_count", "invoice-items?sort=name&page=2",
		},
	},
	{
		Lists: "invoice", Filters: "credits with 0, unless client_id, deal_id, id or ref is set", Sort: "any", Pages: anyPage, Class: Open, Bound: "all invoices",
		Requests: []string{"invoice?credits=0", "invoice?credits=0,7&sort=date&page=2", "invoice?credits=0&user_id=1&page=last"},
	},
	{
		Lists: "payment", Filters: "none, performer_id, method", Sort: "any", Pages: anyPage, Class: Open, Bound: "all payments, which are counted",
		Requests: []string{"payment", "payment?performer_id=1&page=next", "payment?method=x&sort=date", "payment?performer_id=1,2&page=last"},
	},
	{
		Lists: "invoice-items", Filters: "name without invoice_id", Sort: "any", Pages: anyPage, Class: Open, Bound: "the lines of all invoices",
		Requests: []string{"invoice-items?name=oak", "invoice-items?name=oak+9999&sort=price&page=2"},
	},
}

// hundred are as many ids as a filter may have.
var hundred = func() string {
	ids := make([]string, 100)
	for i := range ids {
		ids[i] = strconv.Itoa(i + 1)
	}
	return strings.Join(ids, ",")
}()

// each is the requests for the ends of a list for each value of a parameter.
func each(list, parameter string, values ...string) []string {
	var requests []string
	sign := "?"
	if strings.Contains(list, "?") {
		sign = "&"
	}
	for _, value := range values {
		for _, page := range []string{"1", "last", "next", "previous"} {
			requests = append(requests, fmt.Sprintf("%s%s%s=%s&page=%s", list, sign, parameter, value, page))
		}
	}
	return requests
}

func TestClassesHaveARequestWithEachFilter(t *testing.T) {
	t.Parallel()
	lists := listsOf(nil)
	set := map[string]bool{}
	for _, row := range Classes {
		for _, request := range row.Requests {
			list, query := parseRequest(t, request)
			lists[list].noteFilters(query, set)
		}
	}
	if len(set) < 10 {
		t.Fatalf("found only %d filters", len(set))
	}
	for filter, isSet := range set {
		if !isSet {
			t.Errorf("no class has a request with %s", filter)
		}
	}
}

func TestPerformanceTableIsUpToDate(t *testing.T) {
	const name, begin, end = "../../../docs/performance.md", "<!-- classes: written by make docs -->\n", "<!-- end of classes -->"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, opened := strings.Cut(string(text), begin)
	_, tail, closed := strings.Cut(rest, end)
	if !opened || !closed {
		t.Fatalf("%s has no place for the table", name)
	}
	want := head + begin + "\n" + markdown() + "\n" + end + tail
	if *update && want != string(text) {
		if err := os.WriteFile(name, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(text) {
		t.Error("the table of classes is out of date: make docs regenerates it")
	}
}

// markdown is the table of the classes.
func markdown() string {
	var b strings.Builder
	b.WriteString("| Lists | Filters | Sort | Pages | Class | Looks at most at |\n|---|---|---|---|---|---|\n")
	for _, r := range Classes {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", r.Lists, r.Filters, r.Sort, r.Pages, r.Class, r.Bound)
	}
	return b.String()
}
