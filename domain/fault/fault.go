// Package fault contains the error type of Kontor. An error that the caller can act on is an
// *Error with a Kind; any other error is a defect or an outage, and its text is never sent to
// a caller.
package fault

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Kind is the kind of an Error; it decides the HTTP status. The zero value is invalid.
type Kind uint8

// The kinds, by precedence: if several apply to a request, Join keeps the first.
const (
	// Unauthenticated: the caller is not authenticated.
	Unauthenticated Kind = iota + 1
	// Malformed: the request cannot be parsed, as opposed to the record in it.
	Malformed
	// Forbidden: the caller's role does not allow it.
	Forbidden
	// NotFound: the record does not exist.
	NotFound
	// Stale: the record no longer has the version that the caller expects.
	Stale
	// Invalid: the record that was sent is not valid; Fields names the fields.
	Invalid
	// Conflict: the change is valid by itself, but not in the present state of the records.
	Conflict
	// Dangling: the record that was sent refers to a record that does not exist; Fields names
	// the fields.
	Dangling
	// TooSlow: the query would take too long; repeating it does not help.
	TooSlow
	// Throttled: the caller has used up its share of a limit on all callers.
	Throttled
	// Unavailable: the database cannot be reached or is overloaded; repeating the request may
	// help.
	Unavailable
	// OutcomeUnknown: the connection was lost during the commit, so the write may or may not
	// be stored.
	OutcomeUnknown
)

var kindNames = [...]string{
	0:               "unknown",
	Unauthenticated: "unauthenticated",
	Malformed:       "malformed",
	Forbidden:       "forbidden",
	NotFound:        "not found",
	Stale:           "stale",
	Invalid:         "invalid",
	Conflict:        "conflict",
	Dangling:        "dangling reference",
	TooSlow:         "too slow",
	Throttled:       "throttled",
	Unavailable:     "unavailable",
	OutcomeUnknown:  "outcome unknown",
}

// String returns the kind's name, for logs.
func (k Kind) String() string {
	if int(k) >= len(kindNames) {
		return kindNames[0]
	}
	return kindNames[k]
}

// Field is an error in one field of a record. Name is the path in the request, such as
// "items[1].count".
//
// Rule is the name of the rule that refused the change; empty for other errors. Name is empty
// if the rule refused the record as a whole.
type Field struct {
	Name    string
	Message string
	Rule    string
	// Resource and RecordID are the record that the rule refuses, if it is not the one that was
	// sent. A record that is not stored yet has no id.
	Resource string
	RecordID int64
	Code     Code // empty: see CodeOf
}

// DoesNotExist is the message for a reference to a record that does not exist.
const DoesNotExist = "does not exist"

// IsDisabled is the message for a reference to a disabled user.
const IsDisabled = "is disabled"

// Error is a rejection. Message is for the caller and never contains SQL, a token or a stack
// trace; Cause is for the log only.
type Error struct {
	Kind    Kind
	Code    Code // empty: that of the kind
	Message string
	Fields  []Field
	// References is how many records of each kind refer to the one that is in use, by the kind's name.
	References map[string]int
	Lacks      []Lack // what a document lacks
	Cause      error
}

// Lack is what a document, made of several records, lacks.
type Lack struct {
	Rule    string // of the norm that the document has to follow or its profile, such as BR-DE-15; KONTOR-… is none of theirs
	Term    string // of the norm, such as BT-10; empty if there is none
	Record  string // path of the record to change, such as client/13/party
	Field   string // of that record
	Message string // a sentence in plain words
}

// New returns an Error of the kind, with a message formatted as by fmt.Sprintf.
func New(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// MaxFields is the maximum number of fields in an Error; only the first ones are reported.
// Comparing and listing all could cost more than the record itself.
const MaxFields = 1000

// ForFields returns an Error of the kind with the fields, or nil if there are none.
func ForFields(kind Kind, fields ...Field) error {
	if len(fields) == 0 {
		return nil
	}
	fields = fields[:min(len(fields), MaxFields)]
	if kind == Dangling {
		fields = slices.Clone(fields)
		for i := range fields {
			fields[i].Code = cmp.Or(fields[i].Code, NoRecord)
		}
	}
	return &Error{Kind: kind, Message: summary(fields), Fields: fields}
}

// ForField returns an Error of the kind for one field, with a message formatted as by
// fmt.Sprintf.
func ForField(kind Kind, name, format string, args ...any) error {
	return ForFields(kind, Field{Name: name, Message: fmt.Sprintf(format, args...)})
}

// Error returns the kind, the message and the cause, for logs.
func (e *Error) Error() string {
	s := e.Kind.String() + ": " + e.Message
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Named adds to the message of a rejection which record it is about. Another error stays as it is.
func Named(err error, record string) error {
	f := As(err)
	if f == nil {
		return err
	}
	about := *f
	about.Message = record + ": " + f.Message
	return &about
}

// ByRule returns a copy of the error with the name of the rule in each field.
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

// About returns a copy of the error with the record that is not the one that was sent in each field.
func (e *Error) About(resource string, id int64) *Error {
	c := *e
	c.Fields = slices.Clone(e.Fields)
	for i := range c.Fields {
		c.Fields[i].Resource, c.Fields[i].RecordID = resource, id
	}
	return &c
}

// WithCause returns a copy of the error with the cause.
func (e *Error) WithCause(cause error) *Error {
	c := *e
	c.Cause = cause
	return &c
}

// As returns the first Error in err's tree, or nil if there is none.
func As(err error) *Error {
	e, _ := errors.AsType[*Error](err)
	return e
}

// Is reports whether err is a rejection of the kind.
func Is(err error, kind Kind) bool {
	e := As(err)
	return e != nil && e.Kind == kind
}

// Join combines errors into one, so that a caller gets all of them at once. An error that is
// not an *Error takes precedence; otherwise the result has the first kind in the order of the
// kinds and the fields of all errors of that kind, and an Invalid has those of Dangling too. A
// field of a record keeps the first message of each rule, and the first one without a rule. Join returns
// nil if all errors are nil.
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

func appendNew(fields, added []Field) []Field {
next:
	for _, f := range added {
		if len(fields) == MaxFields {
			return fields
		}
		for _, g := range fields {
			if f.Name == g.Name && f.Rule == g.Rule && f.Resource == g.Resource && f.RecordID == g.RecordID {
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
		b.WriteString(f.Name)
		switch {
		case f.Name == "":
		case f.Rule != "": // its message is a sentence of its own
			b.WriteString(": ")
		default:
			b.WriteByte(' ')
		}
		b.WriteString(f.Message)
	}
	return b.String()
}

// Collector collects the invalid fields of one record. The zero value is ready to use.
type Collector struct {
	fields []Field
}

// Add records an error of the field, with a message formatted as by fmt.Sprintf. A field keeps
// its first message.
func (c *Collector) Add(name, format string, args ...any) {
	if len(c.fields) == MaxFields {
		return
	}
	c.fields = appendNew(c.fields, []Field{{Name: name, Message: fmt.Sprintf(format, args...)}})
}

// Coded is Add with a code.
func (c *Collector) Coded(code Code, name, format string, args ...any) {
	n := len(c.fields)
	c.Add(name, format, args...)
	if len(c.fields) > n {
		c.fields[n].Code = code
	}
}

// Err returns an Invalid error with all recorded fields, or nil if there are none.
func (c *Collector) Err() error { return ForFields(Invalid, c.fields...) }
