package command_test

import (
	"context"
	"testing"

	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
)

// endingTx counts how often the last run of a unit of work says that it ends with a record.
type endingTx struct {
	repository.Tx
	ends int
}

func (tx *endingTx) Do(ctx context.Context, meta repository.Meta, fn func(ctx context.Context, s repository.Stores) error) error {
	return tx.Tx.Do(ctx, meta, func(ctx context.Context, s repository.Stores) error {
		tx.ends = 0
		s.View = endingView{s.View, &tx.ends}
		return fn(ctx, s)
	})
}

type endingView struct {
	readmodel.View
	ends *int
}

func (v endingView) End() { *v.ends++ }

// idle is a reaction that does nothing.
type idle[S any] struct{}

func (idle[S]) Name() string { return "idle" }

func (idle[S]) React(context.Context, rule.Change[S], rule.Actions) error { return nil }

func TestCreationEndsWithItsRecordIfNothingCanFollow(t *testing.T) {
	encode := func(int64, *readmodel.Rows) ([]byte, error) { return nil, nil }
	for name, of := range map[string]struct {
		change  func(r *command.Request)
		options []rule.Option
		ends    int
	}{
		"with a rule that passes":              {func(*command.Request) {}, []rule.Option{rule.Clients.Rules(&recorded[client.State]{})}, 1},
		"without a response":                   {func(r *command.Request) { r.Response = nil }, nil, 0},
		"with a response that may be rejected": {func(r *command.Request) { r.Response.CannotFail = false }, nil, 0},
		"with a response that is to be stored": {func(r *command.Request) {
			r.Idempotency = &command.Idempotency{Key: repository.IdempotencyKey{Key: "k"}}
		}, nil, 0},
		"with a reaction":                       {func(*command.Request) {}, []rule.Option{rule.Clients.Reactions(idle[client.State]{})}, 0},
		"with a reaction to another resource":   {func(*command.Request) {}, []rule.Option{rule.Invoices.Reactions(&paidDeal{})}, 1},
		"with a response and nothing else said": {func(*command.Request) {}, nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			o := open(t)
			tx := &endingTx{Tx: o.store}
			r := o.manager()
			r.Response = responding(encode)
			r.Response.CannotFail = true
			of.change(&r)
			done[client.ID](t)(command.NewClients(tx, o.clock, registry(t, of.options...)).Create(t.Context(), r, fixture.Company()))
			if tx.ends != of.ends {
				t.Errorf("it ends with its record %d times, want %d", tx.ends, of.ends)
			}
		})
	}
}

func TestCreationEndsWithItsRecordUnlessItHasOpenedADealWithReactions(t *testing.T) {
	for _, of := range []struct {
		rules []rule.Option
		ends  int
	}{
		{nil, 1},
		{[]rule.Option{rule.Deals.Reactions(idle[deal.State]{})}, 0},
	} {
		o := open(t)
		tx, rules := &endingTx{Tx: o.store}, registry(t, of.rules...)
		r, attributes := o.manager(), fixture.Invoice(o.Office)
		r.Response = responding(func(int64, *readmodel.Rows) ([]byte, error) { return nil, nil })
		r.Response.CannotFail = true
		attributes.DealID = optional.Of[deal.ID]{}
		done[invoice.ID](t)(command.NewInvoices(tx, o.clock, rules, command.NewDeals(tx, o.clock, rules)).Create(t.Context(), r, attributes))
		if tx.ends != of.ends {
			t.Errorf("with %d reactions, it ends with its record %d times", len(of.rules), tx.ends)
		}
	}
}

func TestCreationDoesNotEndWithARecordWhoseViolationIsToBeStored(t *testing.T) {
	b := openRules(t)
	shadow := &shadowed[deal.State]{recorded[deal.State]{name: "-deals", verdict: forbidden()}}
	rules, err := rule.NewRegistry(asking{}, nil, rule.Deals.Rules(shadow))
	if err != nil {
		t.Fatal(err)
	}
	tx := &endingTx{Tx: b.store}
	r := b.manager()
	r.Response = responding(func(int64, *readmodel.Rows) ([]byte, error) { return nil, nil })
	r.Response.CannotFail = true
	for verdict, want := range map[error]int{forbidden(): 0, nil: 1} {
		shadow.verdict = verdict
		done[deal.ID](t)(command.NewDeals(tx, b.clock, rules).Create(t.Context(), r, fixture.Deal(b.Client, b.DealType)))
		if tx.ends != want {
			t.Errorf("a creation with the verdict %v ends with its record %d times, want %d", verdict, tx.ends, want)
		}
	}
}
