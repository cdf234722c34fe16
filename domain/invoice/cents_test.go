package invoice_test

import (
	"testing"
	"time"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/performer"
)

var inCents = performer.Terms{VATUse: true, VATPercent: percent("7.5"), InCents: true}

// contract 16.46
func TestInvoiceInCentsRoundsEachLineAndTheVAT(t *testing.T) {
	a := required()
	a.Lines = lines(line("Catalogue", "3", "19.99"), line("Paper", "1.255", "0.3333"), line("Discount", "-1", "5.505"))
	inv, err := invoice.New(issuer, a, inCents, monday)
	if err != nil {
		t.Fatal(err)
	}
	s := inv.State()
	for i, want := range []string{"59.9700", "0.4200", "-5.5100"} {
		if got := s.Lines[i].Total.String(); got != want {
			t.Errorf("line %d has the total %s, want %s", i, got, want)
		}
	}
	if s.TotalPrice.String() != "54.8800" || s.VATPrice.String() != "4.1200" || s.PayPrice.String() != "59.0000" {
		t.Errorf("the totals are %s, %s, %s", s.TotalPrice, s.VATPrice, s.PayPrice)
	}
}

// contract 16.46, 10.161
func TestInvoiceInCentsComparesWhatTheWriterStates(t *testing.T) {
	for stated, right := range map[string]bool{"0.42": true, "0.4183": true, "0.43": true, "0.41": true, "0.44": false, "0.40": false, "0.411": false} {
		a := required()
		l := line("Paper", "1.255", "0.3333")
		l.Total = domain.Some(claim(stated))
		a.Lines = lines(l)
		if _, err := invoice.New(issuer, a, inCents, monday); (err == nil) != right {
			t.Errorf("%s: %v", stated, err)
		} else if err != nil && fault.As(err).Fields[0].Name != "items[0].total_price" {
			t.Errorf("%s: %v", stated, err)
		}
	}
}

// contract 16.46
func TestLineKeepsItsStatedTotal(t *testing.T) {
	a := required()
	l := line("Paper", "1.255", "0.3333")
	l.Total = domain.Some(claim("0.43"))
	a.Lines = lines(l)
	stored := must(invoice.New(issuer, a, inCents, monday)).State()
	stored.ID, stored.Lines[0].ID = 1, 1
	for _, tt := range []struct {
		stated domain.Optional[money.ControlTotal]
		want   string
	}{{domain.Optional[money.ControlTotal]{}, "0.4300"}, {domain.Some(claim("0.4183")), "0.4200"}, {domain.Some(claim("0.41")), "0.4100"}} {
		l := same(1)
		l.Total = tt.stated
		inv := invoice.Restore(stored)
		if err := inv.Update(invoice.Attributes{Lines: lines(l)}, inCents, tuesday); err != nil || inv.State().Lines[0].Total.String() != tt.want {
			t.Errorf("stated as %v, the total is %s, want %s: %v", tt.stated, inv.State().Lines[0].Total, tt.want, err)
		}
	}
}

// contract 16.46
func TestInvoiceKeepsItsDigits(t *testing.T) {
	later := inCents
	later.InCents = false
	a := required()
	a.Lines = lines(line("Paper", "1.255", "0.3333"))
	inv, err := invoice.New(issuer, a, inCents, monday)
	if err != nil {
		t.Fatal(err)
	}
	if err := inv.AddLine(line("Ink", "1", "0.3333"), later, tuesday); err != nil {
		t.Fatal(err)
	}
	if s := inv.State(); s.TotalPrice.String() != "0.7500" || !s.Terms.InCents {
		t.Errorf("the total is %s, in cents: %v", s.TotalPrice, s.Terms.InCents)
	}
	stored := inv.State()
	stored.Lines[0].ID, stored.Lines[1].ID = 1, 2
	if proposed := stored.WithLine(0, line("Pen", "1", "0.3333"), later); proposed.TotalPrice.String() != "1.0800" {
		t.Errorf("with a third line the total would be %s", proposed.TotalPrice)
	}
}

// contract 16.47
func TestDueDateFollowsFromTheDays(t *testing.T) {
	a := required().DueAfter(new(int32(14)))
	if due := a.DueDate.Or(monday); !due.Equal(issued.AddDate(0, 0, 14)) {
		t.Errorf("it is due on %s", due)
	}
	late := required()
	late.Date = domain.Some(issued.Add(20 * time.Hour))
	if due := late.DueAfter(new(int32(14))).DueDate.Or(monday); !due.Equal(issued.AddDate(0, 0, 14)) {
		t.Errorf("of an invoice in the evening, it is due on %s", due)
	}
	sent := required()
	sent.DueDate = domain.Some(issued.Add(time.Hour))
	if s := must(invoice.New(issuer, sent, vat20, monday)).State(); !s.DueDate.Equal(issued) {
		t.Errorf("a time of a day becomes %s", s.DueDate)
	}
	sent.DueDate = domain.Some(issued)
	if due := sent.DueAfter(new(int32(14))).DueDate.Or(monday); !due.Equal(issued) {
		t.Errorf("a sent date becomes %s", due)
	}
	if required().DueAfter(nil).DueDate.IsSet() {
		t.Error("there is a due date without terms")
	}
}
