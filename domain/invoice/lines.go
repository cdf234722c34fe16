package invoice

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/civil"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/text"
)

// LineID identifies a line of an invoice. Zero is a line that is not stored yet.
type LineID int64

// Line is a product or service on an invoice. Count and price may be negative, for
// returns and discounts; the count is never 0.
type Line struct {
	ID       LineID
	Version  int64 // the store's, as an invoice's is; zero while there is no id
	Name     string
	Units    string
	Count    money.Quantity
	Price    money.Amount  // of one unit
	Discount money.Percent // off count times price
	VAT      Rate          // of its own; the zero value is the performer's
	Total    money.Amount  // count times price, less the discount, rounded, with the adjustments
	Credits  LineID        // of a credit note: the line of the invoice
	// BaseCount is how many units the price is for; 0: for one.
	BaseCount   money.Quantity
	Adjustments []Adjustment
	Item
}

// Item is what documents say of a product or service beside its name. A missing text is empty.
type Item struct {
	Description     string
	ItemNumber      string // of the seller
	BuyerItemNumber string
	GTIN            string // 8, 12, 13 or 14 digits
	Note            string
	PeriodFrom      string // YYYY-MM-DD, like PeriodTo
	PeriodTo        string // not before PeriodFrom
}

func (i Item) textBytes() int {
	return len(i.Description) + len(i.ItemNumber) + len(i.BuyerItemNumber) + len(i.GTIN) + len(i.Note)
}

// ItemAttributes are the writable attributes of an item. Absent means unchanged.
type ItemAttributes struct {
	Description, ItemNumber, BuyerItemNumber, GTIN, Note, PeriodFrom, PeriodTo domain.Optional[string]
}

func (a ItemAttributes) apply(c *fault.Collector, prefix string, i Item) Item {
	if a == (ItemAttributes{}) { // as most are, and a request may have many lines
		return i
	}
	i.Description = text.Optional(c, prefix+"description", a.Description, i.Description, text.Long)
	i.ItemNumber = text.Optional(c, prefix+"item_number", a.ItemNumber, i.ItemNumber, text.Short)
	i.BuyerItemNumber = text.Optional(c, prefix+"buyer_item_number", a.BuyerItemNumber, i.BuyerItemNumber, text.Short)
	if gtin := strings.TrimSpace(a.GTIN.Or(i.GTIN)); gtin == "" || isGTIN(gtin) {
		i.GTIN = gtin
	} else {
		c.Add(prefix+"gtin", "must be a GTIN of 8, 12, 13 or 14 digits, the last of which is a check digit")
	}
	i.Note = text.Optional(c, prefix+"note", a.Note, i.Note, text.Long)
	before := civil.Period{From: i.PeriodFrom, To: i.PeriodTo}
	period := civil.CheckPeriod(c, prefix, civil.Period{From: a.PeriodFrom.Or(before.From), To: a.PeriodTo.Or(before.To)}, before)
	i.PeriodFrom, i.PeriodTo = period.From, period.To
	return i
}

// isGTIN checks the digits by the algorithm of GS1: from the right, they count once and three times in turn.
func isGTIN(s string) bool {
	if !slices.Contains([]int{8, 12, 13, 14}, len(s)) || strings.Trim(s, "0123456789") != "" {
		return false
	}
	sum := 0
	for i := range len(s) - 1 {
		sum += int(s[len(s)-2-i]-'0') * (3 - i%2*2)
	}
	return int(s[len(s)-1]-'0') == (10-sum%10)%10
}

// LineAttributes are the writable attributes of a line. Absent means unchanged; for a
// new line the defaults are the count 1 and the price 0, and the name is required. ID
// is used only when all lines are replaced; zero means a new line. Total must be
// correct; in an invoice that is rounded to cents, one that differs by at most a cent is taken as it is.
type LineAttributes struct {
	ID    domain.Optional[LineID]
	Name  domain.Optional[string]
	Units domain.Optional[string]
	Count domain.Optional[money.Quantity]
	Price domain.Optional[money.Amount]

	BaseCount   domain.Optional[money.Quantity]
	Discount    domain.Optional[money.Percent]
	Adjustments domain.Optional[[]AdjustmentAttributes]
	VAT         RateAttributes
	Item        ItemAttributes

	Total domain.Optional[money.ControlTotal]
}

// replaceLines returns the requested set of lines in place of old: stored lines by
// id, then the new ones in the order given. A line without an id that is equal to a stored one
// is that line (see unnamed), so that the same request twice changes nothing.
func replaceLines(c *fault.Collector, old []Line, sent []LineAttributes, t performer.Terms) []Line {
	byID := make(map[LineID]Line, len(old))
	for _, l := range old {
		byID[l.ID] = l
	}
	named := make(map[LineID]int, len(sent))
	var changed, added []Line
	kept := unnamed(old, sent)
	for i, a := range sent {
		prefix := fmt.Sprintf("items[%d].", i)
		id := a.ID.Or(0)
		if id == 0 {
			l := applyLine(c, prefix, newLine(), a, t)
			if kept.take(&l) {
				changed = append(changed, l)
			} else {
				added = append(slices.Grow(added, len(sent[i:])), l)
			}
			continue
		}
		l, ok := byID[id]
		if !ok {
			c.Coded(fault.NoRecord, prefix+"id", "is not a line of this invoice")
			checkUnknownLine(c, prefix, a)
			continue
		}
		if first, twice := named[id]; twice {
			c.Add(prefix+"id", "names the line that items[%d] names", first)
			applyLine(c, prefix, l, a, t) // for what else is wrong
			continue
		}
		named[id] = i
		changed = append(changed, applyLine(c, prefix, l, a, t))
	}
	slices.SortFunc(changed, func(a, b Line) int { return cmp.Compare(a.ID, b.ID) })
	return append(changed, added...)
}

// unnamed returns the stored lines that no sent one names.
func unnamed(old []Line, sent []LineAttributes) (u unnamedLines) {
	named := make(map[LineID]bool, len(sent))
	for _, a := range sent {
		named[a.ID.Or(0)] = true
	}
	for _, l := range old {
		if !named[l.ID] {
			u = append(u, l)
		}
	}
	return u
}

// unnamedLines are stored lines that a line without an id may be, by id.
type unnamedLines []Line

// take replaces the line by the first stored one that is equal, which it removes with those before it; false: there is none. After
// that no other line is a stored one, since lines are in the order of their ids, and new ones come last.
func (u *unnamedLines) take(l *Line) bool {
	i := slices.IndexFunc(*u, func(stored Line) bool {
		asNew := stored
		if asNew.ID, asNew.Version = 0, 0; asNew.Credits != 0 {
			asNew.Credits, asNew.Total = 0, l.Total
		}
		return SameLine(asNew, *l)
	})
	if i < 0 {
		*u = nil
		return false
	}
	*l, *u = (*u)[i], (*u)[i+1:]
	return true
}

// newLine returns a line before any attribute is set.
func newLine() Line { return Line{Count: money.One()} }

// checkUnknownLine collects what else is wrong with a line that does not exist, so
// that the writer learns it at once. Whether it is complete and what its total should
// be is not known.
func checkUnknownLine(c *fault.Collector, prefix string, a LineAttributes) {
	l := newLine()
	l.Name = "unknown"
	a.Total, a.VAT = domain.Optional[money.ControlTotal]{}, RateAttributes{}
	applyLine(c, prefix, l, a, performer.Terms{})
}

// applyLine returns the line with the attributes that were sent. The names of wrong
// fields begin with prefix.
func applyLine(c *fault.Collector, prefix string, l Line, a LineAttributes, t performer.Terms) Line {
	l.Name = text.Required(c, prefix+"name", a.Name, l.Name, text.Long)
	l.Units = text.Optional(c, prefix+"units", a.Units, l.Units, text.Short)
	l.Item = a.Item.apply(c, prefix, l.Item)
	before := l
	l.Price = a.Price.Or(l.Price)
	l.Discount = a.Discount.Or(l.Discount)
	l.Adjustments = applyAdjustments(c, prefix, l.Adjustments, a.Adjustments, t)
	l.VAT = a.VAT.apply(c, prefix, l.VAT, t)
	count := a.Count.Or(l.Count)
	if count.IsZero() {
		c.Add(prefix+"count", "must not be 0")
		return l
	}
	l.Count = count
	switch base, ok := a.BaseCount.Get(); {
	case ok && (base.IsZero() || base.IsNegative()):
		c.Coded(fault.OutOfRange, prefix+"base_count", "must be above 0")
	case ok && base.Equal(money.One()):
		l.BaseCount = money.Quantity{}
	case ok:
		l.BaseCount = base
	}
	return withTotal(c, prefix, before, l, a.Total, t)
}

// withTotal returns the line with its total, which has to fit and to be what the
// writer states it is. A line of a credit note, which cannot change, keeps it, and so does one
// whose total was stated before.
func withTotal(c *fault.Collector, prefix string, before, l Line, claimed domain.Optional[money.ControlTotal], t performer.Terms) Line {
	total := l.Total
	if l.Credits == 0 {
		l.Adjustments = computed(l.Adjustments, func(Adjustment) money.Exact { return l.gross() }, t)
		total = lineTotal(l, FormerLine{}, t).Result
	}
	if !total.Storable() {
		c.Coded(fault.OutOfRange, prefix+"total_price", "%s", money.ErrHuge)
		return l
	}
	claim, isClaimed := claimed.Get()
	switch cents, isClose := claim.Cents(total); {
	case isClaimed && isClose && t.InCents && l.Credits == 0:
		total = cents
	case isClaimed && !claim.Matches(total):
		c.Coded(fault.Mismatch, prefix+"total_price", "must be %s", total)
	case !isClaimed && before.ID != 0 && sameFactors(before, l):
		total = before.Total
	}
	l.Total = total
	return l
}

// Base returns how many units the price is for.
func (l Line) Base() money.Quantity {
	if l.BaseCount.IsZero() {
		return money.One()
	}
	return l.BaseCount
}

// gross returns count times price, not rounded.
func (l Line) gross() money.Exact { return l.Count.Times(l.Price).Per(l.Base()) }

// sameFactors reports whether the totals of two lines are computed from the same values.
func sameFactors(a, b Line) bool {
	return a.Count.Equal(b.Count) && a.Price.Equal(b.Price) && a.BaseCount.Equal(b.BaseCount) && a.Discount == b.Discount &&
		sameAdjustments(a.Adjustments, b.Adjustments)
}

func (inv *Invoice) find(id LineID) (int, error) {
	i := slices.IndexFunc(inv.state.Lines, func(l Line) bool { return l.ID == id })
	if i < 0 || id == 0 {
		return 0, fault.New(fault.NotFound, "the invoice has no line %d", id)
	}
	return i, nil
}

// SameLine reports whether two lines are equal. They cannot be compared with ==,
// because equal numbers may have different representations.
func SameLine(a, b Line) bool {
	return a.ID == b.ID && a.Version == b.Version && a.Name == b.Name && a.Units == b.Units &&
		a.Credits == b.Credits && a.VAT == b.VAT && a.Item == b.Item && sameFactors(a, b) && a.Total.Equal(b.Total)
}

func sameLines(a, b []Line) bool { return slices.EqualFunc(a, b, SameLine) }
