package pgsummary

import (
	"slices"
	"strings"

	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
)

// A rollup is a table of sums, and how they are computed. A row that has only
// zeros means the same as a missing one.
type rollup struct {
	table  string
	keys   []string
	values []string
	lists  []*listdef.List          // whose records it sums
	sums   func(from source) string // a select of keys and values
}

var rollups = append(totals(), clientCounts)

func totals() (all []rollup) {
	for _, l := range listdef.All {
		if l.Rollup != nil {
			all = append(all, totalsOf(l))
		}
	}
	return all
}

func totalsOf(l *listdef.List) rollup {
	r := rollup{table: l.Rollup.Table, values: l.Values(), lists: []*listdef.List{l}}
	for _, k := range l.Rollup.Keys {
		r.keys = append(r.keys, k.Name)
	}
	r.sums = func(from source) string { return sumsOf(l, from) }
	return r
}

// sumsOf adds rows with the same keys up once, before it computes the sums over all
// values of a key from them.
func sumsOf(l *listdef.List, from source) string {
	var keys, outer, inner, grouped, always, columns []string
	for _, k := range l.Rollup.Keys {
		value := k.Name
		if k.Null != "" {
			value = "coalesce(" + k.Name + ", " + k.Null + ")"
		}
		grouped, inner = append(grouped, value), append(inner, as(value, k.Name))
		if k.Any {
			keys, outer = append(keys, k.Name), append(outer, "coalesce("+k.Name+", 0) as "+k.Name)
		} else {
			always, outer = append(always, k.Name), append(outer, k.Name)
		}
		columns = append(columns, k.Name)
	}
	inner = append(inner, "sum(delta) as "+listdef.RecordCount)
	for _, m := range l.Measures {
		columns = append(columns, m.Name)
		inner = append(inner, "sum(delta * "+m.Name+") as "+m.Name)
	}
	for _, v := range l.Values() {
		outer = append(outer, "sum("+v+")::bigint as "+v)
	}
	distinct := clause("select", inner) + "\nfrom " + nested(from(l, columns...)) + " e\ngroup by " + commas(grouped)
	return clause("select", outer) + "\nfrom " + nested(distinct) + " g\n" +
		"group by " + commas(always) + ", grouping sets (" + commas(subsets(keys, l.Rollup.MaxKeys)) + ")"
}

func as(value, name string) string {
	if value == name {
		return name
	}
	return value + " as " + name
}

// subsets returns the grouping sets of the keys, of at most that many keys; 0 is all.
func subsets(keys []string, most int) []string {
	if most == 0 {
		most = len(keys)
	}
	var sets [][]string
	for set := range 1 << len(keys) {
		var names []string
		for i, k := range keys {
			if set&(1<<i) != 0 {
				names = append(names, k)
			}
		}
		if len(names) <= most {
			sets = append(sets, names)
		}
	}
	slices.SortStableFunc(sets, func(a, b []string) int { return len(a) - len(b) })
	texts := make([]string, len(sets))
	for i, set := range sets {
		texts[i] = "(" + commas(set) + ")"
	}
	return texts
}

// clientCounts counts records by their client, for each list that has a column for
// it.
var clientCounts = func() rollup {
	lists := listdef.CountedByClient()
	r := rollup{table: listdef.ClientCounts, keys: []string{"client_id"}, lists: lists}
	for _, l := range lists {
		r.values = append(r.values, l.ClientCount)
	}
	r.sums = func(from source) string {
		var parts []string
		for _, l := range lists {
			// A record counts in the column of its list, and for nothing in the others.
			counts := make([]string, len(lists))
			for i, other := range lists {
				counts[i] = "0 as " + other.ClientCount
				if other == l {
					counts[i] = as("delta", l.ClientCount)
				}
			}
			parts = append(parts, clause("select", append([]string{"client_id"}, counts...))+"\nfrom "+nested(from(l, "client_id"))+" e")
		}
		return clause("select", append([]string{"client_id"}, eachOf(r.values, "sum({})::bigint as {}")...)) +
			"\nfrom " + nested(strings.Join(parts, "\nunion all\n")) + " a\nwhere client_id is not null\ngroup by client_id"
	}
	return r
}()

func (r rollup) fold() string { return r.add(r.table, oneBatch) }

// add returns the statement that adds rows to the table, which is the rollup's or the staged
// one.
func (r rollup) add(table string, from source) string {
	return `insert into ` + table + ` as t (` + r.columns() + `)
select ` + r.columns() + `
from ` + nested(r.sums(from)) + ` s
where ` + each(r.values, "{} <> 0", " or ") + `
on conflict (` + commas(r.keys) + `) do update
` + clause("set", eachOf(r.values, "{} = t.{} + excluded.{}"))
}

// stage returns the statement that fills the staged table with what the rollup was before
// the batch $1.
func (r rollup) stage() string {
	return `insert into ` + staged(r.table) + ` (` + r.columns() + `)
select ` + r.columns() + `
from ` + nested(r.sums(recordsBefore)) + ` a
where ` + each(r.values, "{} <> 0", " or ")
}

// replace returns the statement that makes the table equal to the staged one. It writes only
// rows that differ.
func (r rollup) replace() string {
	different := `select ` + commas(r.keys) + `, ` + each(r.values, "s.{}", ", ") + `
from ` + r.table + ` t
full join ` + staged(r.table) + ` s using (` + commas(r.keys) + `)
where ` + each(r.values, "t.{} is distinct from s.{}", " or ")
	missing := "d." + r.values[0] + " is null"
	removed := `delete from ` + r.table + ` t
using different d
where ` + missing + ` and ` + each(r.keys, "t.{} = d.{}", " and ")
	return with(cte{"different as materialized", different}, cte{"removed as", removed}) + `insert into ` + r.table + ` (` + r.columns() + `)
select ` + r.columns() + `
from different d
where not ` + missing + `
on conflict (` + commas(r.keys) + `) do update
set ` + each(r.values, "{} = excluded.{}", ", ")
}

// verify selects the keys for which the table, with the changes in the batch $1 and
// later ones, differs from the records.
func (r rollup) verify() string {
	both := `select ` + r.columns() + `
from ` + r.table + `
union all
select ` + r.columns() + `
from ` + nested(r.sums(openBatches)) + ` o`
	stored := `select ` + commas(r.keys) + `, ` + each(r.values, "sum({}) as {}", ", ") + `
from ` + nested(both) + ` b
group by ` + commas(r.keys)
	return `select
    concat_ws(', ', ` + each(r.keys, "'{} ' || {}", ", ") + `) as key,
    concat_ws(', ', ` + each(r.values, "'{} ' || coalesce(s.{}, 0)", ", ") + `) as stored,
    concat_ws(', ', ` + each(r.values, "'{} ' || coalesce(e.{}, 0)", ", ") + `) as expected
from ` + nested(r.sums(records)) + ` e
full join ` + nested(stored) + ` s using (` + commas(r.keys) + `)
where ` + each(r.values, "coalesce(s.{}, 0) <> coalesce(e.{}, 0)", " or ")
}

func (r rollup) columns() string { return commas(slices.Concat(r.keys, r.values)) }
