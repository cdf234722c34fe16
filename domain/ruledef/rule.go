package ruledef

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/text"
)

// The maximum lengths of texts, in characters, and of the list of variables.
const (
	MaxExpression = 8192
	MaxMessage    = 1024
	MaxField      = 64
	MaxVariables  = 20
)

// Rule is the aggregate of a stored rule.
type Rule struct {
	state State
}

// Attributes are the writable attributes of a rule. Absent means unchanged.
type Attributes struct {
	Name       domain.Optional[string]
	Resource   domain.Optional[string]
	On         domain.Optional[[]string] // names of operations
	Variables  domain.Optional[[]Variable]
	Expression domain.Optional[string]
	Message    domain.Optional[string]
	Field      domain.Optional[string]
	Forbidden  domain.Optional[bool]
	Mode       domain.Optional[string]
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
	if !Same(next, r.state) {
		if at.Before(next.UpdatedAt) { // the clock was set back since, or a later request was served first
			at = next.UpdatedAt
		}
		next.UpdatedAt = at
		r.state = next
	}
	return nil
}

// With returns the state with the valid ones of the attributes applied, and all variables.
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
		{"variables", !slices.Equal(before.Variables, after.Variables)},
		{"expression", before.Expression != after.Expression},
		{"message", before.Message != after.Message},
		{"field", before.Field != after.Field},
		{"forbidden", before.Forbidden != after.Forbidden},
	} {
		if field.changes {
			c.Coded(fault.Compiled, field.name, "cannot be changed: the rule is compiled into the program")
		}
	}
}

func apply(c *fault.Collector, s State, a Attributes) State {
	typed := s.Source == Typed
	s.Variables = variables(c, a.Variables, s.Variables)
	s.Name = name(c, a.Name, s.Name)
	s.Resource = resource(c, a.Resource, s.Resource)
	s.On = operations(c, a.On, s.On)
	s.Field = text.Optional(c, "field", a.Field, s.Field, MaxField)
	s.Forbidden = a.Forbidden.Or(s.Forbidden)
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

func name(c *fault.Collector, sent domain.Optional[string], old string) string {
	n := text.Required(c, "name", sent, old, MaxName)
	if n != "" && !IsName(n) {
		c.Add("name", "must have 1 to %d lower-case letters, digits, dots, underscores and hyphens", MaxName)
		return old
	}
	return n
}

func resource(c *fault.Collector, sent domain.Optional[string], old string) string {
	r := text.Required(c, "resource", sent, old, MaxName)
	if r != "" && !slices.Contains(Resources, r) {
		c.Add("resource", "must be one of %s", strings.Join(Resources, ", "))
		return old
	}
	return r
}

func operations(c *fault.Collector, sent domain.Optional[[]string], old Operations) Operations {
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

// variables returns the variables that were sent, the wrong ones too: what uses them is not wrong for
// that reason.
func variables(c *fault.Collector, sent domain.Optional[[]Variable], old []Variable) []Variable {
	list, isSet := sent.Get()
	if !isSet {
		return old
	}
	if len(list) > MaxVariables {
		c.Coded(fault.TooLong, "variables", "must have at most %d variables", MaxVariables)
		list = list[:MaxVariables]
	}
	var checked []Variable
	for i, v := range list {
		at := fmt.Sprintf("variables[%d].", i)
		v.Name = text.Required(c, at+"name", domain.Some(v.Name), v.Name, MaxName)
		v.Expression = text.Required(c, at+"expression", domain.Some(v.Expression), v.Expression, MaxExpression)
		switch {
		case v.Name != "" && !isIdentifier(v.Name):
			c.Add(at+"name", "must be an identifier of CEL: letters, digits and underscores, with no digit first, and no word of the language")
		case slices.ContainsFunc(checked, func(before Variable) bool { return before.Name == v.Name }):
			c.Coded(fault.Taken, at+"name", "is the name of another variable")
		}
		checked = append(checked, v)
	}
	return checked
}

// reserved are the words that CEL keeps for itself.
var reserved = strings.Fields("as break const continue else false for function if import in let loop namespace null package return " +
	"true var void while")

func isIdentifier(name string) bool {
	isOther := func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}
	return !strings.ContainsFunc(name, isOther) && (name[0] < '0' || name[0] > '9') && !slices.Contains(reserved, name)
}

func mode(c *fault.Collector, sent domain.Optional[string], old Mode) Mode {
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
