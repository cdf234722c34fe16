package invoice_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/performer"
)

// former has what the credit notes have.
func former(notes ...*invoice.Invoice) (f invoice.Former) {
	f = f.Clone()
	for _, n := range notes {
		s := n.State()
		for _, l := range s.Lines {
			f.Add(l)
		}
	}
	return f
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
	before := frozen(invoice.NotPaid)
	if now := inv.State(); now.Status != invoice.NotPaid || !now.Due().Equal(before.OwedPrice.Plus(s.OwedPrice)) || s.Status != invoice.Paid {
		t.Errorf("credited in part, the invoice is %+v", now)
	}
	first := note
	rest := invoice.CreditRequest{Date: issued, Former: former(note), Notes: []*invoice.Invoice{note}}
	if note, err = inv.Credit(rest, tuesday); err != nil || note.State().TotalPrice.String() != "-11.7500" {
		t.Errorf("the rest is %v, %v", note, err)
	}
	if now := inv.State(); now.Status != invoice.Cancelled || !now.UpdatedOn.Equal(tuesday) {
		t.Errorf("credited, the invoice is %+v", now)
	}
	if note.State().Status != invoice.Cancelled || first.State().Status != invoice.Cancelled {
		t.Errorf("credited, the credit notes are %+v and %+v", first.State(), note.State())
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
		Date: issued, Lines: domain.Some([]invoice.CreditedLine{{ID: 1, Count: domain.Some(quantity("1"))}}), IsByHand: true,
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
	all := invoice.Former{Lines: map[invoice.LineID]invoice.FormerLine{
		1: {Count: quantity("-2"), Total: amount("-21")}, 2: {Count: quantity("1"), Total: amount("4")},
	}}
	nothing := invoice.Former{}
	lines := func(of ...invoice.CreditedLine) []invoice.CreditedLine { return of }
	count := func(id invoice.LineID, count string) invoice.CreditedLine {
		return invoice.CreditedLine{ID: id, Count: domain.Some(quantity(count))}
	}
	for name, tt := range map[string]struct {
		state  invoice.State
		lines  []invoice.CreditedLine
		former invoice.Former
		want   fault.Kind
	}{
		"of a draft":          {draft, nil, nothing, fault.Conflict},
		"of a cancelled one":  {stored(invoice.Cancelled), nil, nothing, fault.Conflict},
		"of a credit note":    {note, nil, nothing, fault.Conflict},
		"of no line":          {frozen(invoice.NotPaid), []invoice.CreditedLine{}, nothing, fault.Invalid},
		"of another line":     {frozen(invoice.NotPaid), lines(invoice.CreditedLine{ID: 9}), nothing, fault.Invalid},
		"of too much":         {frozen(invoice.NotPaid), lines(count(1, "2.000001")), nothing, fault.Invalid},
		"of nothing":          {frozen(invoice.NotPaid), lines(count(1, "0")), nothing, fault.Invalid},
		"of the other sign":   {frozen(invoice.NotPaid), lines(count(2, "1")), nothing, fault.Invalid},
		"of a line twice":     {frozen(invoice.NotPaid), lines(count(1, "2"), count(1, "1")), nothing, fault.Invalid},
		"of a credited line":  {frozen(invoice.NotPaid), lines(invoice.CreditedLine{ID: 1}), all, fault.Invalid},
		"of what is credited": {frozen(invoice.NotPaid), nil, all, fault.Invalid},
		"of too much money":   {frozen(invoice.NotPaid), lines(count(1, "1.619048")), nothing, fault.Invalid},
		"of a discount alone": {frozen(invoice.NotPaid), lines(count(2, "-1")), nothing, fault.Invalid},
	} {
		inv := invoice.Restore(tt.state)
		request := invoice.CreditRequest{Date: issued, Former: tt.former, Number: domain.Some("K-1"), IsByHand: tt.state.IssuedOn.IsZero()}
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

// contract 16.61
func TestCreditNamesAllWrongLines(t *testing.T) {
	t.Parallel()
	former := invoice.Former{Lines: map[invoice.LineID]invoice.FormerLine{2: {Count: quantity("1"), Total: amount("4")}}}
	count := domain.Some(quantity("3"))
	for _, tt := range []struct {
		lines []invoice.CreditedLine
		want  string
	}{
		{
			[]invoice.CreditedLine{{ID: 9}, {ID: 2}, {ID: 1, Count: count}, {ID: 8}},
			"items[0].id is not a line of this invoice; items[1].id is a line that is credited in full; items[2].count must have the sign " +
				"of the remaining count, 2, and not exceed it; items[3].id is not a line of this invoice",
		},
		{[]invoice.CreditedLine{}, "items must not be empty: there is nothing to credit"},
		{
			[]invoice.CreditedLine{{ID: 9}, {ID: 1}}, "items[0].id is not a line of this invoice", // and no more than is left of the total
		},
	} {
		_, err := invoice.Restore(frozen(invoice.NotPaid)).Credit(invoice.CreditRequest{Date: issued, Lines: domain.Some(tt.lines), Former: former}, tuesday)
		if err == nil || err.Error() != "invalid: "+tt.want {
			t.Errorf("%+v: %v", tt.lines, err)
		}
	}
}

// contract 16.61
func TestCreditIsNoMoreThanIsLeftToPay(t *testing.T) {
	t.Parallel()
	a := required()
	a.Lines = lines(taxed("7", ""), taxed("", "exempt"), taxed("7", ""))
	discount := a.Lines.Or(nil)[2]
	discount.Count = domain.Some(quantity("-1"))
	a.Lines = lines(a.Lines.Or(nil)[0], a.Lines.Or(nil)[1], discount)
	s := must(invoice.New(issuer, a, vat20, monday)).State()
	for i := range s.Lines {
		s.Lines[i].ID = invoice.LineID(i + 1)
	}
	s.ID, s.IssuedOn = 1, monday
	request := invoice.CreditRequest{Date: issued, Lines: domain.Some([]invoice.CreditedLine{{ID: 1}})}
	_, err := invoice.Restore(s).Credit(request, tuesday)
	const want = "items must come to a pay_price with the sign of the remaining one, 100.0000, and not exceed it; it is 107.0000"
	if err == nil || err.Error() != "invalid: "+want {
		t.Errorf("a line with VAT of an invoice without: %v", err)
	}
	request.Lines = domain.Some([]invoice.CreditedLine{{ID: 1}, {ID: 3}})
	if note, err := invoice.Restore(s).Credit(request, tuesday); err != nil || !note.State().PayPrice.IsZero() {
		t.Errorf("with its discount: %v, %v", note, err)
	}
}

// contract 16.62, 18.7
func TestInvoiceIsSettledWithItsCreditNotes(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		credited, first, second invoice.Status
		isLeft                  bool
		want                    string // states, and what is due
	}{
		"none is paid":         {invoice.NotPaid, invoice.NotPaid, invoice.NotPaid, false, "4 0.00, 4 0.00, 4 0.00"},
		"something is left":    {invoice.NotPaid, invoice.NotPaid, invoice.NotPaid, true, "2 0.00, 2 0.00, 2 0.00"},
		"it is paid":           {invoice.Paid, invoice.NotPaid, invoice.NotPaid, false, "2 0.00, 1 -60.00, 1 -40.00"},
		"a note is paid":       {invoice.NotPaid, invoice.Paid, invoice.NotPaid, false, "1 60.00, 2 0.00, 2 0.00"},
		"a note is closed":     {invoice.NotPaid, invoice.NotPaid, invoice.Closed, false, "1 40.00, 2 0.00, 3 0.00"},
		"all of it are closed": {invoice.Closed, invoice.Closed, invoice.Closed, false, "3 0.00, 3 0.00, 3 0.00"},
	} {
		owing := func(status invoice.Status, owed string) *invoice.Invoice {
			s := frozen(status)
			s.OwedPrice, s.PaidPrice, s.AutomaticPrice = amount(owed), amount("0"), amount("0")
			if status.Paid() {
				s.PaidPrice, s.AutomaticPrice = s.OwedPrice, s.OwedPrice
			}
			return invoice.Restore(s)
		}
		all := []*invoice.Invoice{owing(tt.credited, "100"), owing(tt.first, "-60"), owing(tt.second, "-40")}
		all[0].SetOff(all[1:], tuesday)
		if !tt.isLeft {
			all[0].Settle(all[1:], tuesday)
		}
		var got []string
		for i, before := range []invoice.Status{tt.credited, tt.first, tt.second} {
			s := all[i].State()
			got = append(got, fmt.Sprintf("%d %s", s.Status, s.Due().Fixed(2)))
			if isChanged := s.Status != before || !s.SetOffPrice.IsZero(); isChanged != s.UpdatedOn.Equal(tuesday) {
				t.Errorf("%s: invoice %d has changed at %v", name, i, s.UpdatedOn)
			}
		}
		if strings.Join(got, ", ") != tt.want {
			t.Errorf("%s: %v, want %s", name, got, tt.want)
		}
	}
}

// contract 18.7
func TestInvoiceWithMoneyIsNotCancelledWithItsCreditNotes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		paid, waived string
		want         invoice.Status
	}{{"0", "0", invoice.Cancelled}, {"40", "0", invoice.Paid}, {"0", "40", invoice.Paid}} {
		s, note := frozen(invoice.NotPaid), frozen(invoice.NotPaid)
		s.PaidPrice, s.WaivedPrice, s.AutomaticPrice = amount(tt.paid), amount(tt.waived), amount("0")
		s.OwedPrice = amount("60").Plus(s.PaidPrice).Plus(s.WaivedPrice)
		note.OwedPrice, note.PaidPrice, note.AutomaticPrice = amount("-60"), amount("0"), amount("0")
		inv, notes := invoice.Restore(s), []*invoice.Invoice{invoice.Restore(note)}
		inv.SetOff(notes, tuesday)
		if inv.Settle(notes, tuesday); inv.State().Status != tt.want {
			t.Errorf("%s paid and %s waived: it is in state %v, want %v", tt.paid, tt.waived, inv.State().Status, tt.want)
		}
	}
}

// contract 16.62
func TestInvoiceThatIsPaidAlthoughNothingIsOwedIsNotSettled(t *testing.T) {
	t.Parallel()
	for status, want := range map[invoice.Status]invoice.Status{invoice.Paid: invoice.Paid, invoice.NotPaid: invoice.Cancelled} {
		s := frozen(status)
		s.OwedPrice, s.PaidPrice, s.AutomaticPrice = amount("0"), amount("0"), amount("0")
		inv := invoice.Restore(s)
		if inv.Settle(nil, tuesday); inv.State().Status != want {
			t.Errorf("in state %v it comes to %v", status, inv.State().Status)
		}
	}
}

// contract 16.130
func TestCreditsInPartsAreTheInvoice(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		count, price, part string
		isInCents          bool
		parts              int
		first, last, want  string // pay_price of the credit notes, and of all of them
	}{
		"of half a cent":  {"100", "0.005", "1", true, 100, "-0.0100", "0.0000", "-0.6000"},
		"of a seventh":    {"7", "14.2857", "1", true, 7, "-17.0100", "-17.0100", "-119.0000"},
		"in four digits":  {"100", "0.0001", "1", false, 100, "-0.0001", "-0.0001", "-0.0119"},
		"of a thousandth": {"1", "100", "0.00005", true, 20, "-0.0100", "0.0000", "-0.1200"},
		"of a return":     {"-3", "0.335", "-1", true, 3, "0.4000", "0.4000", "1.2000"},
	} {
		terms := performer.Terms{VATUse: true, VATPercent: percent("19"), InCents: tt.isInCents}
		a := required()
		a.Lines = lines(line("goods", tt.count, tt.price))
		s := must(invoice.New(issuer, a, terms, monday)).State()
		s.ID, s.Lines[0].ID, s.IssuedOn = 1, 1, monday
		inv := invoice.Restore(s)
		var notes []*invoice.Invoice
		var sum = amount("0")
		for range tt.parts {
			part := []invoice.CreditedLine{{ID: 1, Count: domain.Some(quantity(tt.part))}}
			note := must(inv.Credit(invoice.CreditRequest{Date: issued, Lines: domain.Some(part), Former: former(notes...)}, tuesday))
			notes, sum = append(notes, note), sum.Plus(note.State().PayPrice)
		}
		first, last := notes[0].State(), notes[len(notes)-1].State()
		if got := []string{first.PayPrice.String(), last.PayPrice.String(), sum.String()}; !slices.Equal(got, []string{tt.first, tt.last, tt.want}) {
			t.Errorf("%s: the credit notes are %v, want %s, %s, %s", name, got, tt.first, tt.last, tt.want)
		}
		if isWhole := inv.State().Status == invoice.Cancelled; isWhole && !sum.Negated().Equal(s.PayPrice) {
			t.Errorf("%s: the credit notes are %s, and the invoice %s", name, sum, s.PayPrice)
		}
	}
}

// contract 16.131
func TestCreditComparesWhatTheWriterStates(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ price, total, want string }{
		{"10.5", "5.25", ""},
		{"10.50", "-5.25", ""},
		{"10.5", "5.254", ""},
		{"1", "5.25", "items[0].price must be 10.5000"},
		{"10.5", "5.26", "items[0].total_price must be 5.2500"},
		{"10.5", "21", "items[0].total_price must be 5.2500"},
	} {
		part := invoice.CreditedLine{
			ID: 1, Count: domain.Some(quantity("0.5")), Price: domain.Some(amount(tt.price)), Total: domain.Some(claim(tt.total)),
		}
		request := invoice.CreditRequest{Date: issued, Lines: domain.Some([]invoice.CreditedLine{part})}
		_, err := invoice.Restore(frozen(invoice.NotPaid)).Credit(request, tuesday)
		switch e := fault.As(err); {
		case tt.want == "" && err != nil:
			t.Errorf("%s, %s: %v", tt.price, tt.total, err)
		case tt.want != "" && (e == nil || len(e.Fields) != 1 || e.Fields[0].Name+" "+e.Fields[0].Message != tt.want || e.Fields[0].Code != fault.Mismatch):
			t.Errorf("%s, %s: %v, want %s", tt.price, tt.total, err, tt.want)
		}
	}
}

// contract 16.55, 16.130
func TestCreditNoteThatIsSentBackIsUnchanged(t *testing.T) {
	t.Parallel()
	s := frozen(invoice.NotPaid)
	s.Terms.InCents = true
	s.Lines[0].Count, s.Lines[0].Price, s.Lines[0].Total = quantity("3"), amount("0.335"), amount("1.01")
	inv := invoice.Restore(s)
	one := domain.Some([]invoice.CreditedLine{{ID: 1, Count: domain.Some(quantity("1"))}})
	first := must(inv.Credit(invoice.CreditRequest{Date: issued, Lines: one}, tuesday))
	second := must(inv.Credit(invoice.CreditRequest{Date: issued, Lines: one, Former: former(first)}, tuesday)).State()
	if second.Lines[0].Total.String() != "-0.3300" {
		t.Fatalf("the second part is %s", second.Lines[0].Total)
	}
	second.ID, second.Number, second.Lines[0].ID, second.Lines[0].Version = 3, "K-2", 5, 1
	for _, id := range []invoice.LineID{0, 5} {
		sent := line("pens", "-1", "0.335")
		sent.Units, sent.ID = domain.Some("box"), domain.Some(id)
		if id != 0 {
			sent.Total = domain.Some(claim("-0.33"))
		}
		note := invoice.Restore(second)
		if err := note.Update(invoice.Attributes{Lines: lines(sent)}, s.Terms, tuesday); err != nil || !invoice.Same(note.State(), second) {
			t.Errorf("sent back with the line %d: %v, %+v", id, err, note.State())
		}
	}
}

// contract 10.106, 10.108
func TestExplanationOfACreditNoteShowsWhatIsCreditedBefore(t *testing.T) {
	t.Parallel()
	e := invoice.Explanation{Terms: performer.Terms{VATUse: true, VATPercent: percent("19"), InCents: true}}
	e.Former = invoice.Former{Lines: map[invoice.LineID]invoice.FormerLine{7: {Count: quantity("-1"), Total: amount("-0.34")}}}
	var got []string
	for _, l := range []invoice.Line{
		{Credits: 7, Count: quantity("-1"), Price: amount("0.335"), Total: amount("-0.33")},
		{Credits: 8, Count: quantity("-1"), Price: amount("1"), Total: amount("-1")},
		{Credits: 7, Count: quantity("-1"), Price: amount("0.335"), Total: amount("-0.34")},
	} {
		got = append(got, shown(e.AddLine(l)))
	}
	a := e.Amounts()
	got = append(got, shown(a.Total), shown(a.VAT), shown(a.Pay))
	want := []string{
		"round((count - 1) * price) + 0.3400 = -0.33, rounded true = -0.3300",
		"count * price = -1, rounded true = -1.0000",
		"round((count - 2) * price) + 0.6700 = -0.335, rounded true = -0.3400",
		"sum of the lines = -1.67, rounded false = -1.6700",
		"round((total_price - 0.3400) * vat_percent / 100) + 0.0600 = -0.3219, rounded true = -0.3200",
		"total_price + vat_price = -1.99, rounded false = -1.9900",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the steps are\n%q, want\n%q", got, want)
	}
	if l := e.Former.Lines[7]; !l.Count.Equal(quantity("-1")) {
		t.Errorf("the former credit notes have become %v", e.Former)
	}
}
