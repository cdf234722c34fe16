package invoice_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/user"
)

const issuer user.ID = 3

var (
	monday  = time.Date(2024, 3, 4, 9, 0, 0, 0, time.UTC)
	tuesday = monday.AddDate(0, 0, 1)
	issued  = time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)

	noVAT = performer.Terms{}
	vat20 = performer.Terms{VATUse: true, VATPercent: percent("20")}
	vat7  = performer.Terms{VATUse: true, VATPercent: percent("7")}
)

func amount(s string) money.Amount      { return must(money.ParseAmount(s)) }
func quantity(s string) money.Quantity  { return must(money.ParseQuantity(s)) }
func percent(s string) money.Percent    { return must(money.ParsePercent(s)) }
func claim(s string) money.ControlTotal { return must(money.ParseControlTotal(s)) }
func total(s string) money.Amount       { return must(money.RestoreAmount(s)) }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// required is what an invoice cannot do without.
func required() invoice.Attributes {
	return invoice.Attributes{
		Number:      domain.Some("R-1"),
		Date:        domain.Some(issued),
		PerformerID: domain.Some(performer.ID(21)),
		ClientID:    domain.Some(client.ID(11)),
		TypeID:      domain.Some(catalog.InvoiceTypeID(31)),
	}
}

// line is a new line.
func line(name, count, price string) invoice.LineAttributes {
	return invoice.LineAttributes{
		Name:  domain.Some(name),
		Count: domain.Some(quantity(count)),
		Price: domain.Some(amount(price)),
	}
}

// same mentions a line without saying anything of it.
func same(id invoice.LineID) invoice.LineAttributes {
	return invoice.LineAttributes{ID: domain.Some(id)}
}

func lines(ll ...invoice.LineAttributes) domain.Optional[[]invoice.LineAttributes] {
	return domain.Some(ll)
}

// stored is a stored invoice under 20 % VAT with the lines 1 (2 × 10.50 pens) and
// 2 (-1 × 4 discount), in that state.
func stored(status invoice.Status) invoice.State {
	s := invoice.State{
		ID: 1, Version: 6, UserID: issuer, Number: "R-1", Date: issued,
		PerformerID: 21, ClientID: 11, DealID: 41, TypeID: 31, Status: status, Notice: "thanks",
		Terms: vat20, TotalCount: 2, TextBytes: 15, TotalPrice: amount("17"), VATPrice: amount("3.4"), PayPrice: amount("20.4"), OwedPrice: amount("20.4"),
		CreatedOn: monday, UpdatedOn: monday,
		Lines: []invoice.Line{
			{ID: 1, Version: 1, Name: "pens", Units: "box", Count: quantity("2"), Price: amount("10.5"), Total: amount("21")},
			{ID: 2, Version: 1, Name: "discount", Count: quantity("-1"), Price: amount("4"), Total: amount("-4")},
		},
	}
	if status.Paid() {
		s.PaidOn, s.PaidPrice, s.AutomaticPrice = monday, s.OwedPrice, s.OwedPrice
	}
	return s
}

// echo says of an invoice all that is so already, as sending back what was read
// does.
func echo(s invoice.State) invoice.Attributes {
	a := invoice.Attributes{
		Number:      domain.Some(s.Number),
		Date:        domain.Some(s.Date),
		PerformerID: domain.Some(s.PerformerID),
		ClientID:    domain.Some(s.ClientID),
		DealID:      domain.Some(s.DealID),
		TypeID:      domain.Some(s.TypeID),
		Notice:      domain.Some(s.Notice),
		Paid:        domain.Some(s.Status.Paid()),
		Closed:      domain.Some(s.Status.Closed()),
	}
	var ll []invoice.LineAttributes
	for _, l := range s.Lines {
		ll = append(ll, invoice.LineAttributes{
			ID: domain.Some(l.ID), Name: domain.Some(l.Name), Units: domain.Some(l.Units),
			Count: domain.Some(l.Count), Price: domain.Some(l.Price), Total: domain.Some(claim(l.Total.String())),
		})
	}
	a.Lines = lines(ll...)
	return a
}

// expect compares all of an invoice's state.
func expect(t *testing.T, want invoice.State, inv *invoice.Invoice) {
	t.Helper()
	if diff := cmp.Diff(want, inv.State()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func allStatuses() []invoice.Status {
	return []invoice.Status{invoice.NotPaid, invoice.Paid, invoice.Closed, invoice.Cancelled}
}

func dealOf(id deal.ID, c client.ID) deal.State { return deal.State{ID: id, ClientID: c} }
