package derive_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/application/derive"
	"github.com/kontor-crm/kontor/domain/agreement"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/ports/repository"
)

type (
	clientChange  = repository.Change[client.State]
	clientEntries = repository.Change[derive.ClientEntry]
	dealChange    = repository.Change[deal.State]
	offerChange   = repository.Change[agreement.State[agreement.OfferID]]
	offerEntries  = repository.Change[derive.AgreementEntry]
)

var created = time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)

// pair is the change from one state to another.
func pair[S any](before, after *S) repository.Change[S] {
	return repository.Change[S]{Before: before, After: after}
}

func common(id int64, key string) derive.ListEntry {
	return derive.ListEntry{ID: id, CreatedAt: created, TextKey: key}
}

func TestListChangesAreTheNetChangeOfEachRecord(t *testing.T) {
	state := func(id client.ID, name, description string) *client.State {
		return &client.State{ID: id, Name: name, UserID: 7, Type: client.Person, Description: description, CreatedAt: created}
	}
	entry := func(id int64, key string) *derive.ClientEntry {
		return &derive.ClientEntry{ListEntry: common(id, key), UserID: 7, Type: client.Person}
	}
	for name, tt := range map[string]struct {
		changes []clientChange
		want    []clientEntries
	}{
		"added":                   {[]clientChange{{After: state(1, "Nord", "")}}, []clientEntries{{After: entry(1, "nord")}}},
		"removed":                 {[]clientChange{{Before: state(1, "Nord", "")}}, []clientEntries{{Before: entry(1, "nord")}}},
		"renamed":                 {[]clientChange{pair(state(1, "Nord", ""), state(1, "Ost", ""))}, []clientEntries{pair(entry(1, "nord"), entry(1, "ost"))}},
		"renamed to an equal key": {[]clientChange{pair(state(1, "Nord", ""), state(1, "NORD", ""))}, nil},
		"described":               {[]clientChange{pair(state(1, "Nord", ""), state(1, "Nord", "Cold"))}, nil},
		"renamed twice": {
			[]clientChange{pair(state(1, "Nord", ""), state(1, "Ost", "")), pair(state(1, "Ost", ""), state(1, "West", ""))},
			[]clientEntries{pair(entry(1, "nord"), entry(1, "west"))},
		},
		"renamed and back":    {[]clientChange{pair(state(1, "Nord", ""), state(1, "Ost", "")), pair(state(1, "Ost", ""), state(1, "Nord", ""))}, nil},
		"added and removed":   {[]clientChange{{After: state(1, "Nord", "")}, {Before: state(1, "Nord", "")}}, nil},
		"added and renamed":   {[]clientChange{{After: state(1, "Nord", "")}, pair(state(1, "Nord", ""), state(1, "Ost", ""))}, []clientEntries{{After: entry(1, "ost")}}},
		"renamed and removed": {[]clientChange{pair(state(1, "Nord", ""), state(1, "Ost", "")), {Before: state(1, "Ost", "")}}, []clientEntries{{Before: entry(1, "nord")}}},
		"two records": {
			[]clientChange{{After: state(2, "Ost", "")}, {Before: state(1, "Nord", "")}, pair(state(2, "Ost", ""), state(2, "West", ""))},
			[]clientEntries{{After: entry(2, "west")}, {Before: entry(1, "nord")}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := derive.ListChangesOf(repository.Changes{Clients: tt.changes}, strings.ToLower).Clients
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// An offer is counted for the client that its deal has before or after the unit of work.
func TestListChangesOfDocumentsNameTheClientOfAChangedDeal(t *testing.T) {
	of := func(id deal.ID, c client.ID) *deal.State { return &deal.State{ID: id, ClientID: c, CreatedAt: created} }
	offer := func(d deal.ID) *agreement.State[agreement.OfferID] {
		return &agreement.State[agreement.OfferID]{ID: 5, DealID: d, Number: "A", CreatedOn: created}
	}
	withDeal := func(d deal.ID) *derive.AgreementEntry {
		return &derive.AgreementEntry{ListEntry: common(5, "a"), DealID: d}
	}
	withClient := func(c client.ID) *derive.AgreementEntry {
		return &derive.AgreementEntry{ListEntry: common(5, "a"), ClientID: c}
	}
	for name, tt := range map[string]struct {
		deals  []dealChange
		offers []offerChange
		want   []offerEntries
		moves  []derive.DealMove
	}{
		"deal unchanged":        {nil, []offerChange{{After: offer(1)}}, []offerEntries{{After: withDeal(1)}}, nil},
		"sent to another deal":  {nil, []offerChange{pair(offer(1), offer(2))}, []offerEntries{pair(withDeal(1), withDeal(2))}, nil},
		"deal moved":            {[]dealChange{pair(of(1, 8), of(1, 9))}, nil, nil, []derive.DealMove{{DealID: 1, From: 8, To: 9}}},
		"deal without a client": {[]dealChange{pair(of(1, 8), of(1, 0))}, nil, nil, []derive.DealMove{{DealID: 1, From: 8}}},
		"both changed":          {[]dealChange{pair(of(1, 8), of(1, 9))}, []offerChange{pair(offer(1), offer(1))}, []offerEntries{pair(withClient(8), withClient(9))}, []derive.DealMove{{DealID: 1, From: 8, To: 9}}},
		"sent to a moved deal":  {[]dealChange{pair(of(1, 8), of(1, 9))}, []offerChange{pair(offer(2), offer(1))}, []offerEntries{pair(withDeal(2), withClient(9))}, []derive.DealMove{{DealID: 1, From: 8, To: 9}}},
		"both new":              {[]dealChange{{After: of(1, 8)}}, []offerChange{{After: offer(1)}}, []offerEntries{{After: withClient(8)}}, nil},
		"both removed":          {[]dealChange{{Before: of(1, 8)}}, []offerChange{{Before: offer(1)}}, []offerEntries{{Before: withClient(8)}}, nil},
		"moved there and back":  {[]dealChange{pair(of(1, 8), of(1, 9)), pair(of(1, 9), of(1, 8))}, []offerChange{pair(offer(1), offer(1))}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := derive.ListChangesOf(repository.Changes{Deals: tt.deals, Offers: tt.offers}, strings.ToLower)
			if diff := cmp.Diff(tt.want, got.Offers); diff != "" {
				t.Errorf("offers: -want +got\n%s", diff)
			}
			if diff := cmp.Diff(tt.moves, got.Moves); diff != "" {
				t.Errorf("moves: -want +got\n%s", diff)
			}
		})
	}
}
