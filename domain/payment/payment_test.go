package payment_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/payment"
	"github.com/kontor-crm/kontor/domain/performer"
)

var monday = time.Date(2024, 3, 4, 9, 0, 0, 0, time.UTC)

func amount(s string) money.Amount {
	a, err := money.ParseCents(s)
	if err != nil {
		panic(err)
	}
	return a
}

func of(cents string, items ...payment.ItemAttributes) payment.Attributes {
	return payment.Attributes{
		PerformerID: domain.Some(performer.ID(1)), Date: domain.Some(monday), Amount: domain.Some(amount(cents)), Items: domain.Some(items),
	}
}

func item(id invoice.ID, cents string) payment.ItemAttributes {
	return payment.ItemAttributes{InvoiceID: domain.Some(id), Amount: domain.Some(amount(cents))}
}

// stored is a payment of 100 with items of 30 and 20, as the store loads it.
func stored(t *testing.T) *payment.Payment {
	t.Helper()
	p, err := payment.New(of("100", item(1, "30"), item(2, "20")), monday)
	if err != nil {
		t.Fatal(err)
	}
	s := p.State()
	s.ID, s.Version = 7, 1
	for i := range s.Items {
		s.Items[i].ID, s.Items[i].Version = payment.ItemID(i+1), 1
	}
	return payment.Restore(s)
}

func shown(s payment.State) string {
	var b strings.Builder
	for _, i := range s.Items {
		fmt.Fprintf(&b, "%d: %s of %d; ", i.ID, i.Amount.Fixed(2), i.InvoiceID)
	}
	return b.String() + s.Left.Fixed(2)
}

func TestItemsReplaceThoseBefore(t *testing.T) { // contract 18.11
	for name, tt := range map[string]struct {
		items []payment.ItemAttributes
		want  string
	}{
		"none":            {nil, "100.00"},
		"one by its id":   {[]payment.ItemAttributes{{ID: domain.Some(payment.ItemID(2))}}, "2: 20.00 of 2; 80.00"},
		"by its invoice":  {[]payment.ItemAttributes{item(2, "25")}, "2: 25.00 of 2; 75.00"},
		"one is added":    {[]payment.ItemAttributes{item(3, "5"), item(1, "30"), item(2, "20")}, "0: 5.00 of 3; 1: 30.00 of 1; 2: 20.00 of 2; 45.00"},
		"one takes money": {[]payment.ItemAttributes{item(1, "110"), item(2, "-20")}, "1: 110.00 of 1; 2: -20.00 of 2; 10.00"},
	} {
		p := stored(t)
		if err := p.Update(payment.Attributes{Items: domain.Some(tt.items)}, monday); err != nil || shown(p.State()) != tt.want {
			t.Errorf("%s: %s, want %s; %v", name, shown(p.State()), tt.want, err)
		}
	}
	p := stored(t)
	before := p.State()
	if err := p.Update(of("100", item(2, "20"), item(1, "30")), monday.Add(time.Hour)); err != nil || !payment.Same(before, p.State()) {
		t.Errorf("the same items: %v, %v", p.State(), err)
	}
}

func TestPaymentRejectsWhatItCannotCover(t *testing.T) { // contract 18.13, 18.14
	for name, a := range map[string]payment.Attributes{
		"items": of("49.99", item(1, "30"), item(2, "20")), "amount": {Amount: domain.Some(amount("49.99"))},
	} {
		p := stored(t)
		before := p.State()
		err := fault.As(p.Update(a, monday))
		if err == nil || err.Fields[0].Name != name || err.Fields[0].Code != fault.OverSpent || !payment.Same(before, p.State()) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := payment.New(of("0", item(1, "30"), item(2, "-30")), monday); err != nil {
		t.Error(err)
	}
}

// contract 18.11, 18.12
func TestPropertySpreadSpendsWhatItCan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cents := func(name string) money.Amount {
			return amount(fmt.Sprintf("%d.%02d", rapid.IntRange(-90, 90).Draw(t, name), rapid.IntRange(0, 99).Draw(t, name)))
		}
		a := cents("amount")
		var invoices []invoice.State
		var open money.Amount
		for i := range rapid.IntRange(0, 5).Draw(t, "invoices") {
			owed := cents("owed")
			invoices = append(invoices, invoice.State{ID: invoice.ID(i + 1), Status: invoice.NotPaid, OwedPrice: owed})
			if owed.IsNegative() == a.IsNegative() {
				open = open.Plus(owed)
			}
		}
		sent := of(a.Fixed(2))
		sent.Items = domain.Some(payment.Spread(a, invoices))
		p, err := payment.New(sent, monday)
		if err != nil {
			t.Fatal(err)
		}
		want := a.Minus(open)
		if want.IsNegative() != a.IsNegative() {
			want = money.Amount{}
		}
		if s := p.State(); !s.Left.Equal(want) {
			t.Fatalf("%s of %s is left, want %s: %v", s.Left, a, want, s.Items)
		}
	})
}
