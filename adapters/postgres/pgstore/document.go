package pgstore

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/domain/billing"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Documents implements repository.Documents.
//
// Chose: the statements that issuing has, over a read model. Because: what a document says is read in one way. Costs: four round
// trips, with those of the transaction, in place of one.
type Documents struct{ db *postgres.DB }

// NewDocuments returns the reader of the documents in the database.
func NewDocuments(db *postgres.DB) *Documents { return &Documents{db} }

var _ repository.Documents = (*Documents)(nil)

func (r *Documents) Read(ctx context.Context, id invoice.ID) (billing.Document, error) {
	d, err := postgres.Repeat(ctx, r.db, func() (billing.Document, error) { return r.read(ctx, id) })
	return d, postgres.Fault(err, postgres.Storing)
}

func (r *Documents) read(ctx context.Context, id invoice.ID) (d billing.Document, err error) {
	tx, err := r.db.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return d, err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // if it fails, the pool closes the connection
	u := &unit{Writer: newWriter(repository.Meta{}), tx: tx}
	var found bool
	var inv invoiceHeader
	var credits billing.Reference
	u.queryRow(&found, invoices.targets(&inv), invoices.selects+"where id = $1", id)
	u.query(collect(&inv.Lines, invoiceLines.reader()), selectLines, id)
	u.queryRow(new(bool), []any{&credits.Number, &credits.Date}, `
select o.number, o.date
from invoices r
join invoices o on o.id = r.credits
where r.id = $1`, id)
	stored, err := issuing{u}.Document(ctx, id)
	switch {
	case err != nil:
		return d, err
	case stored != nil:
		return *stored, nil
	case !found:
		return d, noSuch("invoice")
	}
	s := billing.Source{Invoice: inv.State, Due: inv.DueDate, Prepaid: inv.Prepaid(), Credits: credits}
	u.source(&s, inv.PerformerID, inv.ClientID)
	if inv.Credits != 0 { // the ids of a company that was moved to another node are not in the order of creation
		u.former(&s.Former, "where i.credits = $1 and (i.issued_on, i.id) < (select issued_on, id from invoices where id = $2)", inv.Credits, id)
	}
	if err := u.send(ctx); err != nil {
		return d, err
	}
	return billing.New(s), nil
}

// source queues what reads what a document says beside the invoice.
func (u *unit) source(s *billing.Source, p performer.ID, c client.ID) {
	var found bool
	u.queryRow(&found, performers.targets(&s.Performer), performers.selects+"where id = $1", p)
	u.queryRow(&found, clients.targets(&s.Client), clients.selects+"where id = $1", c)
	u.party(&s.Seller, party.Owner{Performer: p})
	u.party(&s.Buyer, party.Owner{Client: c})
	u.query(func(rows pgx.Rows) error {
		digests := map[performer.PictureKind]string{}
		var kind performer.PictureKind
		var digest string
		_, err := pgx.ForEachRow(rows, []any{&kind, &digest}, func() error {
			digests[kind] = digest
			return nil
		})
		s.Pictures = billing.PicturesOf(func(kind performer.PictureKind) string { return digests[kind] })
		return err
	}, "select kind, encode(sha256, 'hex') from performer_files where performer_id = $1", p)
}

// former queues what reads what the credit notes that meet the condition have, in the order of their creation.
func (u *unit) former(f *invoice.Former, where string, args ...any) {
	f.Lines = map[invoice.LineID]invoice.FormerLine{}
	u.query(func(rows pgx.Rows) error {
		var id invoice.LineID
		var l invoice.FormerLine
		targets := []any{
			&id, &l.VAT.Category, parsed(&l.VAT.Percent, money.ParsePercent),
			parsed(&l.Count, money.ParseQuantity), parsed(&l.Total, money.RestoreAmount),
		}
		_, err := pgx.ForEachRow(rows, targets, func() error {
			f.Lines[id] = l
			return nil
		})
		return err
	}, `
select l.credits, coalesce(l.vat_category, ''), coalesce(l.vat_percent, 0)::text, sum(l.count)::text, sum(l.total_price)::text
from invoices i
join invoice_lines l on l.invoice_id = i.id
`+where+`
group by l.credits, l.vat_category, l.vat_percent`, args...)
	u.query(func(rows pgx.Rows) error {
		var adjustments []invoice.Adjustment
		_, err := pgx.ForEachRow(rows, []any{&adjustments}, func() error {
			f.AddAdjustments(adjustments)
			adjustments = nil
			return nil
		})
		return err
	}, "select i.adjustments from invoices i "+where+" and i.adjustments is not null", args...)
}
