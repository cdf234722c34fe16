package pgstore

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/domain/billing"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/performer"
)

type issuing struct{ *unit }

// Source implements repository.Issuing in one round trip.
func (r issuing) Source(ctx context.Context, p performer.ID, c client.ID) (s billing.Source, err error) {
	r.lockBeforeSeries(p)
	r.unit.Store(`
update pictures
set issued = true
where not issued and sha256 in (select sha256 from performer_files where performer_id = $1)`, p)
	r.source(&s, p, c)
	err = r.send(ctx)
	return s, err
}

// Draw implements repository.Issuing. The insertion of a new series waits for another one of the same.
func (r issuing) Draw(ctx context.Context, id performer.SeriesID) (performer.SeriesPlace, error) {
	place := performer.SeriesPlace{SeriesID: id}
	_, err := r.one(ctx, []any{&place.Seq, &place.Previous, zeroTime(&place.PreviousDate)}, `
insert into series (performer_id, kind, year, last_seq)
values ($1, $2, $3, 1)
on conflict (performer_id, kind, year) do update
set last_seq = series.last_seq + 1
returning last_seq, sha256, last_date`, id.Performer, id.Kind, id.Year)
	return place, err
}

func (r issuing) Store(_ context.Context, place performer.SeriesPlace, d billing.Document) error {
	document, err := encodeDocument(d)
	if err != nil {
		return err
	}
	sum := documentSum(place.Previous, document)
	r.unit.Store(`
insert into issued_documents (invoice_id, performer_id, kind, year, seq, number, document, previous, sha256)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		d.InvoiceID, place.Performer, place.Kind, place.Year, place.Seq, d.Number, document, place.Previous, sum)
	r.unit.Store("update series set sha256 = $4, last_date = $5 where performer_id = $1 and kind = $2 and year = $3",
		place.Performer, place.Kind, place.Year, sum, d.Date)
	return nil
}

func (r issuing) Kinds(ctx context.Context, p performer.ID) (kinds []performer.SeriesKind, err error) {
	r.lockPerformer(p)
	r.query(func(rows pgx.Rows) error {
		kinds, err = pgx.CollectRows(rows, pgx.RowTo[performer.SeriesKind])
		return err
	}, "select distinct kind from series where performer_id = $1 order by kind", p)
	return kinds, r.send(ctx)
}

func (r issuing) Taken(ctx context.Context, p performer.ID, pattern performer.SeriesPattern) (number string, err error) {
	_, err = r.one(ctx, []any{&number}, `
select number
from invoices i
where performer_id = $1 and number ~ $2 and not exists (select from issued_documents d where d.invoice_id = i.id)
limit 1`, p, pattern.Expression())
	return number, err
}

func (r issuing) Document(ctx context.Context, id invoice.ID) (*billing.Document, error) {
	var stored []byte
	if found, err := r.one(ctx, []any{&stored}, "select document from issued_documents where invoice_id = $1", id); err != nil || !found {
		return nil, err
	}
	d, err := decodeDocument(stored)
	return &d, err
}

func (r issuing) Credited(ctx context.Context, id invoice.ID, at time.Time) (f invoice.Former, day time.Time, err error) {
	r.former(&f, "where i.credits = $1", id)
	_, err = r.one(ctx, []any{&day}, "select ($1::timestamptz)::date", at)
	return f, day, err
}
