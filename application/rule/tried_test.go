package rule_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/ports/repository"
)

// checked is a compiled rule.
type checked[S any] func(ctx context.Context, c rule.Change[S]) error

func (checked[S]) Name() string                                        { return "checked" }
func (r checked[S]) Check(ctx context.Context, c rule.Change[S]) error { return r(ctx, c) }

// tried is the compiled rule as an expression.
func tried[S any](t *testing.T, of rule.Kind[S], check checked[S]) rule.Expression {
	t.Helper()
	r, err := rule.NewRegistry(nil, nil, of.Rules(check))
	if err != nil {
		t.Fatal(err)
	}
	if r.Tried("another") != nil {
		t.Error("there is another rule")
	}
	return r.Tried("checked")
}

func nothingKnown(repository.Question) (repository.Answer, bool) { return repository.Answer{}, false }

func TestTriedCompiledRuleAsksForTheFactsThatItLacks(t *testing.T) {
	x := tried(t, rule.Clients, func(ctx context.Context, c rule.Change[client.State]) error {
		deals, err := c.Facts.ClientDeals(ctx, c.After.ID)
		if err != nil {
			return err
		}
		unpaid, err := c.Facts.UnpaidInvoices(ctx, c.After.ID)
		if err == nil && unpaid.Count > len(deals) {
			err = fault.ForField(fault.Invalid, "name", "has %d unpaid invoices", unpaid.Count)
		}
		return err
	})
	known := map[repository.Question]repository.Answer{}
	in := rule.Input{After: &client.State{ID: 5}, Fact: func(q repository.Question) (repository.Answer, bool) {
		a, ok := known[q]
		return a, ok
	}}
	deals, unpaid := repository.Question{Kind: repository.DealsOfClient, ID: 5}, repository.Question{Kind: repository.UnpaidInvoicesOfClient, ID: 5}
	for _, q := range []repository.Question{deals, unpaid} {
		if diff := cmp.Diff(rule.Judgement{Missing: []repository.Question{q}}, x.Judge(t.Context(), in)); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
		known[q] = repository.Answer{}
	}
	if diff := cmp.Diff(rule.Judgement{Passes: true}, x.Judge(t.Context(), in)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	known[unpaid] = repository.Answer{Count: 2}
	if diff := cmp.Diff(rule.Judgement{Message: "has 2 unpaid invoices"}, x.Judge(t.Context(), in)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if x.Facts() != repository.AllFacts {
		t.Errorf("it asks for %b", x.Facts())
	}
}

func TestTriedCompiledRuleFails(t *testing.T) {
	broken := errors.New("broken")
	x := tried(t, rule.Clients, func(context.Context, rule.Change[client.State]) error { return broken })
	if j := x.Judge(t.Context(), rule.Input{After: &client.State{}, Fact: nothingKnown}); !errors.Is(j.Err, broken) || j.Passes {
		t.Errorf("the judgement is %+v", j)
	}
}

func TestTriedCompiledRuleSeesTheChange(t *testing.T) {
	var got rule.Change[client.State]
	x := tried(t, rule.Clients, func(_ context.Context, c rule.Change[client.State]) error {
		got = c
		return nil
	})
	after, monday := &client.State{ID: 5}, time.Date(2024, 3, 4, 0, 0, 0, 0, time.UTC)
	in := rule.Input{After: after, At: monday, Fact: nothingKnown}
	in.Actor.UserID = 3
	x.Judge(t.Context(), in)
	if got.Before != nil || got.After != after || got.Actor != in.Actor || got.At != monday || got.Cause != rule.Requested {
		t.Errorf("it sees %+v", got)
	}
}

func TestTriedCompiledRuleSeesAllLinesOfAnInvoice(t *testing.T) {
	lines := repository.Question{Kind: repository.LinesOfInvoice, ID: 5}
	stored := &invoice.State{ID: 5, TotalCount: 1}
	x := tried(t, rule.Invoices, func(_ context.Context, c rule.Change[invoice.State]) error {
		if len(c.Before.Lines) != 1 || len(c.After.Lines) != 1 || !rule.ConcernsLines(c) {
			return errors.New("it lacks lines")
		}
		return nil
	})
	in := rule.Input{Before: stored, After: stored, Fact: nothingKnown}
	if diff := cmp.Diff(rule.Judgement{Missing: []repository.Question{lines}}, x.Judge(t.Context(), in)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	in.Fact = func(q repository.Question) (repository.Answer, bool) {
		return repository.Answer{Lines: []invoice.Line{{ID: 7, Total: money.Amount{}}}}, q == lines
	}
	if j := x.Judge(t.Context(), in); !j.Passes || len(stored.Lines) != 0 {
		t.Errorf("the judgement is %+v, and the stored state has %d lines", j, len(stored.Lines))
	}
}

// contract 12.71
func TestTriedCompiledRuleSeesAllLinesOfANewInvoice(t *testing.T) {
	x := tried(t, rule.Invoices, func(_ context.Context, c rule.Change[invoice.State]) error {
		if c.Before != nil || len(c.After.Lines) != 1 || c.After.ID != 0 || c.After.Lines[0].ID != 0 {
			return errors.New("it lacks lines, or has an id")
		}
		return nil
	})
	in := rule.Input{After: &invoice.State{ID: 5, TotalCount: 1}, HidesID: true, Fact: func(repository.Question) (repository.Answer, bool) {
		return repository.Answer{Lines: []invoice.Line{{ID: 7}}}, true
	}}
	if j := x.Judge(t.Context(), in); !j.Passes {
		t.Errorf("the judgement is %+v", j)
	}
}
