package command_test

import (
	"testing"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// contract 1.37
func TestDealGetsTheDefaultStatusThatReplacesOneWhichIsDeleted(t *testing.T) {
	t.Parallel()
	o := open(t)
	passing := done[catalog.StatusID](t)(o.statuses.Create(t.Context(), o.admin(), fixture.Default()))
	tx, err := o.db.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(t.Context()) }()
	for _, change := range []struct {
		sql string
		id  catalog.StatusID
	}{
		{"update statuses set is_default = false where id = $1", passing},
		{"update statuses set is_default = true where id = $1", o.Status},
		{"delete from statuses where id = $1", passing},
	} {
		if _, err := tx.Exec(t.Context(), change.sql, change.id); err != nil {
			t.Fatal(err)
		}
	}
	created := make(chan error)
	var id deal.ID
	go func() {
		var err error
		id, err = o.deals.Create(t.Context(), o.manager(), deal.Attributes{Name: domain.Some("a"), ClientID: domain.Some(o.Client)})
		created <- err
	}()
	for pgtest.LockWaits(t, o.db.Pool) == 0 {
		select {
		case err := <-created:
			t.Fatalf("it did not wait: %v", err)
		default:
		}
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-created; err != nil || o.deal(id).StatusID != o.Status {
		t.Errorf("%v, want a deal with the status %d", err, o.Status)
	}
}
