package pgsummary

import (
	"slices"
	"strings"

	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
)

// A source is a select of rows with delta, which is how often a row counts, and
// the columns of a list.
type source func(l *listdef.List) string

// records selects the records, each once.
func records(l *listdef.List) string {
	columns := []string{"1 as delta"}
	for _, c := range l.Columns {
		columns = append(columns, alias(l.RecordValue(c.Name), c.Name))
	}
	return "select " + commas(columns) + "\nfrom " + strings.TrimSpace(l.Table+" r "+l.Join)
}

// oneBatch selects the changes in the batch $1.
func oneBatch(l *listdef.List) string { return changes(l, "batch_id = $1") }

// openBatches selects the changes in the batch $1 and later ones.
func openBatches(l *listdef.List) string { return changes(l, "batch_id >= $1") }

func changes(l *listdef.List, where string) string {
	columns := []string{"delta"}
	for _, c := range l.Columns {
		columns = append(columns, c.Name)
	}
	return "select " + commas(columns) + "\nfrom " + l.Changes + "\nwhere " + where
}

// A rollup is a table of sums, and how they are computed. A row that has only
// zeros means the same as a missing one.
type rollup struct {
	table  string
	keys   []string
	values []string
	sums   func(from source) string // a select of keys and values
}

// rollups are the totals of each list, and the counts of clients.
var rollups = func() (all []rollup) {
	for _, l := range listdef.All {
		if l.Rollup != nil {
			all = append(all, totalsOf(l))
		}
	}
	return append(all, clientCounts())
}()

func totalsOf(l *listdef.List) rollup {
	r := rollup{table: l.Rollup.Table, values: l.Values()}
	for _, k := range l.Rollup.Keys {
		r.keys = append(r.keys, k.Name)
	}
	r.sums = func(from source) string { return sumsOf(l, from) }
	return r
}

// sumsOf adds rows with the same keys up once, before it computes the sums over all
// values of a key from them.
func sumsOf(l *listdef.List, from source) string {
	var some, always, outer, inner, grouped []string
	for _, k := range l.Rollup.Keys {
		value := k.Name
		if k.Null != "" {
			value = "coalesce(" + k.Name + ", " + k.Null + ")"
		}
		grouped, inner = append(grouped, value), append(inner, alias(value, k.Name))
		if k.Any {
			some, outer = append(some, k.Name), append(outer, "coalesce("+k.Name+", 0) as "+k.Name)
		} else {
			always, outer = append(always, k.Name), append(outer, k.Name)
		}
	}
	inner = append(inner, "sum(delta) as "+listdef.RecordCount)
	for _, m := range l.Measures {
		inner = append(inner, "sum(delta * "+m+") as "+m)
	}
	outer = append(outer, eachOf(l.Values(), "sum({})::bigint as {}")...)
	distinct := "select " + commas(inner) + "\nfrom " + nested(from(l)) + " e\ngroup by " + commas(grouped)
	return "select " + commas(outer) + "\nfrom " + nested(distinct) + " g\n" +
		"group by " + commas(always) + ", grouping sets (" + commas(subsets(some, l.Rollup.MaxKeys)) + ")"
}

// subsets returns the grouping sets of the keys, of at most that many keys; 0 is all.
func subsets(keys []string, most int) (texts []string) {
	for set := range 1 << len(keys) {
		var names []string
		for i, k := range keys {
			if set&(1<<i) != 0 {
				names = append(names, k)
			}
		}
		if most == 0 || len(names) <= most {
			texts = append(texts, "("+commas(names)+")")
		}
	}
	return texts
}

// clientCounts counts the records of each client, for each list with a column for it. The client 0
// has the counts of all.
func clientCounts() rollup {
	lists := listdef.CountedByClient()
	r := rollup{table: listdef.ClientCounts, keys: []string{"client_id"}}
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
					counts[i] = "sum(delta) as " + l.ClientCount
				}
			}
			parts = append(parts, "select client_id, "+commas(counts)+"\nfrom "+nested(from(l))+" e\ngroup by client_id")
		}
		return "select coalesce(client_id, 0) as client_id, " + each(r.values, "sum({})::bigint as {}", ", ") +
			"\nfrom " + nested(strings.Join(parts, "\nunion all\n")) + " a\n" +
			"group by grouping sets ((client_id), ())\nhaving client_id is not null or grouping(client_id) = 1"
	}
	return r
}

// fold returns the statement that adds the changes of the batch $1.
func (r rollup) fold() string {
	return r.insert(oneBatch) + `
on conflict (` + commas(r.keys) + `) do update
set ` + each(r.values, "{} = t.{} + excluded.{}", ", ")
}

// insert returns the statement that inserts the sums into an empty table.
func (r rollup) insert(from source) string {
	return `insert into ` + r.table + ` as t (` + r.columns() + `)
select ` + r.columns() + `
from ` + nested(r.sums(from)) + ` s
where ` + each(r.values, "{} <> 0", " or ")
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

func alias(value, name string) string {
	if value == name || strings.HasSuffix(value, "."+name) {
		return value
	}
	return value + " as " + name
}

func nested(sql string) string { return "(\n    " + strings.ReplaceAll(sql, "\n", "\n    ") + "\n)" }

// each returns the pattern for each of the names, which take the place of {}.
func each(names []string, pattern, between string) string {
	return strings.Join(eachOf(names, pattern), between)
}

func eachOf(names []string, pattern string) []string {
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = strings.ReplaceAll(pattern, "{}", name)
	}
	return parts
}

func commas(names []string) string { return strings.Join(names, ", ") }
