package command_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
)

// paidDeal moves a deal when none of its invoices is unpaid any more.
type paidDeal struct {
	to    catalog.StatusID
	calls int
}

func (*paidDeal) Name() string { return "paid-deal" }

func (p *paidDeal) React(ctx context.Context, c rule.Change[invoice.State], do rule.Actions) error {
	p.calls++
	if c.After == nil || !c.After.Status.Paid() {
		return nil
	}
	n, err := c.Facts.DealInvoices(ctx, c.After.DealID)
	if err != nil || n[invoice.NotPaid] > 0 {
		return err
	}
	return do.UpdateDeal(ctx, c.After.DealID, deal.Attributes{StatusID: domain.Some(p.to)})
}

// renamed reacts to each change of a client by a further one.
type renamed struct{}

func (renamed) Name() string { return "renamed" }

func (renamed) React(ctx context.Context, c rule.Change[client.State], do rule.Actions) error {
	return do.UpdateClient(ctx, c.After.ID, client.Attributes{Name: domain.Some(c.After.Name + "!")})
}

func unpaid(o *office) invoice.Attributes {
	a := fixture.Invoice(o.Office)
	a.Status = domain.Some(invoice.NotPaid)
	return a
}

var pay = invoice.Attributes{Paid: domain.Some(true)}

func TestReactionMovesTheDealInTheSameUnitOfWork(t *testing.T) {
	t.Parallel()
	o := open(t)
	reaction := &paidDeal{to: o.Status}
	rules := registry(t, rule.Invoices.Reactions(reaction))
	invoices := command.NewInvoices(o.store, o.clock, rules, command.NewDeals(o.store, o.clock, rules))
	first := done[invoice.ID](t)(invoices.Create(t.Context(), o.manager(), unpaid(o)))
	second := done[invoice.ID](t)(invoices.Create(t.Context(), o.manager(), unpaid(o)))

	succeed(t, invoices.Update(t.Context(), o.manager(), first, pay))
	if got := o.deal(o.Deal).StatusID; got != o.Default {
		t.Errorf("with an unpaid invoice the deal moves to %d", got)
	}
	succeed(t, invoices.Update(t.Context(), o.manager(), second, pay))
	if got := o.deal(o.Deal).StatusID; got != o.Status {
		t.Errorf("the deal has the status %d, want %d", got, o.Status)
	}
	history := o.history(o.Deal)
	if last := history[len(history)-1]; last.Cause != "paid-deal" || last.StatusID != o.Status || last.UserID != o.Manager {
		t.Errorf("the last entry of the history is %+v", last)
	}
	calls, version := reaction.calls, o.deal(o.Deal).Version
	succeed(t, invoices.Update(t.Context(), o.manager(), second, pay))
	if reaction.calls != calls {
		t.Error("a change that changes nothing causes a reaction")
	}
	third := done[invoice.ID](t)(invoices.Create(t.Context(), o.manager(), fixture.Invoice(o.Office)))
	succeed(t, invoices.Update(t.Context(), o.manager(), third, invoice.Attributes{Notice: domain.Some("again")}))
	if got := o.deal(o.Deal).Version; got != version {
		t.Errorf("a reaction that changes nothing makes version %d of %d", got, version)
	}
}

func TestReactionIsSubjectToRules(t *testing.T) {
	t.Parallel()
	o := open(t)
	deals := &recorded[deal.State]{verdict: fault.ForField(fault.Invalid, "status_id", "stays")}
	rules := registry(t, rule.Invoices.Reactions(&paidDeal{to: o.Status}), rule.Deals.Rules(deals))
	invoices := command.NewInvoices(o.store, o.clock, rules, command.NewDeals(o.store, o.clock, rules))
	id := done[invoice.ID](t)(invoices.Create(t.Context(), o.manager(), unpaid(o)))
	err := invoices.Update(t.Context(), o.manager(), id, pay)
	rejected(t, err, fault.Invalid, "status_id")
	if got := o.invoice(id).Status; got != invoice.NotPaid {
		t.Errorf("the invoice is %s although the reaction was refused", got)
	}
	if asked := deals.asked[len(deals.asked)-1]; asked.Cause != rule.ReactionToAnother || asked.Reaction != "paid-deal" || asked.Actor.UserID != o.Manager {
		t.Errorf("the rule was asked about %+v", asked)
	}
}

func TestReactionsInARowAreLimited(t *testing.T) {
	t.Parallel()
	o := open(t)
	before := o.client(o.Client)
	clients := command.NewClients(o.store, o.clock, registry(t, rule.Clients.Reactions(renamed{})))
	err := clients.Update(t.Context(), o.manager(), o.Client, client.Attributes{Name: domain.Some("x")})
	rejected(t, err, fault.Conflict)
	if message := fault.As(err).Message; strings.Count(message, "renamed") != rule.MaxChain+1 {
		t.Errorf("the message is %q", message)
	}
	expect(t, before, o.client(o.Client))
}

func TestRulesAreAskedAboutRecordsThatFollowAnother(t *testing.T) {
	t.Parallel()
	o := open(t)
	deals := &recorded[deal.State]{name: "-deals"}
	statuses := &recorded[catalog.StatusState]{name: "-statuses"}
	rules := registry(t, rule.Deals.Rules(deals), rule.Statuses.Rules(statuses))
	invoices := command.NewInvoices(o.store, o.clock, rules, command.NewDeals(o.store, o.clock, rules))
	a := fixture.Invoice(o.Office)
	a.DealID = domain.Some(o.Inquiry)
	_ = done[invoice.ID](t)(invoices.Create(t.Context(), o.manager(), a))
	if c := deals.asked[len(deals.asked)-1]; c.Cause != rule.ClientOfInvoice || c.Before.ClientID != 0 || c.After.ClientID != o.Client {
		t.Errorf("the deal that gains a client: the rules were asked about %+v", c)
	}
	u := command.NewStatuses(o.store, o.clock, rules)
	succeed(t, u.Update(t.Context(), o.admin(), o.Status, catalog.StatusAttributes{Default: domain.Some(true)}))
	if c := statuses.asked[len(statuses.asked)-1]; c.Cause != rule.AnotherDefault || c.Before.ID != o.Default || c.After.Default {
		t.Errorf("the old default: the rules were asked about %+v", c)
	}
}

func TestUserRulesAreAskedAtTheCommandLine(t *testing.T) {
	t.Parallel()
	o := open(t)
	users := &recorded[user.State]{verdict: forbidden()}
	u := command.NewUsers(o.store, o.clock, registry(t, rule.Users.Rules(users)))
	succeed(t, u.Enable(t.Context(), "mara")) // changes nothing
	succeed(t, u.Disable(t.Context(), "mara"))
	rejected(t, u.Enable(t.Context(), "mara"), fault.Forbidden)
	if c := users.asked[0]; !c.Before.Disabled || c.After.Disabled || !c.Actor.IsOperator {
		t.Errorf("the rule was asked about %+v", c)
	}
	_, err := u.Add(t.Context(), user.Attributes{Username: domain.Some("nina")})
	rejected(t, err, fault.Forbidden)
}

func TestViolationsNameTheRecordsThatWereStored(t *testing.T) {
	t.Parallel()
	o := open(t)
	deals := &shadowed[deal.State]{recorded[deal.State]{name: "-deals", verdict: forbidden()}}
	invoices := &shadowed[invoice.State]{recorded[invoice.State]{name: "-invoices", verdict: forbidden()}}
	statuses := &shadowed[catalog.StatusState]{recorded[catalog.StatusState]{name: "-statuses", verdict: forbidden()}}
	users := &shadowed[user.State]{recorded[user.State]{name: "-users", verdict: forbidden()}}
	fixture.Do(t, o.store, 0, func(ctx context.Context, s repository.Stores) error {
		for resource, name := range map[string]string{"deal": deals.Name(), "invoice": invoices.Name(), "status": statuses.Name(), "user": users.Name()} {
			if _, err := s.Rules.Add(ctx, ruledef.Compiled(name, resource, ruledef.Shadow, fixture.At)); err != nil {
				return err
			}
		}
		return nil
	})
	rules := registry(t, rule.Deals.Rules(deals), rule.Invoices.Rules(invoices), rule.Statuses.Rules(statuses), rule.Users.Rules(users))
	u := command.NewInvoices(o.store, o.clock, rules, command.NewDeals(o.store, o.clock, rules))
	known := 0
	expectViolations := func(want ...string) {
		t.Helper()
		got := o.violations()[known:]
		known += len(got)
		if !slices.Equal(got, want) {
			t.Errorf("the violations are %v, want %v", got, want)
		}
	}

	id := done[invoice.ID](t)(u.Create(t.Context(), o.manager(), without(o)))
	expectViolations(fmt.Sprint("deal ", o.invoice(id).DealID), fmt.Sprint("invoice ", id))
	succeed(t, u.Delete(t.Context(), o.manager(), id))
	expectViolations(fmt.Sprint("invoice ", id))
	status := done[catalog.StatusID](t)(command.NewStatuses(o.store, o.clock, rules).Create(t.Context(), o.admin(), fixture.Default()))
	expectViolations(fmt.Sprint("status ", o.Default), fmt.Sprint("status ", status))
	everybody := command.NewUsers(o.store, o.clock, rules)
	succeed(t, everybody.Disable(t.Context(), "otto")) // not judged
	succeed(t, everybody.Enable(t.Context(), "otto"))
	expectViolations(fmt.Sprint("user ", o.Other))
	deals.verdict, invoices.verdict = nil, nil
	done[invoice.ID](t)(u.Create(t.Context(), o.manager(), without(o)))
	expectViolations()
}

// filed reacts to a new contact by a deal, under which it files the invoice.
type filed struct {
	invoice invoice.ID
	deal    deal.ID
}

func (*filed) Name() string { return "filed" }

func (f *filed) React(ctx context.Context, _ rule.Change[contact.State], do rule.Actions) (err error) {
	if f.deal, err = do.CreateDeal(ctx, deal.Attributes{Name: domain.Some("Neu")}); err != nil {
		return err
	}
	return do.UpdateInvoice(ctx, f.invoice, underDeal(f.deal))
}

func TestReactionCreatesADealAndChangesAnInvoice(t *testing.T) {
	t.Parallel()
	o := open(t)
	reaction := &filed{invoice: issue(o, fixture.Invoice(o.Office))}
	contacts := command.NewContacts(o.store, o.clock, registry(t, rule.Contacts.Reactions(reaction)))
	done[contact.ID](t)(contacts.Create(t.Context(), o.manager(), command.ContactLink{ClientID: o.Client}, fixture.Contact()))
	if got := o.invoice(reaction.invoice).DealID; reaction.deal == 0 || got != reaction.deal {
		t.Errorf("the invoice is filed under the deal %d, want %d", got, reaction.deal)
	}
}

// shadowed is a rule that begins in the mode shadow.
type shadowed[S any] struct{ recorded[S] }

func (*shadowed[S]) DefaultMode() ruledef.Mode { return ruledef.Shadow }
