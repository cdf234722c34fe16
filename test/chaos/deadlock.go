package chaos

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/kontor-crm/kontor/test/rest"
)

// DeadlockTimeout is the deadlock_timeout that ForceDeadlock needs to know the
// victim.
const DeadlockTimeout = 100 * time.Millisecond

// ForceDeadlock causes one deadlock. An invoice gives its deal a client, blocks on
// a lock of a third connection, and would then reference the deal's status.
// Meanwhile the status is deleted, which waits for the deal. PostgreSQL aborts the
// one that waits last, the invoice: the other has checked for deadlocks before.
func ForceDeadlock(ctx context.Context, s *Site) (r DeadlockReport, err error) {
	references, err := createReferences(ctx, s)
	if err != nil {
		return r, err
	}
	w := newWriter(s, newWriteLog(), "deadlock", references, 1)
	var ids [4]int64
	client, status, deal, contact := &ids[0], &ids[1], &ids[2], &ids[3]
	for _, record := range []struct {
		path   string
		fields func() fields
		id     *int64
	}{
		{"client", func() fields { return fields{"type": 1, "name": "Client"} }, client},
		{"status", func() fields { return fields{"name": "Status"} }, status},
		{"deal", func() fields { return fields{"name": "Deal", "status_id": *status} }, deal},
		{"contact", func() fields { return fields{"name": "Contact", "deal_id": *deal} }, contact},
	} {
		if *record.id, err = w.create(ctx, record.path, "deadlock-"+record.path, record.fields()); err != nil {
			return r, err
		}
	}
	third, err := s.Connect(ctx)
	if err != nil {
		return r, err
	}
	defer third.Close(context.WithoutCancel(ctx)) // closing twice is harmless
	for _, sql := range []string{"begin", fmt.Sprintf("select from contacts where id = %d for update", *contact)} {
		if _, err := third.Exec(ctx, sql); err != nil {
			return r, err
		}
	}
	var writes sync.WaitGroup
	var invoiceErr, statusErr error
	writes.Go(func() {
		r.Invoice, invoiceErr = w.send(ctx, http.MethodPost, "/rest/invoice", "", fields{
			"number": "R", "date": "2024-03-09", "client_id": *client, "deal_id": *deal, "performer_id": references.Performer,
			"type_id": references.Type, "items": []fields{w.line("line")},
		})
	})
	err = s.awaitWaiting(ctx, 1)
	writes.Go(func() {
		r.Status, statusErr = w.send(ctx, http.MethodDelete, fmt.Sprintf("/rest/status/%d", *status), "", nil)
	})
	err = errors.Join(err, s.awaitWaiting(ctx, 2))
	time.Sleep(3 * DeadlockTimeout)
	err = errors.Join(err, third.Close(ctx)) // releases the invoice
	writes.Wait()
	deadlocks, derr := s.deadlocks(ctx)
	r.Deadlocks = deadlocks
	return r, errors.Join(err, invoiceErr, statusErr, derr)
}

// DeadlockReport is what two writers of a deadlock got.
type DeadlockReport struct {
	Deadlocks       int64 // that PostgreSQL detected
	Invoice, Status rest.Response
}

// awaitWaiting waits until n connections wait for a lock.
func (s *Site) awaitWaiting(ctx context.Context, n int) error {
	db, err := s.Connect(ctx)
	if err != nil {
		return err
	}
	defer db.Close(context.WithoutCancel(ctx))
	for end := time.Now().Add(4 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		var waiting int
		err := db.QueryRow(ctx, "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()").Scan(&waiting)
		if err != nil || waiting >= n {
			return err
		}
	}
	return fmt.Errorf("timed out waiting for %d blocked connections", n)
}

// deadlocks returns the number of deadlocks that PostgreSQL counted. Connections
// report theirs when they end, so the service is restarted.
func (s *Site) deadlocks(ctx context.Context) (n int64, err error) {
	if err := s.KillService(); err != nil {
		return 0, err
	}
	db, err := s.Connect(ctx)
	if err != nil {
		return 0, err
	}
	for others, end := 1, time.Now().Add(10*time.Second); others > 0 && err == nil && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		err = db.QueryRow(ctx, `
select
    (select deadlocks from pg_stat_database where datname = current_database()),
    (select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid())`).Scan(&n, &others)
	}
	return n, errors.Join(err, db.Close(ctx), s.StartService(ctx))
}
