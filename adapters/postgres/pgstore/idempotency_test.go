package pgstore_test

import (
	"context"
	"testing"

	"github.com/kontor-crm/kontor/adapters/postgres/pgstore"
	"github.com/kontor-crm/kontor/ports/caller"
	"github.com/kontor-crm/kontor/ports/membudget"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// contract 3.33
func TestStoredResponseIsCountedWhenItIsRead(t *testing.T) {
	t.Parallel()
	tx := pgstore.NewTx(pgtest.Pool(t, pgtest.URL(t)), nil)
	o := fixture.Open(t, tx)
	key := repository.IdempotencyKey{UserID: o.Admin, Path: "/rest/invoice", Key: "a"}
	const size = 1 << 20
	fixture.Do(t, tx, o.Admin, func(ctx context.Context, s repository.Stores) error {
		if _, err := s.IdempotencyKeys.Claim(ctx, key, [32]byte{}, fixture.At); err != nil {
			return err
		}
		return s.IdempotencyKeys.Store(ctx, key, make([]byte, size))
	})
	var budget membudget.Budget
	memory := budget.Reservation(caller.Key{})
	ctx := context.WithValue(t.Context(), membudget.Key{}, &memory)
	err := tx.Do(ctx, repository.Meta{UserID: o.Admin, At: fixture.At}, func(ctx context.Context, s repository.Stores) error {
		_, err := s.IdempotencyKeys.Claim(ctx, key, [32]byte{}, fixture.At)
		return err
	})
	if want := int64(size - membudget.Uncounted); err != nil || budget.Held() != want {
		t.Errorf("%d bytes are held, want %d; %v", budget.Held(), want, err)
	}
}
