package pgread_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/kontor-crm/kontor/adapters/postgres/pgread"
	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
)

// drawBill draws an invoice of one of the performers: its lines, their rates and discounts, its own discount, and its terms.
func drawBill(t *rapid.T, o fixture.Office) *invoice.Invoice {
	percent := func(name string, from ...string) money.Percent {
		return fixture.Percent(rapid.SampledFrom(from).Draw(t, name))
	}
	terms := performer.Terms{
		VATUse: rapid.IntRange(0, 4).Draw(t, "VAT is charged") > 0, VATPercent: percent("VAT", "0", "0", "20", "7.7", "0.01"),
		InCents: rapid.Bool().Draw(t, "in cents"),
	}
	var lines []invoice.LineAttributes
	for range rapid.IntRange(1, 6).Draw(t, "lines") {
		whole := rapid.SampledFrom([]int{0, 3, 40, 9000}).Draw(t, "up to")
		number := func(name string, digits int) string {
			return fmt.Sprintf("%d.%0*d", rapid.IntRange(0, whole).Draw(t, name), digits, rapid.IntRange(1, 99).Draw(t, name+" behind the point"))
		}
		sign := rapid.SampledFrom([]string{"", "", "", "-"}).Draw(t, "sign")
		l := invoice.LineAttributes{
			Name: domain.Some("x"), Discount: domain.Some(percent("discount of a line", "0", "0", "12.5", "100")),
			Count: domain.Some(fixture.Quantity(sign + number("count", rapid.SampledFrom([]int{2, 3, 6}).Draw(t, "digits of the count")))),
			Price: domain.Some(fixture.Amount(number("price", rapid.SampledFrom([]int{2, 4}).Draw(t, "digits of the price")))),
		}
		if terms.VATUse {
			l.VAT = rapid.SampledFrom([]invoice.RateAttributes{
				{}, {}, {Percent: domain.Some(domain.Some(fixture.Percent("20")))}, {Percent: domain.Some(domain.Some(fixture.Percent("0.3")))},
				{Category: domain.Some(performer.Zero)}, {Category: domain.Some(performer.Exempt)},
			}).Draw(t, "VAT of a line")
		}
		lines = append(lines, l)
	}
	var adjustments []invoice.AdjustmentAttributes
	for range max(0, rapid.IntRange(-2, 2).Draw(t, "adjustments")) {
		a := invoice.AdjustmentAttributes{Reason: domain.Some("because")}
		if terms.VATUse {
			a.VAT.Percent = domain.Some(domain.Some(percent("VAT of an adjustment", "0", "20", "0.3")))
		}
		if rapid.Bool().Draw(t, "is an amount") {
			a.Amount = domain.Some(fixture.Amount(rapid.SampledFrom([]string{"-0.07", "4.95"}).Draw(t, "amount")))
		} else {
			a.Percent = domain.Some(fixture.Must(money.ParseChange(rapid.SampledFrom([]string{"-12.5", "3"}).Draw(t, "change"))))
		}
		adjustments = append(adjustments, a)
	}
	return fixture.Must(invoice.New(o.Manager, invoice.Attributes{
		Number: domain.Some("7"), Date: domain.Some(fixture.At), ClientID: domain.Some(o.Client), DealID: domain.Some(o.Deal),
		PerformerID: domain.Some(rapid.SampledFrom([]performer.ID{o.Performer, o.OtherPerformer}).Draw(t, "performer")),
		TypeID:      domain.Some(o.InvoiceType), Lines: domain.Some(lines),
		Discount:    domain.Some(percent("discount", "0", "10", "33.33", "12.5")),
		Adjustments: domain.Some(adjustments),
	}, terms, fixture.At))
}

// storeBill stores an invoice and credit notes for parts of it, and returns for each what the domain computes.
func storeBill(t *rapid.T, c company, inv *invoice.Invoice) map[invoice.ID][]string {
	want := map[invoice.ID][]string{}
	meta := repository.Meta{UserID: c.Office.Manager, At: fixture.At}
	err := c.Tx.Do(c.T.Context(), meta, func(ctx context.Context, s repository.Stores) error {
		id, err := s.Invoices.Add(ctx, inv)
		if err != nil {
			return err
		}
		if inv, err = s.Invoices.Lock(ctx, id); err != nil {
			return err
		}
		want[id] = rateRows(c.Office, inv.State(), invoice.Former{})
		former := invoice.Former{}
		for i := range rapid.IntRange(0, 3).Draw(t, "credit notes") {
			note, err := inv.Credit(invoice.CreditRequest{
				Issuer: c.Office.Manager, Date: fixture.At, IsByHand: true, Number: domain.Some("C"), Former: former,
				Lines: drawParts(t, inv.State(), former),
			}, fixture.At.Add(time.Duration(i/2)*time.Minute))
			if err != nil {
				continue // more than is left, or nothing
			}
			id, err := s.Invoices.Add(ctx, note)
			if err != nil {
				return err
			}
			want[id] = rateRows(c.Office, note.State(), former)
			former = former.Clone()
			for _, l := range note.State().Lines {
				former.Add(l)
			}
			former.AddAdjustments(note.State().Adjustments)
		}
		_, err = s.Invoices.Save(ctx, inv)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return want
}

// drawParts draws how much of some lines to credit; nothing for all that is left.
func drawParts(t *rapid.T, s invoice.State, former invoice.Former) (parts domain.Optional[[]invoice.CreditedLine]) {
	if rapid.IntRange(0, 3).Draw(t, "all") == 0 {
		return parts
	}
	var some []invoice.CreditedLine
	for _, l := range s.Lines {
		left := l.Count.Plus(former.Lines[l.ID].Count)
		if left.IsZero() || rapid.Bool().Draw(t, "not this line") {
			continue
		}
		part := fixture.Quantity(rapid.SampledFrom([]string{"0.005", "0.333333", "1", "2.5"}).Draw(t, "part"))
		if left.IsNegative() {
			part = part.Negated()
		}
		if part.Exceeds(left) {
			part = left
		}
		some = append(some, invoice.CreditedLine{ID: l.ID, Count: domain.Some(part)})
	}
	return domain.Some(some)
}

// rateRows are the amounts by VAT category and rate that the domain computes. Lines without VAT have the category of the
// performer's party, of which the domain knows nothing.
func rateRows(o fixture.Office, s invoice.State, former invoice.Former) (rows []string) {
	var sums invoice.RateSums
	for _, l := range s.Lines {
		sums = sums.With(l.VAT, 1, l.Total)
	}
	byRate := map[string][2]money.Amount{}
	for _, r := range invoice.AmountsByRate(invoice.Sums{Lines: sums, Adjustments: s.Adjustments}, former.Sums(), s.Discount, s.Terms) {
		switch {
		case r.Category != "":
		case s.PerformerID == o.Performer:
			r.Category = performer.Exempt
		case s.Terms.VATUse:
			r.Category = performer.Zero
		default:
			r.Category = performer.Exempt
		}
		key := fmt.Sprint(r.Category, " ", r.Percent)
		byRate[key] = [2]money.Amount{byRate[key][0].Plus(r.Total.Result), byRate[key][1].Plus(r.VAT.Result)}
	}
	for key, amounts := range byRate {
		rows = append(rows, fmt.Sprint(key, " ", amounts[0], " ", amounts[1]))
	}
	slices.Sort(rows)
	return rows
}

// contract 10.155, 16.130
func TestRatesOfAListAreThoseThatTheDomainComputes(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.Execute("insert into parties (performer_id, vat_category, digits, numbering, chronological) values (" +
		fmt.Sprint(c.Office.Performer) + ", 'exempt', 4, 'manual', false)")
	reader := pgread.NewInvoices(c.Pool)
	selection := fixture.Must(query.Select(readmodel.Invoices, query.Parameters{
		Fields: domain.Some("vat.vat_category,vat.vat_percent,vat.total_price,vat.vat_price"), Expand: domain.Some("vat"), Record: true,
	}))
	notes := 0
	rapid.Check(t, func(t *rapid.T) {
		bill := drawBill(t, c.Office)
		for id, want := range storeBill(t, c, bill) {
			record, err := reader.Read(c.T.Context(), int64(id), selection)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			vat := record.List(0, selection.Nodes[0].Column)
			for row := range vat.Len() {
				cell := func(path string) string {
					text, _ := vat.Cell(row, slices.Index(selection.Nodes[0].Inner.Paths, path))
					return string(text)
				}
				got = append(got, fmt.Sprint(cell("vat_category"), " ", cell("vat_percent"), " ", cell("total_price"), " ", cell("vat_price")))
			}
			record.Release()
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%+v (-domain +database):\n%s", bill.State(), diff)
			}
			notes++
		}
	})
	if notes < 150 {
		t.Errorf("only %d invoices and credit notes", notes)
	}
}
