package invoice_test

import (
	"testing"
	"time"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/party"
)

var asItIs = domain.Optional[time.Time]{}

// frozen is a stored invoice that is issued.
func frozen(status invoice.Status) invoice.State {
	s := stored(status)
	s.IssuedOn = monday
	return s
}

func TestIssueFreezesTheInvoice(t *testing.T) {
	t.Parallel()
	inv := invoice.Restore(stored(invoice.NotPaid))
	if err := inv.Issue(domain.Some(issued.AddDate(0, 0, 1)), nil, party.Discount{}, tuesday); err != nil {
		t.Fatal(err)
	}
	inv.SetNumber("2024-0001")
	s := inv.State()
	if !s.IssuedOn.Equal(tuesday) || !s.UpdatedOn.Equal(tuesday) || !s.Date.Equal(issued.AddDate(0, 0, 1)) || s.Number != "2024-0001" {
		t.Errorf("issued, it is %+v", s)
	}
	for name, change := range map[string]func() error{
		"another number": func() error {
			return inv.Update(invoice.Attributes{Number: domain.Some("1")}, vat20, tuesday)
		},
		"another line":  func() error { return inv.AddLine(line("pens", "1", "1"), vat20, tuesday) },
		"fewer lines":   func() error { return inv.RemoveLine(1, vat20, tuesday) },
		"a changed one": func() error { return inv.ChangeLine(1, line("pens", "1", "1"), vat20, tuesday) },
		"cancellation": func() error {
			return inv.Update(invoice.Attributes{Status: domain.Some(invoice.Cancelled)}, vat20, tuesday)
		},
		"another issue": func() error { return inv.Issue(asItIs, nil, party.Discount{}, tuesday) },
		"deletion":      inv.CheckDelete,
	} {
		if err := change(); !fault.Is(err, fault.Conflict) {
			t.Errorf("%s: %v", name, err)
		}
	}
	paid := invoice.Attributes{Status: domain.Some(invoice.Closed), Paid: domain.Some(true), Notice: domain.Some("Thank you")}
	if err := inv.Update(paid, vat20, tuesday); err != nil {
		t.Error(err)
	}
}

// contract 16.47
func TestDefaultDueDateMovesWithTheDateOfIssue(t *testing.T) {
	t.Parallel()
	day := func(n int) time.Time { return issued.Truncate(24*time.Hour).AddDate(0, 0, n) }
	fortnight := int32(14)
	for name, tt := range map[string]struct {
		due  time.Time
		date domain.Optional[time.Time]
		days *int32
		want time.Time
	}{
		"by the terms":     {day(14), domain.Some(day(100)), &fortnight, day(114)},
		"an earlier date":  {day(14), domain.Some(day(-3)), &fortnight, day(11)},
		"without a date":   {day(14), asItIs, &fortnight, day(14)},
		"another one":      {day(15), domain.Some(day(100)), &fortnight, day(15)},
		"none":             {time.Time{}, domain.Some(day(100)), &fortnight, time.Time{}},
		"without terms":    {day(14), domain.Some(day(100)), nil, day(14)},
		"beyond all years": {day(14), domain.Some(time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)), &fortnight, day(14)},
	} {
		s := stored(invoice.NotPaid)
		s.DueDate = tt.due
		inv := invoice.Restore(s)
		if err := inv.Issue(tt.date, tt.days, party.Discount{}, tuesday); err != nil || !inv.State().DueDate.Equal(tt.want) {
			t.Errorf("%s: due on %v, %v; want %v", name, inv.State().DueDate, err, tt.want)
		}
	}
}

func TestIssueIsRefused(t *testing.T) {
	t.Parallel()
	empty := stored(invoice.NotPaid)
	empty.Lines, empty.TotalCount = nil, 0
	for name, tt := range map[string]struct {
		state invoice.State
		date  domain.Optional[time.Time]
		want  fault.Kind
	}{
		"empty":         {empty, asItIs, fault.Invalid},
		"of no date":    {stored(invoice.NotPaid), domain.Some(time.Time{}), fault.Invalid},
		"of a far date": {stored(invoice.NotPaid), domain.Some(issued.AddDate(9000, 0, 0)), fault.Invalid},
		"closed":        {stored(invoice.Closed), asItIs, fault.Conflict},
		"cancelled":     {stored(invoice.Cancelled), asItIs, fault.Conflict},
		"issued":        {frozen(invoice.Paid), asItIs, fault.Conflict},
	} {
		inv := invoice.Restore(tt.state)
		if err := inv.Issue(tt.date, nil, party.Discount{}, tuesday); !fault.Is(err, tt.want) || !invoice.Same(inv.State(), tt.state) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
