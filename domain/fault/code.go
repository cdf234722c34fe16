package fault

import "slices"

// Code says to a program what is wrong: with a request, or with one of its fields. The codes are
// part of the API: a code keeps its meaning, while the text of a message may change.
type Code string

// The codes of a field, and of what an error says beyond its kind.
const (
	// NotValid: the value breaks a rule that no other code names.
	NotValid Code = "invalid"
	// Required: the value is missing or empty.
	Required Code = "required"
	// Unknown: there is no attribute or parameter of this name.
	Unknown Code = "unknown"
	// WrongType: the value is not of the attribute's type.
	WrongType Code = "wrong_type"
	// TooLong: the text has too many characters.
	TooLong Code = "too_long"
	// OutOfRange: the number or date is not between the limits.
	OutOfRange Code = "out_of_range"
	// TooPrecise: the number has too many fraction digits.
	TooPrecise Code = "too_precise"
	// NoRecord: no record has this id.
	NoRecord Code = "not_found"
	// Disabled: the user is disabled.
	Disabled Code = "disabled"
	// Taken: another record has the value.
	Taken Code = "taken"
	// Mismatch: the value does not agree with another one of the record or of a related record.
	Mismatch Code = "mismatch"
	// ByRule: a business rule refuses the change.
	ByRule Code = "rule"
	// InUse: other records refer to the record.
	InUse Code = "in_use"
	// Frozen: the state of the record does not allow the change.
	Frozen Code = "frozen"
	// Currency: the invoices of a payment have several currencies.
	Currency Code = "currency"
	// Sign: the amount has the wrong sign.
	Sign Code = "sign"
	// OverAllocated: more than is due would be settled.
	OverAllocated Code = "over_allocated"
	// OverSpent: the items come to more than the payment.
	OverSpent Code = "over_spent"
	// Closed: what is settled of a closed invoice does not change.
	Closed Code = "closed"
	// Cancelled: nothing is settled of a cancelled invoice.
	Cancelled Code = "cancelled"
	// Automatic: an automatic payment follows its invoice.
	Automatic Code = "automatic"
	// HasPayments: payments of the invoice exclude the change.
	HasPayments Code = "has_payments"
	// Allocated: payments settle more than the invoice would come to.
	Allocated Code = "allocated"
	// NoTransition: the record cannot go from its state to this one.
	NoTransition Code = "transition"
	// DefaultStatus: the change would leave no default status.
	DefaultStatus Code = "default_status"
	// Compiled: the rule is compiled into the program.
	Compiled Code = "compiled"
	// Concurrent: another request is in the way; repeating this one helps.
	Concurrent Code = "concurrent"
	// KeyReused: the Idempotency-Key was used for another body.
	KeyReused Code = "key_reused"
	// Incomplete: the document lacks something.
	Incomplete Code = "incomplete"
	// TooManyReactions: the change causes too many others.
	TooManyReactions Code = "too_many_reactions"
)

// The codes of errors that say no more than their kind.
var kindCodes = [...]Code{
	Unauthenticated: "unauthenticated",
	Malformed:       "malformed",
	Forbidden:       "forbidden",
	NotFound:        NoRecord,
	Stale:           "stale",
	Invalid:         NotValid,
	Conflict:        "conflict",
	Dangling:        NotValid,
	TooSlow:         "too_slow",
	Throttled:       "throttled",
	Unavailable:     "unavailable",
	OutcomeUnknown:  "outcome_unknown",
}

// Codes are all codes of an Error and of its fields.
var Codes = []Code{
	Allocated, Automatic, Cancelled, Closed, Compiled, Concurrent, "conflict", Currency, DefaultStatus, Disabled, "forbidden", Frozen,
	HasPayments, InUse, Incomplete, NotValid, KeyReused, "malformed", Mismatch, NoRecord, OutOfRange, "outcome_unknown", OverAllocated,
	OverSpent, Required, ByRule, Sign, "stale", Taken, "throttled", TooLong, TooManyReactions, TooPrecise, "too_slow", NoTransition,
	"unauthenticated", "unavailable", Unknown, WrongType,
}

// CodeOf returns the code of an error: its own, or that of its kind. An error of rules alone is ByRule, and a
// Conflict has the code of its field.
func (e *Error) CodeOf() Code {
	other := slices.IndexFunc(e.Fields, func(f Field) bool { return f.Rule == "" })
	switch {
	case e.Code != "":
		return e.Code
	case len(e.Fields) > 0 && other < 0:
		return ByRule
	case e.Kind == Conflict && other >= 0:
		return e.Fields[other].CodeOf()
	}
	return kindCodes[e.Kind]
}

// CodeOf returns the code of the field.
func (f Field) CodeOf() Code {
	switch {
	case f.Rule != "":
		return ByRule
	case f.Code != "":
		return f.Code
	}
	return NotValid
}

// Coded returns a copy of the error with the code, in its fields too.
func (e *Error) Coded(code Code) *Error {
	c := *e
	c.Fields = slices.Clone(e.Fields)
	if len(c.Fields) == 0 {
		c.Code = code
	}
	for i := range c.Fields {
		c.Fields[i].Code = code
	}
	return &c
}
