package chaos

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// check compares the log with what is stored.
func (b *WriteLog) check(ctx context.Context, db *pgx.Conn, r *Report) error {
	r.Tried, r.Acknowledged, r.Unknown = b.Tried.Load(), b.Acknowledged.Load(), b.Unknown.Load()
	return errors.Join(b.checkClients(ctx, db, r), b.checkInvoices(ctx, db, r), b.checkLines(ctx, db, r), checkRecords(ctx, db, r))
}

func (b *WriteLog) checkClients(ctx context.Context, db *pgx.Conn, r *Report) error {
	stored, err := countBy(ctx, db, "select name, count(*) from clients group by name")
	for name, o := range b.clients {
		n := stored[name]
		switch {
		case n > 1:
			r.Duplicated = append(r.Duplicated, "client "+name)
		case o == created && n == 0:
			r.Lost = append(r.Lost, "client "+name)
		case o == deleted && n == 1:
			r.Lost = append(r.Lost, "the deletion of client "+name)
		}
	}
	return err
}

func (b *WriteLog) checkInvoices(ctx context.Context, db *pgx.Conn, r *Report) error {
	stored, err := countBy(ctx, db, "select number, count(*) from invoices group by number")
	paid, paidErr := countBy(ctx, db, "select number, count(*) from invoices where status = 2 and paid_on is not null group by number")
	for number, s := range b.invoices {
		switch n := stored[number]; {
		case n > 1:
			r.Duplicated = append(r.Duplicated, "invoice "+number)
		case s.created && n == 0:
			r.Lost = append(r.Lost, "invoice "+number)
		case s.paid && paid[number] == 0:
			r.Lost = append(r.Lost, "the payment of invoice "+number)
		}
	}
	return errors.Join(err, paidErr)
}

func (b *WriteLog) checkLines(ctx context.Context, db *pgx.Conn, r *Report) error {
	stored, err := countBy(ctx, db, "select name, count(*) from invoice_lines group by name")
	for _, s := range b.invoices {
		for name, reported := range s.lines {
			switch n := stored[name]; {
			case n > 1:
				r.Duplicated = append(r.Duplicated, "line "+name)
			case reported && n == 0:
				r.Lost = append(r.Lost, "line "+name)
			}
		}
	}
	return err
}

// invariants hold for every record, acknowledged or not: each statement selects the
// violations.
var invariants = []struct{ name, sql string }{
	{"has no lines", "select number from invoices i where not exists (select from invoice_lines l where l.invoice_id = i.id)"},
	{"has no deal", "select number from invoices i where not exists (select from deals d where d.id = i.deal_id and d.client_id = i.client_id)"},
	{"is not in its deal's history", "select number from invoices i where not exists (select from deal_history h where h.deal_id = i.deal_id and h.invoice_id = i.id)"},
	{"is issued without a document, or has one and is not", `select number from invoices i
where (i.issued_on is not null) <> exists (select from issued_documents d where d.invoice_id = i.id)`},
	{"has other totals than its lines", `select number from invoices i
cross join lateral (select count(*) as n, sum(l.total_price) as price from invoice_lines l where l.invoice_id = i.id) l
where i.total_count <> l.n or i.total_price <> l.price or i.pay_price <> i.total_price + i.vat_price`},
	{"has other payments than are counted", `select number from invoices i
cross join lateral (
    select coalesce(sum(a.amount), 0) as paid from allocations a where a.invoice_id = i.id and a.reversed_at is null
) a
where i.paid_price <> a.paid`},
	{"is a payment with other items than its amount says", `select p.id::text from payments p
where p.amount <> p.rest + (select coalesce(sum(a.amount), 0) from allocations a where a.payment_id = p.id and a.reversed_at is null)`},
}

func checkRecords(ctx context.Context, db *pgx.Conn, r *Report) error {
	for _, w := range invariants {
		rows, err := db.Query(ctx, w.sql)
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		broken, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		for _, name := range broken {
			r.Inconsistent = append(r.Inconsistent, name+" "+w.name)
		}
	}
	return nil
}

func countBy(ctx context.Context, db *pgx.Conn, sql string) (map[string]int64, error) {
	rows, err := db.Query(ctx, sql)
	if err != nil {
		return nil, err
	}
	counts := map[string]int64{}
	var name string
	var n int64
	_, err = pgx.ForEachRow(rows, []any{&name, &n}, func() error {
		counts[name] = n
		return nil
	})
	return counts, err
}
