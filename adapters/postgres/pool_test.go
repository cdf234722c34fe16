package postgres_test

import (
	"fmt"
	"testing"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/test/pgtest"
)

func TestConnectionKeepsTheLastStatementsPrepared(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	for inURL, want := range map[string]int64{"": 128, "200": 200} {
		pool := open(t, postgres.Config{URL: pgtest.WithParameter(t, address, "statement_cache_capacity", inURL), MaxConns: 1, Zone: "Europe/Berlin"})
		t.Cleanup(pool.Close)
		for n := range 300 {
			if _, err := pool.Exec(t.Context(), fmt.Sprintf("select $1::int limit %d", n), n); err != nil {
				t.Fatal(err)
			}
		}
		if got := column[int64](t, pool, "select count(*) from pg_prepared_statements")[0]; got != want+1 { // the one that is to be removed next
			t.Errorf("%q in the URL: %d statements are prepared, want %d", inURL, got, want+1)
		}
	}
}
