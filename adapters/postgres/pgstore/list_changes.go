package pgstore

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
)

// searchSQL is the statements of one search table.
type searchSQL struct {
	add, change, remove string
}

func searchIn(l *listdef.List) searchSQL {
	return searchSQL{
		add:    "insert into " + l.Search + " (id, created_at, text_key) values ($1, $2, $3)",
		change: "update " + l.Search + " set text_key = $2 where id = $1",
		remove: "delete from " + l.Search + " where id = $1",
	}
}

// changeSQL is the statements that record a change in one change table. If the batch
// was folded while a statement waited for it, the statement fails: it has no batch_id, and
// the unit of work is run again.
type changeSQL struct {
	added, removed, changed string
}

// newestBatch is the batch that changes are recorded in. It is folded only when no
// transaction holds this lock.
const newestBatch = `(
    select id
    from change_batches
    order by id desc
    limit 1
    for key share
) b`

// changeStatements puts the statements together: each inserts one row of parameters with
// delta 1, one with delta -1, or both. insert makes the statement from the rows v, of
// which there are count.
func changeStatements(params []listdef.Column, insert func(rows string, count int) string) changeSQL {
	row := func(delta string, first int) string {
		values := []string{delta}
		for i, c := range params {
			values = append(values, stored(c, first+i))
		}
		return "(" + strings.Join(values, ", ") + ")"
	}
	statement := func(rows ...string) string {
		return insert("(values "+strings.Join(rows, ", ")+") v (delta, "+strings.Join(names(params, ""), ", ")+")", len(rows))
	}
	return changeSQL{
		added:   statement(row("1", 1)),
		removed: statement(row("-1", 1)),
		changed: statement(row("-1", 1), row("1", 1+len(params))),
	}
}

// stored is the value of the column, computed from the numbered parameter.
func stored(c listdef.Column, parameter int) string {
	kind := c.Type
	if c.Param != "" {
		kind = c.Param
	}
	value := fmt.Sprintf("$%d::%s", parameter, kind)
	if c.Value != "" {
		value = fmt.Sprintf(c.Value, value)
	}
	return value
}

// writerVersion is the writer_version of this program: a database that requires a newer
// program rejects the row.
var writerVersion = strconv.FormatInt(postgres.Version, 10)

func insertChanges(l *listdef.List, values []string, rows string) string {
	return `
insert into ` + l.Changes + ` (batch_id, writer_version, delta, ` + strings.Join(names(l.Columns, ""), ", ") + `)
select b.id, ` + writerVersion + `, v.delta, ` + strings.Join(values, ", ") + `
from ` + rows + `
left join ` + newestBatch + ` on true`
}

func names(columns []listdef.Column, prefix string) []string {
	all := make([]string, len(columns))
	for i, c := range columns {
		all[i] = prefix + c.Name
	}
	return all
}
