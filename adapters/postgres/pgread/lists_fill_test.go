package pgread_test

import (
	"strings"

	"github.com/kontor-crm/kontor/test/pgtest"
)

// filledRecords is how many records of each kind fill makes: enough for pages that are
// far from both ends.
const filledRecords = 2600

// fill makes records past the stores, as alike as those of a writer, and the
// models of them.
func (c company) fill() {
	c.T.Helper()
	pgtest.SkipOnCitus(c.T, "rows that a statement selects are numbered by the worker, and not from 1")
	replace := strings.NewReplacer(
		"$n", "generate_series(1, 2600) n",
		"$at", "(timestamptz '2024-03-04 09:30:15.123456+00' + n * 7919 % 400 * interval '44 hours')",
		"$text", "(array['Süd', 'Nord', 'Straße', '100%', 'Ost_West'])[1 + n * 31 % 5] || ' ' || n * 17 % 40",
		"$key", "(array['süd', 'nord', 'strasse', '100%', 'ost_west'])[1 + n * 31 % 5] || ' ' || n * 17 % 40",
		"$user", "(select id from users where username = case when n % 3 = 0 then 'otto' else 'mara' end)",
	)
	statements := make([]string, len(filling))
	for i, sql := range filling {
		statements[i] = replace.Replace(sql)
	}
	c.Execute(statements...)
	c.Rebuild()
	if n := c.Number("select least((select count(*) from clients), (select count(*) from invoices))"); n < filledRecords {
		c.T.Fatalf("a list has %d records", n)
	}
}

var filling = []string{
	`
insert into clients (user_id, type, name, name_key, email, email_key, phone, phone_key, created_at, updated_at)
select
    $user, 1 + n % 2, $text, $key,
    case when n % 4 > 1 then 'Post@nord.example' end, case when n % 4 > 1 then 'post@nord.example' end,
    nullif(n % 3, 0)::text, nullif(n % 3, 0)::text, $at, $at
from $n`,
	`
insert into deals (name, name_key, client_id, user_id, type_id, status_id, created_at, updated_at)
select
    $text, $key, case when n % 5 > 0 then 1 + n * 37 % 2602 end, $user,
    case when n % 3 > 0 then 1 end, 1 + n % 2, $at, $at
from $n`,
	`
insert into offers (deal_id, number, number_key, notice, created_on)
select 1 + n * 41 % 2603, $text, $key, case when n % 2 = 0 then 'A' end, $at
from $n`,
	`
insert into contracts (deal_id, number, number_key, date, created_on)
select 1 + n * 43 % 2603, $text, $key, case when n % 2 = 0 then $at end, $at
from $n`,
	`
insert into invoices (
    user_id, number, number_key, date, performer_id, client_id, deal_id, type_id, status, vat_use, vat_percent,
    total_count, total_price, vat_price, pay_price, owed_price, paid_price, created_on, paid_on, paid_month, updated_on
)
select
    $user, $text, $key, date_trunc('second', $at), 1, client_id, id, 1 + n % 2, 1 + n % 4, false, 0,
    n % 3, n % 3, 0, n % 3, n % 3, case when paid_on is null then 0 else n % 3 end, $at, paid_on, extract(year from paid_on) * 12 + extract(month from paid_on) - 1, $at
from (
    select n, d.client_id, d.id, case when n % 4 in (1, 2) then $at + interval '40 days' end as paid_on
    from (
        select row_number() over (order by k, id)::integer as n, id, client_id
        from deals, generate_series(1, 2) k
        where client_id is not null
    ) d
    where n <= 2600
) i`,
	`
insert into invoice_lines (invoice_id, name, name_key, count, price, total_price)
select i.id, 'Fähre', 'fähre', 1, 1, 1
from invoices i, generate_series(1, i.total_count) k`,
}
