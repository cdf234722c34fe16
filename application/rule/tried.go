package rule

import (
	"context"
	"errors"
	"slices"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Tried returns the compiled rule with the name as an expression, for trials; nil if the program
// has no such rule. A judgement of an invoice sees all lines of it, before and after the change.
func (r *Registry) Tried(name string) Expression { return r.tried[name] }

// triedRule is a compiled rule as an expression.
type triedRule[S any] struct {
	rule Rule[S]
	kind Kind[S]
}

// Facts implements Expression. A compiled rule may ask for any.
func (triedRule[S]) Facts() repository.FactKinds { return repository.AllFacts }

func (t triedRule[S]) Judge(ctx context.Context, in Input) Judgement {
	facts := &knownFacts{known: in.Fact}
	c := Change[S]{Actor: in.Actor, At: in.At, Cause: Requested}
	c.Before, _ = in.Before.(*S)
	c.After, _ = in.After.(*S)
	c.Facts = newCache(facts, t.kind.recordOf(c))
	err := withLines(ctx, &c)
	if in.HidesID {
		c.After = t.kind.withoutIDs(*c.After)
	}
	if err == nil {
		err = t.rule.Check(ctx, c)
	}
	switch {
	case len(facts.missing) > 0:
		return Judgement{Missing: facts.missing}
	case err == nil:
		return Judgement{Passes: true}
	case !isRefusal(err):
		return Judgement{Err: err}
	}
	return Judgement{Message: Verdict{Fields: fault.As(err).ByRule(t.rule.Name()).Fields}.Message()}
}

// withoutIDs returns the state as that of a new record.
func (k Kind[S]) withoutIDs(s S) *S {
	s = k.withID(s, 0)
	if inv, ok := any(&s).(*invoice.State); ok {
		inv.Lines = slices.Clone(inv.Lines)
		for i := range inv.Lines {
			inv.Lines[i].ID = 0
		}
	}
	return &s
}

// withLines gives an invoice all its lines.
func withLines[S any](ctx context.Context, c *Change[S]) error {
	for _, side := range []**S{&c.Before, &c.After} {
		stored, ok := any(*side).(*invoice.State)
		if !ok || stored == nil || len(stored.Lines) == stored.TotalCount {
			continue
		}
		lines, err := c.Facts.InvoiceLines(ctx, stored.ID)
		if err != nil {
			return err
		}
		full := *stored
		full.Lines = lines
		*side, _ = any(&full).(*S)
	}
	return nil
}

// knownFacts are facts of which some are known. Questions about others are noted, and fail.
type knownFacts struct {
	repository.Facts
	known   func(repository.Question) (repository.Answer, bool)
	missing []repository.Question
}

var errUnknown = errors.New("the fact is not known")

func (f *knownFacts) Answer(_ context.Context, questions []repository.Question) ([]repository.Answer, error) {
	answers := make([]repository.Answer, len(questions))
	for i, q := range questions {
		a, ok := f.known(q)
		if !ok {
			f.missing = append(f.missing, q)
			return nil, errUnknown
		}
		answers[i] = a
	}
	return answers, nil
}
