package pgstore_test

import (
	"context"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/pgtest"
)

func TestLockOfAMissingRecordIsNotFound(t *testing.T) {
	looks := map[string]func(ctx context.Context, st repository.Stores) error{
		"a user": func(ctx context.Context, st repository.Stores) error { return second(st.Users.Lock(ctx, nowhere)) },
		"a user by name": func(ctx context.Context, st repository.Stores) error {
			return second(st.Users.LockByName(ctx, "nobody"))
		},
		"a token by its id": func(ctx context.Context, st repository.Stores) error {
			return second(st.Tokens.LockByPublicID(ctx, "0"))
		},
		"a status":    func(ctx context.Context, st repository.Stores) error { return second(st.Statuses.Lock(ctx, nowhere)) },
		"a deal type": func(ctx context.Context, st repository.Stores) error { return second(st.DealTypes.Lock(ctx, nowhere)) },
		"an invoice type": func(ctx context.Context, st repository.Stores) error {
			return second(st.InvoiceTypes.Lock(ctx, nowhere))
		},
		"a performer": func(ctx context.Context, st repository.Stores) error { return second(st.Performers.Lock(ctx, nowhere)) },
		"a client":    func(ctx context.Context, st repository.Stores) error { return second(st.Clients.Lock(ctx, nowhere)) },
		"a contact":   func(ctx context.Context, st repository.Stores) error { return second(st.Contacts.Lock(ctx, nowhere)) },
		"a payment":   func(ctx context.Context, st repository.Stores) error { return second(st.Payments.Lock(ctx, nowhere)) },
		"a deal":      func(ctx context.Context, st repository.Stores) error { return second(st.Deals.Lock(ctx, nowhere)) },
		"an offer":    func(ctx context.Context, st repository.Stores) error { return second(st.Offers.Lock(ctx, nowhere)) },
		"a contract":  func(ctx context.Context, st repository.Stores) error { return second(st.Contracts.Lock(ctx, nowhere)) },
		"an invoice":  func(ctx context.Context, st repository.Stores) error { return second(st.Invoices.Lock(ctx, nowhere)) },
		"an invoice by its line": func(ctx context.Context, st repository.Stores) error {
			return second(st.Invoices.LockByLine(ctx, nowhere))
		},
	}
	onStore(t, func(s store) {
		for name, look := range looks {
			s.run(name, func(s store) { s.rejects(0, fault.NotFound, look) })
		}
	})
}

func second[A any](_ A, err error) error { return err }

func TestUsernameIsUniqueIgnoringCase(t *testing.T) {
	onStore(t, func(s store) {
		add := func(username string) func(ctx context.Context, st repository.Stores) error {
			return func(ctx context.Context, st repository.Stores) error {
				return second(st.Users.Add(ctx, fixture.User(username, user.Viewer)))
			}
		}
		s.do(add("Straße"))
		rejection := s.rejection(0, fault.Invalid, add("STRASSE"))
		if len(rejection.Fields) != 1 || rejection.Fields[0].Name != "username" {
			s.t.Errorf("the rejection blames %v, want username", rejection.Fields)
		}
		s.do(func(ctx context.Context, st repository.Stores) error {
			u, err := st.Users.LockByName(ctx, "strasse")
			if err == nil && u.State().Username != "Straße" {
				s.t.Errorf("found %q, want Straße", u.State().Username)
			}
			return err
		})
	})
}

func TestTokenPublicIDIsUnique(t *testing.T) {
	onStore(t, func(s store) {
		o := s.office
		s.added(o, aToken(o.Manager, "beef01", time.Hour))
		s.rejects(0, fault.Conflict, func(ctx context.Context, st repository.Stores) error {
			return second(aToken(o.Viewer, "beef01", time.Hour).add(ctx, st))
		})
	})
}

// contract 6.13
func TestStatusDefaultIsUnique(t *testing.T) {
	t.Parallel()
	s := storeOn(t, pgtest.URL(t))
	expectDefault := func(want catalog.StatusID) {
		s.t.Helper()
		s.do(func(ctx context.Context, st repository.Stores) error {
			found, err := st.References.Find(ctx, repository.ReferenceIDs{DefaultStatus: true})
			if err != nil {
				return err
			}
			id := found.DefaultStatus
			locked, err := st.Statuses.LockDefault(ctx)
			if err != nil {
				return err
			}
			if id != want || (locked != nil) != (want != 0) || locked != nil && (locked.State().ID != want || !locked.State().Default) {
				s.t.Errorf("the default is %d, and locked %v; want %d", id, locked, want)
			}
			return nil
		})
	}
	expectDefault(0)
	var first, next catalog.StatusID
	add := func(id *catalog.StatusID) func(ctx context.Context, st repository.Stores) error {
		return func(ctx context.Context, st repository.Stores) (err error) {
			*id, err = st.Statuses.Add(ctx, fixture.Must(catalog.NewStatus(fixture.Default())))
			return err
		}
	}
	s.do(add(&first))
	expectDefault(first)
	s.rejects(0, fault.Conflict, add(&next))
	expectDefault(first)
	s.do(func(ctx context.Context, st repository.Stores) error {
		old, err := st.Statuses.LockDefault(ctx)
		if err != nil {
			return err
		}
		old.ClearDefault()
		if err := st.Statuses.Save(ctx, old); err != nil {
			return err
		}
		return add(&next)(ctx, st)
	})
	expectDefault(next)
}

func TestGrantHasTheTokenAndTheRoleOfItsUser(t *testing.T) {
	onStore(t, func(s store) {
		o := s.office
		r := aToken(o.Viewer, "feed01", time.Hour)
		id := token.ID(s.added(o, r))
		want := repository.Grant{Token: r.stored(int64(id), 0).(token.State), Role: user.Viewer}
		expectGrant := func() {
			s.t.Helper()
			got, err := s.grants.Find(s.t.Context(), "feed01")
			if err != nil {
				s.t.Fatal(err)
			}
			s.expect(want, got)
		}
		expectGrant()

		if err := s.grants.Touch(s.t.Context(), id, later); err != nil {
			s.t.Fatal(err)
		}
		want.Token.LastUsedAt = later
		expectGrant()

		s.do(func(ctx context.Context, st repository.Stores) error {
			u, err := st.Users.Lock(ctx, o.Viewer)
			if err != nil {
				return err
			}
			u.Disable(later)
			u.Assign(user.Admin, later)
			return st.Users.Save(ctx, u)
		})
		want.Role, want.Disabled = user.Admin, true
		expectGrant()

		if _, err := s.grants.Find(s.t.Context(), "feed02"); !fault.Is(err, fault.NotFound) {
			s.t.Errorf("a token that is not there: %v, want %s", err, fault.NotFound)
		}
		if err := s.grants.Touch(s.t.Context(), nowhere, later); err != nil {
			s.t.Errorf("a use of a token that is gone: %v", err)
		}
	})
}

func TestUseOfATokenWaitsForNoWriterOfIt(t *testing.T) {
	onStore(t, func(s store) {
		id := token.ID(s.added(s.office, aToken(s.office.Viewer, "feed01", time.Hour)))
		s.do(func(ctx context.Context, st repository.Stores) error {
			if _, err := st.Tokens.LockByPublicID(ctx, "feed01"); err != nil {
				return err
			}
			return s.grants.Touch(ctx, id, later)
		})
		if grant, err := s.grants.Find(s.t.Context(), "feed01"); err != nil || !grant.Token.LastUsedAt.IsZero() {
			s.t.Errorf("the use was recorded: %+v, %v", grant.Token, err)
		}
	})
}

func TestGrantsListThePublicIDsOfValidTokens(t *testing.T) {
	onStore(t, func(s store) {
		o := s.office
		add := func(publicID string, ttl time.Duration) token.ID {
			return token.ID(s.added(o, aToken(o.Viewer, publicID, ttl)))
		}
		touch := func(id token.ID, at time.Time) {
			s.t.Helper()
			if err := s.grants.Touch(s.t.Context(), id, at); err != nil {
				s.t.Fatal(err)
			}
		}
		touch(add("used", time.Hour), later)
		touch(add("used-last", time.Hour), later.Add(time.Second))
		add("never-used", 0)
		add("expired", time.Minute)
		add("revoked", time.Hour)
		s.do(func(ctx context.Context, st repository.Stores) error {
			t, err := st.Tokens.LockByPublicID(ctx, "revoked")
			if err != nil {
				return err
			}
			t.Revoke(later)
			return st.Tokens.Save(ctx, t)
		})
		for atMost, want := range map[int][]string{100: {"never-used", "used-last", "used"}, 2: {"never-used", "used-last"}} {
			got, err := s.grants.PublicIDs(s.t.Context(), fixture.At.Add(time.Minute), atMost)
			if err != nil {
				s.t.Fatal(err)
			}
			s.expect(want, got)
		}
	})
}
