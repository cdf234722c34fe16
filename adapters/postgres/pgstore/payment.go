package pgstore

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/payment"
	"github.com/kontor-crm/kontor/domain/performer"
)

var payments = kept("payments", table[payment.ID, *payment.Payment, payment.State]{
	what: "payment", restore: payment.Restore, same: payment.Same,
	key:   func(s *payment.State) (*payment.ID, *int64) { return &s.ID, &s.Version },
	tried: func(c *columns, s *payment.State) { c.add(column{name: "items", read: itemsOfPayment}, &s.Items) },
	removing: func(u *unit, s payment.State) {
		u.Store(reverseItems, s.ID, itemIDs(s.Items), u.meta.At)
		u.Remove("update allocations set payment_id = null where payment_id = $1", s.ID)
	},
}, func(c *columns, s *payment.State) {
	value(c, "performer_id", &s.PerformerID)
	referenceTo(c, "client_id", &s.ClientID)
	referenceTo(c, "automatic_of", &s.AutomaticOf)
	value(c, "date", &s.Date)
	spelled(c, "amount", &s.Amount, money.RestoreAmount)
	spelled(c, "rest", &s.Left, money.RestoreAmount)
	text(c, "method", &s.Method)
	text(c, "reference", &s.Reference)
	text(c, "notice", &s.Notice)
	value(c, "created_on", &s.CreatedOn)
	value(c, "updated_on", &s.UpdatedOn)
	text(c, "ref", &s.Ref)
})

// paymentItems reads the items; they are stored by statements of their own.
var paymentItems = mapped("allocations", func(c *columns, i *payment.Item) {
	generated(c, "id", &i.ID)
	generated(c, "version", &i.Version)
	value(c, "invoice_id", &i.InvoiceID)
	spelled(c, "amount", &i.Amount, money.RestoreAmount)
	spelled(c, "waived", &i.Waived, money.RestoreAmount)
	text(c, "reason", &i.Reason)
})

const (
	itemsOfPayment = `coalesce((
    select json_agg(json_build_object('ID', a.id, 'Version', a.version, 'InvoiceID', a.invoice_id,
        'Amount', a.amount::text, 'Waived', a.waived::text, 'Reason', coalesce(a.reason, '')) order by a.id)
    from allocations a
    where a.payment_id = payments.id and a.reversed_at is null
), '[]')`

	reverseItems = `
update allocations
set reversed_at = greatest(recorded_at, $3)
where payment_id = $1 and id = any($2) and reversed_at is null`

	// The next version of an item has its id.
	addItems = `
insert into allocations (id, version, payment_id, invoice_id, date, amount, waived, reason, recorded_at)
select coalesce(i.id, nextval('allocations_id_seq')), i.version, $1, i.invoice_id, $2, i.amount, i.waived, i.reason, $3
from unnest($4::bigint[], $5::bigint[], $6::bigint[], $7::text[]::numeric[], $8::text[]::numeric[], $9::text[])
    with ordinality as i (id, version, invoice_id, amount, waived, reason, place)
order by i.place`

	// A draft is no one's to pay.
	openInvoices = `
select id
from invoices
where performer_id = $1 and client_id = $2 and status = $4 and (issued_on is not null or number <> 'draft-' || id)
    and sign(owed_price - paid_price - waived_price) = sign($3::text::numeric)
order by date, id
limit $5`

	paymentsOf = `
select distinct a.payment_id
from allocations a
join payments p on p.id = a.payment_id
where a.invoice_id = $1 and a.reversed_at is null and p.automatic_of is null
order by a.payment_id`
)

type paymentStore struct {
	*records[payment.ID, *payment.Payment, payment.State]
}

// Lock implements repository.Payments in one round trip.
func (r paymentStore) Lock(ctx context.Context, id payment.ID) (*payment.Payment, error) {
	var s payment.State
	r.query(func(rows pgx.Rows) error {
		if !rows.Next() {
			return noSuch(r.what)
		}
		return rows.Scan(r.targets(&s)...)
	}, r.selects+forNoKeyUpdate, id)
	r.query(collect(&s.Items, paymentItems.reader()), paymentItems.selects+"where payment_id = $1 and reversed_at is null\norder by id", id)
	if err := r.send(ctx); err != nil {
		return nil, err
	}
	r.locked(s)
	return payment.Restore(s), nil
}

func (r paymentStore) Add(ctx context.Context, p *payment.Payment) (payment.ID, error) {
	id, err := r.records.Add(ctx, p)
	if err == nil {
		s := p.State()
		s.ID = id
		r.addItems(s, s.Items)
	}
	return id, err
}

// Save implements repository.Payments. All items change with the date.
func (r paymentStore) Save(ctx context.Context, p *payment.Payment) error {
	s := p.State()
	before := r.before[s.ID]
	var ended, begun []payment.Item
	for _, i := range before.Items {
		if now := s.ItemOf(i.InvoiceID); now == nil || !payment.SameItem(i, *now) || !before.Date.Equal(s.Date) {
			ended = append(ended, i)
		}
	}
	for _, i := range s.Items {
		if was := before.ItemOf(i.InvoiceID); was == nil || !payment.SameItem(i, *was) || !before.Date.Equal(s.Date) {
			begun = append(begun, i)
		}
	}
	if len(ended) > 0 {
		r.Store(reverseItems, s.ID, itemIDs(ended), r.meta.At)
	}
	if err := r.records.Save(ctx, p); err != nil {
		return err
	}
	r.addItems(s, begun)
	return nil
}

// addItems queues the insertion of the next version of each item; it is the first one of a new item.
func (r paymentStore) addItems(s payment.State, items []payment.Item) {
	if len(items) == 0 {
		return
	}
	var ids, invoices []any
	var versions []int64
	var amounts, waived []string
	var reasons []any
	for _, i := range items {
		id := reference(i.ID)
		if id == nil {
			id = r.newID()
		}
		ids, versions, invoices = append(ids, id), append(versions, i.Version+1), append(invoices, int64(i.InvoiceID))
		amounts, waived = append(amounts, i.Amount.String()), append(waived, i.Waived.String())
		reasons = append(reasons, missing(string(i.Reason)))
	}
	r.Store(addItems, s.ID, s.Date, r.meta.At, ids, versions, invoices, amounts, waived, reasons)
}

func itemIDs(items []payment.Item) []payment.ItemID {
	ids := make([]payment.ItemID, len(items))
	for i, item := range items {
		ids[i] = item.ID
	}
	return ids
}

func (r paymentStore) ByReference(ctx context.Context, p performer.ID, reference string) (id payment.ID, err error) {
	_, err = r.one(ctx, []any{&id}, "select id from payments where performer_id = $1 and reference = $2", p, reference)
	return id, err
}

func (r paymentStore) Open(ctx context.Context, p performer.ID, c client.ID, amount money.Amount) (ids []invoice.ID, err error) {
	r.query(idsInto(&ids), openInvoices, p, c, amount.String(), int16(invoice.NotPaid), payment.MaxItems)
	return ids, r.send(ctx)
}

func (r paymentStore) Currency(ctx context.Context, p performer.ID) (currency string, err error) {
	_, err = r.one(ctx, []any{&currency}, "select coalesce(currency, '') from parties where performer_id = $1", p)
	return currency, err
}

func (r paymentStore) Of(ctx context.Context, id invoice.ID) (ids []payment.ID, err error) {
	r.query(idsInto(&ids), paymentsOf, id)
	return ids, r.send(ctx)
}

func idsInto[ID ~int64](ids *[]ID) func(rows pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*ids, err = pgx.CollectRows(rows, pgx.RowTo[ID])
		return err
	}
}
