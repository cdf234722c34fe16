// Package catalog holds the lists that a company keeps and other records point
// at: the statuses and types of deals and the types of invoices.
package catalog

import (
	"strings"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/text"
)

// StatusID identifies a deal status. Zero is none.
type StatusID int64

// StatusState is a status's record, for stores and readers.
type StatusState struct {
	ID      StatusID
	Version int64
	Name    string
	Default bool   // given to deals that name no status; at most one status has it
	Color   string // "#rrggbb", or empty
}

// Status is a stage that a deal can be in.
type Status struct {
	state StatusState
}

// StatusAttributes are what a writer may set of a status. Absent means unchanged.
type StatusAttributes struct {
	Name    optional.Of[string]
	Default optional.Of[bool]
	Color   optional.Of[string]
}

// NewStatus makes a status; the name is required. Where it becomes the default,
// the status that was the default until now has to Yield in the same
// transaction.
func NewStatus(a StatusAttributes) (*Status, error) {
	var c fault.Collector
	s := applyStatus(&c, StatusState{}, a)
	if err := c.Err(); err != nil {
		return nil, err
	}
	return &Status{state: s}, nil
}

// RestoreStatus is a stored status.
func RestoreStatus(s StatusState) *Status { return &Status{state: s} }

// State is a copy of the status's record.
func (st *Status) State() StatusState { return st.state }

// Update changes the attributes that were sent. A status that becomes the default
// takes that from another, which has to Yield; the default cannot be dropped in
// any other way (fault.Conflict).
func (st *Status) Update(a StatusAttributes) error {
	var c fault.Collector
	next := applyStatus(&c, st.state, a)
	if err := c.Err(); err != nil {
		return err
	}
	if st.state.Default && !next.Default {
		return fault.New(fault.Conflict, "this is the default status: make another one the default instead")
	}
	st.state = next
	return nil
}

// Yield ends the status being the default because another has become it.
func (st *Status) Yield() { st.state.Default = false }

// CheckDelete is a fault.Conflict for the default status.
func (st *Status) CheckDelete() error {
	if st.state.Default {
		return fault.New(fault.Conflict, "the default status cannot be deleted: make another one the default first")
	}
	return nil
}

func applyStatus(c *fault.Collector, s StatusState, a StatusAttributes) StatusState {
	s.Name = text.Required(c, "name", a.Name, s.Name, text.Short)
	s.Default = a.Default.Or(s.Default)
	color := text.Optional(c, "color", a.Color, s.Color, text.Short)
	if color != "" && !isColor(color) {
		c.Add("color", "must be empty or like #1e90ff")
	}
	s.Color = color
	return s
}

// isColor reports whether s is # and six hexadecimal digits of either case.
func isColor(s string) bool {
	digits, ok := strings.CutPrefix(s, "#")
	return ok && len(digits) == 6 && strings.Trim(digits, "0123456789abcdefABCDEF") == ""
}
