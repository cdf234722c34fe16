package postgres_test

import (
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// contract 14.4, 14.40
func TestCompanyPoolHasTheSchemaAndTheZoneOfTheCompanyAlone(t *testing.T) {
	t.Parallel()
	database := pgtest.URL(t)
	if _, err := pgtest.Pool(t, database).Exec(t.Context(), `
create schema company_0a1b2c3d;
create table company_0a1b2c3d.settings (name text, value text);
create table company_0a1b2c3d.own as select 7 as number;
create table other as select 7 as number`); err != nil {
		t.Fatal(err)
	}
	pool := open(t, postgres.Config{
		URL: database, Tenant: "0a1b2c3d", Zone: "Asia/Tokyo", MaxConns: 1, StatementTimeout: 5 * time.Second, LockTimeout: 5 * time.Second,
	})
	var number int
	var zone, path string
	err := pool.QueryRow(t.Context(), "select number, current_setting('TimeZone'), current_setting('search_path') from own").Scan(&number, &zone, &path)
	if err != nil || number != 7 || zone != "Asia/Tokyo" || path != "company_0a1b2c3d" {
		t.Errorf("%d, %s, %s, %v", number, zone, path, err)
	}
	if _, err := pool.Exec(t.Context(), "select from other"); err == nil {
		t.Error("a table of the default company is read")
	}
}
