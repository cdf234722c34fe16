//go:build full

package replay

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/test/fixture"
)

// contract 10.106, 10.108
func TestExplanationsGiveTheAmountsOfEveryInvoice(t *testing.T) {
	t.Parallel()
	sales := Sample(t, "")
	terms := performer.Terms{VATUse: true, VATPercent: fixture.Percent("17.5")}
	for _, i := range sales.Invoices {
		s := issued(t, i, terms)
		amounts := listed{TotalPrice: s.TotalPrice.String(), VATPrice: s.VATPrice.String(), PayPrice: s.PayPrice.String()}
		if err := explanationOf(s).check(amounts); err != nil {
			t.Errorf("invoice %s: %s", i.Number, err)
		}
	}
	t.Logf("%d invoices with %d customers", len(sales.Invoices), len(sales.Customers))
}

// issued is the invoice as the domain has it.
func issued(t *testing.T, i *Invoice, terms performer.Terms) invoice.State {
	t.Helper()
	lines := make([]invoice.LineAttributes, len(i.Lines))
	for n, l := range i.Lines {
		lines[n] = invoice.LineAttributes{
			Name: domain.Some(l.Name), Count: domain.Some(fixture.Quantity(l.Count)), Price: domain.Some(fixture.Amount(l.Price)),
		}
	}
	inv, err := invoice.New(1, invoice.Attributes{
		Number: domain.Some(i.Number), Date: domain.Some(time.Date(2011, 12, 9, 0, 0, 0, 0, time.UTC)),
		PerformerID: domain.Some(performer.ID(1)), ClientID: domain.Some(client.ID(1)), TypeID: domain.Some(catalog.InvoiceTypeID(1)),
		Lines: domain.Some(lines),
	}, terms, fixture.At)
	if err != nil {
		t.Fatalf("invoice %s: %s", i.Number, err)
	}
	return inv.State()
}

// explanationOf is the explanation of the invoice.
func explanationOf(s invoice.State) explained {
	x := explained{VATUse: s.Terms.VATUse, VATPercent: s.Terms.VATPercent.String(), Items: make([]explainedLine, len(s.Lines))}
	e := invoice.Explanation{Terms: s.Terms}
	for n, l := range s.Lines {
		x.Items[n] = explainedLine{json.Number(l.Count.String()), l.Price.String(), stepOf(e.AddLine(l))}
	}
	a := e.Amounts()
	x.TotalPrice, x.VATPrice, x.PayPrice = stepOf(a.Total), stepOf(a.VAT), stepOf(a.Pay)
	return x
}

func stepOf(s invoice.Step) step {
	x := step{Formula: s.Formula, Exact: s.Exact.String(), Result: s.Result.String(), Digits: money.Digits}
	if s.IsRounded {
		rounding := money.Rounding
		x.Rounding = &rounding
	}
	return x
}
