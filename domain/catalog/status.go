// Package catalog contains the reference lists: deal statuses, deal types and
// invoice types.
package catalog

import (
	"strings"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/text"
)

// StatusID identifies a deal status. Zero is none.
type StatusID int64

// StatusState is the stored state of a status.
type StatusState struct {
	ID      StatusID
	Version int64
	Name    string
	Default bool   // given to deals that name no status; at most one status has it
	Color   string // "#rrggbb", or empty
}

// With returns the state with the valid ones of the attributes applied.
func (s StatusState) With(a StatusAttributes) StatusState {
	return applyStatus(new(fault.Collector), s, a)
}

// Status is a status of deals, such as "Won".
type Status struct {
	state StatusState
}

// StatusAttributes are the writable attributes of a status. Absent means
// unchanged.
type StatusAttributes struct {
	Name    domain.Optional[string]
	Default domain.Optional[bool]
	Color   domain.Optional[string]
}

// NewStatus returns a new status; the name is required. If it is the default, the
// caller has to call ClearDefault on the previous default in the same transaction.
func NewStatus(a StatusAttributes) (*Status, error) {
	var c fault.Collector
	s := applyStatus(&c, StatusState{}, a)
	if err := c.Err(); err != nil {
		return nil, err
	}
	return &Status{state: s}, nil
}

// RestoreStatus returns a status with a stored state, without validation.
func RestoreStatus(s StatusState) *Status { return &Status{state: s} }

// State returns a copy of the status's state.
func (st *Status) State() StatusState { return st.state }

// Update sets the attributes that are present. If the status becomes the default,
// the caller has to call ClearDefault on the previous default. Removing the default flag
// is a fault.Conflict.
func (st *Status) Update(a StatusAttributes) error {
	var c fault.Collector
	next := applyStatus(&c, st.state, a)
	if err := c.Err(); err != nil {
		return err
	}
	if st.state.Default && !next.Default {
		return fault.New(fault.Conflict, "this is the default status: make another one the default instead").Coded(fault.DefaultStatus)
	}
	st.state = next
	return nil
}

// ClearDefault clears the default flag, because another status has become the default.
func (st *Status) ClearDefault() { st.state.Default = false }

// CheckDelete returns a fault.Conflict for the default status, which cannot be
// deleted.
func (st *Status) CheckDelete() error {
	if st.state.Default {
		return fault.New(fault.Conflict, "the default status cannot be deleted: make another one the default first").Coded(fault.DefaultStatus)
	}
	return nil
}

func applyStatus(c *fault.Collector, s StatusState, a StatusAttributes) StatusState {
	s.Name = text.Required(c, "name", a.Name, s.Name, text.Short)
	s.Default = a.Default.Or(s.Default)
	color := text.Optional(c, "color", a.Color, s.Color, text.Short)
	if color != "" && !isColor(color) {
		c.Add("color", "must be empty or like #1e90ff")
		return s
	}
	s.Color = color
	return s
}

// isColor reports whether s is # and six hexadecimal digits of either case.
func isColor(s string) bool {
	digits, ok := strings.CutPrefix(s, "#")
	return ok && len(digits) == 6 && strings.Trim(digits, "0123456789abcdefABCDEF") == ""
}
