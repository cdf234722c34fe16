package pgstore

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/application/derive"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/ports/repository"
)

// facts answers questions in the transaction of a unit of work.
type facts struct{ u *unit }

// Answer implements repository.Facts.
func (f facts) Answer(ctx context.Context, questions []repository.Question) ([]repository.Answer, error) {
	answers := make([]repository.Answer, len(questions))
	queries := make([]query, len(questions))
	for i, q := range questions {
		queries[i] = f.answerTo(ctx, q, derive.Changed{}, &answers[i])
	}
	return answers, f.u.query(ctx, queries...)
}

// AnswerLocked implements repository.Facts. The statements follow the one that waits for the
// locks, so that they see what was committed meanwhile. The locks are exclusive, because the
// unit of work may change what it has asked about: two that shared a lock would then deadlock.
func (f facts) AnswerLocked(ctx context.Context, questions []repository.Question) ([]repository.Answer, error) {
	if len(questions) == 0 {
		return nil, nil
	}
	var locks subjectLocks
	for _, q := range questions {
		locks.add(derive.SubjectOf(q), exclusive)
	}
	f.u.lockSubjects(locks)
	return f.Answer(ctx, questions)
}

// Protect implements repository.Facts.
func (f facts) Protect(kinds repository.FactKinds) { f.u.protected = kinds }

// answerTo is the query that answers the question about all records but some.
func (f facts) answerTo(ctx context.Context, q repository.Question, without derive.Changed, a *repository.Answer) query {
	switch q.Kind {
	case repository.UnpaidInvoicesOfClient:
		return query{`
select count(*), coalesce(sum(pay_price), 0)::text, min(date)
from invoices
where client_id = $1 and status = $2 and id <> all($3)`, []any{q.ID, invoice.NotPaid, ids(without.Invoices)}, func(rows pgx.Rows) error {
			return scanUnpaid(rows, a)
		}}
	case repository.DealsOfClient:
		return counts(&a.ByStatus, "select status_id, count(*) from deals where client_id = $1 and id <> all($2) group by status_id", q.ID, ids(without.Deals))
	case repository.DealsOfUser:
		return counts(&a.ByStatus, "select status_id, count(*) from deals where user_id = $1 and id <> all($2) group by status_id", q.ID, ids(without.Deals))
	case repository.InvoicesOfDeal:
		return counts(&a.ByState, "select status, count(*) from invoices where deal_id = $1 and id <> all($2) group by status", q.ID, ids(without.Invoices))
	case repository.DocumentsOfDeal:
		return oneRow(new(bool), []any{&a.Offers, &a.Contracts}, `
select
    (select count(*) from offers where deal_id = $1 and id <> all($2)),
    (select count(*) from contracts where deal_id = $1 and id <> all($3))`, q.ID, ids(without.Offers), ids(without.Contracts))
	case repository.NumberTaken:
		if !q.IsStorable() {
			return query{"select", nil, func(pgx.Rows) error { return nil }}
		}
		return oneRow(&a.IsTaken, nil, `
select
from invoices
where number_key = $1 and number = $2 and performer_id = $3 and date >= $4 and date < $5 and id <> all($6)
limit 1`,
			key(q.Number), q.Number, q.ID, yearStart(q.Year), yearStart(q.Year+1), append(ids(without.Invoices), int64(q.Except)))
	default: // LinesOfInvoice
		return query{selectLines, []any{q.ID}, func(rows pgx.Rows) (err error) {
			a.Lines, err = f.u.scanLines(ctx, rows)
			return err
		}}
	}
}

// scanUnpaid scans the only row.
func scanUnpaid(rows pgx.Rows, a *repository.Answer) (err error) {
	if !rows.Next() {
		return rows.Err()
	}
	var sum string
	var oldest *time.Time
	if err := rows.Scan(&a.Count, &sum, &oldest); err != nil {
		return err
	}
	if oldest != nil {
		a.Oldest = *oldest
	}
	a.Sum, err = money.RestoreAmount(sum)
	return err
}

// counts is a query of ids with their numbers of rows.
func counts[ID catalog.StatusID | invoice.Status](into *map[ID]int, sql string, args ...any) query {
	return query{sql, args, func(rows pgx.Rows) error {
		*into = map[ID]int{}
		for rows.Next() {
			var id ID
			var n int
			if err := rows.Scan(&id, &n); err != nil {
				return err
			}
			(*into)[id] = n
		}
		return nil
	}}
}

// ids is an array of ids, which is empty rather than null. Arrays of int64 are those that pgx
// encodes without reflection.
func ids[ID ~int64](of []ID) []int64 {
	numbers := make([]int64, len(of))
	for i, id := range of {
		numbers[i] = int64(id)
	}
	return numbers
}

func yearStart(year int) time.Time { return time.Date(year, time.January, 1, 0, 0, 0, 0, time.UTC) }
