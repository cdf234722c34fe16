// Package ruledef contains the aggregate of a stored rule: a typed rule, which is an
// expression of an administrator, or the mode of a rule that is compiled into the program.
package ruledef

import (
	"slices"
	"strings"
	"time"
)

// ID identifies a stored rule. Zero is none.
type ID int64

// State is the stored state of a rule.
type State struct {
	ID         ID
	Version    int64
	Name       string // unique
	Resource   string // such as "deal": the records that the rule judges
	On         Operations
	Variables  []Variable
	Expression string // in CEL; true lets the change pass. Empty for a compiled rule
	Message    string // of a refusal: a text, or an expression in CEL after "="
	Field      string // that a refusal names; empty: the record as a whole
	Forbidden  bool   // a refusal is one of a permission, not of a value
	Mode       Mode
	Source     Source
	CreatedAt  time.Time
	UpdatedAt  time.Time
}

// Variable is an intermediate value of a typed rule: variables.<name> in its expression and message,
// and in the variables after it.
type Variable struct {
	Name       string // unique in the rule
	Expression string // in CEL
}

// Same reports whether two states of a rule are equal.
func Same(a, b State) bool {
	return a.ID == b.ID && a.Version == b.Version && a.Name == b.Name && a.Resource == b.Resource && a.On == b.On && a.Mode == b.Mode &&
		a.Field == b.Field && a.Forbidden == b.Forbidden && a.Source == b.Source && SameText(a, b) &&
		a.CreatedAt.Equal(b.CreatedAt) && a.UpdatedAt.Equal(b.UpdatedAt)
}

// SameText reports whether two rules have the same expressions.
func SameText(a, b State) bool {
	return a.Expression == b.Expression && a.Message == b.Message && slices.Equal(a.Variables, b.Variables)
}

// Mode decides what happens to a change that a rule refuses. The zero value is invalid.
type Mode uint8

// The modes.
const (
	Off     Mode = iota + 1 // the rule is not asked
	Shadow                  // the change passes, and a violation is recorded
	Warn                    // as Shadow, and the caller is warned
	Enforce                 // the change is refused
)

// Modes are the names of all modes.
var Modes = []string{Off: "off", Shadow: "shadow", Warn: "warn", Enforce: "enforce"}[Off:]

// ParseMode returns the mode with the name; ok is false if there is none.
func ParseMode(name string) (m Mode, ok bool) {
	for i, n := range Modes {
		if n == name {
			return Off + Mode(i), true
		}
	}
	return 0, false
}

// String returns the mode's name; empty for the zero value.
func (m Mode) String() string {
	if m < Off || m > Enforce {
		return ""
	}
	return Modes[m-Off]
}

// Source is the origin of a rule. The zero value is invalid.
type Source uint8

// The sources.
const (
	Typed   Source = iota + 1 // written by an administrator
	Program                   // compiled into the program
)

// String returns the source's name; empty for the zero value.
func (s Source) String() string {
	switch s {
	case Typed:
		return "typed"
	case Program:
		return "program"
	}
	return ""
}

// ParseSource returns the source with the name; ok is false if there is none.
func ParseSource(name string) (s Source, ok bool) {
	for _, s := range []Source{Typed, Program} {
		if s.String() == name {
			return s, true
		}
	}
	return 0, false
}

// Operation is the kind of a change: create, update or delete. The zero value is invalid.
type Operation uint8

// The operations.
const (
	Create Operation = 1 << iota
	Update
	Delete
)

// String returns the operation's name; empty for the zero value.
func (o Operation) String() string {
	switch o {
	case Create:
		return "create"
	case Update:
		return "update"
	case Delete:
		return "delete"
	}
	return ""
}

// Operations is a set of operations.
type Operations uint8

// Of returns the set of the operations.
func Of(operations ...Operation) (set Operations) {
	for _, o := range operations {
		set |= Operations(o)
	}
	return set
}

// Has reports whether the operation is in the set.
func (s Operations) Has(o Operation) bool { return s&Operations(o) != 0 }

// Names returns the names of the operations in the set, in the order create, update,
// delete.
func (s Operations) Names() []string {
	var names []string
	for _, o := range []Operation{Create, Update, Delete} {
		if s.Has(o) {
			names = append(names, o.String())
		}
	}
	return names
}

// String returns the names, comma-separated.
func (s Operations) String() string { return strings.Join(s.Names(), ",") }

// ParseOperation returns the operation with the name; ok is false if there is none.
func ParseOperation(name string) (o Operation, ok bool) {
	for _, o := range []Operation{Create, Update, Delete} {
		if o.String() == name {
			return o, true
		}
	}
	return 0, false
}

// Resources are the API names of the resources that can have rules.
var Resources = []string{
	"client", "contact", "contract", "deal", "deal-type", "invoice", "invoice-type", "offer", "payment", "performer", "status", "user",
}

// MaxName is the maximum length of a rule's name, in bytes.
const MaxName = 64

// IsName reports whether name is a valid name of a rule: 1 to MaxName lower-case letters,
// digits, dots, underscores and hyphens.
func IsName(name string) bool {
	if name == "" || len(name) > MaxName {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789._-", r) })
}
