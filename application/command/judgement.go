package command

import (
	"context"
	"fmt"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/agreement"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/ports/repository"
)

// judgement is what rules say of a unit of work, and the reactions to its changes.
type judgement struct {
	set      *rule.Set
	verdicts []rule.Verdict
	// violations are those of changes that are not stored yet, and so may lack an id.
	violations []repository.Violation
	pending    []pending
	chain      []string // names of the reactions that have led to the present change
	called     []string // names of the reactions that were called
	failure    error    // a panic of a reaction, for the log
	warnings   []string
	created    []repository.Record
}

// reportTo copies the verdicts, the warnings and the names of the called reactions to r, unless it is nil.
func (j *judgement) reportTo(r *rule.Report) {
	if r != nil {
		r.Verdicts, r.Reactions, r.Failure, r.Warnings = j.verdicts, j.called, j.failure, j.warnings
	}
}

type pending struct {
	chain []string // with this reaction as the last
	react func(ctx context.Context, w work, facts rule.Facts) error
}

// check asks the rules about a change, and notes the violations of those that do not refuse it.
func check[S any](ctx context.Context, w work, k rule.Kind[S], c rule.Change[S]) error {
	c.Actor, c.At, c.Reaction = w.Actor, w.At, w.reaction()
	if c.Reaction != "" {
		c.Cause = rule.ReactionToAnother
	}
	before := len(w.verdicts)
	err := k.Check(ctx, w.set, w.Facts, c, &w.verdicts)
	for _, v := range w.verdicts[before:] {
		if v.Outcome != rule.Passed && v.Mode != ruledef.Enforce && v.ID != 0 {
			w.violations = append(w.violations, repository.Violation{
				RuleID: v.ID, Resource: v.Resource, RecordID: v.RecordID, UserID: w.Actor.UserID, At: w.At, Message: v.Message(),
			})
		}
	}
	return err
}

// propose announces a change that is about to be judged, of a record that facts count or list. The others are locked before they
// change.
func propose[S any](w work, c rule.Change[S]) {
	if w.set.Facts() == 0 {
		return
	}
	var proposed repository.Changes
	switch c := any(c).(type) {
	case rule.Change[contact.State]:
		proposed.Contacts = []repository.Change[contact.State]{{Before: c.Before, After: c.After}}
	case rule.Change[deal.State]:
		proposed.Deals = []repository.Change[deal.State]{{Before: c.Before, After: c.After}}
	case rule.Change[agreement.State[agreement.OfferID]]:
		proposed.Offers = []repository.Change[agreement.State[agreement.OfferID]]{{Before: c.Before, After: c.After}}
	case rule.Change[agreement.State[agreement.ContractID]]:
		proposed.Contracts = []repository.Change[agreement.State[agreement.ContractID]]{{Before: c.Before, After: c.After}}
	case rule.Change[invoice.State]:
		proposed.Invoices = []repository.Change[invoice.State]{{Before: c.Before, After: c.After}}
	default:
		return
	}
	w.Facts.Propose(proposed)
}

// judge asks the rules about a change of a record, and about that of a deal which is stored together with it; nil: there is none.
func judge[S any](ctx context.Context, w work, k rule.Kind[S], c rule.Change[S], other *rule.Change[deal.State]) error {
	propose(w, c)
	if other == nil {
		return check(ctx, w, k, c)
	}
	propose(w, *other)
	return fault.Join(check(ctx, w, k, c), check(ctx, w, rule.Deals, *other))
}

// ownFirst puts the errors of the record's own fields before those of rules. Rules that cannot be evaluated are then left out,
// because what they miss may be just what is wrong.
func (j *judgement) ownFirst(err error) error {
	f := fault.As(err)
	if f == nil || f.Kind != fault.Invalid {
		return err
	}
	failed := map[string]bool{"": true}
	for _, v := range j.verdicts {
		failed[v.Rule] = v.Outcome == rule.Failed
	}
	own := slices.DeleteFunc(slices.Clone(f.Fields), func(field fault.Field) bool { return field.Rule != "" })
	if len(own) == 0 {
		return err
	}
	refused := slices.DeleteFunc(slices.Clone(f.Fields), func(field fault.Field) bool { return failed[field.Rule] })
	return fault.As(fault.ForFields(fault.Invalid, append(own, refused...)...)).WithCause(f.Cause)
}

// reaction returns the name of the reaction that makes the present changes; empty if none does.
func (j *judgement) reaction() string {
	if len(j.chain) == 0 {
		return ""
	}
	return j.chain[len(j.chain)-1]
}

func changesNothing[S any](c rule.Change[S]) bool {
	return c.Before != nil && c.After != nil && c.Party == nil && reflect.DeepEqual(*c.Before, *c.After)
}

// stored records the violations of a change that was stored, and notes the reactions to it,
// which are called by react, unless it has changed nothing.
func stored[S any](b base, w work, k rule.Kind[S], c rule.Change[S]) {
	recordViolations(w, k, c)
	if c.Before == nil {
		w.created = append(w.created, repository.Record{Resource: k.Resource, ID: k.IDOf(c)})
	}
	reactions := k.ReactionsOf(b.rules)
	if len(reactions) == 0 || changesNothing(c) {
		return
	}
	c.Actor, c.At, c.Reaction = w.Actor, w.At, w.reaction()
	for _, next := range reactions {
		w.pending = append(w.pending, pending{
			chain: append(slices.Clone(w.chain), next.Name()),
			react: func(ctx context.Context, w work, facts rule.Facts) error {
				c.Facts = facts
				return w.reactTo(next.Name(), func() error { return next.React(ctx, c, actions{b, w}) })
			},
		})
	}
}

// reactTo calls a reaction. Its panic refuses the write, as that of a rule does.
func (j *judgement) reactTo(name string, react func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			j.failure = fmt.Errorf("the reaction %s has failed: a panic: %v\n%s", name, cause, debug.Stack())
			err = fault.New(fault.Invalid, "the reaction %s has failed: it panics", name).ByRule(name)
		}
	}()
	if err = react(); err != nil && fault.As(err) == nil {
		return fmt.Errorf("the reaction %s: %w", name, err)
	}
	return err
}

// withoutCreated removes the ids of records that the write had created before it was refused.
func (j *judgement) withoutCreated(err error) error {
	f := fault.As(err)
	if f == nil {
		return err
	}
	shown := *f
	shown.Fields = slices.Clone(f.Fields)
	for i, field := range f.Fields {
		if slices.Contains(j.created, repository.Record{Resource: field.Resource, ID: field.RecordID}) {
			shown.Fields[i].RecordID = 0
		}
	}
	return &shown
}

// recordViolations records the violations of a change with the id of its record. Those of others,
// such as the invoice that a deal is opened for, are left.
func recordViolations[S any](w work, k rule.Kind[S], c rule.Change[S]) {
	if len(w.violations) == 0 {
		return
	}
	id, judged := k.IDOf(c), k.IDOf(c)
	if c.Before == nil {
		judged = 0 // a new record is judged before it has an id
	}
	w.violations = slices.DeleteFunc(w.violations, func(v repository.Violation) bool {
		if v.Resource != k.Resource || v.RecordID != judged {
			return false
		}
		v.RecordID = id
		w.Rules.AddViolations(v)
		return true
	})
}

// react calls the reactions to what has changed, and to what they change, in the order of the
// changes.
func (w work) react(ctx context.Context) error {
	for len(w.pending) > 0 {
		next := w.pending[0]
		w.pending = w.pending[1:]
		if len(next.chain) > rule.MaxChain {
			names := strings.Join(next.chain, ", ")
			return fault.New(fault.Conflict, "the change causes more than %d reactions in a row: %s", rule.MaxChain, names).
				Coded(fault.TooManyReactions)
		}
		w.chain = next.chain
		if !slices.Contains(w.called, w.reaction()) {
			w.called = append(w.called, w.reaction())
		}
		w.Rules.SetReaction(w.reaction())
		if err := next.react(ctx, w, rule.NewFacts(w.Facts)); err != nil {
			return err
		}
	}
	w.chain = nil
	w.Rules.SetReaction("")
	return nil
}
