// Package invoice contains the aggregate of an invoice with its lines: invoice.go has the header
// and the commands, lines.go the lines, totals.go amounts and sizes, status.go the four states, paying.go
// what is due, early.go the discount for early payment, explanation.go the formulas.
//
// An invoice may have thousands of lines, but most commands concern at most one.
//
// Chose: an invoice has only the lines that were loaded for the command, and the number, sum and
// text size of all lines, which a command adjusts by what it changes. Because: the cost of a
// command then does not depend on the number of lines, and the sums are still exact. Costs: if a
// store loads too few lines, the invoice can only report it (ErrLinesMissing).
//
// Every command works on a copy: it collects all invalid fields (fault.Invalid), then checks that
// the present state allows the change (fault.Conflict), and only then assigns the copy. After an
// error nothing has changed. A command without an effect changes nothing, not even UpdatedOn.
package invoice

import (
	"slices"
	"strings"
	"time"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/civil"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/text"
	"github.com/kontor-crm/kontor/domain/user"
)

// ID identifies an invoice. Zero is none.
type ID int64

// State is the stored state of an invoice. Lines has the loaded lines: all, the one that a
// command concerns, or none. TotalCount, TotalPrice and TextBytes always cover all lines.
type State struct {
	ID          ID
	Version     int64
	UserID      user.ID // the issuer
	Number      string
	Date        time.Time     // as package civil has it
	DueDate     time.Time     // the day until which it is to be paid, as package civil has it; zero if there is none
	EarlyRate   money.Percent // the discount for early payment; zero if there is none
	EarlyUntil  time.Time     // its last day, as package civil has it
	PerformerID performer.ID
	ClientID    client.ID
	DealID      deal.ID // zero only between New and AttachToDeal
	TypeID      catalog.InvoiceTypeID
	Status      Status
	Notice      string
	Trade       TradeTerms
	Terms       performer.Terms // the performer's, when lines or performer last changed; InCents is that of the creation
	TotalCount  int             // number of lines
	TextBytes   int             // of the texts of the lines, in UTF-8
	Discount    money.Percent   // off the lines of each VAT rate
	Adjustments []Adjustment
	Currency    string         // ISO 4217; "": that of the performer
	Exchange    money.Quantity // how much one unit of Currency is in the performer's currency; 0: not known
	RateSums    RateSums       // of all lines; nil if all have the performer's rate and TotalPrice is their sum
	VAT         []RateTotal    // by rate; nil if RateSums is nil, or there are no lines
	TotalPrice  money.Amount   // sum of the lines, less the discount, with the adjustments
	VATPrice    money.Amount
	PayPrice    money.Amount // total and VAT
	OwedPrice   money.Amount // PayPrice in cents, as documents print it
	PaidPrice   money.Amount // by payments, in cents
	WaivedPrice money.Amount // by payments, in cents
	// AutomaticPrice is the part of PaidPrice of the payment that the invoice has because a writer has said that it is paid.
	AutomaticPrice money.Amount
	// SetOffPrice is the part of PaidPrice that payments of 0 set off against what is due of other invoices.
	SetOffPrice money.Amount

	CreatedOn time.Time
	PaidOn    time.Time // zero while it is not paid
	UpdatedOn time.Time
	Ref       string    // the caller's own key, unique among invoices
	IssuedOn  time.Time // when it got its number in a series; zero while it is a draft
	Credits   ID        // the invoice that a credit note is for; zero: it is none
	Lines     []Line    // that are loaded, by id; those without one come last, in the order they were given
}

// Invoice is the aggregate of an invoice and its lines.
type Invoice struct {
	state    State
	reserved ID // of a new invoice; zero: the store chooses one
}

// Reserve sets the id that a new invoice is to have.
func (inv *Invoice) Reserve(id ID) { inv.reserved = id }

// Reserved returns the id that a new invoice is to have; zero if the store chooses one.
func (inv *Invoice) Reserved() ID { return inv.reserved }

// Attributes are the writable attributes of an invoice. Absent means unchanged. Paid, Closed and
// Status each request a state; see Status.
type Attributes struct {
	Number      domain.Optional[string]
	Date        domain.Optional[time.Time]
	DueDate     domain.Optional[time.Time]
	EarlyRate   domain.Optional[money.Percent]
	EarlyUntil  domain.Optional[time.Time]
	PerformerID domain.Optional[performer.ID]
	ClientID    domain.Optional[client.ID]
	DealID      domain.Optional[deal.ID]
	TypeID      domain.Optional[catalog.InvoiceTypeID]
	Notice      domain.Optional[string]
	Discount    domain.Optional[money.Percent]
	Adjustments domain.Optional[[]AdjustmentAttributes]
	Currency    domain.Optional[string]
	Exchange    domain.Optional[money.Quantity]
	Trade       func(TradeTerms) TradeTerms // of those that the invoice has, those that it will have; nil: the same
	Paid        domain.Optional[bool]
	Closed      domain.Optional[bool]
	Status      domain.Optional[Status]
	Ref         domain.Optional[string]
	Lines       domain.Optional[[]LineAttributes]
}

// WithClientOf returns the attributes for an update that moves the invoice to the deal: if they
// name no client and the deal has one, with the deal's client.
func (a Attributes) WithClientOf(d deal.State) Attributes {
	if !a.ClientID.IsSet() && d.ClientID != 0 {
		a.ClientID = domain.Some(d.ClientID)
	}
	return a
}

// DueAfter returns the attributes of a new invoice: if they have no due date, with the day that is that many days after the
// date; nil: there are no terms.
func (a Attributes) DueAfter(days *int32) Attributes {
	date, ok := a.Date.Get()
	if a.DueDate.IsSet() || days == nil || !ok || date.IsZero() {
		return a
	}
	if due := dueAfter(date, *days); civil.InRange(due) {
		a.DueDate = domain.Some(due)
	}
	return a
}

// dueAfter returns the day that is that many days after the date.
func dueAfter(date time.Time, days int32) time.Time {
	return date.AddDate(0, 0, int(days)).Truncate(24 * time.Hour)
}

// With returns the state with the valid ones of the attributes applied, under these terms, with at most
// MaxLines lines. Rules judge it if the invoice rejects the change.
func (s State) With(a Attributes, t performer.Terms, at time.Time) State {
	var c fault.Collector
	t = s.keeping(t)
	next := applyHeader(&c, s, a, t)
	next.DealID = a.DealID.Or(s.DealID)
	if sent, ok := a.Lines.Get(); ok {
		next.Lines = replaceLines(&c, s.Lines, sent[:min(len(sent), MaxLines)], t)
	}
	if status := requestedStatus(&c, s.Status, a); status.known() {
		next = next.enter(status, at)
	}
	return next.retotaled(&c, s, t, blameItems).paying(s, at)
}

// WithLine is like With, for the attributes of the line with the id, or of a new line if that is zero.
func (s State) WithLine(id LineID, a LineAttributes, t performer.Terms) State {
	var c fault.Collector
	t = s.keeping(t)
	next := s
	next.Lines = slices.Clone(s.Lines)
	if id == 0 {
		next.Lines = append(next.Lines, applyLine(&c, "", newLine(), a, t))
	}
	for i, l := range s.Lines {
		if l.ID == id {
			next.Lines[i] = applyLine(&c, "", l, a, t)
		}
	}
	return next.retotaled(&c, s, t, blameLine).paying(s, s.UpdatedOn)
}

// WithoutLine is like With, for the removal of the line with the id.
func (s State) WithoutLine(id LineID, t performer.Terms) State {
	next := s
	next.Lines = slices.DeleteFunc(slices.Clone(s.Lines), func(l Line) bool { return l.ID == id })
	return next.retotaled(new(fault.Collector), s, s.keeping(t), blameLine).paying(s, s.UpdatedOn)
}

// New returns a new invoice, created by issuer, with the VAT terms of its performer. Number,
// date, performer, client and type are required. Unless the attributes request a state, it is not
// paid. It may have no deal until AttachToDeal.
func New(issuer user.ID, a Attributes, t performer.Terms, at time.Time) (*Invoice, error) {
	var c fault.Collector
	s := applyHeader(&c, State{UserID: issuer, CreatedOn: at, UpdatedOn: at}, a, t)
	s.DealID = a.DealID.Or(0)
	s.Lines = replaceLines(&c, nil, a.Lines.Or(nil), t)
	s = s.withTotals(&c, nil, Former{}, t, blameItems).enter(requestedStatus(&c, 0, a), at).paying(State{}, at)
	if err := c.Err(); err != nil {
		return nil, err
	}
	return &Invoice{state: s}, nil
}

// Restore returns an invoice with a stored state, without validation. Lines must be ordered by
// id.
func Restore(s State) *Invoice {
	s.Lines = slices.Clone(s.Lines)
	return &Invoice{state: s}
}

// State returns a copy of the invoice's state.
func (inv *Invoice) State() State {
	s := inv.state
	s.Lines = slices.Clone(s.Lines)
	return s
}

// Update sets the attributes that are present; t are the present VAT terms of the performer that
// the invoice will have after it. Lines, if present, replace all lines, which must be loaded
// (ErrLinesMissing): an entry with an id changes that line, one without adds a line, and all
// other lines are removed. If the invoice was closed or cancelled before, only its state and
// notice can change. UpdatedOn changes only if another attribute does; it never goes back, and
// PaidOn is never before CreatedOn.
//
// After an update of ClientID or DealID the caller has to call AttachToDeal, which checks that
// the deal has the same client.
func (inv *Invoice) Update(a Attributes, t performer.Terms, at time.Time) error {
	var c fault.Collector
	t = inv.state.keeping(t)
	next := applyHeader(&c, inv.state, a, t)
	if id, ok := a.DealID.Get(); ok && id == 0 {
		c.Coded(fault.Required, "deal_id", "must not be empty")
	}
	next.DealID = a.DealID.Or(next.DealID)
	blamed := blamePerformer
	if sent, ok := a.Lines.Get(); ok {
		if len(inv.state.Lines) != inv.state.TotalCount {
			return ErrLinesMissing
		}
		next.Lines = replaceLines(&c, inv.state.Lines, sent, t)
		blamed = blameItems
	}
	next = next.enter(requestedStatus(&c, inv.state.Status, a), at)
	return inv.finish(&c, next, t, blamed, at)
}

// AddLine appends a line, whether others are loaded or not; an id in the attributes is ignored.
// Errors name the fields of a line, without a prefix.
func (inv *Invoice) AddLine(a LineAttributes, t performer.Terms, at time.Time) error {
	var c fault.Collector
	t = inv.state.keeping(t)
	next := inv.State()
	next.Lines = append(next.Lines, applyLine(&c, "", newLine(), a, t))
	return inv.finish(&c, next, t, blameLine, at)
}

// ChangeLine sets the attributes that are present on the line with the id; an id in the
// attributes is ignored. Errors name the fields of a line, without a prefix. It returns a
// fault.NotFound if the invoice has no such line or it is not loaded.
func (inv *Invoice) ChangeLine(id LineID, a LineAttributes, t performer.Terms, at time.Time) error {
	i, err := inv.find(id)
	if err != nil {
		return err
	}
	var c fault.Collector
	t = inv.state.keeping(t)
	next := inv.State()
	next.Lines[i] = applyLine(&c, "", next.Lines[i], a, t)
	return inv.finish(&c, next, t, blameLine, at)
}

// RemoveLine removes the line with the id. It returns a fault.NotFound if the invoice has no such
// line or it is not loaded.
func (inv *Invoice) RemoveLine(id LineID, t performer.Terms, at time.Time) error {
	i, err := inv.find(id)
	if err != nil {
		return err
	}
	var c fault.Collector
	next := inv.State()
	next.Lines = slices.Delete(next.Lines, i, i+1)
	return inv.finish(&c, next, inv.state.keeping(t), blameLine, at)
}

// keeping returns the terms with the rounding that the invoice was created with. Commands load only the lines that they
// concern, and all lines of an invoice are rounded alike.
func (s State) keeping(t performer.Terms) performer.Terms {
	t.InCents = s.Terms.InCents
	return t
}

// AttachToDeal sets the invoice's deal: the one opened for it, or the one that its attributes
// named. If the invoice has another deal already, it returns a fault.Conflict, and if the deal
// has another client, a fault.Invalid. If the deal has no client, the caller has to set it.
func (inv *Invoice) AttachToDeal(d deal.State) error {
	if inv.state.DealID != 0 && inv.state.DealID != d.ID {
		return fault.New(fault.Conflict, "the invoice belongs to another deal").Coded(fault.Mismatch)
	}
	if err := inv.state.CheckClientOf(d); err != nil {
		return err
	}
	inv.state.DealID = d.ID
	return nil
}

// CheckClientOf returns a fault.Invalid if the deal has another client than the invoice.
func (s State) CheckClientOf(d deal.State) error {
	if s.ClientID == 0 || d.ClientID == 0 || d.ClientID == s.ClientID {
		return nil
	}
	return fault.As(fault.ForField(fault.Invalid, "client_id", "must be the client of the deal")).Coded(fault.Mismatch)
}

// CheckDelete returns a fault.Conflict for an issued or closed invoice, which cannot be deleted.
func (inv *Invoice) CheckDelete() error {
	if inv.state.isIssued() {
		return fault.New(fault.Conflict, "an issued invoice cannot be deleted: a credit note takes it back").Coded(fault.Frozen)
	}
	if inv.state.Status == Closed {
		return fault.New(fault.Conflict, "a closed invoice cannot be deleted: open it first (closed = 0)").Coded(fault.Frozen)
	}
	return nil
}

// finish completes every command: it recomputes the totals if lines, discount or performer have changed,
// returns all invalid fields at once, then rejects what the present state does not allow. Totals
// beyond their limits are reported for the fields in blamed.
func (inv *Invoice) finish(c *fault.Collector, next State, t performer.Terms, blamed blame, at time.Time) error {
	now := inv.state
	next = next.retotaled(c, now, t, blamed)
	if err := c.Err(); err != nil {
		return err
	}
	if err := checkMove(now.Status, next.Status); err != nil {
		return err
	}
	if err := checkFrozen(now, next); err != nil {
		return err
	}
	if err := now.checkPayments(next); err != nil {
		return err
	}
	next = next.paying(now, at)
	if Same(now, next) {
		return nil
	}
	next.UpdatedOn = next.stamp(at)
	inv.state = next
	return nil
}

// checkFrozen returns a fault.Conflict if the change is one of those that an issued, closed or cancelled invoice excludes.
func checkFrozen(now, next State) error {
	isSame := sameContent(now, next)
	switch {
	case now.isIssued() && now.Status != next.Status && (now.Status == Cancelled || next.Status == Cancelled):
		return fault.New(fault.Conflict, "the invoice is issued: only a credit note cancels it, and nothing undoes that").Coded(fault.Frozen)
	case now.isIssued() && !isSame:
		return fault.New(fault.Conflict, "the invoice is issued: only its payment, its closing and notice can change").Coded(fault.Frozen)
	case now.Status.frozen() && !isSame:
		return fault.New(fault.Conflict, "the invoice is %s: only its state and notice can change", now.Status.adjective()).Coded(fault.Frozen)
	}
	return nil
}

// stamp returns the time of a change that is made at that time: not before the last one, even if the
// clock was set back since, or a later request was served first.
func (s State) stamp(at time.Time) time.Time {
	if at.Before(s.UpdatedOn) {
		return s.UpdatedOn
	}
	return at
}

// applyHeader returns s with the header attributes that were sent, the deal and the state left
// out.
func applyHeader(c *fault.Collector, s State, a Attributes, t performer.Terms) State {
	s.Number = text.Required(c, "number", a.Number, s.Number, text.Number)
	s.Date = civil.Required(c, "date", a.Date, s.Date)
	s.DueDate = civil.Optional(c, "due_date", a.DueDate, s.DueDate).Truncate(24 * time.Hour)
	s.applyEarly(c, a)
	s.PerformerID = reference(c, "performer_id", a.PerformerID, s.PerformerID)
	s.ClientID = reference(c, "client_id", a.ClientID, s.ClientID)
	s.TypeID = reference(c, "type_id", a.TypeID, s.TypeID)
	s.Notice = text.Optional(c, "notice", a.Notice, s.Notice, text.Long)
	s.Discount = a.Discount.Or(s.Discount)
	s.Adjustments = applyAdjustments(c, "", s.Adjustments, a.Adjustments, t)
	s.applyCurrency(c, a)
	if a.Trade != nil {
		s.Trade = a.Trade(s.Trade).Checked(c, s.Trade)
	}
	s.Ref = text.Optional(c, "ref", a.Ref, s.Ref, text.Ref)
	return s
}

// applyCurrency sets the currency and its exchange rate.
func (s *State) applyCurrency(c *fault.Collector, a Attributes) {
	switch code := strings.ToUpper(strings.TrimSpace(a.Currency.Or(s.Currency))); {
	case code != "" && !money.IsCurrency(code):
		c.Add("currency", "must be a currency in three letters of ISO 4217, such as EUR")
	case code != "" && money.CurrencyDigits(code) > amountDigits:
		c.Coded(fault.OutOfRange, "currency", "must not have more than %d fraction digits", amountDigits)
	default:
		s.Currency = code
	}
	rate := a.Exchange.Or(s.Exchange)
	if rate.IsNegative() {
		c.Coded(fault.OutOfRange, "exchange_rate", "must be above 0")
		return
	}
	s.Exchange = rate
}

func reference[ID ~int64](c *fault.Collector, name string, sent domain.Optional[ID], old ID) ID {
	id, ok := sent.Get()
	switch {
	case ok && id == 0:
		c.Coded(fault.Required, name, "must not be empty")
	case ok:
		return id
	case old == 0:
		c.Coded(fault.Required, name, "is required")
	}
	return old
}

// Same reports whether two states of an invoice are equal. They cannot be compared with ==,
// because equal numbers and instants may have different representations.
func Same(a, b State) bool {
	return sameContent(a, b) &&
		a.ID == b.ID && a.Version == b.Version && a.UserID == b.UserID &&
		a.Status == b.Status && a.Notice == b.Notice && a.Terms == b.Terms &&
		a.TotalCount == b.TotalCount && a.TextBytes == b.TextBytes && sameSums(a.RateSums, b.RateSums) && sameTotals(a.VAT, b.VAT) &&
		a.TotalPrice.Equal(b.TotalPrice) &&
		a.VATPrice.Equal(b.VATPrice) && a.PayPrice.Equal(b.PayPrice) && a.OwedPrice.Equal(b.OwedPrice) &&
		a.PaidPrice.Equal(b.PaidPrice) && a.WaivedPrice.Equal(b.WaivedPrice) && a.AutomaticPrice.Equal(b.AutomaticPrice) &&
		a.SetOffPrice.Equal(b.SetOffPrice) &&
		a.CreatedOn.Equal(b.CreatedOn) && a.PaidOn.Equal(b.PaidOn) && a.UpdatedOn.Equal(b.UpdatedOn) &&
		a.IssuedOn.Equal(b.IssuedOn) && a.Credits == b.Credits
}

// sameContent compares what cannot change in a frozen invoice: the header without the notice, and
// the lines.
func sameContent(a, b State) bool {
	return a.Number == b.Number && a.Date.Equal(b.Date) && a.DueDate.Equal(b.DueDate) &&
		a.EarlyRate == b.EarlyRate && a.EarlyUntil.Equal(b.EarlyUntil) &&
		a.PerformerID == b.PerformerID && a.ClientID == b.ClientID &&
		a.DealID == b.DealID && a.TypeID == b.TypeID && a.Ref == b.Ref && a.Discount == b.Discount && a.Trade == b.Trade &&
		a.Currency == b.Currency && a.Exchange.Equal(b.Exchange) && sameAdjustments(a.Adjustments, b.Adjustments) && sameLines(a.Lines, b.Lines)
}
