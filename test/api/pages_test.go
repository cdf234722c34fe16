package api_test

import (
	"html"
	"strings"
	"testing"
)

// shows checks the parts of a page.
func (s paying) shows(path string, parts ...string) {
	s.t.Helper()
	body := html.UnescapeString(s.page(path))
	for _, part := range parts {
		if !strings.Contains(body, part) {
			s.t.Errorf("%s lacks %s: %s", path, part, body)
		}
	}
}

// contract 2.90, 2.92, 2.93
func TestPagesShowInvoicesAsPeopleReadThem(t *testing.T) {
	t.Parallel()
	s := startPaying(t)
	s.as("admin").put("/rest/performer/1/party", fields{"legal_name": "Kontor", "currency": "EUR"})
	late := s.invoice("10000.1", fields{"date": "2024-01-10", "due_date": "2024-02-01", "number": "L-1"})
	dollars := s.invoice("1", fields{"date": "2024-01-25", "currency": "USD"})
	s.invoice("5", fields{"date": "2024-01-25", "client_id": 2})
	s.pay("20.12", fieldsWith(settling(late, "20.12"), fields{"client_id": 1}))
	s.shows("/rest/invoice/"+late, "<h1>Invoice L-1</h1>", `<span class="badge overdue">overdue</span>`, `<dt title="company">Client</dt>`,
		`<dt title="pay_price">Amount to pay</dt><dd>12,000.12`+"\u00a0EUR</dd>", "<dd>2024-02-01</dd>", "<h2>Lines</h2>", "<h2>VAT by rate</h2>",
		`<h2>Payments</h2>`, `<a href="/rest/payment/1">1</a>`, `as=xrechnung">XRechnung</a>`, "History of the deal")
	s.shows("/rest/client/1", "<h2>What the client owes", "11,980.00\u00a0EUR", "1.20\u00a0USD", "<h2>Deals", "<h2>Invoices", ">L-1</a>")
	s.shows("/rest/invoice?status_id=1&per_page=1", `<select name="status_id">`, `<option value="1" selected>not paid</option>`, `type="date" name="date_from"`,
		`aria-label="Remove Status: not paid"`, `<dt title="due_price">Due</dt><dd>11,986.00`+"\u00a0EUR", "1.20\u00a0USD", "Search by number, client, your key")
	s.pay("1.50", fields{"client_id": 1})
	s.pay("0.20", fieldsWith(settling(dollars, "0.20"), fields{"client_id": 1}))
	s.shows("/rest/payment?per_page=1", ">Acme</a>", `<dt title="amount">Amount</dt><dd>21.62`+"\u00a0EUR", "<dd>0.20\u00a0USD", `<dt title="left">Not allocated</dt><dd>1.50`)
	s.shows("/rest/payment/1", "<h2>What it settles</h2>", ">L-1</a>")
}

// contract 2.92
func TestSearchFieldTriesNumbersNamesEmailsAndRefs(t *testing.T) {
	t.Parallel()
	s := startPaying(t)
	s.as("manager").post("/rest/client", fields{"name": "Bakery", "type": 1, "email": "oven@example.org", "ref": "shop-7"}).wants(200)
	paid := s.invoice("100", fields{"number": "B-1"})
	s.pay("120", settling(paid, "120"))
	s.invoice("200", fields{"number": "B-2", "ref": "order-1"})
	for path, removable := range map[string]string{
		"/rest/client?_search=bak":                        "Name: bak",
		"/rest/client?_search=OVEN@example.org&type=1":    "Email: OVEN@example.org",
		"/rest/client?_search=shop-7&email=":              "Your key: shop-7",
		"/rest/invoice?_search=order-1":                   "Your key: order-1",
		"/rest/invoice?_search=acm&status_id=2&page=7":    "Client: acm",
		"/rest/invoice?_search=b-&status_id=2&sort=date":  "Number: b-",
		"/rest/invoice?_search=b-1&number=b-2&per_page=1": "Number: b-1",
	} {
		_, text, _ := strings.Cut(removable, ": ")
		s.shows(path, "1 record", `aria-label="Remove `+removable+`"`, `type="search" name="_search" value="`+text+`"`)
	}
	s.shows("/rest/invoice?_search=b-&status_id=2&sort=date", `aria-label="Remove Status: paid"`, `name="sort" value="date"`,
		`by <a href="/rest/invoice?company=b-&sort=date&status_id=2">client</a>, <a href="/rest/invoice?ref=b-&sort=date&status_id=2">your key</a>`)
	s.shows("/rest/invoice?_search=nothing", "0 records", `aria-label="Remove Number: nothing"`)
	s.shows("/rest/status?_search=new", "<h1>Statuses</h1>")
}
