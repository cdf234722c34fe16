package invoice_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/performer"
)

func TestNewInvoiceIsNotPaidAndHasNoLines(t *testing.T) { // contract 10.29, 10.39
	inv, err := invoice.New(issuer, required(), vat20, monday)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, invoice.State{
		UserID: issuer, Number: "R-1", Date: issued, PerformerID: 21, ClientID: 11, TypeID: 31,
		Status: invoice.NotPaid, Terms: vat20, CreatedOn: monday, UpdatedOn: monday,
	}, inv)
}

// contract 10.35, 10.51, 10.82, 10.83, 10.86
func TestNewInvoiceHasItsAttributes(t *testing.T) {
	a := required()
	a.DealID = domain.Some(deal.ID(41))
	a.Notice = domain.Some("thanks")
	a.Paid = domain.Some(true)
	pens := line("pens", "2", "10.5")
	pens.Units = domain.Some("box")
	a.Lines = lines(pens, line("discount", "-1", "4"))
	inv, err := invoice.New(issuer, a, vat20, monday)
	if err != nil {
		t.Fatal(err)
	}
	want := stored(invoice.Paid)
	want.ID, want.Version = 0, 0
	for i := range want.Lines {
		want.Lines[i].ID, want.Lines[i].Version = 0, 0
	}
	expect(t, want, inv)
}

func TestNewInvoiceNamesEveryWrongField(t *testing.T) { // contract 3.3
	with := func(change func(*invoice.Attributes)) invoice.Attributes {
		a := required()
		change(&a)
		return a
	}
	for _, tt := range []struct {
		name string
		a    invoice.Attributes
		want string
	}{
		{
			"nothing said: contract 10.39", invoice.Attributes{},
			"invalid: number is required; date is required; performer_id is required; client_id is required; type_id is required",
		},
		{
			"all empty", invoice.Attributes{
				Number: domain.Some(" "), Date: domain.Some(time.Time{}), PerformerID: domain.Some(performer.ID(0)),
				ClientID: domain.Some(client.ID(0)), TypeID: domain.Some(catalog.InvoiceTypeID(0)),
			},
			"invalid: number must not be empty; date must not be empty; performer_id must not be empty; " +
				"client_id must not be empty; type_id must not be empty",
		},
		{
			"too long: contract 4.69", with(func(a *invoice.Attributes) {
				a.Number = domain.Some(strings.Repeat("1", 65))
				a.Notice = domain.Some(strings.Repeat("x", 65536))
			}),
			"invalid: number must have at most 64 characters; notice must have at most 65535 characters",
		},
		{
			"a year before 1900: contract 10.7", with(func(a *invoice.Attributes) {
				a.Date = domain.Some(time.Date(1899, 12, 31, 23, 59, 59, 0, time.UTC))
			}),
			"invalid: date must be in the years 1900 to 9999",
		},
		{
			"a year after 9999: contract 10.7", with(func(a *invoice.Attributes) {
				a.Date = domain.Some(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC))
			}),
			"invalid: date must be in the years 1900 to 9999",
		},
		{
			"header, lines and state at once", invoice.Attributes{
				Number: domain.Some("R-1"), Date: domain.Some(issued), Closed: domain.Some(true),
				ClientID: domain.Some(client.ID(11)), PerformerID: domain.Some(performer.ID(21)),
				Lines: lines(line("", "1", "1"), line("pens", "0", "1")),
			},
			"invalid: type_id is required; items[0].name must not be empty; items[1].count must not be 0; " +
				"closed must not be true while paid is false",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := invoice.New(issuer, tt.a, noVAT, monday); fmt.Sprint(err) != tt.want {
				t.Errorf("got %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestInvoiceDateIsACivilTimeToTheSecond(t *testing.T) { // contract 10.7
	a := required()
	tokyo := time.FixedZone("", 9*60*60)
	a.Date = domain.Some(time.Date(2024, 5, 1, 1, 2, 3, 999, tokyo))
	inv, err := invoice.New(issuer, a, noVAT, monday)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := inv.State().Date, time.Date(2024, 5, 1, 1, 2, 3, 0, time.UTC); got != want {
		t.Errorf("date %v, want %v", got, want)
	}
}

func TestInvoiceDateHasAYearFrom1900To9999(t *testing.T) { // contract 10.7
	for _, date := range []time.Time{
		time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC),
	} {
		inv := invoice.Restore(stored(invoice.NotPaid))
		if err := inv.Update(invoice.Attributes{Date: domain.Some(date)}, vat20, tuesday); err != nil {
			t.Errorf("%v: %v", date, err)
		}
		if got := inv.State().Date; got != date {
			t.Errorf("date %v, want %v", got, date)
		}
	}
}

func TestInvoiceUpdateChangesOnlyItsAttributes(t *testing.T) { // contract 4.56
	for _, tt := range []struct {
		name   string
		a      invoice.Attributes
		change func(*invoice.State)
	}{
		{
			"the header", invoice.Attributes{
				Number: domain.Some(" R-2 "), Date: domain.Some(issued.AddDate(0, 1, 0)), ClientID: domain.Some(client.ID(12)),
				DealID: domain.Some(deal.ID(42)), TypeID: domain.Some(catalog.InvoiceTypeID(32)), Notice: domain.Some(""),
			},
			func(s *invoice.State) {
				s.Number, s.Date, s.ClientID, s.DealID, s.TypeID, s.Notice = "R-2", issued.AddDate(0, 1, 0), 12, 42, 32, ""
			},
		},
		{
			"the notice alone", invoice.Attributes{Notice: domain.Some("soon, please")},
			func(s *invoice.State) { s.Notice = "soon, please" },
		},
		{
			"another performer brings its terms: contract 10.86", invoice.Attributes{PerformerID: domain.Some(performer.ID(22))},
			func(s *invoice.State) {
				s.PerformerID, s.Terms, s.VATPrice = 22, vat7, amount("1.19")
				s.PayPrice, s.OwedPrice = amount("18.19"), amount("18.19")
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := stored(invoice.NotPaid)
			inv := invoice.Restore(want)
			tt.change(&want)
			want.UpdatedOn = tuesday
			if err := inv.Update(tt.a, vat7, tuesday); err != nil {
				t.Fatal(err)
			}
			expect(t, want, inv)
		})
	}
}

func TestInvoiceUpdateCannotEmptyRequiredAttributes(t *testing.T) { // contract 4.57, 10.54
	inv := invoice.Restore(stored(invoice.NotPaid))
	err := inv.Update(invoice.Attributes{
		Number: domain.Some(""), Date: domain.Some(time.Time{}), PerformerID: domain.Some(performer.ID(0)),
		ClientID: domain.Some(client.ID(0)), DealID: domain.Some(deal.ID(0)), TypeID: domain.Some(catalog.InvoiceTypeID(0)),
		Notice: domain.Some("changed"),
	}, vat20, tuesday)
	const want = "invalid: number must not be empty; date must not be empty; performer_id must not be empty; " +
		"client_id must not be empty; type_id must not be empty; deal_id must not be empty"
	if fmt.Sprint(err) != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
	expect(t, stored(invoice.NotPaid), inv)
}

func TestInvoiceUpdateWithPresentValuesChangesNothing(t *testing.T) { // contract 4.58, 10.30, 10.36, 10.86
	for _, status := range allStatuses() {
		before := stored(status)
		named := echo(before)
		named.Status = domain.Some(status)
		for _, a := range []invoice.Attributes{{}, echo(before), named} {
			inv := invoice.Restore(before)
			if err := inv.Update(a, vat7, tuesday); err != nil { // the performer's terms have changed meanwhile
				t.Errorf("%v: %v", status, err)
			}
			expect(t, before, inv)
		}
	}
}

func TestFrozenInvoiceKeepsItsHeaderAndLines(t *testing.T) { // contract 10.36
	changes := map[string]invoice.Attributes{
		"number":      {Number: domain.Some("R-2")},
		"date":        {Date: domain.Some(issued.Add(time.Second))},
		"performer":   {PerformerID: domain.Some(performer.ID(22))},
		"client":      {ClientID: domain.Some(client.ID(12))},
		"deal":        {DealID: domain.Some(deal.ID(42))},
		"type":        {TypeID: domain.Some(catalog.InvoiceTypeID(32))},
		"no lines":    {Lines: lines()},
		"a line less": {Lines: lines(same(1))},
		"a line more": {Lines: lines(same(1), same(2), line("ink", "1", "1"))},
		"a line's name": {Lines: lines(same(1), invoice.LineAttributes{
			ID: domain.Some(invoice.LineID(2)), Name: domain.Some("rebate"),
		})},
		"a line's units": {Lines: lines(same(1), invoice.LineAttributes{
			ID: domain.Some(invoice.LineID(2)), Units: domain.Some("piece"),
		})},
		"count and price, the total being the same": {Lines: lines(same(1), invoice.LineAttributes{
			ID: domain.Some(invoice.LineID(2)), Count: domain.Some(quantity("-2")), Price: domain.Some(amount("2")),
		})},
		"something, while it is opened": {Number: domain.Some("R-2"), Status: domain.Some(invoice.Paid)},
	}
	for what, a := range changes {
		want := "conflict: the invoice is closed: only its state and notice can change"
		inv := invoice.Restore(stored(invoice.Closed))
		if err := inv.Update(a, vat20, tuesday); fmt.Sprint(err) != want {
			t.Errorf("%s of a closed invoice: %v", what, err)
		}
		expect(t, stored(invoice.Closed), inv)

		a.Status = domain.Optional[invoice.Status]{}
		want = strings.ReplaceAll(want, "closed", "cancelled")
		inv = invoice.Restore(stored(invoice.Cancelled))
		if err := inv.Update(a, vat20, tuesday); fmt.Sprint(err) != want {
			t.Errorf("%s of a cancelled invoice: %v", what, err)
		}
		expect(t, stored(invoice.Cancelled), inv)
	}
}

func TestFrozenInvoiceAcceptsNoticeAndState(t *testing.T) { // contract 10.36
	for from, to := range map[invoice.Status]invoice.Status{
		invoice.Closed:    invoice.Paid,
		invoice.Cancelled: invoice.NotPaid,
	} {
		inv := invoice.Restore(stored(from))
		a := echo(stored(from))
		a.Notice = domain.Some("reopened")
		a.Paid, a.Closed, a.Status = domain.Optional[bool]{}, domain.Optional[bool]{}, domain.Some(to)
		if err := inv.Update(a, vat7, tuesday); err != nil {
			t.Fatal(err)
		}
		want := stored(to)
		want.Notice, want.UpdatedOn = "reopened", tuesday
		expect(t, want, inv)
	}
}

func TestInvoiceIsFrozenByItsStateBeforeTheUpdate(t *testing.T) { // contract 10.36
	inv := invoice.Restore(stored(invoice.Paid))
	err := inv.Update(invoice.Attributes{
		Number: domain.Some("R-2"), Closed: domain.Some(true), Lines: lines(same(2)),
	}, vat20, tuesday)
	if err != nil {
		t.Fatal(err)
	}
	got := inv.State()
	if got.Status != invoice.Closed || got.Number != "R-2" || len(got.Lines) != 1 {
		t.Errorf("status %v, number %q, %d lines", got.Status, got.Number, len(got.Lines))
	}
}

func TestInvoiceFieldsAreCheckedBeforeItsState(t *testing.T) { // contract 3.25
	inv := invoice.Restore(stored(invoice.Closed))
	err := inv.Update(invoice.Attributes{
		Number: domain.Some(""), Status: domain.Some(invoice.Cancelled), Lines: lines(line("pens", "0", "1")),
	}, vat20, tuesday)
	if got, want := fmt.Sprint(err), "invalid: number must not be empty; items[0].count must not be 0"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestInvoiceAttachesToADealOfItsClient(t *testing.T) { // contract 10.46, 10.53
	unfiled := stored(invoice.Closed)
	unfiled.DealID = 0
	for _, tt := range []struct {
		name string
		from invoice.State
		deal deal.State
		want deal.ID
		err  string
	}{
		{"one that was opened for it", unfiled, dealOf(41, 11), 41, "<nil>"},
		{"one without a client, which it will gain", unfiled, dealOf(41, 0), 41, "<nil>"},
		{"one of another client", unfiled, dealOf(41, 12), 0, "invalid: client_id must be the client of the deal"},
		{"its own", stored(invoice.NotPaid), dealOf(41, 11), 41, "<nil>"},
		{"its own, whose client it is not", stored(invoice.NotPaid), dealOf(41, 12), 41, "invalid: client_id must be the client of the deal"},
		{"another than its own", stored(invoice.NotPaid), dealOf(42, 11), 41, "conflict: the invoice belongs to another deal"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inv := invoice.Restore(tt.from)
			if err := inv.AttachToDeal(tt.deal); fmt.Sprint(err) != tt.err {
				t.Errorf("error %v, want %s", err, tt.err)
			}
			want := tt.from
			want.DealID = tt.want
			expect(t, want, inv)
		})
	}
}

func TestInvoiceClientFollowsTheDealUnlessGiven(t *testing.T) { // contract 10.53, 10.54
	for _, tt := range []struct {
		sent domain.Optional[client.ID]
		deal client.ID
		want domain.Optional[client.ID]
	}{
		{domain.Optional[client.ID]{}, 12, domain.Some(client.ID(12))},
		{domain.Optional[client.ID]{}, 0, domain.Optional[client.ID]{}},
		{domain.Some(client.ID(13)), 12, domain.Some(client.ID(13))},
	} {
		a := invoice.Attributes{ClientID: tt.sent}
		if got := a.WithClientOf(dealOf(41, tt.deal)).ClientID; got != tt.want {
			t.Errorf("%v sent, deal of %d: %v, want %v", tt.sent, tt.deal, got, tt.want)
		}
	}
}

func TestInvoiceDeleteIsRejectedOnlyWhileClosed(t *testing.T) { // contract 10.37
	for _, status := range allStatuses() {
		want := "<nil>"
		if status == invoice.Closed {
			want = "conflict: a closed invoice cannot be deleted: open it first (closed = 0)"
		}
		if err := invoice.Restore(stored(status)).CheckDelete(); fmt.Sprint(err) != want {
			t.Errorf("%v: %v, want %s", status, err, want)
		}
	}
}

func TestInvoiceStateIsACopy(t *testing.T) {
	given := stored(invoice.NotPaid)
	inv := invoice.Restore(given)
	given.Lines[0].Name = "changed by the store"
	inv.State().Lines[0].Name = "changed by a reader"
	expect(t, stored(invoice.NotPaid), inv)
}

func TestInvoiceSameComparesEveryField(t *testing.T) {
	base := stored(invoice.Paid)
	other := stored(invoice.Paid)
	other.TotalPrice, other.Lines[0].Count = amount("1.7e1"), quantity("2.000")
	other.PaidOn = other.PaidOn.In(time.FixedZone("", 3600))
	if !invoice.Same(base, other) {
		t.Error("other forms of the same numbers and instants are seen as a difference")
	}
	changes := map[string]func(*invoice.State){
		"ID":                    func(s *invoice.State) { s.ID++ },
		"Version":               func(s *invoice.State) { s.Version++ },
		"UserID":                func(s *invoice.State) { s.UserID++ },
		"Number":                func(s *invoice.State) { s.Number += "x" },
		"Date":                  func(s *invoice.State) { s.Date = s.Date.Add(time.Second) },
		"PerformerID":           func(s *invoice.State) { s.PerformerID++ },
		"ClientID":              func(s *invoice.State) { s.ClientID++ },
		"DealID":                func(s *invoice.State) { s.DealID++ },
		"TypeID":                func(s *invoice.State) { s.TypeID++ },
		"Status":                func(s *invoice.State) { s.Status = invoice.Closed },
		"Notice":                func(s *invoice.State) { s.Notice += "x" },
		"Terms":                 func(s *invoice.State) { s.Terms.VATUse = false },
		"Terms.VATPercent":      func(s *invoice.State) { s.Terms.VATPercent = percent("7") },
		"Discount":              func(s *invoice.State) { s.Discount = percent("7") },
		"Adjustments":           func(s *invoice.State) { s.Adjustments = []invoice.Adjustment{{Reason: "x"}} },
		"Currency":              func(s *invoice.State) { s.Currency = "CHF" },
		"Exchange":              func(s *invoice.State) { s.Exchange = quantity("2") },
		"VAT":                   func(s *invoice.State) { s.VAT = []invoice.RateTotal{{Total: amount("1")}} },
		"Trade":                 func(s *invoice.State) { s.Trade.Project = "x" },
		"RateSums":              func(s *invoice.State) { s.RateSums = invoice.RateSums{{Count: 1}} },
		"TotalCount":            func(s *invoice.State) { s.TotalCount++ },
		"TextBytes":             func(s *invoice.State) { s.TextBytes++ },
		"TotalPrice":            func(s *invoice.State) { s.TotalPrice = amount("1") },
		"VATPrice":              func(s *invoice.State) { s.VATPrice = amount("1") },
		"PayPrice":              func(s *invoice.State) { s.PayPrice = amount("1") },
		"OwedPrice":             func(s *invoice.State) { s.OwedPrice = amount("1") },
		"PaidPrice":             func(s *invoice.State) { s.PaidPrice = amount("1") },
		"WaivedPrice":           func(s *invoice.State) { s.WaivedPrice = amount("1") },
		"AutomaticPrice":        func(s *invoice.State) { s.AutomaticPrice = amount("1") },
		"SetOffPrice":           func(s *invoice.State) { s.SetOffPrice = amount("1") },
		"CreatedOn":             func(s *invoice.State) { s.CreatedOn = tuesday },
		"IssuedOn":              func(s *invoice.State) { s.IssuedOn = tuesday },
		"Credits":               func(s *invoice.State) { s.Credits++ },
		"Lines.Credits":         func(s *invoice.State) { s.Lines[1].Credits++ },
		"EarlyRate":             func(s *invoice.State) { s.EarlyRate = percent("2") },
		"EarlyUntil":            func(s *invoice.State) { s.EarlyUntil = tuesday },
		"DueDate":               func(s *invoice.State) { s.DueDate = tuesday },
		"PaidOn":                func(s *invoice.State) { s.PaidOn = tuesday },
		"UpdatedOn":             func(s *invoice.State) { s.UpdatedOn = tuesday },
		"Ref":                   func(s *invoice.State) { s.Ref += "x" },
		"Lines":                 func(s *invoice.State) { s.Lines = s.Lines[:1] },
		"Lines.ID":              func(s *invoice.State) { s.Lines[1].ID++ },
		"Lines.Version":         func(s *invoice.State) { s.Lines[1].Version++ },
		"Lines.Name":            func(s *invoice.State) { s.Lines[1].Name += "x" },
		"Lines.Units":           func(s *invoice.State) { s.Lines[1].Units += "x" },
		"Lines.Count":           func(s *invoice.State) { s.Lines[1].Count = quantity("9") },
		"Lines.Price":           func(s *invoice.State) { s.Lines[1].Price = amount("9") },
		"Lines.Discount":        func(s *invoice.State) { s.Lines[1].Discount = percent("7") },
		"Lines.BaseCount":       func(s *invoice.State) { s.Lines[1].BaseCount = quantity("9") },
		"Lines.Adjustments":     func(s *invoice.State) { s.Lines[1].Adjustments = []invoice.Adjustment{{Amount: amount("9")}} },
		"Lines.Item":            func(s *invoice.State) { s.Lines[1].Item = invoice.Item{Note: "x"} },
		"Lines.PeriodFrom":      func(s *invoice.State) { s.Lines[1].PeriodFrom = "2024-02-01" },
		"Lines.PeriodTo":        func(s *invoice.State) { s.Lines[1].PeriodTo = "2024-02-01" },
		"Lines.Description":     func(s *invoice.State) { s.Lines[1].Description = "x" },
		"Lines.ItemNumber":      func(s *invoice.State) { s.Lines[1].ItemNumber = "x" },
		"Lines.BuyerItemNumber": func(s *invoice.State) { s.Lines[1].BuyerItemNumber = "x" },
		"Lines.GTIN":            func(s *invoice.State) { s.Lines[1].GTIN = "x" },
		"Lines.Note":            func(s *invoice.State) { s.Lines[1].Note = "x" },
		"Lines.VAT":             func(s *invoice.State) { s.Lines[1].VAT.Category = performer.Exempt },
		"Lines.Total":           func(s *invoice.State) { s.Lines[1].Total = amount("9") },
	}
	for what, change := range changes {
		other := stored(invoice.Paid)
		change(&other)
		if invoice.Same(base, other) {
			t.Errorf("another %s goes unseen", what)
		}
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[invoice.State]()) {
		if changes[f.Name] == nil {
			t.Errorf("this test does not change %s", f.Name)
		}
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[invoice.Line]()) {
		if changes["Lines."+f.Name] == nil {
			t.Errorf("this test does not change a line's %s", f.Name)
		}
	}
}

func TestInvoiceStateWithAttributesKeepsWhatIsRight(t *testing.T) {
	before := stored(invoice.NotPaid)
	nameless := line("", "1", "1")
	got := before.With(invoice.Attributes{
		Number: domain.Some(""), Notice: domain.Some("new"), DealID: domain.Some(deal.ID(5)), ClientID: domain.Some(client.ID(0)),
		Paid: domain.Some(true), Lines: lines(same(2), line("ink", "1", "3"), nameless),
	}, vat20, tuesday)
	want := before
	want.Notice, want.DealID, want.Status, want.PaidOn = "new", 5, invoice.Paid, tuesday
	want.Lines, want.TotalCount, want.TextBytes, want.Terms = got.Lines, 3, got.TextBytes, vat20
	want.TotalPrice, want.VATPrice, want.PayPrice, want.OwedPrice = amount("0"), amount("0"), amount("0"), amount("0")
	if names := short(got.Lines); !invoice.Same(want, got) || names[1] != "0 ink 1×3.0000=3.0000" {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if same := before.With(invoice.Attributes{}, vat7, tuesday); !invoice.Same(before, same) {
		t.Errorf("without attributes it is %+v", same)
	}
}

func TestInvoiceStateWithALineKeepsWhatIsRight(t *testing.T) {
	before := stored(invoice.NotPaid)
	wrong := invoice.LineAttributes{Name: domain.Some(""), Price: domain.Some(amount("7"))}
	const pens, discount = "1 pens 2×10.5000=21.0000", "2 discount -1×4.0000=-4.0000"
	for name, c := range map[string]struct {
		got  invoice.State
		want []string
	}{
		"a changed line": {before.WithLine(1, wrong, vat20), []string{"1 pens 2×7.0000=14.0000", discount}},
		"a new line":     {before.WithLine(0, wrong, vat20), []string{pens, discount, "0  1×7.0000=7.0000"}},
		"a removed line": {before.WithoutLine(2, vat20), []string{pens}},
	} {
		if diff := cmp.Diff(c.want, short(c.got.Lines)); diff != "" || c.got.TotalCount != len(c.want) {
			t.Errorf("%s: %d lines: -want +got\n%s", name, c.got.TotalCount, diff)
		}
	}
	expect(t, before, invoice.Restore(before))
}

// contract 4.90
func TestInvoiceUpdatedOnNeverGoesBack(t *testing.T) {
	inv := invoice.Restore(stored(invoice.NotPaid))
	for _, at := range []time.Time{tuesday.Add(time.Hour), tuesday} {
		if err := inv.Update(invoice.Attributes{Notice: domain.Some(at.String())}, vat20, at); err != nil {
			t.Fatal(err)
		}
	}
	if got := inv.State().UpdatedOn; !got.Equal(tuesday.Add(time.Hour)) {
		t.Errorf("after a later update it is %v", got)
	}
}
