package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// thisYear lists the invoices paid this year.
var thisYear = time.Now().UTC().Format("/rest/invoice?paid_year=2006")

// listsWithTotals are lists whose totals are computed in different ways.
var listsWithTotals = []string{
	"/rest/client", "/rest/client?type=2&user_id=2", "/rest/client?user_id=2,3", "/rest/client?id=1,2", "/rest/client?name=ber",
	"/rest/deal", "/rest/deal?client_id=2", "/rest/deal?name=e", "/rest/deal?status_id=1&user_id=2", "/rest/deal?status_id=1,2&user_id=2,3", "/rest/deal?client_id=1,2",
	"/rest/offer", "/rest/offer?client_id=2", "/rest/offer?client_id=1,2", "/rest/offer?number=o-", "/rest/contract?client_id=2",
	"/rest/invoice", "/rest/invoice?year=2024&month=3", thisYear, "/rest/invoice?status_id=2&user_id=2",
	"/rest/invoice?status_id=1,2&type_id=1,2", "/rest/invoice?client_id=1,2", "/rest/invoice?year=2024&status_id=1,2", "/rest/invoice?date_from=2024-01-01",
	"/rest/invoice?number=r-", "/rest/invoice?company=ber", "/rest/invoice-items", "/rest/invoice-items?invoice_id=1",
}

// totals returns the totals of the lists and the counts of clients.
func (c *caller) totals() map[string]string {
	c.s.t.Helper()
	all := map[string]string{}
	for _, list := range listsWithTotals {
		r := c.get(list).wants(200)
		all[list] = r.header.Get("X-Pagination-Total-Count")
		if n := fmt.Sprint(len(r.items())); n != all[list] {
			c.s.t.Errorf("%s: the total is %s, but there are %s", list, all[list], n)
		}
	}
	for _, client := range c.get("/rest/client?sort=id&count_deals=1&count_offers=1&count_contracts=1&count_invoices=1").items() {
		have := []string{}
		for _, count := range []string{"count_deals", "count_offers", "count_contracts", "count_invoices"} {
			have = append(have, text(client[count]))
		}
		all["client "+text(client["id"])] = strings.Join(have, " ")
	}
	return all
}

// createDealWithAgreements creates a deal with Berta, with an offer, a contract, and a
// paid invoice of two lines.
func (s *service) createDealWithAgreements() {
	s.t.Helper()
	const client = 2
	manager := s.as("manager")
	deal := manager.post("/rest/deal", fields{"name": "Sale", "client_id": client}).id()
	manager.post("/rest/offer", fields{"number": "O-1", "deal_id": deal}).wants(200)
	manager.post("/rest/contract", fields{"number": "C-1", "deal_id": deal}).wants(200)
	manager.post("/rest/invoice", bill(fields{"client_id": client, "deal_id": deal, "status_id": 2, "items": []fields{goods("a", 1, 2), goods("b", 2, 1)}})).wants(200)
}

// contract 4.43
func TestTotalsAreExactBeforeAndAfterARebuild(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	s.createDealWithAgreements()
	unfolded := s.as("viewer").totals()
	s.rebuild()
	want := s.as("viewer").totals()
	if diff := cmp.Diff(unfolded, want); diff != "" {
		t.Errorf("after folding the totals differ: %s", diff)
	}
	for figure, n := range map[string]string{
		"/rest/client": "2", "/rest/client?name=ber": "1", thisYear: "1", "/rest/invoice-items": "2", "client 2": "1 1 1 1", "client 1": "0 0 0 0",
	} {
		if want[figure] != n {
			t.Errorf("%s: got %s, want %s", figure, want[figure], n)
		}
	}

	same := func(when string, s *service) {
		t.Helper()
		if diff := cmp.Diff(want, s.as("viewer").totals()); diff != "" {
			t.Errorf("%s: %s", when, diff)
		}
	}
	s.corruptReadModels()
	s.rebuild()
	same("after a rebuild", s)
	same("rebuilt before the start", s.again(t))
}
