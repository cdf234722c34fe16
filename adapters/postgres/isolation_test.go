package postgres_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// The default is what an operator or a pooler may have set.
func TestIsolationLevelIsReadCommittedWhateverTheDefault(t *testing.T) { // contract 4.43, 1.86
	t.Parallel()
	for _, level := range []string{"repeatable read", "serializable"} {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			address := pgtest.URL(t)
			setForDatabase(t, address, "default_transaction_isolation", level)
			others := pgtest.Pool(t, address)
			if got := column[string](t, others, "show transaction_isolation"); got[0] != level {
				t.Fatalf("the default is %q, want %q", got[0], level)
			}
			pool := pgtest.DB(t, address, "UTC")
			changed := open(t, postgres.Config{URL: address, Zone: "UTC", MaxConns: 1})
			execute(t, changed, "set default_transaction_isolation = '"+level+"'")
			for of, db := range map[string]*postgres.DB{"the service": pool, "a session with another default": changed} {
				err := postgres.InTransaction(t.Context(), db, func(ctx context.Context, tx pgx.Tx) error {
					var got string
					err := tx.QueryRow(ctx, "show transaction_isolation").Scan(&got)
					if got != "read committed" {
						t.Errorf("a transaction of %s is %q", of, got)
					}
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			if got := column[string](t, pool, "show transaction_isolation"); got[0] != "read committed" {
				t.Errorf("a single statement of the service is %q", got[0])
			}
		})
	}
}

// setForDatabase changes the default of the database for new connections.
func setForDatabase(t *testing.T, address, setting, value string) {
	t.Helper()
	config, err := pgx.ParseConfig(address)
	if err != nil {
		t.Fatal(err)
	}
	execute(t, pgtest.Pool(t, address),
		"alter database "+pgx.Identifier{config.Database}.Sanitize()+" set "+setting+" = '"+value+"'")
}
