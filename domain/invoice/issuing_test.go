package invoice_test

import (
	"errors"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
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
	if err := inv.Issue(domain.Some(issued.AddDate(0, 0, 1)), nil, tuesday); err != nil {
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
		"another issue": func() error { return inv.Issue(asItIs, nil, tuesday) },
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
		if err := inv.Issue(tt.date, tt.days, tuesday); err != nil || !inv.State().DueDate.Equal(tt.want) {
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
		if err := inv.Issue(tt.date, nil, tuesday); !fault.Is(err, tt.want) || !invoice.Same(inv.State(), tt.state) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCreditTakesWhatIsLeft(t *testing.T) {
	t.Parallel()
	request := invoice.CreditRequest{Issuer: 4, Date: issued}
	request.Lines = domain.Some([]invoice.CreditedLine{{ID: 1, Count: domain.Some(quantity("0.5"))}})
	inv := invoice.Restore(frozen(invoice.NotPaid))
	note, err := inv.Credit(request, tuesday)
	if err != nil {
		t.Fatal(err)
	}
	s := note.State()
	if s.Credits != 1 || s.UserID != 4 || s.DealID != 41 || !s.IssuedOn.Equal(tuesday) || len(s.Lines) != 1 || s.Lines[0].Credits != 1 ||
		s.TotalPrice.String() != "-5.2500" || s.VATPrice.String() != "-1.0500" || s.PayPrice.String() != "-6.3000" {
		t.Errorf("the credit note is %+v", s)
	}
	if now := inv.State(); now.Status != invoice.NotPaid || !now.UpdatedOn.Equal(monday) {
		t.Errorf("credited in part, the invoice is %+v", now)
	}
	rest := invoice.CreditRequest{Date: issued, Credited: map[invoice.LineID]money.Quantity{1: quantity("0.5")}}
	if note, err = inv.Credit(rest, tuesday); err != nil || note.State().TotalPrice.String() != "-11.7500" {
		t.Errorf("the rest is %v, %v", note, err)
	}
	if now := inv.State(); now.Status != invoice.Cancelled || !now.UpdatedOn.Equal(tuesday) {
		t.Errorf("credited, the invoice is %+v", now)
	}
	if now := note.State(); now.Status != invoice.Cancelled {
		t.Errorf("the credit note that leaves nothing is %+v", now)
	}
	paid := invoice.Restore(frozen(invoice.Paid))
	if _, err := paid.Credit(invoice.CreditRequest{Date: issued}, tuesday); err != nil || paid.State().Status != invoice.Paid {
		t.Errorf("a paid invoice is %+v, %v", paid.State(), err)
	}
}

// contract 16.75
func TestCreditOfAnInvoiceNumberedByHand(t *testing.T) {
	t.Parallel()
	request := invoice.CreditRequest{
		Date: issued, Lines: domain.Some([]invoice.CreditedLine{{ID: 1}}), IsByHand: true,
		Number: domain.Some(" K-1 "), Notice: domain.Some("Returned"),
	}
	inv := invoice.Restore(stored(invoice.NotPaid))
	note, err := inv.Credit(request, tuesday)
	if err != nil {
		t.Fatal(err)
	}
	if s := note.State(); s.Number != "K-1" || s.Notice != "Returned" || !s.IssuedOn.Equal(tuesday) {
		t.Errorf("the credit note is %+v", s)
	}
	if now := inv.State(); now.Number != "R-1" || !now.IssuedOn.Equal(tuesday) || !now.UpdatedOn.Equal(tuesday) || now.Status != invoice.NotPaid {
		t.Errorf("credited, the invoice is %+v", now)
	}
	if err := inv.RemoveLine(2, vat20, tuesday); !fault.Is(err, fault.Conflict) {
		t.Errorf("credited, its lines change: %v", err)
	}
	request.Number = domain.Optional[string]{}
	if _, err := inv.Credit(request, tuesday); !fault.Is(err, fault.Invalid) || fault.As(err).Fields[0].Name != "number" {
		t.Errorf("without a number: %v", err)
	}
	request.IsByHand, request.Number = false, domain.Some("K-2")
	if _, err := inv.Credit(request, tuesday); !fault.Is(err, fault.Invalid) || fault.As(err).Fields[0].Name != "number" {
		t.Errorf("with a number beside the series: %v", err)
	}
}

func TestCreditIsRefused(t *testing.T) {
	t.Parallel()
	note, draft := frozen(invoice.NotPaid), stored(invoice.NotPaid)
	draft.Number = "draft-1"
	note.Credits = 7
	few := frozen(invoice.NotPaid)
	few.Lines = few.Lines[:1]
	all := map[invoice.LineID]money.Quantity{1: quantity("2"), 2: quantity("-1")}
	for name, tt := range map[string]struct {
		state    invoice.State
		lines    []invoice.CreditedLine
		credited map[invoice.LineID]money.Quantity
		want     fault.Kind
	}{
		"of a draft":          {draft, nil, nil, fault.Conflict},
		"of a cancelled one":  {stored(invoice.Cancelled), nil, nil, fault.Conflict},
		"of a credit note":    {note, nil, nil, fault.Conflict},
		"of no line":          {frozen(invoice.NotPaid), []invoice.CreditedLine{}, nil, fault.Invalid},
		"of another line":     {frozen(invoice.NotPaid), []invoice.CreditedLine{{ID: 9}}, nil, fault.Invalid},
		"of too much":         {frozen(invoice.NotPaid), []invoice.CreditedLine{{ID: 1, Count: domain.Some(quantity("2.000001"))}}, nil, fault.Invalid},
		"of nothing":          {frozen(invoice.NotPaid), []invoice.CreditedLine{{ID: 1, Count: domain.Some(quantity("0"))}}, nil, fault.Invalid},
		"of the other sign":   {frozen(invoice.NotPaid), []invoice.CreditedLine{{ID: 2, Count: domain.Some(quantity("1"))}}, nil, fault.Invalid},
		"of a line twice":     {frozen(invoice.NotPaid), []invoice.CreditedLine{{ID: 1}, {ID: 1}}, nil, fault.Invalid},
		"of a credited line":  {frozen(invoice.NotPaid), []invoice.CreditedLine{{ID: 1}}, all, fault.Invalid},
		"of what is credited": {frozen(invoice.NotPaid), nil, all, fault.Invalid},
	} {
		inv := invoice.Restore(tt.state)
		request := invoice.CreditRequest{Date: issued, Credited: tt.credited, Number: domain.Some("K-1"), IsByHand: tt.state.IssuedOn.IsZero()}
		if tt.lines != nil {
			request.Lines = domain.Some(tt.lines)
		}
		if _, err := inv.Credit(request, tuesday); !fault.Is(err, tt.want) || !invoice.Same(inv.State(), tt.state) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := invoice.Restore(few).Credit(invoice.CreditRequest{Date: issued}, tuesday); !errors.Is(err, invoice.ErrLinesMissing) {
		t.Errorf("with lines that are not loaded: %v", err)
	}
}

// contract 16.62
func TestInvoiceOfWhichNothingIsLeftIsSettledUnlessOneIsPaid(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ credited, first, second, want invoice.Status }{
		"none is paid":   {invoice.NotPaid, invoice.NotPaid, invoice.NotPaid, invoice.Cancelled},
		"it is paid":     {invoice.Paid, invoice.NotPaid, invoice.NotPaid, invoice.NotPaid},
		"a note is paid": {invoice.NotPaid, invoice.Paid, invoice.NotPaid, invoice.NotPaid},
		"all are closed": {invoice.Closed, invoice.Closed, invoice.Closed, invoice.NotPaid},
	} {
		all := []*invoice.Invoice{invoice.Restore(frozen(tt.credited)), invoice.Restore(frozen(tt.first)), invoice.Restore(frozen(tt.second))}
		all[0].Settle(all[1:], tuesday)
		for i, before := range []invoice.Status{tt.credited, tt.first, tt.second} {
			now, want, since := all[i].State(), before, monday
			if before == invoice.NotPaid && tt.want == invoice.Cancelled {
				want, since = invoice.Cancelled, tuesday
			}
			if now.Status != want || !now.UpdatedOn.Equal(since) {
				t.Errorf("%s: invoice %d is %s since %v", name, i, now.Status, now.UpdatedOn)
			}
		}
	}
}
