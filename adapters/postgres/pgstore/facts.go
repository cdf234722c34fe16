package pgstore

import (
	"context"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/application/derive"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/ports/company"
	"github.com/kontor-crm/kontor/ports/repository"
)

// facts answers questions in the transaction of a unit of work. Subjects are locked by advisory
// locks of the transaction, whose keys are hashes: two subjects with one key only wait for each
// other without need.
type facts struct{ u *unit }

// Answer implements repository.Facts.
func (f facts) Answer(ctx context.Context, questions []repository.Question) ([]repository.Answer, error) {
	answers := make([]repository.Answer, len(questions))
	queries := make([]query, len(questions))
	for i, q := range questions {
		queries[i] = f.answerTo(ctx, q, &answers[i])
	}
	return answers, f.u.query(ctx, queries...)
}

// AnswerLocked implements repository.Facts. Each statement sees what was committed while the
// one before it waited for the locks.
func (f facts) AnswerLocked(ctx context.Context, questions []repository.Question) ([]repository.Answer, error) {
	if len(questions) == 0 {
		return nil, nil
	}
	var subjects []derive.Subject
	for _, q := range questions {
		subjects = append(subjects, derive.SubjectOf(q))
	}
	f.u.Store("select pg_advisory_xact_lock(key) from unnest($1::bigint[]) as subjects (key)", lockKeys(f.u.company, subjects))
	return f.Answer(ctx, questions)
}

// Protect implements repository.Facts.
func (f facts) Protect() { f.u.protectsFacts = true }

// protectFacts waits for those who have asked about what has changed.
func (u *unit) protectFacts() {
	if !u.protectsFacts {
		return
	}
	if keys := lockKeys(u.company, derive.Subjects(u.changes)); len(keys) > 0 {
		u.Store("select pg_advisory_xact_lock_shared(key) from unnest($1::bigint[]) as subjects (key)", keys)
	}
}

// lockKeys are the keys of the company's subjects in the order in which they are locked. Keys
// are those of the whole database, and companies count their records from 1.
func lockKeys(of company.Code, subjects []derive.Subject) []int64 {
	keys := make([]int64, len(subjects))
	for i, s := range subjects {
		h := fnv.New64a()
		_, _ = h.Write([]byte(strings.Join([]string{"kontor" + string(of), s.Kind, strconv.FormatInt(s.ID, 10), strconv.Itoa(s.Year), s.Number}, "\x00")))
		keys[i] = int64(h.Sum64())
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// answerTo is the query that answers the question.
func (f facts) answerTo(ctx context.Context, q repository.Question, a *repository.Answer) query {
	switch q.Kind {
	case repository.UnpaidInvoicesOfClient:
		var oldest nullTime
		return query{`
select count(*), coalesce(sum(pay_price), 0)::text, min(date)
from invoices
where client_id = $1 and status = $2`, []any{q.ID, invoice.NotPaid}, func(rows pgx.Rows) error {
			return scanOne(rows, func() { a.Oldest = oldest.Time }, &a.Count, decimal(&a.Sum, money.RestoreAmount), &oldest)
		}}
	case repository.DealsOfClient:
		return counts(&a.ByStatus, "select status_id, count(*) from deals where client_id = $1 group by status_id", q.ID)
	case repository.DealsOfUser:
		return counts(&a.ByStatus, "select status_id, count(*) from deals where user_id = $1 group by status_id", q.ID)
	case repository.InvoicesOfDeal:
		return counts(&a.ByState, "select status, count(*) from invoices where deal_id = $1 group by status", q.ID)
	case repository.DocumentsOfDeal:
		return oneRow(new(bool), []any{&a.Offers, &a.Contracts}, `
select (select count(*) from offers where deal_id = $1), (select count(*) from contracts where deal_id = $1)`, q.ID)
	case repository.NumberTaken:
		if !q.IsStorable() {
			return query{"select", nil, func(pgx.Rows) error { return nil }}
		}
		return oneRow(new(bool), []any{&a.Count}, `
select count(*)
from invoices
where number_key = $1 and number = $2 and performer_id = $3 and date >= $4 and date < $5 and id <> $6`,
			key(q.Number), q.Number, q.ID, yearStart(q.Year), yearStart(q.Year+1), q.Except)
	default: // LinesOfInvoice
		return query{selectLines, []any{q.ID}, func(rows pgx.Rows) (err error) {
			a.Lines, err = f.u.scanLines(ctx, rows)
			return err
		}}
	}
}

// scanOne scans the only row into the targets, and then calls done.
func scanOne(rows pgx.Rows, done func(), targets ...any) error {
	if !rows.Next() {
		return rows.Err()
	}
	defer done()
	return rows.Scan(targets...)
}

// counts is a query of ids with their numbers of rows.
func counts[ID catalog.StatusID | invoice.Status](into *map[ID]int, sql string, of int64) query {
	return query{sql, []any{of}, func(rows pgx.Rows) error {
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

func yearStart(year int) time.Time { return time.Date(year, time.January, 1, 0, 0, 0, 0, time.UTC) }
