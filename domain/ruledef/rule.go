package ruledef

import (
	"slices"
	"strings"
	"time"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/text"
)

// The maximum lengths of texts, in characters.
const (
	MaxExpression = 8192
	MaxMessage    = 1024
	MaxField      = 64
)

// Rule is the aggregate of a stored rule.
type Rule struct {
	state State
}

// Attributes are the writable attributes of a rule. Absent means unchanged.
type Attributes struct {
	Name       optional.Of[string]
	Resource   optional.Of[string]
	On         optional.Of[[]string] // names of operations
	Expression optional.Of[string]
	Message    optional.Of[string]
	Field      optional.Of[string]
	Mode       optional.Of[string]
}

// New returns a new typed rule. Name, resource, operations, expression and message are
// required; the default mode is Shadow. The expression is not compiled here.
func New(a Attributes, at time.Time) (*Rule, error) {
	var c fault.Collector
	s := apply(&c, State{Source: Typed, Mode: Shadow, CreatedAt: at, UpdatedAt: at}, a)
	if err := c.Err(); err != nil {
		return nil, err
	}
	return &Rule{state: s}, nil
}

// Compiled returns the record of a rule that is compiled into the program.
func Compiled(name, resource string, mode Mode, at time.Time) *Rule {
	return &Rule{state: State{
		Name: name, Resource: resource, On: Of(Create, Update, Delete), Mode: mode, Source: Program, CreatedAt: at, UpdatedAt: at,
	}}
}

// Restore returns a rule with a stored state, without validation.
func Restore(s State) *Rule { return &Rule{state: s} }

// State returns a copy of the rule's state.
func (r *Rule) State() State { return r.state }

// Update sets the attributes that are present. Of a compiled rule only the mode can change.
func (r *Rule) Update(a Attributes, at time.Time) error {
	var c fault.Collector
	next := apply(&c, r.state, a)
	if r.state.Source == Program {
		refuseCompiled(&c, r.state, next)
	}
	if err := c.Err(); err != nil {
		return err
	}
	if next != r.state {
		if at.Before(next.UpdatedAt) { // the clock was set back since, or a later request was served first
			at = next.UpdatedAt
		}
		next.UpdatedAt = at
		r.state = next
	}
	return nil
}

// With returns the state with the valid ones of the attributes applied.
func (s State) With(a Attributes) State { return apply(new(fault.Collector), s, a) }

// Tried returns the state with the valid ones of the attributes applied, for a trial. Of a
// compiled rule only the operations can differ.
func (s State) Tried(a Attributes) (State, error) {
	var c fault.Collector
	next := apply(&c, s, a)
	if s.Source == Program {
		s.On = next.On
		refuseCompiled(&c, s, next)
	}
	return next, c.Err()
}

func refuseCompiled(c *fault.Collector, before, after State) {
	for _, field := range []struct {
		name    string
		changes bool
	}{
		{"name", before.Name != after.Name},
		{"resource", before.Resource != after.Resource},
		{"on", before.On != after.On},
		{"expression", before.Expression != after.Expression},
		{"message", before.Message != after.Message},
		{"field", before.Field != after.Field},
	} {
		if field.changes {
			c.Coded(fault.Compiled, field.name, "cannot be changed: the rule is compiled into the program")
		}
	}
}

func apply(c *fault.Collector, s State, a Attributes) State {
	typed := s.Source == Typed
	s.Name = name(c, a.Name, s.Name)
	s.Resource = resource(c, a.Resource, s.Resource)
	s.On = operations(c, a.On, s.On)
	s.Field = text.Optional(c, "field", a.Field, s.Field, MaxField)
	s.Mode = mode(c, a.Mode, s.Mode)
	if typed {
		s.Expression = text.Required(c, "expression", a.Expression, s.Expression, MaxExpression)
		s.Message = text.Required(c, "message", a.Message, s.Message, MaxMessage)
		return s
	}
	s.Expression = text.Optional(c, "expression", a.Expression, s.Expression, MaxExpression)
	s.Message = text.Optional(c, "message", a.Message, s.Message, MaxMessage)
	return s
}

func name(c *fault.Collector, sent optional.Of[string], old string) string {
	n := text.Required(c, "name", sent, old, MaxName)
	if n != "" && !IsName(n) {
		c.Add("name", "must have 1 to %d lower-case letters, digits, dots, underscores and hyphens", MaxName)
		return old
	}
	return n
}

func resource(c *fault.Collector, sent optional.Of[string], old string) string {
	r := text.Required(c, "resource", sent, old, MaxName)
	if r != "" && !slices.Contains(Resources, r) {
		c.Add("resource", "must be one of %s", strings.Join(Resources, ", "))
		return old
	}
	return r
}

func operations(c *fault.Collector, sent optional.Of[[]string], old Operations) Operations {
	names, isSet := sent.Get()
	if !isSet {
		names = old.Names()
	}
	var set Operations
	for _, n := range names {
		o, ok := ParseOperation(n)
		if !ok {
			c.Add("on", "must be a list of create, update, delete")
			return old
		}
		set |= Of(o)
	}
	if set == 0 {
		c.Coded(fault.Required, "on", "is required: at least one of create, update, delete")
		return old
	}
	return set
}

func mode(c *fault.Collector, sent optional.Of[string], old Mode) Mode {
	n, isSet := sent.Get()
	if !isSet {
		return old
	}
	m, ok := ParseMode(n)
	if !ok {
		c.Add("mode", "must be one of %s", strings.Join(Modes, ", "))
		return old
	}
	return m
}
