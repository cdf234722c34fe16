package pgstore

import (
	"bytes"
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/performer"
)

// BrokenDocument is an issued document that is not as it was issued.
type BrokenDocument struct {
	Series  performer.SeriesID
	Invoice invoice.ID // zero if the document is missing
	Number  string
	Problem string
}

// VerifySeries recomputes the chains of all series in one snapshot, and returns how many documents it has read and those
// that are not as they were issued. Documents are issued meanwhile.
func VerifySeries(ctx context.Context, db *postgres.DB) (read int64, broken []BrokenDocument, err error) {
	v := verification{ended: map[performer.SeriesID]performer.SeriesPlace{}}
	err = pgx.BeginTxFunc(ctx, db, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		if err := v.readDocuments(ctx, tx); err != nil {
			return err
		}
		return v.readSeries(ctx, tx)
	})
	if err != nil {
		return 0, nil, fmt.Errorf("verify the series: %w", postgres.Fault(err, postgres.Storing))
	}
	return v.read, v.broken, nil
}

type verification struct {
	read   int64
	broken []BrokenDocument
	ended  map[performer.SeriesID]performer.SeriesPlace // the last place of each series, with its sum
}

func (v *verification) readDocuments(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, `
select performer_id, kind, year, seq, invoice_id, number, document, previous, sha256
from issued_documents
order by performer_id, kind, year, seq`)
	if err != nil {
		return err
	}
	var id performer.SeriesID
	var d issuedDocument
	_, err = pgx.ForEachRow(rows, []any{
		&id.Performer, &id.Kind, &id.Year, &d.seq, &d.invoice, &d.number, &d.document, &d.previous, &d.sum,
	}, func() error {
		v.read++
		before := v.ended[id]
		if problem := d.problem(before); problem != "" {
			v.broken = append(v.broken, BrokenDocument{id, d.invoice, d.number, problem})
		}
		v.ended[id] = performer.SeriesPlace{SeriesID: id, Seq: d.seq, Previous: d.sum}
		return nil
	})
	return err
}

type issuedDocument struct {
	seq                     int64
	invoice                 invoice.ID
	number                  string
	document, previous, sum []byte
}

// problem returns what is wrong with the document that follows the place; empty if nothing is.
func (d issuedDocument) problem(before performer.SeriesPlace) string {
	switch printed, err := decodeDocument(d.document); {
	case d.seq != before.Seq+1:
		return "documents before it are missing"
	case !bytes.Equal(d.previous, before.Previous):
		return "its predecessor was changed"
	case !bytes.Equal(d.sum, documentSum(d.previous, d.document)):
		return "it was changed"
	case err != nil:
		return err.Error()
	case printed.Number != d.number || printed.InvoiceID != d.invoice:
		return fmt.Sprintf("it is that of invoice %d with the number %s", printed.InvoiceID, printed.Number)
	}
	return ""
}

// readSeries compares the ends of the series with their documents.
func (v *verification) readSeries(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, "select performer_id, kind, year, last_seq, sha256 from series order by performer_id, kind, year")
	if err != nil {
		return err
	}
	var last performer.SeriesPlace
	_, err = pgx.ForEachRow(rows, []any{&last.Performer, &last.Kind, &last.Year, &last.Seq, &last.Previous}, func() error {
		found := v.ended[last.SeriesID]
		switch {
		case found.Seq != last.Seq:
			problem := fmt.Sprintf("the series has %d documents, of which the last one found is number %d", last.Seq, found.Seq)
			v.broken = append(v.broken, BrokenDocument{Series: last.SeriesID, Problem: problem})
		case !bytes.Equal(found.Previous, last.Previous):
			v.broken = append(v.broken, BrokenDocument{Series: last.SeriesID, Problem: "the last document was changed"})
		}
		return nil
	})
	return err
}
