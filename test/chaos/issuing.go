package chaos

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"
)

// RunIssuing issues invoices of one series, credits some of them in two parts, kills and compares. The site needs track_commit_timestamp.
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
	party := fields{"legal_name": "Workshop", "currency": "EUR", "numbering": "series", "number_pattern": "{year}-{seq:5}", "credit_pattern": "C{year}-{seq:5}"}
	return newWriter(s, newWriteLog(), "series", l, 1).repeat(ctx, "PUT", fmt.Sprintf("/rest/performer/%d/party", l.Performer), "", party, nil)
}

// issue creates a client with the first step, and in each a draft, which it issues. One in four is credited.
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
	if w.random.IntN(4) > 0 {
		return nil
	}
	return w.credit(ctx, draft, name)
}

// credit credits one piece of the first line, and then what is left.
func (w *writer) credit(ctx context.Context, invoice int64, name string) error {
	path := fmt.Sprintf("/rest/invoice/%d", invoice)
	var stored struct {
		Response struct{ Items []struct{ ID int64 } }
	}
	if err := w.repeat(ctx, "GET", path+"?_format=json&expand=items", "", nil, &stored); err != nil {
		return err
	}
	piece := []fields{{"id": stored.Response.Items[0].ID, "count": 1}}
	for n, body := range []fields{{"date": "2024-03-09", "items": piece}, {"date": "2024-03-09"}} {
		var credited struct {
			Response struct {
				ID     int64
				Number string
			}
		}
		if err := w.repeat(ctx, "POST", path+"/credit?as=none&_format=json", fmt.Sprint(name, " credit ", n), body, &credited); err != nil {
			return err
		}
		w.log.issue(credited.Response.ID, credited.Response.Number)
	}
	w.log.creditWhole(invoice)
	return nil
}

// checkSeries compares the documents with the acknowledged numbers. The numbers of each of the two series are
// 1 to n in the order of the commits.
func (b *WriteLog) checkSeries(ctx context.Context, db *pgx.Conn, r *Report) error {
	rows, err := db.Query(ctx, `select d.invoice_id, d.kind = 2, d.seq, d.number, i.number, pg_xact_commit_timestamp(d.xmin)::text
from issued_documents d
left join invoices i on i.id = d.invoice_id and i.issued_on is not null and (i.credits is not null) = (d.kind = 2)
order by d.kind, pg_xact_commit_timestamp(d.xmin), d.seq`)
	if err != nil {
		return err
	}
	var id, seq int64
	var ofCredits bool
	var number, at, before string
	var ofInvoice *string
	last, patterns := map[bool]int64{}, map[bool]string{false: "2024-%05d", true: "C2024-%05d"}
	numbers := map[int64]string{}
	_, err = pgx.ForEachRow(rows, []any{&id, &ofCredits, &seq, &number, &ofInvoice, &at}, func() error {
		last[ofCredits]++
		n := last[ofCredits]
		if want := fmt.Sprintf(patterns[ofCredits], n); seq != n || number != want || ofInvoice == nil || *ofInvoice != want || at == before {
			r.Inconsistent = append(r.Inconsistent, fmt.Sprintf("commit %d, of %s, has the number %s", n, at, number))
		}
		before, numbers[id] = at, number
		return nil
	})
	for id, number := range b.issued {
		if numbers[id] != number {
			r.Lost = append(r.Lost, fmt.Sprintf("number %s of invoice %d, which has %q", number, id, numbers[id]))
		}
	}
	r.Issued, r.Credited = last[false], last[true]
	return errors.Join(err, b.checkCredits(ctx, db, r))
}

// checkCredits compares the credit notes with their invoices: two for each that is credited, with nothing left.
func (b *WriteLog) checkCredits(ctx context.Context, db *pgx.Conn, r *Report) error {
	rows, err := db.Query(ctx, `select i.id, count(*), i.pay_price + sum(c.pay_price) = 0 and i.vat_price + sum(c.vat_price) = 0
    and i.status = 4 and bool_and(c.status = 4)
from invoices i join invoices c on c.credits = i.id group by i.id`)
	if err != nil {
		return err
	}
	var id, notes int64
	var whole bool
	credited := map[int64]bool{}
	_, err = pgx.ForEachRow(rows, []any{&id, &notes, &whole}, func() error {
		credited[id] = whole
		if notes > 2 {
			r.Duplicated = append(r.Duplicated, fmt.Sprintf("a credit note for invoice %d", id))
		}
		if whole != (notes == 2) {
			r.Inconsistent = append(r.Inconsistent, fmt.Sprintf("invoice %d has %d credit notes; nothing is left: %t", id, notes, whole))
		}
		return nil
	})
	for _, id := range b.credited {
		if !credited[id] {
			r.Lost = append(r.Lost, fmt.Sprintf("a credit note for invoice %d", id))
		}
	}
	return err
}
