package catalog

import (
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/text"
)

// DealTypeID identifies a deal type. Zero is none.
type DealTypeID int64

// InvoiceTypeID identifies an invoice type. Zero is none.
type InvoiceTypeID int64

// LabelID is the type of a label's identifier. Deal types and invoice types
// differ only in it.
type LabelID interface {
	DealTypeID | InvoiceTypeID
	labelField() string
}

// labelField returns the name of the label's attribute in errors.
func (DealTypeID) labelField() string    { return "name" }
func (InvoiceTypeID) labelField() string { return "title" }

// DealType classifies deals.
type DealType = Label[DealTypeID]

// InvoiceType classifies invoices.
type InvoiceType = Label[InvoiceTypeID]

// LabelState is the stored state of a label.
type LabelState[ID LabelID] struct {
	ID      ID
	Version int64
	Name    string
}

// With returns the state with the attributes applied, if they are valid.
func (s LabelState[ID]) With(a LabelAttributes) LabelState[ID] {
	return applyLabel(new(fault.Collector), s, a)
}

// Label is an entry of a reference list that consists of a name only.
type Label[ID LabelID] struct {
	state LabelState[ID]
}

// LabelAttributes are the writable attributes of a label. Absent means
// unchanged.
type LabelAttributes struct {
	Name domain.Optional[string]
}

// NewLabel returns a new label; the name is required.
func NewLabel[ID LabelID](a LabelAttributes) (*Label[ID], error) {
	var l Label[ID]
	if err := l.Update(a); err != nil {
		return nil, err
	}
	return &l, nil
}

// RestoreLabel returns a label with a stored state, without validation.
func RestoreLabel[ID LabelID](s LabelState[ID]) *Label[ID] { return &Label[ID]{state: s} }

// State returns a copy of the label's state.
func (l *Label[ID]) State() LabelState[ID] { return l.state }

// Update changes the name if it was sent.
func (l *Label[ID]) Update(a LabelAttributes) error {
	var c fault.Collector
	next := applyLabel(&c, l.state, a)
	if err := c.Err(); err != nil {
		return err
	}
	l.state = next
	return nil
}

func applyLabel[ID LabelID](c *fault.Collector, s LabelState[ID], a LabelAttributes) LabelState[ID] {
	s.Name = text.Required(c, s.ID.labelField(), a.Name, s.Name, text.Short)
	return s
}
