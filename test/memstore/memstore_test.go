package memstore_test

import (
	"context"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/memstore"
)

// The promises that all stores make are tested in test/storetest. These are the
// ones that this store makes beyond them.

func TestUnitOfWorkRunsTwiceAndTheSecondRunCounts(t *testing.T) {
	store := memstore.New()
	o := fixture.Open(t, store)
	var ids []client.ID
	fixture.Do(t, store, o.Manager, func(ctx context.Context, s repository.Stores) error {
		id, err := s.Clients.Add(ctx, fixture.Client(o.Manager, fixture.Company()))
		ids = append(ids, id)
		return err
	})
	if len(ids) != 2 || ids[0] == ids[1] {
		t.Errorf("the runs gave the ids %v, want two that differ", ids)
	}
}

func TestMisuseOfTheStoresIsAnError(t *testing.T) {
	store := memstore.New()
	o := fixture.Open(t, store)
	for name, c := range map[string]struct {
		do   func(ctx context.Context, s repository.Stores) error
		want string
	}{
		"saving what was not locked": {func(ctx context.Context, s repository.Stores) error {
			return s.Clients.Save(ctx, client.Restore(client.State{ID: o.Client, Name: "Neu"}))
		}, "saved without a lock"},
		"removing what was not locked": {func(ctx context.Context, s repository.Stores) error {
			return s.Clients.Remove(ctx, client.Restore(client.State{ID: o.Client}))
		}, "removed without a lock"},
		"locking a client after a deal": {func(ctx context.Context, s repository.Stores) error {
			_, err := s.Deals.Lock(ctx, o.Deal)
			if err == nil {
				_, err = s.Clients.Lock(ctx, o.Client)
			}
			return err
		}, "out of order"},
		"locking the higher id first": {func(ctx context.Context, s repository.Stores) error {
			_, err := s.Clients.Lock(ctx, o.OtherClient)
			if err == nil {
				_, err = s.Clients.Lock(ctx, o.Client)
			}
			return err
		}, "out of order"},
		"locking again what is locked": {func(ctx context.Context, s repository.Stores) error {
			_, err := s.Clients.Lock(ctx, o.Client)
			if err == nil {
				_, err = s.Deals.Lock(ctx, o.Deal)
			}
			if err == nil {
				_, err = s.Clients.Lock(ctx, o.Client)
			}
			return err
		}, ""},
		"locking what has no place in the order": {func(ctx context.Context, s repository.Stores) error {
			_, err := s.Deals.Lock(ctx, o.Deal)
			if err == nil {
				_, err = s.Performers.Lock(ctx, o.Performer)
			}
			return err
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := store.Do(t.Context(), repository.Meta{UserID: o.Manager, At: fixture.At}, c.do)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("it ended with %v, want %q", err, c.want)
			}
		})
	}
}
