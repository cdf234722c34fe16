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
	s.invoice("1", fields{"date": "2024-01-25", "currency": "USD"})
	s.invoice("5", fields{"date": "2024-01-25", "client_id": 2})
	s.pay("20.12", fieldsWith(settling(late, "20.12"), fields{"client_id": 1}))
	s.shows("/rest/invoice/"+late, "<h1>Invoice L-1</h1>", `<span class="badge overdue">overdue</span>`, `<dt title="company">Client</dt>`,
		`<dt title="pay_price">Amount to pay</dt><dd>12,000.12`+"\u00a0EUR</dd>", "<dd>2024-02-01</dd>", "<h2>Lines</h2>", "<h2>VAT by rate</h2>",
		`<h2>Payments</h2>`, `<a href="/rest/payment/1">1</a>`, `as=xrechnung">XRechnung</a>`, "History of the deal")
	s.shows("/rest/client/1", "<h2>What the client owes", "11,980.00\u00a0EUR", "1.20\u00a0USD", "<h2>Deals", "<h2>Invoices", ">L-1</a>")
	s.shows("/rest/invoice?status_id=1&per_page=1", `<select name="status_id">`, `<option value="1" selected>not paid</option>`, `type="date" name="date_from"`,
		`aria-label="Remove Status: not paid"`, `<dt title="due_price">Due</dt><dd>11,986.00`+"\u00a0EUR", "1.20\u00a0USD", `type="search" name="number"`)
	s.pay("1.50", fields{"client_id": 1})
	s.shows("/rest/payment?per_page=1", ">Acme</a>", `<dt title="amount">Amount</dt><dd>21.62`+"\u00a0EUR", `<dt title="left">Not allocated</dt><dd>1.50`)
	s.shows("/rest/payment/1", "<h2>What it settles</h2>", ">L-1</a>")
}
