// Package invoice holds the aggregate that an invoice and its lines are. Its
// files go by subject: invoice.go the header and the commands, lines.go the
// set of lines, totals.go the amounts and sizes, status.go the four states.
//
// An invoice may have thousands of lines, and most commands concern one of them or none.
//
// Chose: an invoice has the lines that were loaded for the command, and the number, sum
// and text size of all; a command adds what it changes to these. Because: the cost of a
// command then does not depend on the number of lines, and the sums are as exact as those
// of all lines. Costs: a store that loads too few lines is a mistake that the invoice can
// only report (ErrLinesMissing).
//
// Every command works on a copy, collects all that is wrong with what was sent
// (fault.Invalid), then asks whether the invoice may change so (fault.Conflict),
// and only then assigns the copy. After an error nothing has changed, and a
// command that asks for what is there already changes nothing at all.
package invoice

import (
	"slices"
	"time"

	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/civil"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/text"
	"github.com/kontor-crm/kontor/domain/user"
)

// ID identifies an invoice. Zero is none.
type ID int64

// State is an invoice's record, for stores, readers and rules. Its lines are those that
// were loaded: all, or the one that a command concerns, or none. TotalCount, TotalPrice and
// TextBytes are of all lines in any case.
type State struct {
	ID          ID
	Version     int64
	UserID      user.ID // the issuer
	Number      string
	Date        time.Time // as package civil has it
	PerformerID performer.ID
	ClientID    client.ID
	DealID      deal.ID // zero only between New and AttachToDeal
	TypeID      catalog.InvoiceTypeID
	Status      Status
	Notice      string
	Terms       performer.Terms // the performer's, when lines or performer last changed
	TotalCount  int             // number of lines
	TextBytes   int             // of the names and units of the lines, in UTF-8
	TotalPrice  money.Amount    // sum of the lines
	VATPrice    money.Amount
	PayPrice    money.Amount // total and VAT
	CreatedOn   time.Time
	PaidOn      time.Time // zero while it is not paid
	UpdatedOn   time.Time
	Lines       []Line // that are loaded, by id; those without one come last, in the order they were given
}

// Invoice is a bill for a deal.
type Invoice struct {
	state State
}

// Attributes are what a writer may set of an invoice. Absent means unchanged. Paid,
// Closed and Status all request a state; see Status.
type Attributes struct {
	Number      optional.Of[string]
	Date        optional.Of[time.Time]
	PerformerID optional.Of[performer.ID]
	ClientID    optional.Of[client.ID]
	DealID      optional.Of[deal.ID]
	TypeID      optional.Of[catalog.InvoiceTypeID]
	Notice      optional.Of[string]
	Paid        optional.Of[bool]
	Closed      optional.Of[bool]
	Status      optional.Of[Status]
	Lines       optional.Of[[]LineAttributes]
}

// WithClientOf is the attributes for an update that moves the invoice to that
// deal: a client that is not set is the deal's, if it has one.
func (a Attributes) WithClientOf(d deal.State) Attributes {
	if !a.ClientID.IsSet() && d.ClientID != 0 {
		a.ClientID = optional.Some(d.ClientID)
	}
	return a
}

// With is the invoice's header as the attributes would make it, without those
// that are wrong. Rules are asked about it where the invoice rejects a change.
func (s State) With(a Attributes) State {
	s = applyHeader(new(fault.Collector), s, a)
	s.DealID = a.DealID.Or(s.DealID)
	return s
}

// New makes an invoice that issuer issues in the name of a performer with these
// terms. Number, date, performer, client and type are required; unless a state is
// requested, it is not paid. The deal may be missing until AttachToDeal.
func New(issuer user.ID, a Attributes, t performer.Terms, at time.Time) (*Invoice, error) {
	var c fault.Collector
	s := applyHeader(&c, State{UserID: issuer, CreatedOn: at, UpdatedOn: at}, a)
	s.DealID = a.DealID.Or(0)
	s.Lines = replaceLines(&c, nil, a.Lines.Or(nil))
	s = s.withTotals(&c, nil, t, blameItems).enter(requestedStatus(&c, 0, a), at)
	if err := c.Err(); err != nil {
		return nil, err
	}
	return &Invoice{state: s}, nil
}

// Restore is a stored invoice, those of its lines that are loaded ordered by id.
func Restore(s State) *Invoice {
	s.Lines = slices.Clone(s.Lines)
	return &Invoice{state: s}
}

// State is a copy of the invoice's record.
func (inv *Invoice) State() State {
	s := inv.state
	s.Lines = slices.Clone(s.Lines)
	return s
}

// Update changes the attributes that were sent; t are the present terms of the
// performer that the invoice will then have. Lines, if any are sent, replace
// the set, all of which must be loaded (ErrLinesMissing): one with an id changes that line, one without adds a line, and lines
// not named go. While the invoice is closed or cancelled, as it was before this
// update, only its state and notice may change. UpdatedOn moves only if
// something differs; neither it nor PaidOn is ever before CreatedOn.
//
// AttachToDeal checks that the client is the deal's: a writer of ClientID or DealID
// calls it next.
func (inv *Invoice) Update(a Attributes, t performer.Terms, at time.Time) error {
	var c fault.Collector
	next := applyHeader(&c, inv.state, a)
	if id, ok := a.DealID.Get(); ok && id == 0 {
		c.Add("deal_id", "must not be empty")
	}
	next.DealID = a.DealID.Or(next.DealID)
	blamed := blamePerformer
	if sent, ok := a.Lines.Get(); ok {
		if len(inv.state.Lines) != inv.state.TotalCount {
			return ErrLinesMissing
		}
		next.Lines = replaceLines(&c, inv.state.Lines, sent)
		blamed = blameItems
	}
	next = next.enter(requestedStatus(&c, inv.state.Status, a), at)
	return inv.finish(&c, next, t, blamed, at)
}

// AddLine adds a line to the end, whether others are loaded or not; an id in the attributes is ignored.
// The errors name the fields of a line.
func (inv *Invoice) AddLine(a LineAttributes, t performer.Terms, at time.Time) error {
	var c fault.Collector
	next := inv.State()
	next.Lines = append(next.Lines, applyLine(&c, "", newLine(), a))
	return inv.finish(&c, next, t, blameLine, at)
}

// ChangeLine changes the attributes that were sent of the line with that id; an id
// in the attributes is ignored. The errors name the fields of a line;
// fault.NotFound if the invoice has no such line, or it is not loaded.
func (inv *Invoice) ChangeLine(id LineID, a LineAttributes, t performer.Terms, at time.Time) error {
	i, err := inv.find(id)
	if err != nil {
		return err
	}
	var c fault.Collector
	next := inv.State()
	next.Lines[i] = applyLine(&c, "", next.Lines[i], a)
	return inv.finish(&c, next, t, blameLine, at)
}

// RemoveLine takes the line with that id away; fault.NotFound if the invoice
// has no such line.
func (inv *Invoice) RemoveLine(id LineID, t performer.Terms, at time.Time) error {
	i, err := inv.find(id)
	if err != nil {
		return err
	}
	var c fault.Collector
	next := inv.State()
	next.Lines = slices.Delete(next.Lines, i, i+1)
	return inv.finish(&c, next, t, blameLine, at)
}

// AttachToDeal attaches the invoice to its deal: the one opened for it, or the one
// that its attributes named. The deal's client must be the invoice's
// (fault.Invalid); a deal without a client is to gain the invoice's.
func (inv *Invoice) AttachToDeal(d deal.State) error {
	if inv.state.DealID != 0 && inv.state.DealID != d.ID {
		return fault.New(fault.Conflict, "the invoice belongs to another deal")
	}
	if err := inv.state.CheckClientOf(d); err != nil {
		return err
	}
	inv.state.DealID = d.ID
	return nil
}

// CheckClientOf is a fault.Invalid if the deal has another client than the invoice.
func (s State) CheckClientOf(d deal.State) error {
	if s.ClientID == 0 || d.ClientID == 0 || d.ClientID == s.ClientID {
		return nil
	}
	return fault.ForField(fault.Invalid, "client_id", "must be the client of the deal")
}

// CheckDelete is a fault.Conflict for a closed invoice.
func (inv *Invoice) CheckDelete() error {
	if inv.state.Status == Closed {
		return fault.New(fault.Conflict, "a closed invoice cannot be deleted: open it first (closed = 0)")
	}
	return nil
}

// finish ends every command: it computes the totals again if lines or performer
// differ, gives all errors of the request at once, then rejects what the
// present state does not allow. Totals beyond their limits are reported as the fields
// blamed.
func (inv *Invoice) finish(c *fault.Collector, next State, t performer.Terms, blamed blame, at time.Time) error {
	now := inv.state
	if next.PerformerID != now.PerformerID || !sameLines(next.Lines, now.Lines) {
		next = next.withTotals(c, now.Lines, t, blamed)
	}
	if err := c.Err(); err != nil {
		return err
	}
	if err := checkMove(now.Status, next.Status); err != nil {
		return err
	}
	if now.Status.frozen() && !sameContent(now, next) {
		return fault.New(fault.Conflict, "the invoice is %s: only its state and notice can change", now.Status.adjective())
	}
	if Same(now, next) {
		return nil
	}
	next.UpdatedOn = next.stamp(at)
	inv.state = next
	return nil
}

// stamp is the time of a change that is made at that time: not before the creation,
// even if the clock was set back since.
func (s State) stamp(at time.Time) time.Time {
	if at.Before(s.CreatedOn) {
		return s.CreatedOn
	}
	return at
}

// applyHeader is s with the header attributes that were sent, the deal and the
// state left out.
func applyHeader(c *fault.Collector, s State, a Attributes) State {
	s.Number = text.Required(c, "number", a.Number, s.Number, text.Phone)
	s.Date = civil.Required(c, "date", a.Date, s.Date)
	s.PerformerID = reference(c, "performer_id", a.PerformerID, s.PerformerID)
	s.ClientID = reference(c, "client_id", a.ClientID, s.ClientID)
	s.TypeID = reference(c, "type_id", a.TypeID, s.TypeID)
	s.Notice = text.Optional(c, "notice", a.Notice, s.Notice, text.Long)
	return s
}

func reference[ID ~int64](c *fault.Collector, name string, sent optional.Of[ID], old ID) ID {
	id, ok := sent.Get()
	switch {
	case ok && id == 0:
		c.Add(name, "must not be empty")
	case ok:
		return id
	case old == 0:
		c.Add(name, "is required")
	}
	return old
}

// Same reports whether two states of an invoice hold the same. States cannot be
// compared with ==: one number or instant has several forms.
func Same(a, b State) bool {
	return sameContent(a, b) &&
		a.ID == b.ID && a.Version == b.Version && a.UserID == b.UserID &&
		a.Status == b.Status && a.Notice == b.Notice && a.Terms == b.Terms &&
		a.TotalCount == b.TotalCount && a.TextBytes == b.TextBytes && a.TotalPrice.Equal(b.TotalPrice) &&
		a.VATPrice.Equal(b.VATPrice) && a.PayPrice.Equal(b.PayPrice) &&
		a.CreatedOn.Equal(b.CreatedOn) && a.PaidOn.Equal(b.PaidOn) && a.UpdatedOn.Equal(b.UpdatedOn)
}

// sameContent compares what freezes: the header but for the notice, and the lines.
func sameContent(a, b State) bool {
	return a.Number == b.Number && a.Date.Equal(b.Date) &&
		a.PerformerID == b.PerformerID && a.ClientID == b.ClientID &&
		a.DealID == b.DealID && a.TypeID == b.TypeID &&
		sameLines(a.Lines, b.Lines)
}
