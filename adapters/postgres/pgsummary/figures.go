package pgsummary

import "strings"

// figures are a table of sums: of each key, how much of what there is. A row
// that has only zeros says no more than one that is missing.
type figures struct {
	table  string
	keys   []string
	values []string
	count  func(from source) string // SQL for keys and values
}

var allFigures = []figures{
	{
		table:  "client_totals",
		keys:   []string{"user_id", "type"},
		values: []string{"record_count"},
		count: func(from source) string {
			return `
select coalesce(user_id, 0) as user_id, type, sum(delta)::bigint as record_count
from (` + from(clients) + `
) i
group by grouping sets ((user_id, type), (type))`
		},
	},
	{
		table:  "deal_totals",
		keys:   []string{"user_id", "type_id", "status_id"},
		values: []string{"record_count"},
		count: func(from source) string {
			return `
select coalesce(user_id, 0) as user_id, type_id, status_id, sum(delta)::bigint as record_count
from (
    select user_id, coalesce(type_id, 0) as type_id, status_id, delta
    from (` + from(deals) + `
    ) i
) d
group by grouping sets ((user_id, type_id, status_id), (type_id, status_id))`
		},
	},
	{
		table:  "invoice_totals",
		keys:   []string{"user_id", "paid_month", "month", "type_id", "status"},
		values: []string{"record_count", "line_count"},
		// What is alike is added up once, and not for each of the seven groups
		// that it belongs to. An eighth, of a user's by both months, would have
		// nearly as many rows as all of these.
		count: func(from source) string {
			return `
select
    coalesce(user_id, 0) as user_id, coalesce(paid_month, 0) as paid_month, coalesce(month, 0) as month, type_id, status,
    sum(record_count)::bigint as record_count, sum(line_count)::bigint as line_count
from (
    select user_id, coalesce(paid_month, -1) as paid_month, month, type_id, status,
        sum(delta) as record_count, sum(delta * line_count) as line_count
    from (` + from(invoices) + `
    ) i
    group by user_id, coalesce(paid_month, -1), month, type_id, status
) a
group by type_id, status, grouping sets (
    (), (user_id), (paid_month), (month), (user_id, paid_month), (user_id, month), (paid_month, month)
)`
		},
	},
	{
		table:  "client_counts",
		keys:   []string{"client_id"},
		values: []string{"deals", "offers", "contracts", "invoices"},
		count: func(from source) string {
			return `
select
    client_id, sum(deals)::bigint as deals, sum(offers)::bigint as offers, sum(contracts)::bigint as contracts,
    sum(invoices)::bigint as invoices
from (
    select client_id, delta as deals, 0 as offers, 0 as contracts, 0 as invoices from (` + from(deals) + `) d
    union all
    select client_id, 0, delta, 0, 0 from (` + from(offers) + `) o
    union all
    select client_id, 0, 0, delta, 0 from (` + from(contracts) + `) c
    union all
    select client_id, 0, 0, 0, delta from (` + from(invoices) + `) i
) a
where client_id is not null
group by client_id`
		},
	},
}

// add is the statement that adds what was noted in the batch $1.
func (f figures) add() string {
	return `
insert into ` + f.table + ` (` + f.columns() + `)
select ` + f.columns() + `
from (` + f.count(batch) + `
) f
where ` + each(f.values, "{} <> 0", " or ") + `
on conflict (` + each(f.keys, "{}", ", ") + `) do update
set ` + each(f.values, "{} = "+f.table+".{} + excluded.{}", ", ")
}

// refill is the statement that makes the table what it was before the batch $1.
// It touches only rows that differ.
func (f figures) refill() string {
	sameKey := each(f.keys, "t.{} = f.{}", " and ")
	return `
with f as materialized (
    select ` + f.columns() + `
    from (` + f.count(folded) + `
    ) a
    where ` + each(f.values, "{} <> 0", " or ") + `
), gone as (
    delete from ` + f.table + ` t
    where not exists (select from f where ` + sameKey + `)
)
insert into ` + f.table + ` (` + f.columns() + `)
select ` + f.columns() + `
from f
where not exists (select from ` + f.table + ` t where ` + sameKey + ` and ` + each(f.values, "t.{} = f.{}", " and ") + `)
on conflict (` + each(f.keys, "{}", ", ") + `) do update
set ` + each(f.values, "{} = excluded.{}", ", ")
}

// differences are the keys of which the table, with what was noted from the
// batch $1 on, says something else than the records.
func (f figures) differences() string {
	return `
select
    concat_ws(', ', ` + each(f.keys, "'{} ' || {}", ", ") + `) as key,
    concat_ws(', ', ` + each(f.values, "'{} ' || coalesce(s.{}, 0)", ", ") + `) as says,
    concat_ws(', ', ` + each(f.values, "'{} ' || coalesce(r.{}, 0)", ", ") + `) as "is"
from (` + f.count(records) + `
) r
full join (
    select ` + each(f.keys, "{}", ", ") + `, ` + each(f.values, "sum({}) as {}", ", ") + `
    from (
        select ` + f.columns() + `
        from ` + f.table + `
        union all
        select ` + f.columns() + `
        from (` + f.count(open) + `
        ) o
    ) b
    group by ` + each(f.keys, "{}", ", ") + `
) s using (` + each(f.keys, "{}", ", ") + `)
where ` + each(f.values, "coalesce(s.{}, 0) <> coalesce(r.{}, 0)", " or ")
}

func (f figures) columns() string {
	return each(f.keys, "{}", ", ") + ", " + each(f.values, "{}", ", ")
}

// each is the pattern for each of the names, put in place of {}.
func each(names []string, pattern, between string) string {
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = strings.ReplaceAll(pattern, "{}", name)
	}
	return strings.Join(parts, between)
}
