package command_test

import (
	"context"
	"slices"
	"testing"

	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/ruledef"
)

// noted is a reaction that notes the changes.
type noted[S any] struct{ changes []rule.Change[S] }

func (*noted[S]) Name() string { return "noted" }

func (n *noted[S]) React(_ context.Context, c rule.Change[S], _ rule.Actions) error {
	n.changes = append(n.changes, c)
	return nil
}

// cities are those of the party before a change and after it; "-" is no party.
func cities(c *rule.PartyChange) (before, after string) {
	before, after = "-", "-"
	if c.Before != nil {
		before = c.Before.City
	}
	if c.After != nil {
		after = c.After.City
	}
	return before, after
}

// contract 12.195, 12.102
func TestChangesOfAPartyAreJudgedAsUpdatesOfItsRecord(t *testing.T) {
	t.Parallel()
	o := open(t)
	of, ofPerformer, noted := &recorded[client.State]{}, &recorded[performer.State]{name: "-performers"}, &noted[client.State]{}
	rules := registry(t, rule.Clients.Rules(of), rule.Clients.Reactions(noted), rule.Performers.Rules(ofPerformer))
	clients, performers := command.NewClients(o.store, o.clock, rules), command.NewPerformers(o.store, o.clock, rules)
	moving := func(city string) func(party.State) party.State {
		return func(s party.State) party.State {
			s.City = city
			return s
		}
	}
	for _, write := range []func() error{
		func() error { return clients.PutParty(t.Context(), o.manager(), o.Client, party.State{City: "Kiel"}) },
		func() error { return clients.PatchParty(t.Context(), o.manager(), o.Client, moving("Bonn")) },
		func() error { return clients.PatchParty(t.Context(), o.manager(), o.Client, moving("Bonn")) }, // changes nothing
		func() error { return clients.PutParty(t.Context(), o.manager(), o.Client, party.State{City: "Bonn"}) },
		func() error { return clients.DeleteParty(t.Context(), o.manager(), o.Client) },
		func() error {
			return performers.PutParty(t.Context(), o.admin(), o.Performer, party.State{City: "Köln"})
		},
		func() error { return performers.PatchParty(t.Context(), o.admin(), o.Performer, moving("Ulm")) },
		func() error { return performers.DeleteParty(t.Context(), o.admin(), o.Performer) },
	} {
		succeed(t, write())
	}
	stored := o.client(o.Client)
	var judged, reacted [][2]string
	for _, c := range of.asked {
		before, after := cities(c.Party)
		judged = append(judged, [2]string{before, after})
		if c.Operation() != ruledef.Update || *c.Before != stored || *c.After != stored || c.Actor.UserID != o.Manager || c.Cause != rule.Requested {
			t.Errorf("the rules were asked about %+v", c)
		}
	}
	for _, c := range noted.changes {
		before, after := cities(c.Party)
		reacted = append(reacted, [2]string{before, after})
	}
	want := [][2]string{{"-", "Kiel"}, {"Kiel", "Bonn"}, {"Bonn", "-"}}
	expect(t, want, slices.Compact(judged)) // each unit of work runs twice
	expect(t, want, slices.Compact(reacted))
	judged = nil
	for _, c := range ofPerformer.asked {
		before, after := cities(c.Party)
		judged = append(judged, [2]string{before, after})
		if c.Operation() != ruledef.Update || c.After.ID != o.Performer {
			t.Errorf("the rules were asked about %+v", c)
		}
	}
	expect(t, [][2]string{{"-", "Köln"}, {"Köln", "Ulm"}, {"Ulm", "-"}}, slices.Compact(judged))
}

// contract 12.195
func TestRefusedChangeOfAPartyIsNotStored(t *testing.T) {
	t.Parallel()
	o := open(t)
	asked := &recorded[client.State]{verdict: fault.ForField(fault.Invalid, "party", "no")}
	refusing := command.NewClients(o.store, o.clock, registry(t, rule.Clients.Rules(asked)))
	put := party.State{City: "Kiel"}
	rejected(t, refusing.PutParty(t.Context(), o.manager(), o.Client, put), fault.Invalid, "party")
	rejected(t, o.clients.DeleteParty(t.Context(), o.manager(), o.Client), fault.NotFound)
	succeed(t, o.clients.PutParty(t.Context(), o.manager(), o.Client, put))
	rejected(t, refusing.DeleteParty(t.Context(), o.manager(), o.Client), fault.Invalid, "party")
	moved := func(s party.State) party.State {
		s.City = "Bonn"
		return s
	}
	rejected(t, refusing.PatchParty(t.Context(), o.manager(), o.Client, moved), fault.Invalid, "party")
	rejected(t, refusing.PatchParty(t.Context(), expecting(o.manager(), 7), o.Client, moved), fault.Stale)
	asked.verdict = nil
	succeed(t, refusing.DeleteParty(t.Context(), expecting(o.manager(), 1), o.Client))
}

// contract 12.97, 12.195
func TestInvalidPartyIsJudgedAsFarAsItIsRight(t *testing.T) {
	t.Parallel()
	o := open(t)
	asked := &recorded[client.State]{}
	clients := command.NewClients(o.store, o.clock, registry(t, rule.Clients.Rules(asked)))
	last := func() party.State { return *asked.asked[len(asked.asked)-1].Party.After }
	wrong := party.State{City: "Kiel", Country: "XY"}
	rejected(t, clients.PutParty(t.Context(), o.manager(), o.Client, wrong), fault.Invalid, "country")
	if got := last(); got.City != "Kiel" || got.Country != "" {
		t.Errorf("a new one: the rules were asked about %+v", got)
	}
	succeed(t, clients.PutParty(t.Context(), o.manager(), o.Client, party.State{Country: "DE"}))
	change := func(s party.State) party.State {
		s.City, s.Country = "Kiel", "XY"
		return s
	}
	rejected(t, clients.PatchParty(t.Context(), o.manager(), o.Client, change), fault.Invalid, "country")
	if got := last(); got.City != "Kiel" || got.Country != "DE" {
		t.Errorf("a changed one: the rules were asked about %+v", got)
	}
	before := len(asked.asked)
	same := func(s party.State) party.State { return s }
	rejected(t, clients.PatchParty(t.Context(), unreadable(o.manager(), "payment_days"), o.Client, same), fault.Invalid, "payment_days")
	if len(asked.asked) == before {
		t.Error("the rules were not asked about one that cannot be read")
	}
}
