package payment_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/payment"
	"github.com/kontor-crm/kontor/domain/performer"
)

func TestPaymentSameComparesEveryField(t *testing.T) {
	changes := map[string]func(*payment.State){
		"ID":              func(s *payment.State) { s.ID++ },
		"Version":         func(s *payment.State) { s.Version++ },
		"PerformerID":     func(s *payment.State) { s.PerformerID++ },
		"ClientID":        func(s *payment.State) { s.ClientID++ },
		"AutomaticOf":     func(s *payment.State) { s.AutomaticOf++ },
		"Date":            func(s *payment.State) { s.Date = s.Date.Add(time.Second) },
		"Amount":          func(s *payment.State) { s.Amount = amount("1") },
		"Left":            func(s *payment.State) { s.Left = amount("1") },
		"Method":          func(s *payment.State) { s.Method = "x" },
		"Reference":       func(s *payment.State) { s.Reference = "x" },
		"Notice":          func(s *payment.State) { s.Notice = "x" },
		"CreatedOn":       func(s *payment.State) { s.CreatedOn = s.CreatedOn.Add(time.Second) },
		"UpdatedOn":       func(s *payment.State) { s.UpdatedOn = s.UpdatedOn.Add(time.Second) },
		"Ref":             func(s *payment.State) { s.Ref = "x" },
		"Items":           func(s *payment.State) { s.Items = s.Items[:1] },
		"Items.ID":        func(s *payment.State) { s.Items[1].ID++ },
		"Items.Version":   func(s *payment.State) { s.Items[1].Version++ },
		"Items.InvoiceID": func(s *payment.State) { s.Items[1].InvoiceID = 9 },
		"Items.Amount":    func(s *payment.State) { s.Items[1].Amount = amount("1") },
		"Items.Waived":    func(s *payment.State) { s.Items[1].Waived = amount("1") },
		"Items.Reason":    func(s *payment.State) { s.Items[1].Reason = "fee" },
	}
	var fields []string
	for f := range reflect.TypeFor[payment.State]().Fields() {
		fields = append(fields, f.Name)
	}
	for f := range reflect.TypeFor[payment.Item]().Fields() {
		fields = append(fields, "Items."+f.Name)
	}
	for _, name := range fields {
		change, ok := changes[name]
		if !ok {
			t.Errorf("no change of %s is tried", name)
			continue
		}
		a, b := stored(t).State(), stored(t).State()
		change(&b)
		if payment.Same(a, b) || payment.Same(b, a) {
			t.Errorf("a change of %s is not seen", name)
		}
	}
	a, b := stored(t).State(), stored(t).State()
	slices.Reverse(b.Items)
	if !payment.Same(a, b) {
		t.Error("another order of the items is seen as a change")
	}
}

// contract 18.10, 18.11, 18.12
func TestPaymentNamesWrongAttributes(t *testing.T) {
	id := func(id payment.ItemID, more payment.ItemAttributes) payment.ItemAttributes {
		more.ID = domain.Some(id)
		return more
	}
	items := func(items ...payment.ItemAttributes) payment.Attributes {
		return payment.Attributes{Items: domain.Some(items)}
	}
	waiving := func(waived string, reason payment.Reason) payment.ItemAttributes {
		return payment.ItemAttributes{InvoiceID: domain.Some(invoice.ID(3)), Waived: domain.Some(amount(waived)), Reason: domain.Some(reason)}
	}
	oldest := payment.Attributes{Oldest: true, ClientID: domain.Some(client.ID(1))}
	with := func(a payment.Attributes, change func(*payment.Attributes)) payment.Attributes {
		change(&a)
		return a
	}
	for name, tt := range map[string]struct {
		a    payment.Attributes
		code fault.Code
		want string // the wrong field; "" if nothing is wrong
	}{
		"no performer":           {payment.Attributes{PerformerID: domain.Some(performer.ID(0))}, fault.Required, "performer_id"},
		"an unknown item":        {items(id(9, payment.ItemAttributes{})), fault.NoRecord, "items[0].id"},
		"no invoice":             {items(payment.ItemAttributes{Amount: domain.Some(amount("1"))}), fault.Required, "items[0].invoice_id"},
		"another invoice":        {items(id(1, item(2, "1"))), fault.Mismatch, "items[0].invoice_id"},
		"the same invoice":       {items(id(1, item(1, "1"))), "", ""},
		"an invoice twice":       {items(item(2, "1"), item(3, "1"), item(3, "2")), "", "items[2].invoice_id"},
		"nothing":                {items(item(3, "0")), fault.Required, "items[0].amount"},
		"waived without reason":  {items(waiving("1", "")), fault.Required, "items[0].reason"},
		"waived with reason":     {items(waiving("1", "fee")), "", ""},
		"an unknown reason":      {items(waiving("1", "love")), "", "items[0].reason"},
		"a reason for nothing":   {items(reasoned(item(3, "1"), "fee")), fault.Mismatch, "items[0].reason"},
		"items and an invoice":   {with(items(), func(a *payment.Attributes) { a.InvoiceID = domain.Some(invoice.ID(1)) }), fault.Mismatch, "invoice_id"},
		"an invoice":             {payment.Attributes{InvoiceID: domain.Some(invoice.ID(1))}, "", ""},
		"the oldest":             {oldest, "", ""},
		"the oldest and items":   {with(oldest, func(a *payment.Attributes) { a.Items = items().Items }), fault.Mismatch, "allocate"},
		"the oldest and one":     {with(oldest, func(a *payment.Attributes) { a.InvoiceID = domain.Some(invoice.ID(1)) }), fault.Mismatch, "allocate"},
		"the oldest of nobody":   {payment.Attributes{Oldest: true}, fault.Required, "client_id"},
		"as many items as allow": {items(many(payment.MaxItems)...), fault.OverSpent, "items"},
		"too many items":         {items(many(payment.MaxItems + 1)...), fault.OutOfRange, "items"},
	} {
		p := stored(t)
		err := fault.As(p.Update(tt.a, monday))
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case tt.want == "":
		case err == nil || len(err.Fields) != 1 || err.Fields[0].Name != tt.want || err.Fields[0].Code != tt.code:
			t.Errorf("%s: %v, want %s of %s", name, err, tt.code, tt.want)
		}
	}
	err := second(payment.New(payment.Attributes{}, monday))
	if got := strings.Join(wrongFields(err), " "); got != "performer_id date amount" {
		t.Errorf("a new payment requires %s", got)
	}
	err = stored(t).Update(items(item(2, "1"), item(2, "1"), payment.ItemAttributes{}, item(2, "2"), item(3, "0")), monday)
	if got := strings.Join(wrongFields(err), " "); got != "items[1].invoice_id items[2].invoice_id items[3].invoice_id items[4].amount" {
		t.Errorf("of items of which most are wrong, it names %s", got)
	}
}

func wrongFields(err error) (names []string) {
	for _, f := range fault.As(err).Fields {
		names = append(names, f.Name)
	}
	return names
}

// reasoned returns the item with a reason.
func reasoned(a payment.ItemAttributes, r payment.Reason) payment.ItemAttributes {
	a.Reason = domain.Some(r)
	return a
}

func many(n int) (items []payment.ItemAttributes) {
	for i := range n {
		items = append(items, item(invoice.ID(i+1), "1"))
	}
	return items
}

func second[T any](_ T, err error) error { return err }

// contract 18.10, 18.11, 18.16
func TestPaymentIsUpdated(t *testing.T) {
	p := stored(t)
	notice := payment.Attributes{Notice: domain.Some("x"), Date: domain.Some(monday)}
	if err := p.Update(notice, monday.Add(-time.Hour)); err != nil || !p.State().UpdatedOn.Equal(monday) {
		t.Errorf("by an older clock: %v, %v", p.State().UpdatedOn, err)
	}
	notice.Notice = domain.Some("y")
	if err := p.Update(notice, monday.Add(time.Hour)); err != nil || !p.State().UpdatedOn.Equal(monday.Add(time.Hour)) {
		t.Errorf("it is updated on %v, %v", p.State().UpdatedOn, err)
	}
	if s := p.State(); !s.Date.Equal(monday.Truncate(24*time.Hour)) || s.Notice != "y" {
		t.Errorf("it has %v", s)
	}
	if s := (payment.State{Date: monday}).With(notice); s.Notice != "y" {
		t.Errorf("with its attributes it is %v", s)
	}
	waived := payment.ItemAttributes{
		ID: domain.Some(payment.ItemID(1)), Waived: domain.Some(amount("1")), Reason: domain.Some(payment.Reason("loss")),
	}
	if err := p.Update(payment.Attributes{Items: domain.Some([]payment.ItemAttributes{waived})}, monday); err != nil {
		t.Fatal(err)
	}
	waived = payment.ItemAttributes{ID: waived.ID, Waived: domain.Some(amount("0"))}
	if err := p.Update(payment.Attributes{Items: domain.Some([]payment.ItemAttributes{waived})}, monday); err != nil {
		t.Fatal(err)
	}
	if i := p.State().ItemOf(1); i == nil || i.Reason != "" || !i.Amount.Equal(amount("30")) || p.State().ItemOf(2) != nil {
		t.Errorf("its items are %v", p.State().Items)
	}
	if err := p.CheckDelete(); err != nil {
		t.Error(err)
	}
	s := p.State()
	s.AutomaticOf = 1
	automatic := payment.Restore(s)
	if err := automatic.Update(notice, monday); err != nil {
		t.Errorf("an automatic one stays the same: %v", err)
	}
	notice.Notice = domain.Some("z")
	for _, err := range []error{automatic.Update(notice, monday), automatic.CheckDelete()} {
		if f := fault.As(err); f == nil || f.Code != fault.Automatic {
			t.Errorf("a change of an automatic payment: %v", err)
		}
	}
	if (payment.State{Amount: amount("0.01")}).IsSetOff() || !(payment.State{}).IsSetOff() {
		t.Error("a payment of 0 sets off, and no other")
	}
}
