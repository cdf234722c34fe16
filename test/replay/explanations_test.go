package replay

import (
	"cmp"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/test/fixture"
)

// fileVariable names a file to read instead of the small one.
const fileVariable = "KONTOR_REPLAY_FILE"

// contract 10.107, 10.108
func TestExplanationsGiveTheAmountsOfEveryInvoice(t *testing.T) {
	t.Parallel()
	file, err := os.Open(cmp.Or(os.Getenv(fileVariable), "testdata/small.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	sales, err := Read(file, 0)
	if err != nil {
		t.Fatal(err)
	}
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
			Name: optional.Some(l.Name), Count: optional.Some(fixture.Quantity(l.Count)), Price: optional.Some(fixture.Amount(l.Price)),
		}
	}
	inv, err := invoice.New(1, invoice.Attributes{
		Number: optional.Some(i.Number), Date: optional.Some(time.Date(2011, 12, 9, 0, 0, 0, 0, time.UTC)),
		PerformerID: optional.Some(performer.ID(1)), ClientID: optional.Some(client.ID(1)), TypeID: optional.Some(catalog.InvoiceTypeID(1)),
		Lines: optional.Some(lines),
	}, terms, fixture.At)
	if err != nil {
		t.Fatalf("invoice %s: %s", i.Number, err)
	}
	return inv.State()
}

// explanationOf is the explanation of the invoice.
func explanationOf(s invoice.State) explained {
	x := explained{VATUse: s.Terms.VATUse, VATPercent: s.Terms.VATPercent.String(), Items: make([]explainedLine, len(s.Lines))}
	var e invoice.Explanation
	for n, l := range s.Lines {
		x.Items[n] = explainedLine{json.Number(l.Count.String()), l.Price.String(), stepOf(e.AddLine(l.Count, l.Price))}
	}
	total, vat, pay := e.Totals(s.Terms)
	x.TotalPrice, x.VATPrice, x.PayPrice = stepOf(total), stepOf(vat), stepOf(pay)
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

// contract 10.107, 10.108
func TestRecomputeFindsEveryWrongStep(t *testing.T) {
	const right = `{
		"vat_use": true, "vat_percent": "17.50",
		"items": [{"count": 1.255, "price": "0.3333", "total_price": {"formula": "count * price", "exact": "0.4182915", "rounding": "half away from zero", "digits": 4, "result": "0.4183"}}],
		"total_price": {"formula": "sum of the lines", "exact": "0.4183", "rounding": null, "digits": 4, "result": "0.4183"},
		"vat_price": {"formula": "total_price * vat_percent / 100", "exact": "0.0732025", "rounding": "half away from zero", "digits": 4, "result": "0.0732"},
		"pay_price": {"formula": "total_price + vat_price", "exact": "0.4915", "rounding": null, "digits": 4, "result": "0.4915"}
	}`
	amounts := listed{TotalPrice: "0.4183", VATPrice: "0.0732", PayPrice: "0.4915"}
	tests := []struct{ name, before, after, want string }{
		{"nothing", "", "", ""},
		{"another count", "1.255", "1.256", "line 0 is 0.4182915 exactly"},
		{"a price that is no number", `"0.3333"`, `"x"`, "no decimal number"},
		{"another formula", "sum of the lines", "sum", `total_price has the formula "sum"`},
		{"another percentage", `"17.50"`, `"17.51"`, "vat_price is 0.0732025 exactly, want 0.0732443300"},
		{"a percentage that is no number", `"17.50"`, `"x"`, "no decimal number"},
		{"no VAT", "true", "false", `vat_price has the formula "total_price * vat_percent / 100", want "0"`},
		{"no rounding", `"0.4182915", "rounding": "half away from zero"`, `"0.4182915", "rounding": null`, "line 0 is 0.4182915 exactly, which needs rounding"},
		{"another rounding", `"0.0732025", "rounding": "half away from zero"`, `"0.0732025", "rounding": "down"`, `vat_price is rounded "down"`},
		{"another result", `"result": "0.4915"`, `"result": "0.4916"`, "pay_price is 0.4916, want 0.4915"},
		{"an exact value that is no number", `"exact": "0.4915"`, `"exact": ""`, "no decimal number"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var e explained
			if err := json.Unmarshal([]byte(strings.Replace(right, test.before, test.after, 1)), &e); err != nil {
				t.Fatal(err)
			}
			err := e.check(amounts)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("the error is %v, want %q in it", err, test.want)
			}
		})
	}
}
