package pgstore

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
	"github.com/kontor-crm/kontor/adapters/textkey"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
)

type invoices struct {
	tracker[invoice.ID, invoice.State]
}

func invoiceKey(s invoice.State) invoice.ID { return s.ID }

// selectInvoice selects, last, whether the size of the texts is that of the version.
const selectInvoice = `
select
    id, version, user_id, number, date, performer_id, client_id, deal_id, type_id, status, coalesce(notice, ''),
    vat_use, vat_percent::text, total_count, coalesce(text_bytes, 0), total_price::text, vat_price::text, pay_price::text,
    created_on, paid_on, updated_on, coalesce(ref, ''), due_date, digits = 2,
    issued_on, coalesce(credits, 0), text_bytes_version is not distinct from version
from invoices
`

func invoiceColumns(s *invoice.State) []any {
	return invoiceTargets(s, new(bool))
}

func invoiceTargets(s *invoice.State, sized *bool) []any {
	return []any{
		&s.ID, &s.Version, &s.UserID, &s.Number, &s.Date, &s.PerformerID, &s.ClientID, &s.DealID, &s.TypeID, &s.Status, &s.Notice,
		&s.Terms.VATUse, parsed(&s.Terms.VATPercent, money.ParsePercent), &s.TotalCount, &s.TextBytes,
		parsed(&s.TotalPrice, money.RestoreAmount), parsed(&s.VATPrice, money.RestoreAmount), parsed(&s.PayPrice, money.RestoreAmount),
		&s.CreatedOn, zeroTime(&s.PaidOn), &s.UpdatedOn, &s.Ref, zeroTime(&s.DueDate), &s.Terms.InCents,
		zeroTime(&s.IssuedOn), &s.Credits, sized,
	}
}

const (
	lineColumnsOf = `
select id, version, name, coalesce(units, ''), count::text, price::text, total_price::text, coalesce(credits, 0)
from invoice_lines
`
	selectLines = lineColumnsOf + "where invoice_id = $1\norder by id"
	selectLine  = lineColumnsOf + "where invoice_id = $1 and id = $2"
)

// Lock implements repository.Invoices. A second statement loads the lines after the first
// one has waited for the lock, so that it sees what the last writer has committed. Both
// are sent in one round trip.
func (r *invoices) Lock(ctx context.Context, id invoice.ID) (*invoice.Invoice, error) {
	return r.lock(ctx, id, selectLines, id)
}

func (r *invoices) LockHeader(ctx context.Context, id invoice.ID) (*invoice.Invoice, error) {
	return r.lock(ctx, id, "")
}

func (r *invoices) LockByLine(ctx context.Context, line invoice.LineID) (*invoice.Invoice, error) {
	var id invoice.ID
	if err := r.existing(ctx, "invoice item", []any{&id}, "select invoice_id from invoice_lines where id = $1", line); err != nil {
		return nil, err
	}
	inv, err := r.lock(ctx, id, selectLine, id, line)
	if fault.Is(err, fault.NotFound) {
		err = noSuch("invoice item") // the invoice was deleted in between, with all its lines
	}
	return inv, err
}

func (r *invoices) LockCredited(ctx context.Context, note invoice.ID) (*invoice.Invoice, error) {
	var id invoice.ID
	_, err := r.one(ctx, []any{&id}, "select coalesce(credits, 0) from invoices where id = $1", note)
	if err != nil || id == 0 {
		return nil, err
	}
	return r.LockHeader(ctx, id)
}

// LockCredits implements repository.Invoices. No note is added meanwhile, since that locks the invoice.
func (r *invoices) LockCredits(ctx context.Context, id invoice.ID) (notes []*invoice.Invoice, isLeft bool, err error) {
	var unsized []int
	r.query(func(rows pgx.Rows) error {
		for rows.Next() {
			var s invoice.State
			var sized bool
			if err := rows.Scan(invoiceTargets(&s, &sized)...); err != nil {
				return err
			}
			if !sized {
				unsized = append(unsized, len(notes))
			}
			r.locked(s)
			notes = append(notes, invoice.Restore(s))
		}
		return nil
	}, selectInvoice+"where credits = $1\norder by id\nfor no key update", id)
	if _, err = r.one(ctx, []any{&isLeft}, isLeftToCredit, id); err != nil {
		return nil, false, err
	}
	for _, i := range unsized {
		if notes[i], err = r.LockHeader(ctx, notes[i].State().ID); err != nil {
			return nil, false, err
		}
	}
	return notes, isLeft, nil
}

const isLeftToCredit = `
select exists (
    select
    from invoice_lines l
    left join (
        select c.credits, sum(c.count) as count
        from invoices n
        join invoice_lines c on c.invoice_id = n.id
        where n.credits = $1
        group by c.credits
    ) c on c.credits = l.id
    where l.invoice_id = $1 and l.count + coalesce(c.count, 0) <> 0
)`

// lock locks the invoice and loads the lines that the statement selects; "": none.
func (r *invoices) lock(ctx context.Context, id invoice.ID, lines string, args ...any) (*invoice.Invoice, error) {
	var s invoice.State
	var sized bool
	r.query(func(rows pgx.Rows) error {
		if !rows.Next() {
			return noSuch("invoice")
		}
		return rows.Scan(invoiceTargets(&s, &sized)...)
	}, selectInvoice+forNoKeyUpdate, id)
	if lines != "" {
		r.query(func(rows pgx.Rows) (err error) {
			s.Lines, err = scanLines(rows)
			return err
		}, lines, args...)
	}
	err := r.send(ctx)
	if err == nil && !sized {
		_, err = r.one(ctx, []any{&s.TextBytes}, `
select coalesce(sum(octet_length(name) + coalesce(octet_length(units), 0)), 0)
from invoice_lines
where invoice_id = $1`, id)
	}
	if err != nil {
		return nil, err
	}
	r.locked(s)
	return invoice.Restore(s), nil
}

func scanLines(rows pgx.Rows) ([]invoice.Line, error) {
	lines, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (l invoice.Line, err error) {
		err = row.Scan(&l.ID, &l.Version, &l.Name, &l.Units,
			parsed(&l.Count, money.ParseQuantity), parsed(&l.Price, money.RestoreAmount), parsed(&l.Total, money.RestoreAmount), &l.Credits)
		return l, err
	})
	return lines, postgres.Fault(err, postgres.Storing)
}

// insertLines adds lines to the one invoice whose id is in h. Rows are numbered in the order in
// which they come, so ids ascend with the place. The parameter has the ids.
func insertLines(parameter string) string {
	return `
insert into invoice_lines (id, invoice_id, name, name_key, units, units_key, count, price, total_price, credits)
select coalesce(l.id, nextval('invoice_lines_id_seq')), h.id, l.name, l.name_key, l.units, l.units_key,
    l.count::numeric, l.price::numeric, l.total_price::numeric, nullif(l.credits, 0)
from h, unnest(
    $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], ` + parameter + `::bigint[])
    with ordinality as l (name, name_key, units, units_key, count, price, total_price, credits, id, place)
order by l.place
returning id`
}

var insertInvoice = `
with h as (
    insert into invoices (
        id, number, number_key, date, performer_id, client_id, deal_id, type_id, status, notice, notice_key,
        vat_use, vat_percent, total_count, text_bytes, total_price, vat_price, pay_price, paid_on, updated_on, ref, due_date,
        issued_on, user_id, created_on, digits, credits, text_bytes_version, paid_month
    )
    values (
        coalesce($35, nextval('invoices_id_seq')), $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
        $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32,
        $33, $34, 1, ` + listdef.Month("$26::timestamptz") + `
    )
    returning id
), added as (` + insertLines("$36") + `
)
select h.id, array(select a.id from added a order by a.id)
from h`

var addLines = `
with h as (
    select $9::bigint as id
), added as (` + insertLines("$10") + `
)
select array(select a.id from added a order by a.id)`

// Add implements repository.Invoices with one statement for the invoice and all its
// lines.
func (r *invoices) Add(ctx context.Context, inv *invoice.Invoice) (invoice.ID, error) {
	s := inv.State()
	var lines []invoice.LineID
	id := cmp.Or(reference(inv.Reserved()), r.newID())
	args := slices.Concat(lineColumns(s.Lines), invoiceRow(s), []any{
		s.UserID, s.CreatedOn, s.Terms.Digits(), reference(s.Credits), id, r.newIDs(len(s.Lines)),
	})
	_, err := r.one(ctx, []any{&s.ID, &lines}, insertInvoice, args...)
	if err != nil {
		return 0, err
	}
	number(s.Lines, lines)
	r.added(s)
	return s.ID, nil
}

// Reserve implements repository.Invoices.
func (r *invoices) Reserve(ctx context.Context) (id invoice.ID, err error) {
	_, err = r.one(ctx, []any{&id}, "select coalesce($1, nextval('invoices_id_seq'))", r.newID())
	return id, err
}

// Save implements repository.Invoices. It stores the header and the changed lines.
func (r *invoices) Save(ctx context.Context, inv *invoice.Invoice) ([]invoice.LineID, error) {
	s := inv.State()
	before := r.before[s.ID]
	if invoice.Same(before, s) {
		return nil, nil
	}
	r.Store(`
update invoices
set
    version = version + 1,
    number = $2, number_key = $3, date = $4, performer_id = $5, client_id = $6, deal_id = $7, type_id = $8,
    status = $9, notice = $10, notice_key = $11, vat_use = $12, vat_percent = $13,
    total_count = $14, text_bytes = $15, total_price = $16, vat_price = $17, pay_price = $18, paid_on = $19, updated_on = $20,
    ref = $21, due_date = $22, issued_on = $23, text_bytes_version = version + 1, paid_month = `+listdef.Month("$19::timestamptz")+`
where id = $1`, append([]any{s.ID}, invoiceRow(s)...)...)
	added, err := r.saveLines(ctx, s.ID, before.Lines, s.Lines)
	if err != nil {
		return nil, err
	}
	r.saved(s)
	return added, nil
}

// saveLines stores the differences between the lines before and after, and sets the
// ids of new ones, which come last.
func (r *invoices) saveLines(ctx context.Context, id invoice.ID, before, after []invoice.Line) ([]invoice.LineID, error) {
	old := make(map[invoice.LineID]invoice.Line, len(before))
	for _, l := range before {
		old[l.ID] = l
	}
	fresh := slices.IndexFunc(after, func(l invoice.Line) bool { return l.ID == 0 })
	if fresh < 0 {
		fresh = len(after)
	}
	var changed []invoice.Line
	for _, l := range after[:fresh] {
		if !invoice.SameLine(old[l.ID], l) {
			changed = append(changed, l)
		}
		delete(old, l.ID)
	}
	if len(old) > 0 {
		r.Writer.Remove("delete from invoice_lines where id = any($1)", slices.Sorted(maps.Keys(old)))
	}
	if len(changed) > 0 {
		r.Store(updateLines, append(lineColumns(changed)[:7], lineIDs(changed))...)
	}
	if fresh == len(after) {
		return nil, nil
	}
	var added []invoice.LineID
	_, err := r.one(ctx, []any{&added}, addLines, append(lineColumns(after[fresh:]), id, r.newIDs(len(after)-fresh))...)
	if err != nil {
		return nil, err
	}
	number(after[fresh:], added)
	return added, nil
}

const updateLines = `
update invoice_lines i
set
    version = i.version + 1,
    name = l.name, name_key = l.name_key, units = l.units, units_key = l.units_key,
    count = l.count::numeric, price = l.price::numeric, total_price = l.total_price::numeric
from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[])
    as l (name, name_key, units, units_key, count, price, total_price, id)
where i.id = l.id`

// Remove implements repository.Invoices. It deletes the lines at once and returns their
// ids, which the change of the invoice needs.
func (r *invoices) Remove(ctx context.Context, inv *invoice.Invoice) error {
	s := inv.State()
	s.Lines = nil
	r.Writer.Remove("update deal_history set invoice_id = null where invoice_id = $1", s.ID)
	r.query(func(rows pgx.Rows) error {
		for rows.Next() {
			var l invoice.Line
			if err := rows.Scan(&l.ID); err != nil {
				return err
			}
			s.Lines = append(s.Lines, l)
		}
		return nil
	}, "delete from invoice_lines where invoice_id = $1 returning id", s.ID)
	if err := r.send(ctx); err != nil {
		return err
	}
	r.removed(s)
	r.Writer.Remove("delete from invoices where id = $1", s.ID)
	return nil
}

// invoiceRow is what of the header is stored each time, in the order of the
// columns in both statements.
func invoiceRow(s invoice.State) []any {
	return []any{
		s.Number, textkey.Of(s.Number), s.Date, s.PerformerID, s.ClientID, s.DealID, s.TypeID,
		int16(s.Status), missing(s.Notice), key(s.Notice), s.Terms.VATUse, s.Terms.VATPercent.String(),
		s.TotalCount, s.TextBytes, s.TotalPrice.String(), s.VATPrice.String(), s.PayPrice.String(), instant(s.PaidOn), s.UpdatedOn,
		missing(s.Ref), instant(s.DueDate), instant(s.IssuedOn),
	}
}

// lineColumns is the lines as columns, in the order of the statements' arrays.
func lineColumns(lines []invoice.Line) []any {
	n := len(lines)
	names, nameKeys := make([]string, n), make([]string, n)
	units, unitKeys := make([]any, n), make([]any, n)
	counts, prices, totals, credits := make([]string, n), make([]string, n), make([]string, n), make([]int64, n)
	for i, l := range lines {
		names[i], nameKeys[i] = l.Name, textkey.Of(l.Name)
		units[i], unitKeys[i] = missing(l.Units), key(l.Units)
		counts[i], prices[i], totals[i] = l.Count.String(), l.Price.String(), l.Total.String()
		credits[i] = int64(l.Credits)
	}
	return []any{names, nameKeys, units, unitKeys, counts, prices, totals, credits}
}

func lineIDs(lines []invoice.Line) []invoice.LineID {
	ids := make([]invoice.LineID, len(lines))
	for i, l := range lines {
		ids[i] = l.ID
	}
	return ids
}

// number sets the ids under which new lines were stored.
func number(lines []invoice.Line, ids []invoice.LineID) {
	for i := range lines {
		lines[i].ID = ids[i]
	}
}
