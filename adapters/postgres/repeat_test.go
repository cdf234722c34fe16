package postgres_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// contract 3.31
func TestCanceledReadIsRepeatedOnce(t *testing.T) {
	t.Parallel()
	pool := open(t, postgres.Config{URL: pgtest.URL(t), MaxConns: 1, StatementTimeout: 2 * time.Second, Zone: "UTC"})
	for name, c := range map[string]struct {
		attempts []string // statements
		isLeft   bool     // by the caller
		want     int      // attempts
		fails    bool
	}{
		"canceled":              {attempts: []string{canceled, "select 1"}, want: 2},
		"canceled twice":        {attempts: []string{canceled, canceled}, want: 2, fails: true},
		"not in time":           {attempts: []string{"select pg_sleep(10)"}, want: 1, fails: true},
		"of a caller that left": {attempts: []string{canceled}, isLeft: true, want: 1, fails: true},
	} {
		ctx, leave := context.WithCancel(t.Context())
		attempts := 0
		_, err := postgres.Repeat(ctx, pool, func() (struct{}, error) {
			attempts++
			_, err := pool.Exec(ctx, c.attempts[attempts-1])
			if c.isLeft {
				leave()
			}
			return struct{}{}, err
		})
		leave()
		if attempts != c.want || (err != nil) != c.fails {
			t.Errorf("%s: %d attempts, %v; want %d", name, attempts, err, c.want)
		}
	}
}

// contract 3.31
func TestCanceledTransactionIsRepeatedOnce(t *testing.T) {
	t.Parallel()
	pool := open(t, postgres.Config{URL: pgtest.URL(t), MaxConns: 1, StatementTimeout: 2 * time.Second, Zone: "UTC"})
	for _, cancellations := range []int{1, 2} {
		attempts := 0
		err := postgres.InTransaction(t.Context(), pool, func(ctx context.Context, tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "create table made_"+strconv.Itoa(cancellations)+" ()"); err != nil {
				return err
			}
			if attempts++; attempts <= cancellations {
				_, err := tx.Exec(ctx, canceled)
				return err
			}
			return nil
		})
		if attempts != 2 || (err != nil) != (cancellations > 1) {
			t.Errorf("canceled %d times: %d attempts, %v", cancellations, attempts, err)
		}
	}
}

// canceled is a statement that is canceled.
const canceled = "select pg_cancel_backend(pg_backend_pid()), pg_sleep(10)"
