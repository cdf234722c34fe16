package invoice_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/party"
)

var twoPercent = party.Discount{Percent: percent("2"), Days: 10}

// contract 18.31
func TestDiscountForEarlyPaymentFollowsFromTheDays(t *testing.T) {
	of := func(change func(*invoice.Attributes), d party.Discount) string {
		a := required()
		change(&a)
		s := must(invoice.New(issuer, a.DiscountedAfter(d), vat20, monday)).State()
		return s.EarlyRate.String() + s.EarlyUntil.Format(" 2006-01-02 15")
	}
	none := percent("0").String() + time.Time{}.Format(" 2006-01-02 15")
	until := func(days int) string { return issued.AddDate(0, 0, days).Format(" 2006-01-02 00") }
	for name, tt := range map[string]struct {
		change func(*invoice.Attributes)
		of     party.Discount
		want   string
	}{
		"of the party":   {func(*invoice.Attributes) {}, twoPercent, "2.00" + until(10)},
		"in the evening": {func(a *invoice.Attributes) { a.Date = domain.Some(issued.Add(20 * time.Hour)) }, twoPercent, "2.00" + until(10)},
		"on the day":     {func(*invoice.Attributes) {}, party.Discount{Percent: percent("2")}, "2.00" + until(0)},
		"without one":    {func(*invoice.Attributes) {}, party.Discount{}, none},
		"of its own": {func(a *invoice.Attributes) {
			a.EarlyRate, a.EarlyUntil = domain.Some(percent("3")), domain.Some(issued.Add(time.Hour))
		}, twoPercent, "3.00" + until(0)},
		"of its own until the evening of its date": {func(a *invoice.Attributes) {
			a.Date, a.EarlyRate, a.EarlyUntil = domain.Some(issued.Add(20*time.Hour)), domain.Some(percent("3")), domain.Some(issued)
		}, twoPercent, "3.00" + until(0)},
		"none by its rate": {func(a *invoice.Attributes) { a.EarlyRate = domain.Some(money.Percent{}) }, twoPercent, none},
		"none by its end":  {func(a *invoice.Attributes) { a.EarlyUntil = domain.Some(time.Time{}) }, twoPercent, none},
		"beyond all years": {func(a *invoice.Attributes) {
			a.Date = domain.Some(time.Date(9999, 12, 25, 0, 0, 0, 0, time.UTC))
		}, twoPercent, none},
	} {
		if got := of(tt.change, tt.of); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
	if a := (invoice.Attributes{}).DiscountedAfter(twoPercent); a.EarlyUntil.IsSet() {
		t.Error("an invoice without a date has a discount")
	}
	empty := invoice.Attributes{Date: domain.Some(time.Time{})}
	if a := empty.DiscountedAfter(twoPercent); a.EarlyUntil.IsSet() {
		t.Error("an invoice with an empty date has a discount")
	}
}

// contract 18.31
func TestDiscountForEarlyPaymentIsWhole(t *testing.T) {
	day := func(n int) domain.Optional[time.Time] { return domain.Some(issued.AddDate(0, 0, n)) }
	of := domain.Some(percent("2"))
	s := stored(invoice.NotPaid)
	s.EarlyRate, s.EarlyUntil = percent("2"), issued.Truncate(24*time.Hour)
	for name, tt := range map[string]struct {
		change invoice.Attributes
		want   string // "": it is fine
	}{
		"later":          {invoice.Attributes{EarlyUntil: day(5)}, ""},
		"another one":    {invoice.Attributes{EarlyRate: domain.Some(percent("100"))}, ""},
		"none":           {invoice.Attributes{EarlyRate: domain.Some(money.Percent{}), EarlyUntil: domain.Some(time.Time{})}, ""},
		"no rate":        {invoice.Attributes{EarlyRate: domain.Some(money.Percent{})}, "discount_percent_early is required"},
		"no end":         {invoice.Attributes{EarlyUntil: domain.Some(time.Time{})}, "discount_until is required"},
		"before it":      {invoice.Attributes{EarlyUntil: day(-1)}, "discount_until must not be before the date"},
		"of a later one": {invoice.Attributes{Date: day(1)}, "discount_until must not be before the date"},
		"of both":        {invoice.Attributes{Date: day(1), EarlyRate: of, EarlyUntil: day(1)}, ""},
		"in no year":     {invoice.Attributes{EarlyUntil: domain.Some(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC))}, "discount_until must be in the years"},
	} {
		inv := invoice.Restore(s)
		err := inv.Update(tt.change, vat20, tuesday)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
		if err != nil && !invoice.Same(inv.State(), s) {
			t.Errorf("%s: it has changed", name)
		}
	}
	a := required()
	a.EarlyRate = of
	if _, err := invoice.New(issuer, a, vat20, monday); err == nil || !strings.Contains(err.Error(), "discount_until is required") {
		t.Errorf("a new one without an end: %v", err)
	}
}

// contract 18.31
func TestDiscountForEarlyPaymentMovesWithTheDateOfIssue(t *testing.T) {
	day := func(n int) time.Time { return issued.Truncate(24*time.Hour).AddDate(0, 0, n) }
	for name, tt := range map[string]struct {
		until time.Time
		date  domain.Optional[time.Time]
		of    party.Discount
		want  time.Time // zero: it is refused
	}{
		"by the terms":            {day(10), domain.Some(day(100)), twoPercent, day(110)},
		"an earlier date":         {day(10), domain.Some(day(-3)), twoPercent, day(7)},
		"without a date":          {day(10), asItIs, twoPercent, day(10)},
		"another one":             {day(11), domain.Some(day(3)), twoPercent, day(11)},
		"its last day":            {day(11), domain.Some(day(11)), twoPercent, day(11)},
		"too late":                {day(11), domain.Some(day(12)), twoPercent, time.Time{}},
		"without terms":           {day(10), domain.Some(day(3)), party.Discount{}, day(10)},
		"at the end of all years": {day(10), domain.Some(time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)), twoPercent, time.Time{}},
	} {
		s := stored(invoice.NotPaid)
		s.EarlyRate, s.EarlyUntil = percent("2"), tt.until
		inv := invoice.Restore(s)
		err := inv.Issue(tt.date, nil, tt.of, tuesday)
		switch {
		case tt.want.IsZero() && (err == nil || !strings.Contains(err.Error(), "discount_until must not be before the date")):
			t.Errorf("%s: %v", name, err)
		case !tt.want.IsZero() && (err != nil || !inv.State().EarlyUntil.Equal(tt.want)):
			t.Errorf("%s: until %v, %v; want %v", name, inv.State().EarlyUntil, err, tt.want)
		}
	}
}

// contract 18.31
func TestCreditNoteHasNoDiscountForEarlyPayment(t *testing.T) {
	s := stored(invoice.NotPaid)
	s.EarlyRate, s.EarlyUntil, s.IssuedOn = percent("2"), issued.AddDate(0, 0, 10), monday
	inv := invoice.Restore(s)
	note := must(inv.Credit(invoice.CreditRequest{Issuer: issuer, Date: issued.AddDate(0, 1, 0)}, tuesday)).State()
	if !note.EarlyRate.IsZero() || !note.EarlyUntil.IsZero() {
		t.Errorf("it has %s until %s", note.EarlyRate, note.EarlyUntil)
	}
	if err := inv.Update(invoice.Attributes{EarlyRate: domain.Some(percent("3"))}, vat20, tuesday); err == nil {
		t.Error("that of an issued invoice changes")
	}
}

// contract 18.33
func TestPrepaidIsWhatPaymentsPayOfADraft(t *testing.T) {
	draft := stored(invoice.NotPaid)
	draft.Number = invoice.DraftNumber(draft.ID)
	draft.PaidPrice, draft.WaivedPrice, draft.AutomaticPrice = amount("50"), amount("3"), amount("20")
	for name, tt := range map[string]struct {
		change func(*invoice.State)
		want   string
	}{
		"a draft":           {func(*invoice.State) {}, "30.00"},
		"one being issued":  {func(s *invoice.State) { s.IssuedOn = tuesday }, "30.00"},
		"an issued invoice": {func(s *invoice.State) { s.IssuedOn, s.Number = tuesday, "1" }, "0.00"},
		"one by hand":       {func(s *invoice.State) { s.Number = "R-1" }, "0.00"},
		"a credit note":     {func(s *invoice.State) { s.Credits = 7 }, "0.00"},
	} {
		s := draft
		tt.change(&s)
		if got := s.Prepaid().Fixed(2); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}
