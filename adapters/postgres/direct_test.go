package postgres_test

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/ports/company"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// atNode adds a company whose table of settings has another name on its node, which is the same
// server by another address, and two numbered rows.
func atNode(t *testing.T, database, check string) (c company.Company, db postgres.DB) {
	t.Helper()
	c = addSchemas(t, database, 1)[0]
	server, err := pgconn.ParseConfig(database)
	if err != nil {
		t.Fatal(err)
	}
	c.Node = net.JoinHostPort(server.Host, strconv.Itoa(int(server.Port)))
	s := c.Code.Schema()
	_, err = pgtest.Pool(t, database).Exec(t.Context(), "create table "+s+".settings_7 (like "+s+".settings); create sequence "+s+".clients_id_seq; create sequence "+s+".deals_id_seq start 5")
	if err != nil {
		t.Fatal(err)
	}
	shards := postgres.ShardsAt(c.Node, check, map[string]string{"settings": s + ".settings_7"})
	return c, openCompanies(t, database, 2).DB(c, shards)
}

// add inserts a setting, and returns the tables that have it, and how often it was tried.
func add(t *testing.T, database string, c company.Company, db postgres.DB) (stored string, runs int) {
	t.Helper()
	err := postgres.InTransaction(t.Context(), db, func(ctx context.Context, tx *postgres.Tx) error {
		runs++
		numbers, err := tx.Numbers(ctx, "deals", "clients", "deals")
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "insert into settings (code) values ($1)", fmt.Sprint(numbers))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	s := c.Code.Schema()
	err = pgtest.Pool(t, database).QueryRow(t.Context(), `
select string_agg(name || code, ', ')
from (select 'Citus ' as name, code from `+s+`.settings where code like '[%' union all select 'worker ', code from `+s+`.settings_7) a`).Scan(&stored)
	if err != nil {
		t.Fatal(err)
	}
	return stored, runs
}

// contract 15.11, 15.13
func TestTransactionWritesToTheTablesOfTheNode(t *testing.T) {
	t.Parallel()
	database := pgtest.URL(t)
	c, db := atNode(t, database, "select 0")
	if stored, runs := add(t, database, c, db); stored != "worker [5 1 6]" || runs != 1 {
		t.Errorf("stored is %q, in %d runs", stored, runs)
	}
}

// contract 15.11
func TestTransactionIsRunAgainElsewhereWhenTheTablesHaveMoved(t *testing.T) {
	t.Parallel()
	database := pgtest.URL(t)
	c, db := atNode(t, database, "select 1 / count(*) from pg_catalog.pg_class where false")
	if stored, runs := add(t, database, c, db); stored != "Citus [0 0 0]" || runs != 2 {
		t.Errorf("stored is %q, in %d runs", stored, runs)
	}
	if stored, runs := add(t, database, c, db); stored != "Citus [0 0 0], Citus [0 0 0]" || runs != 1 {
		t.Errorf("later, stored is %q, in %d runs", stored, runs)
	}
}
