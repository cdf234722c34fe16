package command

import (
	"context"
	"slices"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Rules are the use cases that change stored rules. No rule judges these changes, so that a
// wrong rule can always be corrected.
type Rules struct {
	records[ruledef.ID, *ruledef.Rule, ruledef.State]
}

// NewRules returns the use cases of stored rules. rules is the registry of the program.
func NewRules(tx repository.Tx, clock ports.Clock, rules *rule.Registry) *Rules {
	return &Rules{records[ruledef.ID, *ruledef.Rule, ruledef.State]{
		base:    base{tx, clock, rules, access.Rules},
		repo:    func(s repository.Stores) repository.Store[ruledef.ID, *ruledef.Rule] { return s.Rules },
		version: func(s ruledef.State, _ ruledef.ID) int64 { return s.Version },
		kind:    rule.KindOf("rule", func(s *ruledef.State) *ruledef.ID { return &s.ID }),
	}}
}

// Create adds a typed rule and returns its id.
func (u *Rules) Create(ctx context.Context, r Request, a ruledef.Attributes) (ruledef.ID, error) {
	return u.create(ctx, r, func(_ context.Context, w work) (d draft[*ruledef.Rule, ruledef.State], _ error) {
		record, invalid := ruledef.New(a, w.At)
		d = draftOf(ruledef.State{Source: ruledef.Typed}.With(a), record, invalid)
		d.invalid = fault.Join(d.invalid, u.checkName(d.proposed), u.compile(d.proposed))
		return d, nil
	})
}

// Update sets the attributes that are present. Of a compiled rule only the mode can change,
// and only if the program contains the rule and the rule is adjustable.
func (u *Rules) Update(ctx context.Context, r Request, id ruledef.ID, a ruledef.Attributes) error {
	return u.update(ctx, r, id, editOf(
		func(_ context.Context, w work, stored *ruledef.Rule) error {
			before := stored.State()
			return fault.Join(stored.Update(a, w.At), u.checkChange(before, before.With(a)))
		},
		func(_ work, before ruledef.State) ruledef.State { return before.With(a) }))
}

// SetMode sets the mode of the rule with the name, for an operator.
func (u *Rules) SetMode(ctx context.Context, name, mode string) error {
	return u.perform(ctx, byOperator, func(ctx context.Context, w work) error {
		rules := w.Rules.Set().Rules
		i := slices.IndexFunc(rules, func(s ruledef.State) bool { return s.Name == name })
		if i < 0 {
			return fault.New(fault.NotFound, "there is no such rule")
		}
		stored, err := w.Rules.Lock(ctx, rules[i].ID)
		if err != nil {
			return err
		}
		before := stored.State()
		a := ruledef.Attributes{Mode: domain.Some(mode)}
		if err := fault.Join(stored.Update(a, w.At), u.checkChange(before, before.With(a))); err != nil {
			return err
		}
		return w.Rules.Save(ctx, stored)
	})
}

// Delete deletes a rule. One that the program contains is a
// fault.Conflict.
func (u *Rules) Delete(ctx context.Context, r Request, id ruledef.ID) error {
	return u.remove(ctx, r, id, func(stored *ruledef.Rule) error {
		s := stored.State()
		if _, ok := u.compiled(s.Name); ok && s.Source == ruledef.Program {
			return fault.New(fault.Conflict, "the rule is compiled into the program, which would store it again").Coded(fault.Compiled)
		}
		return nil
	}, nil)
}

// DeleteViolations deletes the stored violations of a rule. They still count in its
// would_refuse.
func (u *Rules) DeleteViolations(ctx context.Context, r Request, id ruledef.ID) error {
	return u.do(ctx, r, func(ctx context.Context, w work) error {
		stored, err := w.Rules.Lock(ctx, id)
		if err != nil {
			return err
		}
		if err := w.CheckVersion(stored.State().Version); err != nil {
			return err
		}
		return w.Rules.RemoveViolations(ctx, stored)
	})
}

// Divergence lists the differences between the stored rules and the program.
type Divergence struct {
	Missing []ruledef.State // compiled rules that the program does not contain
	Clashes []ruledef.State // typed rules that have the name of a compiled rule or reaction
	Broken  []BrokenRule
}

// BrokenRule is a typed rule that cannot be compiled, for example because it uses an attribute that the program does not have.
type BrokenRule struct {
	ruledef.State
	Reason string
}

// BrokenRules returns those of the stored rules that cannot be compiled, also those that are off.
func BrokenRules(c rule.Compiler, stored []ruledef.State) (broken []BrokenRule) {
	for _, s := range stored {
		if s.Source == ruledef.Typed {
			if _, err := c.Compile(s); err != nil {
				broken = append(broken, BrokenRule{s, reasonOf(err)})
			}
		}
	}
	return broken
}

func reasonOf(err error) string {
	if f := fault.As(err); f != nil {
		return f.Message
	}
	return err.Error()
}

// Register stores the compiled rules of the program that are not stored yet, and changes no
// stored rule.
func (u *Rules) Register(ctx context.Context) (d Divergence, err error) {
	err = u.perform(ctx, Request{}, func(ctx context.Context, w work) error {
		stored := w.Rules.Set().Rules
		var missing []*ruledef.Rule
		for _, c := range u.rules.Compiled() {
			if !slices.ContainsFunc(stored, func(s ruledef.State) bool { return s.Name == c.Name }) {
				missing = append(missing, ruledef.Compiled(c.Name, c.Resource, c.Mode, w.At))
			}
		}
		d = u.diverging(stored)
		return w.Rules.Register(ctx, missing...)
	})
	return d, err
}

func (u *Rules) diverging(stored []ruledef.State) (d Divergence) {
	d.Broken = BrokenRules(u.rules.Compiler(), stored)
	for _, s := range stored {
		_, isCompiled := u.compiled(s.Name)
		switch {
		case s.Source == ruledef.Program && !isCompiled:
			d.Missing = append(d.Missing, s)
		case s.Source == ruledef.Typed && u.rules.Has(s.Name):
			d.Clashes = append(d.Clashes, s)
		}
	}
	return d
}

func (u *Rules) compiled(name string) (c rule.Compiled, ok bool) {
	all := u.rules.Compiled()
	if i := slices.IndexFunc(all, func(c rule.Compiled) bool { return c.Name == name }); i >= 0 {
		return all[i], true
	}
	return c, false
}

func (u *Rules) checkName(s ruledef.State) error {
	if !u.rules.Has(s.Name) {
		return nil
	}
	return fault.ForField(fault.Invalid, "name", "belongs to a rule or reaction that is compiled into the program")
}

// checkChange refuses a change that does not fit the program. A rule that does not compile any
// more can still be renamed and turned off.
func (u *Rules) checkChange(before, after ruledef.State) error {
	if before.Source == ruledef.Program {
		return u.checkMode(before, after)
	}
	var err error
	if before.Name != after.Name {
		err = u.checkName(after)
	}
	was := before
	was.Name = after.Name
	if after.Mode == ruledef.Off {
		was.Mode = ruledef.Off
	}
	if ruledef.Same(was, after) {
		return err
	}
	return fault.Join(err, u.compile(after))
}

func (u *Rules) checkMode(before, after ruledef.State) error {
	c, ok := u.compiled(before.Name)
	switch {
	case before.Mode == after.Mode || ok && c.Adjustable:
		return nil
	case !ok:
		return fault.ForField(fault.Invalid, "mode", "cannot be changed: this program does not contain the rule")
	}
	return fault.ForField(fault.Invalid, "mode", "cannot be changed: the mode of this rule is always %s", c.Mode)
}

// compile checks the expression and the message of a rule. What it says of a missing attribute is
// dropped when it is joined with the error of that attribute.
func (u *Rules) compile(s ruledef.State) error {
	_, err := u.rules.Compiler().Compile(s)
	return err
}
