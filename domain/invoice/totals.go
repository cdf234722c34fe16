package invoice

import (
	"errors"
	"slices"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/performer"
)

// The limits of an invoice. One that was stored before the limits existed may exceed them:
// it can be read, reduced and deleted, but cannot grow.
//
// MaxTextBytes bounds the memory of a request that replaces all lines, which has them as
// stored, as changed and with their search keys: at most about 16 MiB of the 64 MiB that all
// requests share. It is four times the maximum size of a request body.
const (
	MaxLines     = 10_000
	MaxTextBytes = 4 << 20
)

// ErrLinesMissing is returned by a command that replaces all lines when the store has not
// loaded all of them. It is a defect of the caller.
var ErrLinesMissing = errors.New("the lines of the invoice are not loaded")

// blame has the fields that are wrong if a total exceeds its limit.
type blame struct{ amount, count, text string }

var (
	blameItems     = blame{"items", "items", "items"}
	blamePerformer = blame{amount: "performer_id"}
	blameLine      = blame{"total_price", "invoice_id", "name"}
)

// retotaled returns the state with the totals that follow if lines, discount or performer differ from those before.
func (s State) retotaled(c *fault.Collector, before State, t performer.Terms, blamed blame) State {
	if s.PerformerID == before.PerformerID && s.Discount == before.Discount && sameAdjustments(s.Adjustments, before.Adjustments) &&
		sameLines(s.Lines, before.Lines) {
		return s
	}
	s = s.withTotals(c, before.Lines, Former{}, t, blamed)
	if s.PerformerID != before.PerformerID && !t.VATUse && (s.sums().hasOwn() || hasOwnRate(s.Adjustments)) && c.Err() == nil {
		c.Coded(fault.Mismatch, "performer_id", "has no VAT, but lines or adjustments of the invoice have a VAT rate of their own")
	}
	return s
}

// withTotals returns the state under these terms, with the totals that follow if its loaded
// lines replace those in old. This is the only place where an invoice's totals are computed.
func (s State) withTotals(c *fault.Collector, old []Line, former Former, t performer.Terms, blamed blame) State {
	count, text, sums := s.TotalCount, s.TextBytes, slices.Clone(s.sums())
	for _, l := range s.Lines {
		sums = sums.With(l.VAT, 1, l.Total)
		s.TextBytes += l.textBytes()
	}
	for _, l := range old {
		sums = sums.With(l.VAT, -1, l.Total.Negated())
		s.TextBytes -= l.textBytes()
	}
	s.TotalCount += len(s.Lines) - len(old)
	s.Terms = t
	s.adjust(c, sums)
	a := amountsOf(Sums{sums, s.Adjustments}, former.Sums(), s.Discount, t)
	s.TotalPrice, s.VATPrice, s.PayPrice = a.Total.Result, a.VAT.Result, a.Pay.Result
	s.OwedPrice = owedOf(s.PayPrice, former.Amounts(s.Discount, t).Pay.Result)
	s.RateSums, s.VAT = nil, nil
	if sums.hasOwn() || !s.Discount.IsZero() || len(s.Adjustments) > 0 {
		s.RateSums, s.VAT = sums, a.totals()
	}
	if s.TotalCount > max(count, MaxLines) {
		c.Coded(fault.OutOfRange, blamed.count, "would give the invoice more than %d lines", MaxLines)
	}
	if s.TextBytes > max(text, MaxTextBytes) {
		c.Coded(fault.OutOfRange, blamed.text,
			"would make the texts of the invoice's lines longer than %d MiB together", MaxTextBytes>>20)
	}
	if !s.TotalPrice.Storable() || !s.VATPrice.Storable() || !s.PayPrice.Storable() {
		c.Coded(fault.OutOfRange, blamed.amount, "would make the invoice's total or amount to pay too large: it %s", money.ErrHuge)
	}
	return s
}

// adjust computes the amounts of adjustments that are percentages of the lines, whose sums these are.
func (s *State) adjust(c *fault.Collector, sums RateSums) {
	lines := sums.under(s.Terms)
	if i := slices.IndexFunc(s.Adjustments, func(a Adjustment) bool { return a.VATCategory == "" }); i >= 0 && len(lines) > 1 {
		c.Coded(fault.Required, "adjustments", "must have a vat_percent or vat_category each if the lines have several VAT rates; "+
			"adjustments[%d] has none", i)
	}
	s.Adjustments = computed(s.Adjustments, func(a Adjustment) money.Exact { return lines.of(a.under(s.Terms, lines)).Exact() }, s.Terms)
}

// sums returns the sums of all lines by rate.
func (s State) sums() RateSums {
	if s.RateSums == nil {
		return s.RateSums.With(Rate{}, s.TotalCount, s.TotalPrice)
	}
	return s.RateSums
}

func (l Line) textBytes() int {
	bytes := len(l.Name) + len(l.Units) + l.Item.textBytes()
	for _, a := range l.Adjustments {
		bytes += len(a.Reason)
	}
	return bytes
}

// Discount returns the sum of the lines with negative totals, as a positive amount.
func Discount(lines []Line) (discount money.Amount) {
	for _, l := range lines {
		if l.Total.IsNegative() {
			discount = discount.Minus(l.Total)
		}
	}
	return discount
}
