package pgstore

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/ports/repository"
)

type facts struct{ u *unit }

// Answer implements repository.Facts.
func (f facts) Answer(ctx context.Context, questions []repository.Question) ([]repository.Answer, error) {
	if slices.ContainsFunc(questions, func(q repository.Question) bool { return q.Kind == repository.DealsOfUser }) {
		f.u.derive() // the read models, which have the answer
	}
	answers := make([]repository.Answer, len(questions))
	for i, q := range questions {
		if q.Kind != repository.NumberTaken || q.IsStorable() {
			f.ask(q, &answers[i])
		}
	}
	if len(questions) == 0 {
		return answers, nil
	}
	return answers, f.u.send(ctx)
}

// AnswerLocked implements repository.Facts. The statements follow the one that waits for the
// locks, so that they see what was committed meanwhile.
func (f facts) AnswerLocked(ctx context.Context, questions []repository.Question) ([]repository.Answer, error) {
	f.u.lockAnswers(questions)
	return f.Answer(ctx, questions)
}

func (f facts) Protect(kinds repository.FactKinds) { f.u.protected = kinds }

func (f facts) Propose(c repository.Changes) { f.u.proposed = append(f.u.proposed, f.u.subjects(c)...) }

// ask queues the query that answers one question.
func (f facts) ask(q repository.Question, a *repository.Answer) {
	switch q.Kind {
	case repository.UnpaidInvoicesOfClient:
		f.u.query(func(rows pgx.Rows) error {
			rows.Next()
			return rows.Scan(&a.Count, parsed(&a.Sum, money.RestoreAmount), zeroTime(&a.Oldest))
		}, unpaidInvoices, q.ID, int16(invoice.NotPaid), q.ExceptOf("invoice"))
	case repository.DealsOfClient:
		f.u.query(counting(&a.ByStatus), "select status_id, count(*) from deals where client_id = $1 and id <> $2 group by status_id",
			q.ID, q.ExceptOf("deal"))
	case repository.DealsOfUser:
		f.u.query(counting(&a.ByStatus), dealsOfUser, q.ID, q.ExceptOf("deal"))
	case repository.InvoicesOfDeal:
		f.u.query(counting(&a.ByState), "select status, count(*) from invoices where deal_id = $1 and id <> $2 group by status",
			q.ID, q.ExceptOf("invoice"))
		f.u.queryRow(new(bool), []any{&a.Issued}, issuedOfDeal, q.ID, q.ExceptOf("invoice"), int16(invoice.Cancelled))
	case repository.AgreementsOfDeal:
		f.u.queryRow(new(bool), []any{&a.Offers, &a.Contracts}, agreementsOfDeal, q.ID, q.ExceptOf("offer"), q.ExceptOf("contract"))
	case repository.LinesOfInvoice:
		f.u.query(collect(&a.Lines, invoiceLines.reader()), selectLines, q.ID)
	case repository.NumberTaken:
		f.u.queryRow(new(bool), []any{&a.IsTaken}, numberTaken,
			key(q.Number), q.Number, q.ID, yearStart(q.Year), yearStart(q.Year+1), q.ExceptOf("invoice"))
	case repository.ContactsOfClient:
		f.u.query(collect(&a.Contacts, contacts.reader()), contacts.selects+"where client_id = $1 and id <> $2\norder by id\nlimit $3",
			q.ID, q.ExceptOf("contact"), repository.MaxContacts)
	case repository.ContactsOfDeal:
		f.u.query(collect(&a.Contacts, contacts.reader()), contacts.selects+"where deal_id = $1 and id <> $2\norder by id\nlimit $3",
			q.ID, q.ExceptOf("contact"), repository.MaxContacts)
	case repository.ClientRecord:
		readRecord(f.u, a, &clients.mapping, q.ID)
		f.u.readParty(party.Owner{Client: client.ID(q.ID)}, func(s party.State) { a.Party = &s })
	case repository.DealRecord:
		readRecord(f.u, a, &deals.mapping, q.ID)
	case repository.StatusRecord:
		readRecord(f.u, a, &statuses.mapping, q.ID)
	case repository.StatusList:
		f.u.query(collect(&a.Statuses, statuses.reader()), statuses.selects+"order by id")
	case repository.PerformerRecord:
		readRecord(f.u, a, &performers.mapping, q.ID)
		f.u.readParty(party.Owner{Performer: performer.ID(q.ID)}, func(s party.State) { a.Party = &s })
	case repository.UserRecord:
		readRecord(f.u, a, &users.mapping, q.ID)
	}
}

// readRecord queues the query of one record, whose state becomes the answer.
func readRecord[S any](u *unit, a *repository.Answer, m *mapping[S], id int64) {
	u.query(func(rows pgx.Rows) error {
		if !rows.Next() {
			return nil
		}
		s := new(S)
		a.Record = s
		return rows.Scan(m.targets(s)...)
	}, m.selects+"where id = $1", id)
}

// collect reads all rows into a list.
func collect[S any](into *[]S, read func(rows pgx.Rows) (S, error)) func(rows pgx.Rows) error {
	return func(rows pgx.Rows) error {
		for rows.Next() {
			s, err := read(rows)
			if err != nil {
				return err
			}
			*into = append(*into, s)
		}
		return nil
	}
}

// counting reads numbers by a key.
func counting[K comparable](n *map[K]int) func(rows pgx.Rows) error {
	return func(rows pgx.Rows) error {
		*n = map[K]int{}
		for rows.Next() {
			var key K
			var number int
			if err := rows.Scan(&key, &number); err != nil {
				return err
			}
			(*n)[key] = number
		}
		return nil
	}
}

const (
	unpaidInvoices = `
select
    count(*) filter (where credits is null), coalesce(sum(owed_price - paid_price - waived_price), 0)::text,
    min(date) filter (where credits is null)
from invoices
where client_id = $1 and status = $2 and id <> $3`

	issuedOfDeal = `
select count(*)
from invoices
where deal_id = $1 and id <> $2 and issued_on is not null and credits is null and status <> $3`

	agreementsOfDeal = `
select
    (select count(*) from offers where deal_id = $1 and id <> $2),
    (select count(*) from contracts where deal_id = $1 and id <> $3)`

	numberTaken = `
select exists (
    select
    from invoices
    where number_key = $1 and number = $2 and performer_id = $3 and date >= $4 and date < $5 and id <> $6
)`

	// Chose: the totals of lists, which are exact with the changes that are not folded yet. Because: a
	// user has tens of thousands of deals, and the writers of one user count them one after another.
	// Costs: the changes of the unit of work so far have to be recorded before.
	dealsOfUser = `
select d.status_id, sum(d.number)::bigint
from (
    select t.status_id, t.record_count as number
    from deal_totals t
    where t.user_id = $1
    union all
    select c.status_id, c.delta
    from deal_changes c
    where c.user_id = $1 and c.batch_id >= (select oldest_open_batch from read_model_state)
    union all
    select e.status_id, -1
    from deals e
    where e.id = $2 and e.user_id = $1
) d
group by d.status_id
having sum(d.number) <> 0`
)

func yearStart(year int) time.Time { return time.Date(year, time.January, 1, 0, 0, 0, 0, time.UTC) }
