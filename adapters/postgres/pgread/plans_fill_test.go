package pgread_test

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgsummary"
	"github.com/kontor-crm/kontor/test/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

// skewedRecords have a skewed distribution: user 1 has an eighth of all and user 50 little, and client 1
// has many deals and invoices.
var skewedRecords = []string{`
insert into users (username, username_key, name, name_key, role, created_at, updated_at)
select 'u' || g, 'u' || g, 'U' || g, 'u' || g, 'manager', now(), now()
from generate_series(1, 50) g`, `
insert into statuses (name, name_key, is_default)
select 'S' || g, 's' || g, g = 1
from generate_series(1, 4) g`, `
insert into deal_types (name, name_key)
values ('T1', 't1'), ('T2', 't2')`, `
insert into invoice_types (name, name_key)
values ('T1', 't1'), ('T2', 't2'), ('T3', 't3')`, `
insert into performers (name, name_key, created_at, updated_at, ref)
values ('P', 'p', now(), now(), 'k-7')`, `
insert into clients (user_id, type, name, name_key, email, email_key, phone, phone_key, created_at, updated_at, ref)
select
    case when g % 8 = 0 then 1 when g % 400 = 1 then 50 else 1 + g % 49 end, 1 + g % 3 / 2, n.name, n.name, e.address, e.address, p.number, p.number,
    timestamptz '2019-01-01' + g * interval '75 minutes', timestamptz '2024-12-31' - g * interval '1 minute', 'c-' || g
from generate_series(1, 40000) g
cross join lateral (
    select md5(g::text) || case when g % 1600 = 7 then ' quendelhof' when g % 23 = 0 then ' technik' else '' end
        || case when g <= 9600 and g % 2 = 0 then ' altona' else '' end as name
) n
cross join lateral (select case when g % 4000 = 0 then 'both@example.org' when g % 4 > 0 then md5(g::text) || '@example.org' end as address) e
cross join lateral (select case when g % 5 > 0 then md5('p' || g) end as number) p`, `
insert into deals (name, name_key, client_id, user_id, type_id, status_id, created_at, updated_at, ref)
select
    n.name, n.name, case when g % 200 = 0 then 1 when g % 97 > 0 then g end, case when g % 8 = 0 then 1 when g % 400 = 1 then 50 else 1 + g % 49 end,
    case when g % 10 > 0 then 1 + g % 2 end, 1 + g % 4,
    timestamptz '2019-01-01' + g * interval '75 minutes', timestamptz '2024-12-31' - g * interval '1 minute', 'd-' || g
from generate_series(1, 40000) g
cross join lateral (select md5('d' || g) || case when g % 18 = 0 then ' service' else '' end as name) n`, `
insert into offers (deal_id, number, number_key, date, created_on, updated_at)
select g, 'o-' || g, 'o-' || g, timestamp '2019-01-01' + g * interval '150 minutes', w.at, w.at
from generate_series(1, 40000) g
cross join lateral (select timestamptz '2019-01-01' + g * interval '150 minutes' as at) w`, `
insert into contracts (deal_id, number, number_key, date, created_on, updated_at)
select g, 'c-' || g, 'c-' || g, timestamp '2019-01-01' + g * interval '150 minutes', w.at, w.at
from generate_series(1, 40000) g
cross join lateral (select timestamptz '2019-01-01' + g * interval '150 minutes' as at) w`, `
insert into contacts (client_id, name, name_key, ref)
select g, 'C' || g, 'c' || g, 'p-' || g
from generate_series(1, 40000) g`, `
insert into invoices (
    user_id, number, number_key, date, performer_id, client_id, deal_id, type_id, status, vat_use, vat_percent,
    total_count, total_price, vat_price, pay_price, owed_price, paid_price, created_on, paid_on, paid_month, updated_on, ref, due_date,
    issued_on, credits
)
select
    case when d.id % 8 = 0 then 1 when d.id % 400 = 1 then 50 else 1 + d.id % 49 end, 'r-' || d.id, 'r-' || d.id, w.at, 1, d.client_id, d.id, 1 + d.id % 3,
    s.status, false, 0, 1, d.id % 1000, 0, d.id % 1000, d.id % 1000, case when p.at is null then 0 else d.id % 1000 end, w.at, p.at,
    extract(year from p.at at time zone 'UTC') * 12 + extract(month from p.at at time zone 'UTC') - 1, w.at, 'i-' || d.id, case when d.id % 50 = 0 then w.at::date end,
    case when d.id % 40 = 3 then w.at end, case when d.id % 40 = 3 then 7 + d.id / 40 % 200 end
from deals d
cross join lateral (select timestamp '2019-01-01' + d.id * interval '75 minutes' as at) w
cross join lateral (select case when d.id % 10 = 0 then 1 when d.id % 11 = 0 then 4 when d.id % 7 = 0 then 3 else 2 end as status) s
cross join lateral (select case when s.status in (2, 3) then w.at + d.id % 60 * interval '1 day' end as at) p
where d.client_id is not null`, `
insert into payments (id, performer_id, client_id, automatic_of, date, amount, rest, method, reference, created_on, updated_on, ref)
select id, 1, client_id, id, paid_on::date, paid_price, case when id % 50 = 0 then paid_price else 0 end, case when id % 3 = 0 then 'x' end,
    'r-' || id, paid_on, paid_on, 'p-' || id
from invoices
where paid_price > 0`, `
insert into allocations (payment_id, invoice_id, date, amount, recorded_at)
select id, automatic_of, date, amount, created_on
from payments
where rest = 0`, `
insert into invoice_lines (invoice_id, name, name_key, units, count, price, total_price)
select id, 'Oak ' || id, 'oak ' || id, 'pcs', 1, total_price, total_price
from invoices`,
}

// fill inserts the records and builds the read models without secondary indexes and
// foreign keys, which are built at once afterwards: row by row they take several times as long.
func fill(t *testing.T, pool *pgxpool.Pool, served *postgres.DB) {
	t.Helper()
	err := pool.AcquireFunc(t.Context(), func(conn *pgxpool.Conn) error {
		rows, err := conn.Query(t.Context(), `
select indexname, indexdef
from pg_indexes
where schemaname = 'public' and not exists (select from pg_constraint where conname = indexname)`)
		if err != nil {
			return err
		}
		statements := []string{
			"set session_replication_role = replica",
		}
		var create []string
		var name, definition string
		if _, err := pgx.ForEachRow(rows, []any{&name, &definition}, func() error {
			statements, create = append(statements, "drop index "+name), append(create, definition)
			return nil
		}); err != nil {
			return err
		}
		if err := execute(t, conn, slices.Concat(statements, skewedRecords, []string{"set session_replication_role = origin", "analyze"})...); err != nil {
			return err
		}
		if err := pgsummary.Rebuild(t.Context(), served); err != nil {
			return err
		}
		return execute(t, conn, create...)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func execute(t *testing.T, conn *pgxpool.Conn, statements ...string) error {
	t.Helper()
	for _, sql := range statements {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			return err
		}
	}
	return nil
}

// filled is a pool of the service on the skewed records, analyzed for the planner.
func filled(t *testing.T) *postgres.DB {
	t.Helper()
	url := pgtest.URL(t)
	pool := pgtest.Pool(t, url)
	served, err := postgres.Open(t.Context(), postgres.Config{
		URL: url, MaxConns: 2, Zone: "UTC", StatementTimeout: 10 * time.Second, LockTimeout: 5 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(served.Close)
	fill(t, pool, served)
	if _, err := pool.Exec(t.Context(), "vacuum (analyze)"); err != nil {
		t.Fatal(err)
	}
	return served
}
