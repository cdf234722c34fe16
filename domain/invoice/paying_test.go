package invoice_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/performer"
)

// unsettled is an invoice that is not paid, whose one line of the price is all that is owed.
func unsettled(price string) *invoice.Invoice {
	a := required()
	a.Lines = lines(line("pens", "1", price))
	inv := must(invoice.New(issuer, a, noVAT, monday))
	s := inv.State()
	s.ID, s.Lines[0].ID = 14, 1
	return invoice.Restore(s)
}

func pay(inv *invoice.Invoice, paid, waived string) error {
	return inv.Allocate(invoice.Allocation{Field: "items[0].amount", Paid: amount(paid), Waived: amount(waived)}, tuesday)
}

func setPaid(is bool) invoice.Attributes { return invoice.Attributes{Paid: domain.Some(is)} }

func priced(price string) invoice.Attributes {
	l := same(1)
	l.Price = domain.Some(amount(price))
	return invoice.Attributes{Lines: lines(l)}
}

func TestInvoiceIsPaidOnceNothingIsDue(t *testing.T) { // contract 18.2
	inv := unsettled("100.004")
	for _, step := range []struct {
		paid, waived, due string
		status            invoice.Status
	}{{"60", "0", "40.0000", invoice.NotPaid}, {"38", "2", "0.0000", invoice.Paid}, {"-38", "-2", "40.0000", invoice.NotPaid}} {
		if err := pay(inv, step.paid, step.waived); err != nil {
			t.Fatal(err)
		}
		s := inv.State()
		if s.Due().String() != step.due || s.Status != step.status || s.Status.Paid() != s.PaidOn.Equal(tuesday) || !s.UpdatedOn.Equal(tuesday) {
			t.Errorf("after %s and %s waived, %s is due, in state %v since %v", step.paid, step.waived, s.Due(), s.Status, s.PaidOn)
		}
	}
}

func TestAllocationStaysBetweenNothingAndWhatIsOwed(t *testing.T) { // contract 18.6
	for _, tt := range []struct {
		price, paid, waived, again string
		code                       fault.Code
	}{
		{"100", "60", "0", "40.01", fault.OverAllocated}, {"100", "0", "60", "40.01", fault.OverAllocated},
		{"100", "60", "0", "-60.01", fault.Sign}, {"-100", "-60", "0", "-40.01", fault.OverAllocated},
		{"-100", "-60", "0", "60.01", fault.Sign}, {"0", "0", "0", "0.01", fault.OverAllocated}, {"0", "0", "0", "-0.01", fault.OverAllocated},
		{"100", "60", "0", "40", ""}, {"100", "60", "0", "-60", ""}, {"-100", "-60", "0", "60", ""},
	} {
		inv := unsettled(tt.price)
		if err := pay(inv, tt.paid, tt.waived); err != nil {
			t.Fatal(err)
		}
		before := inv.State()
		err := fault.As(pay(inv, tt.again, "0"))
		switch {
		case tt.code == "" && err != nil, tt.code != "" && (err == nil || err.Fields[0].Code != tt.code || !invoice.Same(before, inv.State())):
			t.Errorf("%+v: %v", tt, err)
		}
	}
	for what, change := range map[string]func(inv *invoice.Invoice) error{
		"of an automatic payment": func(inv *invoice.Invoice) error { return pay(inv, "-1", "0") },
		"of what is waived":       func(inv *invoice.Invoice) error { return pay(inv, "1", "-1") },
	} {
		inv := unsettled("100")
		if err := inv.Update(setPaid(true), noVAT, tuesday); err != nil {
			t.Fatal(err)
		}
		if err := fault.As(change(inv)); err == nil || err.Fields[0].Code != fault.Sign {
			t.Errorf("more than is there %s: %v", what, err)
		}
	}
	inv := unsettled("100")
	item := invoice.Allocation{Field: "x", Paid: amount("60")}
	if err := inv.Allocate(item, tuesday); err != nil {
		t.Fatal(err)
	}
	err := inv.Allocate(invoice.Allocation{Field: "x", Paid: amount("100.01"), Before: &item}, tuesday)
	if err == nil || fault.As(err).Message != "x must not exceed 100.00, which is due on invoice 14" {
		t.Errorf("a changed item: %v", err)
	}
}

func TestAllocationOfAFrozenInvoiceIsAConflict(t *testing.T) { // contract 18.6
	for status, code := range map[invoice.Status]fault.Code{invoice.Closed: fault.Closed, invoice.Cancelled: fault.Cancelled} {
		if err := fault.As(pay(invoice.Restore(stored(status)), "0", "0")); err == nil || err.Kind != fault.Conflict || err.Code != code {
			t.Errorf("%v: %v", status, err)
		}
	}
}

func TestAutomaticPaymentFollowsTheInvoice(t *testing.T) { // contract 18.3
	inv := unsettled("100")
	check := func(what, paid, automatic string, status invoice.Status) {
		t.Helper()
		s := inv.State()
		if !s.PaidPrice.Equal(amount(paid)) || !s.AutomaticPrice.Equal(amount(automatic)) || s.Status != status {
			t.Errorf("%s: %s paid, %s automatically, in state %v", what, s.PaidPrice, s.AutomaticPrice, s.Status)
		}
	}
	update := func(a invoice.Attributes) error { return inv.Update(a, noVAT, tuesday) }
	for _, step := range []struct {
		what            string
		do              func() error
		paid, automatic string
		status          invoice.Status
	}{
		{"a part is paid", func() error { return pay(inv, "30", "0") }, "30", "0", invoice.NotPaid},
		{"the rest automatically", func() error { return update(setPaid(true)) }, "100", "70", invoice.Paid},
		{"more is owed", func() error { return update(priced("120.555")) }, "120.56", "90.56", invoice.Paid},
		{"only the part is owed", func() error { return update(priced("30")) }, "30", "0", invoice.Paid},
		{"more than it", func() error { return update(priced("31")) }, "30", "0", invoice.NotPaid},
		{"just the part", func() error { return update(priced("30")) }, "30", "0", invoice.Paid},
		{"the part is taken back", func() error { return pay(inv, "-30", "0") }, "0", "0", invoice.NotPaid},
		{"all automatically", func() error { return update(setPaid(true)) }, "30", "30", invoice.Paid},
		{"to be paid back", func() error { return update(priced("-5")) }, "-5", "-5", invoice.Paid},
		{"nothing is owed", func() error { return update(priced("0")) }, "0", "0", invoice.Paid},
		{"something again", func() error { return update(priced("7")) }, "7", "7", invoice.Paid},
		{"not paid", func() error { return update(setPaid(false)) }, "0", "0", invoice.NotPaid},
		{"nothing is owed", func() error { return update(priced("0")) }, "0", "0", invoice.NotPaid},
		{"paid by its word", func() error { return update(setPaid(true)) }, "0", "0", invoice.Paid},
		{"something once more", func() error { return update(priced("100")) }, "100", "100", invoice.Paid},
		{"not paid", func() error { return update(setPaid(false)) }, "0", "0", invoice.NotPaid},
		{"a part is paid", func() error { return pay(inv, "30", "0") }, "30", "0", invoice.NotPaid},
		{"the rest automatically", func() error { return update(setPaid(true)) }, "100", "70", invoice.Paid},
		{"the part is taken back", func() error { return pay(inv, "-30", "0") }, "70", "70", invoice.NotPaid},
		{"more than the automatic payment", func() error { return update(priced("80")) }, "70", "70", invoice.NotPaid},
		{"less than it", func() error { return update(priced("50")) }, "50", "50", invoice.Paid},
	} {
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.what, err)
		}
		check(step.what, step.paid, step.automatic, step.status)
	}
}

func TestInvoiceCannotComeToLessThanPaymentsSettle(t *testing.T) { // contract 18.4
	inv := unsettled("100")
	if err := pay(inv, "30", "1"); err != nil {
		t.Fatal(err)
	}
	for _, price := range []string{"30.99", "0", "-31"} {
		err := fault.As(inv.Update(priced(price), noVAT, tuesday))
		if err == nil || err.Kind != fault.Conflict || err.Code != fault.Allocated {
			t.Errorf("%s: %v", price, err)
		}
	}
	if err := inv.Update(priced("31"), noVAT, tuesday); err != nil || inv.State().Status != invoice.Paid {
		t.Errorf("what is settled: %v, in state %v", err, inv.State().Status)
	}
}

func TestPaymentsKeepAnInvoicePaidAndInPlace(t *testing.T) { // contract 18.4
	for what, a := range map[string]invoice.Attributes{
		"not paid": setPaid(false), "cancelled": {Status: domain.Some(invoice.Cancelled)}, "another performer": {PerformerID: domain.Some(performer.ID(22))},
		"another currency": {Currency: domain.Some("CHF")},
	} {
		inv := unsettled("100")
		part := "100"
		if what == "cancelled" {
			part = "99"
		}
		if err := pay(inv, part, "0"); err != nil {
			t.Fatal(err)
		}
		if err := fault.As(inv.Update(a, noVAT, tuesday)); err == nil || err.Kind != fault.Conflict || err.Code != fault.HasPayments {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestPartialPaymentOrFullSetOffKeepsAnInvoicePaid(t *testing.T) { // contract 18.4
	for name, tt := range map[string]struct {
		paid     string
		isSetOff bool
		isKept   bool
	}{
		"a part by money": {"60", false, true}, "all by a credit note": {"100", true, true}, "a part by a credit note": {"60", true, false},
	} {
		inv := unsettled("100")
		if err := inv.Allocate(invoice.Allocation{Field: "x", Paid: amount(tt.paid), IsSetOff: tt.isSetOff}, tuesday); err != nil {
			t.Fatal(err)
		}
		if err := inv.Update(setPaid(true), noVAT, tuesday); err != nil {
			t.Fatal(err)
		}
		switch err := fault.As(inv.Update(setPaid(false), noVAT, tuesday)); {
		case tt.isKept && (err == nil || err.Code != fault.HasPayments), !tt.isKept && err != nil:
			t.Errorf("%s: %v", name, err)
		}
	}
}

// contract 18.2, 18.3, 18.6
func TestPropertyWhatIsDueStaysInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inv := unsettled("100")
		prices := []string{"100", "60.004", "0", "-50", "0.005", "130"}
		amounts := []string{"40", "-40", "60", "0.01", "-10", "100", "0"}
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			before := inv.State()
			var err error
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0:
				err = inv.Update(priced(rapid.SampledFrom(prices).Draw(t, "price")), noVAT, tuesday)
			case 1:
				err = inv.Update(invoice.Attributes{Status: domain.Some(invoice.Status(rapid.IntRange(1, 3).Draw(t, "status")))}, noVAT, tuesday)
			default:
				err = pay(inv, rapid.SampledFrom(amounts).Draw(t, "paid"), rapid.SampledFrom([]string{"0", "0", "2", "-2"}).Draw(t, "waived"))
			}
			s := inv.State()
			if err != nil && !invoice.Same(before, s) {
				t.Fatalf("changed by a refused change: %v", err)
			}
			settled := s.PaidPrice.Plus(s.WaivedPrice)
			isInRange := settled.IsZero() || !settled.Exceeds(s.OwedPrice)
			isPaid := s.OwedPrice.IsZero() || s.Status.Paid() == s.Due().IsZero()
			if !isInRange || !isPaid || !s.OwedPrice.Equal(s.PayPrice.RoundTo(2)) || s.Status.Paid() == s.PaidOn.IsZero() {
				t.Fatalf("%s owed, %s paid, %s waived, in state %v", s.OwedPrice, s.PaidPrice, s.WaivedPrice, s.Status)
			}
			if err := inv.Update(setPaid(true), noVAT, tuesday); s.Status == invoice.NotPaid && err != nil {
				t.Fatalf("%s owed, %s paid: cannot be paid: %v", s.OwedPrice, s.PaidPrice, err)
			}
			inv = invoice.Restore(s)
			if auto := s.AutomaticPrice; !auto.IsZero() && auto.Exceeds(s.OwedPrice) {
				t.Fatalf("%s owed, %s paid automatically", s.OwedPrice, auto)
			}
		}
	})
}

func TestPartsOfAnInvoiceAreOwedAsTheWholeIs(t *testing.T) { // contract 18.1
	a := required()
	a.Lines = lines(line("pens", "2", "50.0025"))
	inv := must(invoice.New(issuer, a, noVAT, monday))
	s := inv.State()
	s.ID, s.Lines[0].ID, s.IssuedOn = 1, 1, monday
	inv = invoice.Restore(s)
	var former invoice.Former
	owed := s.OwedPrice
	for i := range 2 {
		note, err := inv.Credit(invoice.CreditRequest{
			Issuer: issuer, Date: issued, Former: former, Lines: domain.Some([]invoice.CreditedLine{{ID: 1, Count: domain.Some(money.One())}}),
		}, tuesday)
		if err != nil {
			t.Fatal(err)
		}
		n := note.State()
		former = former.Clone()
		former.Add(n.Lines[0])
		owed = owed.Plus(n.OwedPrice)
		if want := []string{"-50.0000", "-50.0100"}[i]; n.OwedPrice.String() != want {
			t.Errorf("part %d: %s is owed, want %s", i, n.OwedPrice, want)
		}
	}
	if !owed.IsZero() {
		t.Errorf("%s remains", owed)
	}
}
