package pgstore

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
)

// invoiceHeader is an invoice without its lines.
type invoiceHeader struct {
	invoice.State
	sized bool // the size of the texts is that of the version
}

var invoices = mapped("invoices", func(c *columns, s *invoiceHeader) {
	generated(c, "id", &s.ID)
	versionOf(c, &s.Version)
	value(c, "user_id", &s.UserID)
	title(c, "number", &s.Number)
	value(c, "date", &s.Date)
	value(c, "performer_id", &s.PerformerID)
	value(c, "client_id", &s.ClientID)
	value(c, "deal_id", &s.DealID)
	value(c, "type_id", &s.TypeID)
	value(c, "status", &s.Status)
	text(c, "notice", &s.Notice)
	value(c, "vat_use", &s.Terms.VATUse)
	spelled(c, "vat_percent", &s.Terms.VATPercent, money.ParsePercent)
	if c.stored("digits", "%s = 2", &s.Terms.InCents) {
		c.values = append(c.values, s.Terms.Digits())
	}
	spelled(c, "discount_percent", &s.Discount, money.ParsePercent)
	list(c, "adjustments", &s.Adjustments)
	text(c, "currency", &s.Currency)
	quantity(c, "exchange_rate", &s.Exchange)
	value(c, "rate_sums", &s.RateSums)
	list(c, "vat", &s.VAT)
	value(c, "terms", &s.Trade)
	value(c, "total_count", &s.TotalCount)
	spelled(c, "total_price", &s.TotalPrice, money.RestoreAmount)
	spelled(c, "vat_price", &s.VATPrice, money.RestoreAmount)
	spelled(c, "pay_price", &s.PayPrice, money.RestoreAmount)
	spelled(c, "owed_price", &s.OwedPrice, money.RestoreAmount)
	spelled(c, "paid_price", &s.PaidPrice, money.RestoreAmount)
	spelled(c, "waived_price", &s.WaivedPrice, money.RestoreAmount)
	spelled(c, "automatic_price", &s.AutomaticPrice, money.RestoreAmount)
	spelled(c, "set_off_price", &s.SetOffPrice, money.RestoreAmount)
	value(c, "created_on", &s.CreatedOn)
	value(c, "updated_on", &s.UpdatedOn)
	optionalTime(c, "paid_on", &s.PaidOn)
	if c.add(column{name: "paid_month", insert: monthOfInstant, update: monthOfInstant}, nil) {
		c.values = append(c.values, instant(s.PaidOn))
	}
	optionalTime(c, "due_date", &s.DueDate)
	percentage(c, "discount_percent_early", &s.EarlyRate)
	optionalTime(c, "discount_until", &s.EarlyUntil)
	optionalTime(c, "issued_on", &s.IssuedOn)
	referenceTo(c, "credits", &s.Credits)
	text(c, "ref", &s.Ref)
	if c.stored("text_bytes", "coalesce(%s, 0)", &s.TextBytes) {
		c.values = append(c.values, s.TextBytes)
	}
	c.add(column{"text_bytes_version", "%s is not distinct from version", "1", "version + 1"}, &s.sized)
})

var monthOfInstant = listdef.Month("?::timestamptz")

var invoiceLines = mapped("invoice_lines", func(c *columns, l *invoice.Line) {
	generated(c, "id", &l.ID)
	versionOf(c, &l.Version)
	title(c, "name", &l.Name)
	text(c, "units", &l.Units)
	spelled(c, "count", &l.Count, money.ParseQuantity)
	spelled(c, "price", &l.Price, money.RestoreAmount)
	quantity(c, "base_count", &l.BaseCount)
	spelled(c, "discount_percent", &l.Discount, money.ParsePercent)
	list(c, "adjustments", &l.Adjustments)
	rate(c, &l.VAT)
	text(c, "description", &l.Description)
	text(c, "item_number", &l.ItemNumber)
	text(c, "buyer_item_number", &l.BuyerItemNumber)
	text(c, "gtin", &l.GTIN)
	text(c, "note", &l.Note)
	spelled(c, "total_price", &l.Total, money.RestoreAmount)
	referenceTo(c, "credits", &l.Credits)
	day(c, "period_from", &l.PeriodFrom)
	day(c, "period_to", &l.PeriodTo)
})

// quantity is a quantity that may be missing; then it is 0.
func quantity(c *columns, name string, field *money.Quantity) {
	numeric(c, name, field, money.ParseQuantity)
}

// percentage is a percentage that may be missing; then it is 0.
func percentage(c *columns, name string, field *money.Percent) {
	numeric(c, name, field, money.ParsePercent)
}

func numeric[T interface {
	fmt.Stringer
	IsZero() bool
}](c *columns, name string, field *T, parse func(string) (T, error)) {
	if c.stored(name, "coalesce(%s, 0)::text", parsed(field, parse)) {
		var stored any
		if !(*field).IsZero() {
			stored = (*field).String()
		}
		c.values = append(c.values, stored)
	}
}

// rate is the VAT of a line: null if it is that of the performer.
func rate(c *columns, r *invoice.Rate) {
	text(c, "vat_category", &r.Category)
	if c.stored("vat_percent", "coalesce(%s, 0)::text", parsed(&r.Percent, money.ParsePercent)) {
		var percent any
		if r.Category != "" {
			percent = r.Percent.String()
		}
		c.values = append(c.values, percent)
	}
}

var (
	selectLines = invoiceLines.selects + "where invoice_id = $1\norder by id"
	selectLine  = invoiceLines.selects + "where invoice_id = $1 and id = $2"
)

type invoiceStore struct {
	tracker[invoice.ID, invoice.State]
}

func invoiceKey(s invoice.State) invoice.ID { return s.ID }

// Lock implements repository.Invoices. A second statement loads the lines after the first
// one has waited for the lock, so that it sees what the last writer has committed. Both
// are sent in one round trip.
func (r *invoiceStore) Lock(ctx context.Context, id invoice.ID) (*invoice.Invoice, error) {
	return r.lock(ctx, id, selectLines, id)
}

func (r *invoiceStore) LockHeader(ctx context.Context, id invoice.ID) (*invoice.Invoice, error) {
	return r.lock(ctx, id, "")
}

// LockHeaders implements repository.Invoices. The size of the texts of an invoice is summed only where it is not stored.
func (r *invoiceStore) LockHeaders(ctx context.Context, ids []invoice.ID) ([]*invoice.Invoice, error) {
	return r.lockAll(ctx, "where id = any($1)\norder by id\nfor no key update", ids)
}

func (r *invoiceStore) LockByLine(ctx context.Context, line invoice.LineID) (*invoice.Invoice, error) {
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

func (r *invoiceStore) LockCredited(ctx context.Context, note invoice.ID) (*invoice.Invoice, error) {
	var id invoice.ID
	_, err := r.one(ctx, []any{&id}, "select coalesce(credits, 0) from invoices where id = $1", note)
	if err != nil || id == 0 {
		return nil, err
	}
	return r.LockHeader(ctx, id)
}

// LockCredits implements repository.Invoices. No note is added meanwhile, since that locks the invoice.
func (r *invoiceStore) LockCredits(ctx context.Context, id invoice.ID) (notes []*invoice.Invoice, isLeft bool, err error) {
	if notes, err = r.lockAll(ctx, "where credits = $1\norder by id\nfor no key update", id); err != nil {
		return nil, false, err
	}
	_, err = r.one(ctx, []any{&isLeft}, isLeftToCredit, id)
	return notes, isLeft, err
}

func (r *invoiceStore) lockAll(ctx context.Context, where string, arg any) (all []*invoice.Invoice, err error) {
	var found []invoiceHeader
	r.query(collect(&found, invoices.reader()), invoices.selects+where, arg)
	if err := r.send(ctx); err != nil {
		return nil, err
	}
	for _, s := range found {
		r.locked(s.State)
		inv := invoice.Restore(s.State)
		if !s.sized {
			if inv, err = r.LockHeader(ctx, s.ID); err != nil {
				return nil, err
			}
		}
		all = append(all, inv)
	}
	return all, nil
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
func (r *invoiceStore) lock(ctx context.Context, id invoice.ID, lines string, args ...any) (*invoice.Invoice, error) {
	var s invoiceHeader
	r.query(func(rows pgx.Rows) error {
		if !rows.Next() {
			return noSuch("invoice")
		}
		return rows.Scan(invoices.targets(&s)...)
	}, invoices.selects+forNoKeyUpdate, id)
	if lines != "" {
		r.query(collect(&s.Lines, invoiceLines.reader()), lines, args...)
	}
	err := r.send(ctx)
	if err == nil && !s.sized {
		_, err = r.one(ctx, []any{&s.TextBytes}, `
select coalesce(sum(octet_length(concat(name, units, description, item_number, buyer_item_number, gtin, note))), 0) + coalesce(sum((
    select sum(octet_length(a ->> 'reason'))
    from jsonb_array_elements(adjustments) a
)), 0)
from invoice_lines
where invoice_id = $1`, id)
	}
	if err != nil {
		return nil, err
	}
	r.locked(s.State)
	return invoice.Restore(s.State), nil
}

// insertLines adds lines to the one invoice whose id is in h. Rows are numbered in the order in
// which they come, so ids ascend with the place. The parameters from the first on are lineArrays
// and the ids.
func insertLines(first int) string {
	names := strings.Join(invoiceLines.names, ", ")
	return `
insert into invoice_lines (id, invoice_id, ` + names + `)
select coalesce(l.id, nextval('invoice_lines_id_seq')), h.id, l.` + strings.Join(invoiceLines.names, ", l.") + `
from h, ` + unnested(first) + ` with ordinality as l (` + names + `, id, place)
order by l.place
returning id`
}

// unnested are lines from arrays: lineArrays, and then the ids.
func unnested(first int) string {
	var arrays strings.Builder
	for i, name := range invoiceLines.names {
		kind := cmp.Or(map[string]string{
			"count": "text[]::numeric", "price": "text[]::numeric", "discount_percent": "text[]::numeric", "vat_percent": "text[]::numeric",
			"total_price": "text[]::numeric", "base_count": "text[]::numeric", "adjustments": "text[]::jsonb", "credits": "bigint",
			"period_from": "text[]::date", "period_to": "text[]::date",
		}[name], "text")
		fmt.Fprintf(&arrays, "$%d::%s[], ", first+i, kind)
	}
	return fmt.Sprintf("unnest(%s$%d::bigint[])", arrays.String(), first+len(invoiceLines.names))
}

var updateInvoice = invoices.update + fmt.Sprintf("where id = $%d", invoices.stored+1)

var insertInvoice = `
with h as (
` + invoices.insert + `returning id
), added as (` + insertLines(invoices.stored+2) + `
)
select h.id, array(select a.id from added a order by a.id)
from h`

var addLines = `
with h as (
    select $1::bigint as id
), added as (` + insertLines(2) + `
)
select array(select a.id from added a order by a.id)`

// Add implements repository.Invoices with one statement for the invoice and all its
// lines.
func (r *invoiceStore) Add(ctx context.Context, inv *invoice.Invoice) (invoice.ID, error) {
	s := inv.State()
	var lines []invoice.LineID
	id := cmp.Or(reference(inv.Reserved()), r.newID())
	args := append(invoices.row(&invoiceHeader{State: s}, r.meta.At, id), lineArrays(s.Lines, r.newIDs(len(s.Lines)))...)
	_, err := r.one(ctx, []any{&s.ID, &lines}, insertInvoice, args...)
	if err != nil {
		return 0, err
	}
	number(s.Lines, lines)
	r.added(s)
	r.saveAutomatic(invoice.State{}, s)
	return s.ID, nil
}

// Reserve implements repository.Invoices.
func (r *invoiceStore) Reserve(ctx context.Context) (id invoice.ID, err error) {
	_, err = r.one(ctx, []any{&id}, "select coalesce($1, nextval('invoices_id_seq'))", r.newID())
	return id, err
}

// Save implements repository.Invoices. It stores the header and the changed lines.
func (r *invoiceStore) Save(ctx context.Context, inv *invoice.Invoice) ([]invoice.LineID, error) {
	s := inv.State()
	before := r.before[s.ID]
	if invoice.Same(before, s) {
		return nil, nil
	}
	r.Store(updateInvoice, invoices.row(&invoiceHeader{State: s}, r.meta.At, s.ID)...)
	added, err := r.saveLines(ctx, s.ID, before.Lines, s.Lines)
	if err != nil {
		return nil, err
	}
	r.saved(s)
	r.saveAutomatic(before, s)
	return added, nil
}

// saveLines stores the differences between the lines before and after, and sets the
// ids of new ones, which come last.
func (r *invoiceStore) saveLines(ctx context.Context, id invoice.ID, before, after []invoice.Line) ([]invoice.LineID, error) {
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
		r.Store(updateLines, lineArrays(changed, lineIDs(changed))...)
	}
	if fresh == len(after) {
		return nil, nil
	}
	var added []invoice.LineID
	args := append([]any{id}, lineArrays(after[fresh:], r.newIDs(len(after)-fresh))...)
	_, err := r.one(ctx, []any{&added}, addLines, args...)
	if err != nil {
		return nil, err
	}
	number(after[fresh:], added)
	return added, nil
}

var updateLines = `
update invoice_lines i
set version = i.version + 1, (` + strings.Join(invoiceLines.names, ", ") + `) = (l.` + strings.Join(invoiceLines.names, ", l.") + `)
from ` + unnested(1) + ` as l (` + strings.Join(invoiceLines.names, ", ") + `, id)
where i.id = l.id`

// Remove implements repository.Invoices. It deletes the lines at once and returns their
// ids, which the change of the invoice needs. An automatic payment is deleted with the invoice.
func (r *invoiceStore) Remove(ctx context.Context, inv *invoice.Invoice) error {
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
	r.Writer.Remove("delete from allocations where invoice_id = $1 and (reversed_at is not null or "+isAutomatic+")", s.ID)
	r.Writer.Remove("delete from payments where automatic_of = $1", s.ID)
	r.removeUnused("delete from invoices where id = $1", countPayments, int64(s.ID))
	return nil
}

// lineArrays are the columns of the lines, and the ids.
func lineArrays(lines []invoice.Line, ids any) []any {
	arrays := make([]any, invoiceLines.stored+1)
	for i := range invoiceLines.stored {
		arrays[i] = make([]any, len(lines))
	}
	c := columns{purpose: storing}
	for i := range lines {
		c.values = c.values[:0]
		invoiceLines.columns(&c, &lines[i])
		for column, v := range c.values {
			arrays[column].([]any)[i] = v
		}
	}
	arrays[invoiceLines.stored] = ids
	return arrays
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
