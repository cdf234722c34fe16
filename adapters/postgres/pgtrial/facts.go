package pgtrial

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/textkey"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Answer implements repository.Snapshot: one statement for each kind of question, all of them
// in one round trip.
func (s *snapshot) Answer(ctx context.Context, questions []repository.Question) ([]repository.Answer, error) {
	if len(questions) == 0 {
		return nil, nil
	}
	a := answering{ids: map[repository.FactKind][]int64{}, known: make(map[repository.Question]repository.Answer, len(questions))}
	for _, q := range questions {
		switch {
		case q.Kind != repository.NumberTaken:
			a.ids[q.Kind] = append(a.ids[q.Kind], q.ID)
		case q.IsStorable():
			a.numbers = append(a.numbers, q)
		}
	}
	if err := s.tx.SendBatch(ctx, a.batch()).Close(); err != nil {
		return nil, postgres.Fault(err, postgres.Storing)
	}
	answers := make([]repository.Answer, len(questions))
	for i, q := range questions {
		answers[i] = a.known[q]
	}
	return answers, nil
}

// answering is questions of several kinds, and their answers. Without one, the answer is zero.
type answering struct {
	ids     map[repository.FactKind][]int64 // the subjects, except for numbers
	numbers []repository.Question           // NumberTaken
	known   map[repository.Question]repository.Answer
}

// The statements have the subject in the first column.
const (
	unpaidInvoices = `
select client_id, count(*), coalesce(sum(pay_price), 0)::text, min(date)
from invoices
where client_id = any($1) and status = $2
group by client_id`
	dealsOfClients  = "select client_id, status_id, count(*) from deals where client_id = any($1) group by client_id, status_id"
	dealsOfUsers    = "select user_id, status_id, count(*) from deals where user_id = any($1) group by user_id, status_id"
	invoicesOfDeals = "select deal_id, status, count(*) from invoices where deal_id = any($1) group by deal_id, status"
	documentsOf     = `
select deal_id, sum(offers)::bigint, sum(contracts)::bigint
from (
    select deal_id, count(*) as offers, 0 as contracts
    from offers
    where deal_id = any($1)
    group by deal_id
    union all
    select deal_id, 0, count(*)
    from contracts
    where deal_id = any($1)
    group by deal_id
) documents
group by deal_id`
	linesOfInvoices = `
select invoice_id, id, version, name, coalesce(units, ''), count::text, price::text, total_price::text
from invoice_lines
where invoice_id = any($1)
order by invoice_id, id`
	numbersTaken = `
select q.place
from unnest($1::text[], $2::text[], $3::bigint[], $4::timestamp[], $5::timestamp[], $6::bigint[]) with ordinality
    as q (number_key, number, performer_id, first, next, except_id, place)
where exists (
    select
    from invoices i
    where i.number_key = q.number_key and i.number = q.number and i.performer_id = q.performer_id
        and i.date >= q.first and i.date < q.next and i.id <> q.except_id
)`
)

func (a *answering) batch() *pgx.Batch {
	b := &pgx.Batch{}
	for kind, ids := range a.ids {
		switch kind {
		case repository.UnpaidInvoicesOfClient:
			b.Queue(unpaidInvoices, ids, invoice.NotPaid).Query(a.read(kind, func(row pgx.Row, id *int64, answer *repository.Answer) error {
				var sum string
				var oldest *time.Time
				if err := row.Scan(id, &answer.Count, &sum, &oldest); err != nil {
					return err
				}
				if oldest != nil {
					answer.Oldest = *oldest
				}
				return decimal(&answer.Sum, value(sum), money.RestoreAmount)
			}))
		case repository.DealsOfClient:
			b.Queue(dealsOfClients, ids).Query(a.counts(kind))
		case repository.DealsOfUser:
			b.Queue(dealsOfUsers, ids).Query(a.counts(kind))
		case repository.InvoicesOfDeal:
			b.Queue(invoicesOfDeals, ids).Query(a.counts(kind))
		case repository.DocumentsOfDeal:
			b.Queue(documentsOf, ids).Query(a.read(kind, func(row pgx.Row, id *int64, answer *repository.Answer) error {
				return row.Scan(id, &answer.Offers, &answer.Contracts)
			}))
		default: // LinesOfInvoice
			b.Queue(linesOfInvoices, ids).Query(a.lines)
		}
	}
	if len(a.numbers) > 0 {
		a.queueNumbers(b)
	}
	return b
}

func (a *answering) read(
	kind repository.FactKind, scan func(row pgx.Row, id *int64, answer *repository.Answer) error,
) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		for rows.Next() {
			var id int64
			var answer repository.Answer
			if err := scan(rows, &id, &answer); err != nil {
				return err
			}
			a.known[repository.Question{Kind: kind, ID: id}] = answer
		}
		return rows.Err()
	}
}

func (a *answering) counts(kind repository.FactKind) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		for rows.Next() {
			var id, status int64
			var n int
			if err := rows.Scan(&id, &status, &n); err != nil {
				return err
			}
			q := repository.Question{Kind: kind, ID: id}
			answer := a.known[q]
			if kind == repository.InvoicesOfDeal {
				answer.ByState = with(answer.ByState, invoice.Status(status), n)
			} else {
				answer.ByStatus = with(answer.ByStatus, catalog.StatusID(status), n)
			}
			a.known[q] = answer
		}
		return rows.Err()
	}
}

func with[ID comparable](counts map[ID]int, id ID, n int) map[ID]int {
	if counts == nil {
		counts = map[ID]int{}
	}
	counts[id] = n
	return counts
}

func (a *answering) lines(rows pgx.Rows) error {
	for rows.Next() {
		q := repository.Question{Kind: repository.LinesOfInvoice}
		var l invoice.Line
		var count, price, total string
		if err := rows.Scan(&q.ID, &l.ID, &l.Version, &l.Name, &l.Units, &count, &price, &total); err != nil {
			return err
		}
		if err := decimal(&l.Count, value(count), money.ParseQuantity); err != nil {
			return err
		}
		if err := amount(&l.Price, value(price)); err != nil {
			return err
		}
		if err := amount(&l.Total, value(total)); err != nil {
			return err
		}
		answer := a.known[q]
		answer.Lines = append(answer.Lines, l)
		a.known[q] = answer
	}
	return rows.Err()
}

func (a *answering) queueNumbers(b *pgx.Batch) {
	n := len(a.numbers)
	keys, numbers, performers, except := make([]string, n), make([]string, n), make([]int64, n), make([]int64, n)
	first, next := make([]time.Time, n), make([]time.Time, n)
	for i, q := range a.numbers {
		keys[i], numbers[i], performers[i], except[i] = textkey.Of(q.Number), q.Number, q.ID, int64(q.Except)
		first[i], next[i] = yearStart(q.Year), yearStart(q.Year+1)
	}
	b.Queue(numbersTaken, keys, numbers, performers, first, next, except).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			var place int
			if err := rows.Scan(&place); err != nil {
				return err
			}
			a.known[a.numbers[place-1]] = repository.Answer{IsTaken: true}
		}
		return rows.Err()
	})
}

func yearStart(year int) time.Time { return time.Date(year, time.January, 1, 0, 0, 0, 0, time.UTC) }
