package pgstore

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/kontor-crm/kontor/application/derive"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/ports/repository"
)

type facts struct{ u *unit }

func (f facts) Answer(ctx context.Context, questions []repository.Question) ([]repository.Answer, error) {
	answers := make([]repository.Answer, len(questions))
	var queries factQueries
	for i, q := range questions {
		f.add(ctx, &queries, q, derive.Changed{}, &answers[i])
	}
	return answers, f.u.query(ctx, queries.all()...)
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

func (f facts) Protect(kinds repository.FactKinds) { f.u.protected = kinds }

func (f facts) add(ctx context.Context, queries *factQueries, q repository.Question, without derive.Changed, a *repository.Answer) {
	switch {
	case q.Kind == repository.LinesOfInvoice:
		queries.own = append(queries.own, query{selectLines, []any{q.ID}, func(rows pgx.Rows) (err error) {
			a.Lines, err = f.u.scanLines(ctx, rows)
			return err
		}})
	case q.Kind != repository.NumberTaken || q.IsStorable():
		queries.share(q, without, a)
	}
}

// factQueries are the queries that answer questions. Questions of different kinds share a statement,
// which spares the service and the database the work for each single one.
type factQueries struct {
	own    []query // each for one question
	shared []*factQuery
}

// factQuery is a statement for at most one question of each kind.
type factQuery struct {
	kinds   repository.FactKinds
	args    [len(factSelects)][]any
	answers [len(factSelects)]*repository.Answer
}

func (f *factQueries) share(q repository.Question, without derive.Changed, a *repository.Answer) {
	i := slices.IndexFunc(f.shared, func(s *factQuery) bool { return !s.kinds.Has(q.Kind) })
	if i < 0 {
		i = len(f.shared)
		f.shared = append(f.shared, new(factQuery))
	}
	s := f.shared[i]
	s.kinds |= repository.FactsOf(q.Kind)
	s.args[q.Kind], s.answers[q.Kind] = factArguments(q, without), a
	switch q.Kind {
	case repository.InvoicesOfDeal:
		a.ByState = map[invoice.Status]int{}
	case repository.DealsOfClient, repository.DealsOfUser:
		a.ByStatus = map[catalog.StatusID]int{}
	}
}

func (f *factQueries) all() []query {
	queries := f.own
	for _, s := range f.shared {
		queries = append(queries, query{selectFacts(s.kinds), slices.Concat(s.args[:]...), s.scan})
	}
	return queries
}

// factSelects are the statements that answer questions, by kind, without the first column, which is
// the kind. The others are a key, a number, an amount and a date.
var factSelects = [...]string{
	repository.UnpaidInvoicesOfClient: `0::bigint, count(*), coalesce(sum(pay_price), 0)::text, min(date)
from invoices
where client_id = ? and status = ? and id <> all(?)`,
	repository.DealsOfClient: `status_id, count(*), '', null::timestamp
from deals
where client_id = ? and id <> all(?)
group by status_id`,
	repository.DealsOfUser: `status_id, count(*), '', null::timestamp
from deals
where user_id = ? and id <> all(?)
group by status_id`,
	repository.InvoicesOfDeal: `status, count(*), '', null::timestamp
from invoices
where deal_id = ? and id <> all(?)
group by status`,
	repository.DocumentsOfDeal: `is_contract, number, '', null::timestamp
from (
    select 0::bigint, count(*) from offers where deal_id = ? and id <> all(?)
    union all
    select 1::bigint, count(*) from contracts where deal_id = ? and id <> all(?)
) d (is_contract, number)`,
	repository.NumberTaken: `0::bigint, 1::bigint, '', null::timestamp
from (
    select
    from invoices
    where number_key = ? and number = ? and performer_id = ? and date >= ? and date < ? and id <> all(?)
    limit 1
) i`,
}

var (
	factStatements sync.Map // of a repository.FactKinds: string
	placeholders   = regexp.MustCompile(`\?`)
)

func selectFacts(kinds repository.FactKinds) string {
	if sql, ok := factStatements.Load(kinds); ok {
		return sql.(string)
	}
	var selects []string
	for kind, sql := range factSelects {
		if kinds.Has(repository.FactKind(kind)) {
			selects = append(selects, fmt.Sprintf("select %d::smallint, %s", kind, sql))
		}
	}
	n := 0
	sql := placeholders.ReplaceAllStringFunc(strings.Join(selects, "\nunion all\n"), func(string) string {
		n++
		return fmt.Sprintf("$%d", n)
	})
	factStatements.Store(kinds, sql)
	return sql
}

func factArguments(q repository.Question, without derive.Changed) []any {
	switch q.Kind {
	case repository.UnpaidInvoicesOfClient:
		return []any{q.ID, int16(invoice.NotPaid), ids(without.Invoices)}
	case repository.InvoicesOfDeal:
		return []any{q.ID, ids(without.Invoices)}
	case repository.DocumentsOfDeal:
		return []any{q.ID, ids(without.Offers), q.ID, ids(without.Contracts)}
	case repository.NumberTaken:
		return []any{key(q.Number), q.Number, q.ID, yearStart(q.Year), yearStart(q.Year + 1), append(ids(without.Invoices), int64(q.Except))}
	default: // DealsOfClient, DealsOfUser
		return []any{q.ID, ids(without.Deals)}
	}
}

func (f *factQuery) scan(rows pgx.Rows) error {
	var kind int16
	var key, n int64
	var amount string
	var date pgtype.Timestamp
	for rows.Next() {
		if err := rows.Scan(&kind, &key, &n, &amount, &date); err != nil {
			return err
		}
		if err := addFact(f.answers[kind], repository.FactKind(kind), key, int(n), amount, date.Time); err != nil {
			return err
		}
	}
	return nil
}

func addFact(a *repository.Answer, kind repository.FactKind, key int64, n int, amount string, date time.Time) (err error) {
	switch kind {
	case repository.UnpaidInvoicesOfClient:
		a.Count, a.Oldest = n, date
		a.Sum, err = money.RestoreAmount(amount)
	case repository.InvoicesOfDeal:
		a.ByState[invoice.Status(key)] = n
	case repository.DocumentsOfDeal:
		if key == 0 {
			a.Offers = n
		} else {
			a.Contracts = n
		}
	case repository.NumberTaken:
		a.IsTaken = true
	default: // DealsOfClient, DealsOfUser
		a.ByStatus[catalog.StatusID(key)] = n
	}
	return err
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
