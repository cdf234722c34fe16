package data

import (
	"testing"
	"time"

	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
)

func TestRecordsAreNewerThanReferencedRecords(t *testing.T) {
	for _, variant := range []Variant{Spread, Bunched} {
		b := company(t, 500, 1, variant)
		rows := rowsIn(t, b, b.chunks())
		clientSince := column[time.Time](t, rows, "clients", "created_at")
		dealSince := column[time.Time](t, rows, "deals", "created_at")
		invoiceSince := column[time.Time](t, rows, "invoices", "created_on")
		check := func(table, name, reference string, referred []time.Time) {
			t.Helper()
			refers := column[int64](t, rows, table, reference)
			for i, at := range column[time.Time](t, rows, table, name) {
				if id := refers[i]; id != 0 && at.Before(referred[id-1]) {
					t.Fatalf("%s: %s %d is of %s and its %s %d of %s", variant, table, i+1, at, reference, id, referred[id-1])
				}
			}
		}
		check("deals", "created_at", "client_id", clientSince)
		check("invoices", "created_on", "deal_id", dealSince)
		check("offers", "created_on", "deal_id", dealSince)
		check("contracts", "created_on", "deal_id", dealSince)
		check("deal_history", "created_on", "deal_id", dealSince)
		check("deal_history", "created_on", "invoice_id", invoiceSince)
	}
}

func TestIdsAscendWithTime(t *testing.T) {
	b := company(t, 500, 1, Spread)
	rows := rowsIn(t, b, b.chunks())
	for table, name := range map[string]string{
		"clients": "created_at", "deals": "created_at", "offers": "created_on", "contracts": "created_on", "invoices": "created_on",
	} {
		var last time.Time
		ties := 0
		for i, at := range column[time.Time](t, rows, table, name) {
			if at.Before(last) || at.Before(beginning) || !at.Before(end) {
				t.Fatalf("%s %d is of %s, the one before of %s", table, i+1, at, last)
			}
			if at.Equal(last) {
				ties++
			}
			last = at
		}
		if share := float64(ties) / float64(len(rows[table])); share < 0.1 || share > 0.5 {
			t.Errorf("%.2f of %s share their instant with the one before, want about a quarter", share, table)
		}
	}
}

func TestClientsAndDealsAreChangedTogether(t *testing.T) {
	b := company(t, 2000, 1, Spread)
	rows := rowsIn(t, b, b.chunks())
	for _, table := range []string{"clients", "deals"} {
		since := column[time.Time](t, rows, table, "created_at")
		version := column[int64](t, rows, table, "version")
		changed, together := 0, map[time.Time]int{}
		for i, at := range column[time.Time](t, rows, table, "updated_at") {
			if at.Before(since[i]) || at.Equal(since[i]) != (version[i] == 1) {
				t.Fatalf("%s %d is of %s, changed at %s and has version %d", table, i+1, since[i], at, version[i])
			}
			if version[i] > 1 {
				changed++
				together[at]++
			}
		}
		many := 0
		for _, n := range together {
			if n > 2 {
				many += n
			}
		}
		if all := len(since); changed < all*4/10 || changed > all*6/10 || many < all/20 || many > all/5 {
			t.Errorf("of %d %s %d were changed, %d of them with others; want half and a tenth", all, table, changed, many)
		}
	}
}

func TestInvoicesIncludeAllKinds(t *testing.T) {
	b := company(t, 500, 1, Spread)
	found := map[string]int{}
	count := func(facts map[string]bool) {
		for what, is := range facts {
			found[what] += map[bool]int{true: 1}[is] // a fact that never holds is found 0 times
		}
	}
	for n := range b.count.invoices {
		s, err := b.invoice(n)
		if err != nil {
			t.Fatal(err)
		}
		if s.Status.Paid() != (s.PaidOn.After(s.CreatedOn) && s.PaidOn.Before(end)) || !s.Status.Paid() && !s.PaidOn.IsZero() {
			t.Errorf("invoice %d of %s is %s, and was paid on %s", s.ID, s.CreatedOn, s.Status, s.PaidOn)
		}
		count(map[string]bool{
			"not paid": s.Status == invoice.NotPaid, "paid": s.Status == invoice.Paid,
			"closed": s.Status == invoice.Closed, "cancelled": s.Status == invoice.Cancelled,
			"with VAT": s.Terms.VATUse, "without VAT": !s.Terms.VATUse,
			"below zero": s.TotalPrice.String()[0] == '-', "without lines": len(s.Lines) == 0,
			"changed later": s.UpdatedOn.After(s.CreatedOn), "with a notice": s.Notice != "",
		})
		for _, l := range s.Lines {
			count(map[string]bool{
				"with a negative count": l.Count.String()[0] == '-', "with a negative price": l.Price.String()[0] == '-',
				"with a rounded total": isRounded(l), "without units": l.Units == "",
			})
		}
	}
	for what, n := range found {
		if n < 20 {
			t.Errorf("%d invoices or lines are %s, want more", n, what)
		}
	}
}

// isRounded reports whether count times price has more digits than an amount: a
// thousandfold count then gives another total than a thousand times this one.
func isRounded(l invoice.Line) bool {
	var sum money.Amount
	for range 1000 {
		sum = sum.Plus(l.Total)
	}
	thousand, err := money.ParseQuantity(l.Count.String() + "e3")
	return err == nil && !thousand.Times(l.Price).Round().Equal(sum)
}
