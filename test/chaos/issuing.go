package chaos

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"
)

// RunIssuing issues invoices of one series, kills and compares. The site needs track_commit_timestamp.
func (c Crashes) RunIssuing(ctx context.Context, s *Site) (Report, error) {
	r := Report{ServiceKills: c.ServiceKills, DatabaseKills: c.DatabaseKills}
	c.issues = true
	log, err := c.during(ctx, s, func() error { return c.kill(ctx, s, &r) })
	if log == nil {
		return r, err
	}
	r.Tried, r.Acknowledged, r.Unknown = log.Tried.Load(), log.Acknowledged.Load(), log.Unknown.Load()
	db, connectErr := s.Connect(ctx)
	if connectErr != nil {
		return r, errors.Join(err, connectErr)
	}
	err = errors.Join(err, log.checkSeries(ctx, db, &r), checkRecords(ctx, db, &r), db.Close(ctx))
	for _, command := range []string{"series verify", "readmodel verify"} {
		if output, verr := s.Command(ctx, command); verr != nil {
			r.Inconsistent = append(r.Inconsistent, command+": "+output)
		}
	}
	return r, err
}

// startSeries gives the performer a series.
func startSeries(ctx context.Context, s *Site, l references) error {
	party := fields{"legal_name": "Workshop", "currency": "EUR", "numbering": "series", "number_pattern": "{year}-{seq:5}"}
	return newWriter(s, newWriteLog(), "series", l, 1).repeat(ctx, "PUT", fmt.Sprintf("/rest/performer/%d/party", l.Performer), "", party, nil)
}

// issue creates a client with the first step, and in each a draft, which it issues.
func (w *writer) issue(ctx context.Context) (err error) {
	w.written++
	name := w.name + "-" + strconv.Itoa(w.written)
	if w.client == 0 {
		if w.client, err = w.create(ctx, "client", w.name, fields{"type": 1, "name": w.name}); err != nil {
			return err
		}
	}
	draft, err := w.create(ctx, "invoice", name, fields{
		"date": "2024-03-09", "client_id": w.client, "performer_id": w.references.Performer, "type_id": w.references.Type,
		"items": []fields{w.line(name + " a"), w.line(name + " b")},
	})
	if err != nil {
		return err
	}
	var issued struct{ Response struct{ Number string } }
	path := fmt.Sprintf("/rest/invoice/%d/issue?as=none&_format=json", draft)
	if err := w.repeat(ctx, "POST", path, name+" issue", fields{}, &issued); err != nil {
		return err
	}
	w.log.issue(draft, issued.Response.Number)
	return nil
}

// checkSeries compares the documents with the acknowledged numbers. Their numbers are 1 to n in the order of the commits.
func (b *WriteLog) checkSeries(ctx context.Context, db *pgx.Conn, r *Report) error {
	rows, err := db.Query(ctx, `select d.invoice_id, d.seq, d.number, i.number, pg_xact_commit_timestamp(d.xmin)::text
from issued_documents d
left join invoices i on i.id = d.invoice_id and i.issued_on is not null
order by pg_xact_commit_timestamp(d.xmin), d.seq`)
	if err != nil {
		return err
	}
	var id, seq, last int64
	var number, at, before string
	var ofInvoice *string
	numbers := map[int64]string{}
	_, err = pgx.ForEachRow(rows, []any{&id, &seq, &number, &ofInvoice, &at}, func() error {
		last++
		if want := fmt.Sprintf("2024-%05d", last); seq != last || number != want || ofInvoice == nil || *ofInvoice != want || at == before {
			r.Inconsistent = append(r.Inconsistent, fmt.Sprintf("commit %d, of %s, has the number %s", last, at, number))
		}
		before, numbers[id] = at, number
		return nil
	})
	for id, number := range b.issued {
		if numbers[id] != number {
			r.Lost = append(r.Lost, fmt.Sprintf("number %s of invoice %d, which has %q", number, id, numbers[id]))
		}
	}
	r.Issued = last
	return err
}
