// Package fault is the one error type of Kontor. Whatever goes wrong for a
// reason the caller can act upon is an *Error of one of few kinds; any other
// error is a defect or an outage, and its text is never shown to a caller.
package fault

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Kind says what sort of rejection an Error is. The zero value is no kind.
type Kind uint8

// The kinds, in the order in which they win when several apply to one request.
const (
	// Unauthenticated: the caller is not known.
	Unauthenticated Kind = iota + 1
	// Malformed: the request itself does not parse (not the record in it).
	Malformed
	// Forbidden: the caller's role does not allow it.
	Forbidden
	// NotFound: there is no such record.
	NotFound
	// Stale: the caller named a version that is no longer the record's.
	Stale
	// Invalid: the record that was sent breaks a rule; Fields says where.
	Invalid
	// Conflict: the change is well-formed but would break consistency.
	Conflict
	// Dangling: a reference names a record that does not exist; Fields says which.
	Dangling
	// TooSlow: the query asks for more than can be done in time; repeating it does
	// not help.
	TooSlow
	// Throttled: the caller holds its share of what all callers have together.
	Throttled
	// Unavailable: the database cannot be reached or is too busy; try again.
	Unavailable
	// OutcomeUnknown: the connection broke while a write was being committed.
	OutcomeUnknown
)

var kindNames = [...]string{
	"unknown", "unauthenticated", "malformed", "forbidden", "not found", "stale",
	"invalid", "conflict", "dangling reference", "too slow", "throttled", "unavailable", "outcome unknown",
}

// String is the kind's name, for logs.
func (k Kind) String() string {
	if int(k) >= len(kindNames) {
		return kindNames[0]
	}
	return kindNames[k]
}

// Field says what is wrong with one field of a record. Name is the path the
// caller used, such as "items[1].count".
//
// Rule is the name of the business rule that refuses; empty if it is none. A rule that refuses
// the record as a whole has no Name.
type Field struct {
	Name    string
	Message string
	Rule    string
}

// DoesNotExist is the message of a field that refers to a record that does not
// exist.
const DoesNotExist = "does not exist"

// IsDisabled is the message of a field that refers to a user who is disabled.
const IsDisabled = "is disabled"

// Error is a rejection. Message is written for the caller and never holds SQL,
// a token or a stack trace; Cause is for the log alone.
type Error struct {
	Kind    Kind
	Message string
	Fields  []Field
	Cause   error
}

// New makes an Error of the kind; format and args make its message.
func New(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// MaxFields is how many fields an Error names; of more wrong fields the first are
// reported. To compare and to list them all could cost more than the record.
const MaxFields = 1000

// ForFields makes an Error of the kind out of the fields, or nil of none.
func ForFields(kind Kind, fields ...Field) error {
	if len(fields) == 0 {
		return nil
	}
	fields = fields[:min(len(fields), MaxFields)]
	return &Error{Kind: kind, Message: summary(fields), Fields: fields}
}

// ForField makes an Error of the kind that names one field.
func ForField(kind Kind, name, format string, args ...any) error {
	return ForFields(kind, Field{Name: name, Message: fmt.Sprintf(format, args...)})
}

// Error is the kind, the message and the cause, for logs.
func (e *Error) Error() string {
	s := e.Kind.String() + ": " + e.Message
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return s
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Cause }

// ByRule returns a copy of the error as a refusal of the rule: each of its fields names it.
func (e *Error) ByRule(name string) *Error {
	c := *e
	c.Fields = slices.Clone(e.Fields)
	if len(c.Fields) == 0 {
		c.Fields = []Field{{Message: e.Message}}
	}
	for i := range c.Fields {
		c.Fields[i].Rule = name
	}
	return &c
}

// Because returns a copy of the error with a cause.
func (e *Error) Because(cause error) *Error {
	c := *e
	c.Cause = cause
	return &c
}

// As finds the Error in err's chain; nil if there is none.
func As(err error) *Error {
	e, _ := errors.AsType[*Error](err)
	return e
}

// Is reports whether err is a rejection of the kind.
func Is(err error, kind Kind) bool {
	e := As(err)
	return e != nil && e.Kind == kind
}

// Join makes one error of several, so that a caller learns everything at once:
// an error that is no rejection wins; then the kind that comes first in the order
// of the kinds, with the fields of all rejections of that kind, and those of
// Dangling besides those of Invalid. A field that is named twice by one rule, or
// without a rule, keeps its first message. Join of nothing but nils is nil.
func Join(errs ...error) error {
	var first *Error
	for _, err := range errs {
		if err == nil {
			continue
		}
		e := As(err)
		if e == nil {
			return err
		}
		if first == nil || e.Kind < first.Kind {
			first = e
		}
	}
	if first == nil {
		return nil
	}
	var fields []Field
	for _, err := range errs {
		if e := As(err); e != nil && (e.Kind == first.Kind || e.Kind == Dangling && first.Kind == Invalid) {
			fields = appendNew(fields, e.Fields)
		}
	}
	if len(fields) == 0 {
		return first
	}
	return &Error{Kind: first.Kind, Message: summary(fields), Fields: fields, Cause: first.Cause}
}

func appendNew(fields, more []Field) []Field {
next:
	for _, f := range more {
		if len(fields) == MaxFields {
			return fields
		}
		for _, g := range fields {
			if f.Name == g.Name && f.Rule == g.Rule {
				continue next
			}
		}
		fields = append(fields, f)
	}
	return fields
}

func summary(fields []Field) string {
	var b strings.Builder
	for i, f := range fields {
		if i > 0 {
			b.WriteString("; ")
		}
		if f.Name != "" {
			b.WriteString(f.Name)
			b.WriteByte(' ')
		}
		b.WriteString(f.Message)
	}
	return b.String()
}

// Collector gathers the wrong fields of one record. The zero value is ready.
type Collector struct {
	fields []Field
}

// Add records that the field is wrong. A field keeps its first message.
func (c *Collector) Add(name, format string, args ...any) {
	if len(c.fields) == MaxFields {
		return
	}
	c.fields = appendNew(c.fields, []Field{{Name: name, Message: fmt.Sprintf(format, args...)}})
}

// Err is an Invalid error with every recorded field, or nil.
func (c *Collector) Err() error { return ForFields(Invalid, c.fields...) }
