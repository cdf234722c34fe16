package pgstore_test

import (
	"context"
	"testing"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/ports/repository"
)

// putParty stores a party with nothing but a city.
func putParty(ctx context.Context, st repository.Stores, owner party.Owner, city string) error {
	s, err := st.Parties.Lock(ctx, owner)
	if err != nil {
		return err
	}
	s.City, s.Digits, s.Numbering = city, party.Digits[0], party.Manual
	return st.Parties.Save(ctx, owner, s)
}

// contract 12.194
func TestFactsReadParties(t *testing.T) {
	onStore(t, func(s store) {
		o := s.office
		s.do(func(ctx context.Context, st repository.Stores) error {
			facts := rule.NewFacts(st.Facts)
			if none, err := facts.ClientParty(ctx, o.Client); err != nil || none != nil {
				s.t.Errorf("the client has the party %+v, %v", none, err)
			}
			if none, err := facts.PerformerParty(ctx, 0); err != nil || none != nil {
				s.t.Errorf("no performer has the party %+v, %v", none, err)
			}
			for city, owner := range map[string]party.Owner{"Kiel": {Client: o.Client}, "Bonn": {Performer: o.Performer}} {
				if err := putParty(ctx, st, owner, city); err != nil {
					return err
				}
			}
			facts = rule.NewFacts(st.Facts) // another asks once more
			if found, err := facts.ClientParty(ctx, o.Client); err != nil || found == nil || found.City != "Kiel" {
				s.t.Errorf("the party of the client is %+v, %v", found, err)
			}
			if found, err := facts.PerformerParty(ctx, o.Performer); err != nil || found == nil || found.City != "Bonn" {
				s.t.Errorf("the party of the performer is %+v, %v", found, err)
			}
			return nil
		})
	})
}
