package command_test

import (
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

func TestTokensOfAUserAreValidUntilTheyExpireOrAreRevoked(t *testing.T) { // contract 1.44
	t.Parallel()
	o := open(t)
	grants, clock := pgstore.NewGrants(o.db.Pool), &standing{fixture.At}
	tokens := command.NewTokens(o.db.Tx, clock, &numbering{})
	issue := func(username string, ttl time.Duration) {
		t.Helper()
		if _, _, err := tokens.Issue(t.Context(), username, ttl); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(want ...string) {
		t.Helper()
		var ids []string
		for id := range 9 {
			grant, err := grants.Find(t.Context(), strconv.Itoa(id))
			if err == nil && token.Restore(grant.Token).Usable(clock.at) {
				ids = append(ids, grant.Token.PublicID)
			}
		}
		if !slices.Equal(ids, want) {
			t.Errorf("usable are %v, want %v", ids, want)
		}
	}

	issue("ada", 0)
	issue("ada", time.Minute)
	issue("mara", 0)
	issue("Ada", time.Hour)
	expect("1", "2", "3", "4")
	clock.at = clock.at.Add(30 * time.Minute)
	expect("1", "3", "4")
	for publicID, want := range map[string]bool{"3": true, "nothing": false} {
		if err := tokens.Revoke(t.Context(), publicID); (err == nil) != want {
			t.Errorf("the token %s is revoked with %v", publicID, err)
		}
	}
	expect("1", "4")
	if _, _, err := tokens.Issue(t.Context(), "nobody", time.Hour); !fault.Is(err, fault.NotFound) {
		t.Errorf("a token of nobody: %v", err)
	}
}
