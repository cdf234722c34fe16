package pgstore

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/textkey"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/repository"
)

// ListChanges is the projection that notes what lists are counted by. Of each
// record that has changed there, the newest batch gets a row with delta = -1 that
// says what it was, and one with delta = 1 that says what it is; a new record has
// the second only, a removed one the first, and one that looks to every list as
// it did before has none. So in whatever a transaction sees, what is folded and
// the rows of the batches that are not add up to the records themselves.
//
// Rows are only inserted: writers meet at no row that one of them changes, and
// never wait for each other here. The batch is locked for as long as the unit of
// work runs, so that it is folded only once all its rows can be seen.
type ListChanges struct{}

// Project queues the rows.
func (ListChanges) Project(_ repository.Meta, changes repository.Changes, w *Writer) {
	ofDeals := net(changes.Deals, dealKey)
	note(w, clientChanges, net(changes.Clients, clientKey), clientImageOf)
	note(w, dealChanges, ofDeals, dealImageOf)
	notePapers(w, changes, ofDeals)
	note(w, invoiceChanges, net(changes.Invoices, invoiceKey), invoiceImageOf)
}

// image is a record as lists see it: two that are equal are counted alike.
type image interface {
	comparable
	// row is the values in the order of the table's columns.
	row() []any
}

type clientImage struct {
	id      client.ID
	created time.Time
	text    string
	userID  user.ID
	kind    client.Type
}

func clientImageOf(s client.State) clientImage {
	return clientImage{s.ID, s.CreatedAt, textkey.Of(s.Name), s.UserID, s.Type}
}

func (i clientImage) row() []any {
	return []any{i.id, i.created, i.text, i.userID, int16(i.kind)}
}

type dealImage struct {
	id       deal.ID
	created  time.Time
	text     string
	clientID client.ID
	userID   user.ID
	typeID   catalog.DealTypeID
	statusID catalog.StatusID
}

func dealImageOf(s deal.State) dealImage {
	return dealImage{s.ID, s.CreatedAt, textkey.Of(s.Name), s.ClientID, s.UserID, s.TypeID, s.StatusID}
}

func (i dealImage) row() []any {
	return []any{i.id, i.created, i.text, reference(i.clientID), i.userID, reference(i.typeID), i.statusID}
}

type invoiceImage struct {
	id       invoice.ID
	created  time.Time
	text     string
	clientID client.ID
	userID   user.ID
	typeID   catalog.InvoiceTypeID
	status   invoice.Status
	month    int
	paidOn   time.Time // the database knows the month, which depends on its zone
	lineIDs  string    // an array in the database's words: a slice could not be compared
}

func invoiceImageOf(s invoice.State) invoiceImage {
	return invoiceImage{
		s.ID, s.CreatedOn, textkey.Of(s.Number), s.ClientID, s.UserID, s.TypeID, s.Status,
		s.Date.Year()*12 + int(s.Date.Month()) - 1, s.PaidOn, arrayOf(s.Lines),
	}
}

func (i invoiceImage) row() []any {
	return []any{
		i.id, i.created, i.text, i.clientID, i.userID, i.typeID, int16(i.status), i.month, instant(i.paidOn), i.lineIDs,
	}
}

// arrayOf is the ids of the lines, which are in their order.
func arrayOf(lines []invoice.Line) string {
	ids := make([]string, len(lines))
	for i, l := range lines {
		ids[i] = strconv.FormatInt(int64(l.ID), 10)
	}
	return "{" + strings.Join(ids, ",") + "}"
}

// changeColumn is a column of a table of changes, and what is stored in it: %[1]s
// stands for the parameter.
type changeColumn struct {
	name, value string
}

var (
	changed      = changeColumn{"id", "%[1]s::bigint"}
	changedBirth = changeColumn{"created_at", "%[1]s::timestamptz"}
	changedText  = changeColumn{"text_key", "%[1]s::text"}
)

func numberIn(name, kind string) changeColumn { return changeColumn{name, "%[1]s::" + kind} }

var (
	clientChanges = changesInto("client_changes",
		changed, changedBirth, changedText, numberIn("user_id", "bigint"), numberIn("type", "smallint"))
	dealChanges = changesInto("deal_changes",
		changed, changedBirth, changedText, numberIn("client_id", "bigint"), numberIn("user_id", "bigint"),
		numberIn("type_id", "bigint"), numberIn("status_id", "bigint"))
	invoiceChanges = changesInto("invoice_changes",
		changed, changedBirth, changedText, numberIn("client_id", "bigint"), numberIn("user_id", "bigint"),
		numberIn("type_id", "bigint"), numberIn("status", "smallint"), numberIn("month", "integer"),
		changeColumn{"paid_month", monthOf("%[1]s")}, changeColumn{"line_ids", "%[1]s::text::bigint[]"})
)

// changeSQL is the statements that note a change in one table. If the batch has
// been folded while a statement waited for it, the statement stores nothing.
type changeSQL struct {
	added, removed, changed string
}

// newestBatch is the batch that changes are noted in. Whoever folds takes it only
// when nobody holds it so.
const newestBatch = `(
    select id
    from change_batches
    order by id desc
    limit 1
    for key share
) b`

// writerVersion is this program's writer_version: a database that requires a newer
// program refuses the row.
var writerVersion = strconv.FormatInt(postgres.Version, 10)

func changesInto(table string, columns ...changeColumn) changeSQL {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name
	}
	row := func(delta string, first int) string {
		values := make([]string, len(columns))
		for i, c := range columns {
			values[i] = fmt.Sprintf(c.value, fmt.Sprintf("$%d", first+i))
		}
		return "(" + delta + ", " + strings.Join(values, ", ") + ")"
	}
	statement := func(rows ...string) string {
		return `
insert into ` + table + ` (batch_id, writer_version, delta, ` + strings.Join(names, ", ") + `)
select b.id, ` + writerVersion + `, v.delta, v.` + strings.Join(names, ", v.") + `
from ` + newestBatch + `
cross join (values ` + strings.Join(rows, ", ") + `) v (delta, ` + strings.Join(names, ", ") + `)`
	}
	return changeSQL{
		added:   statement(row("1", 1)),
		removed: statement(row("-1", 1)),
		changed: statement(row("-1", 1), row("1", 1+len(columns))),
	}
}

// note queues the rows of what has changed, a statement for each record.
func note[S any, I image](w *Writer, into changeSQL, changes []repository.Change[S], of func(S) I) {
	for _, c := range changes {
		switch {
		case c.Before == nil:
			w.Derive(into.added, of(*c.After).row()...)
		case c.After == nil:
			w.Derive(into.removed, of(*c.Before).row()...)
		default:
			before, after := of(*c.Before), of(*c.After)
			if before != after {
				w.Derive(into.changed, append(before.row(), after.row()...)...)
			}
		}
	}
}

// net is what became of each record of one kind, however many steps it took, in
// the order in which they were first changed.
func net[ID comparable, S any](changes []repository.Change[S], id func(S) ID) []repository.Change[S] {
	var list []repository.Change[S]
	at := map[ID]int{}
	for _, c := range changes {
		of := c.After
		if of == nil {
			of = c.Before
		}
		i, known := at[id(*of)]
		if !known {
			at[id(*of)] = len(list)
			list = append(list, c)
			continue
		}
		list[i].After = c.After
	}
	return withoutPassing(list)
}

// withoutPassing leaves out what has come and gone.
func withoutPassing[S any](list []repository.Change[S]) []repository.Change[S] {
	kept := list[:0]
	for _, c := range list {
		if c.Before != nil || c.After != nil {
			kept = append(kept, c)
		}
	}
	return kept
}
