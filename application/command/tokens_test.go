package command_test

import (
	"context"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/postgres/pgstore"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/test/fixture"
)

// numbering mints tokens that are called by their number, and keep no secret.
type numbering struct{ minted int }

func (n *numbering) Mint() (ports.Secret, error) {
	n.minted++
	return ports.Secret{PublicID: strconv.Itoa(n.minted), Hash: [32]byte{byte(n.minted)}}, nil
}

func (n *numbering) Read(string) (ports.Secret, bool) { return ports.Secret{}, false }

// standing is a clock that shows what it is set to.
type standing struct{ at time.Time }

func (c *standing) Now() time.Time { return c.at }

func (*standing) Elapsed() time.Duration { return 0 }

func TestTokenRenewRevokesAllOthersOfItsUser(t *testing.T) { // contract 1.44
	t.Parallel()
	o := open(t)
	grants, clock := pgstore.NewGrants(o.db.Pool), &standing{fixture.At}
	tokens := command.NewTokens(o.db.Tx, clock, nil, &numbering{})
	type way func(*command.Tokens, context.Context, string, time.Duration) (ports.Secret, token.State, error)
	issue := func(username string, ttl time.Duration, how way) {
		t.Helper()
		if _, _, err := how(tokens, t.Context(), username, ttl); err != nil {
			t.Fatal(err)
		}
	}
	usable := func() (ids []string) {
		for id := range 9 {
			grant, err := grants.Find(t.Context(), strconv.Itoa(id))
			if err == nil && token.Restore(grant.Token).Usable(clock.at) {
				ids = append(ids, grant.Token.PublicID)
			}
		}
		return ids
	}

	issue("ada", 0, (*command.Tokens).Issue)
	issue("ada", time.Minute, (*command.Tokens).Issue)
	issue("mara", 0, (*command.Tokens).Issue)
	issue("Ada", time.Hour, (*command.Tokens).Renew)
	if got, want := usable(), []string{"3", "4"}; !slices.Equal(got, want) {
		t.Errorf("usable are %v, want %v", got, want)
	}
	renewed := clock.at
	clock.at = clock.at.Add(30 * time.Minute)
	issue("ada", time.Hour, (*command.Tokens).Renew)
	if got, want := usable(), []string{"3", "5"}; !slices.Equal(got, want) {
		t.Errorf("usable are %v, want %v", got, want)
	}
	first, err := grants.Find(t.Context(), "1")
	if err != nil || !first.Token.RevokedAt.Equal(renewed) {
		t.Errorf("the first token was revoked at %v, want %v (%v)", first.Token.RevokedAt, renewed, err)
	}
	for publicID, want := range map[string]bool{"3": true, "nothing": false} {
		if err := tokens.Revoke(t.Context(), publicID); (err == nil) != want {
			t.Errorf("the token %s is revoked with %v", publicID, err)
		}
	}
	if got, want := usable(), []string{"5"}; !slices.Equal(got, want) {
		t.Errorf("usable are %v, want %v", got, want)
	}
	if _, _, err := tokens.Renew(t.Context(), "nobody", time.Hour); !fault.Is(err, fault.NotFound) {
		t.Errorf("a token of nobody: %v", err)
	}
}
