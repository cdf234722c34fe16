package pgstore

import (
	"context"
	"maps"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/application/derive"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/ports/repository"
)

// deferred is a judgement that is made when the projections are called next, and with it the
// changes of the unit of work that its answers leave out.
type deferred struct {
	repository.Deferred
	from    mark
	changes repository.Changes
	answers []repository.Answer
}

// mark is a place among the changes that facts are about.
type mark struct{ deals, offers, contracts, invoices int }

func markIn(c repository.Changes) mark {
	return mark{len(c.Deals), len(c.Offers), len(c.Contracts), len(c.Invoices)}
}

func (m mark) after(c repository.Changes) repository.Changes {
	return repository.Changes{
		Deals: c.Deals[m.deals:], Offers: c.Offers[m.offers:], Contracts: c.Contracts[m.contracts:], Invoices: c.Invoices[m.invoices:],
	}
}

func (f facts) Defer(_ context.Context, d repository.Deferred) error {
	f.u.deferred = append(f.u.deferred, &deferred{Deferred: d, from: markIn(f.u.changes)})
	return nil
}

// due are the judgements that are to be made now.
type due struct {
	u    *unit
	open []*deferred // that have unanswered questions
}

// due takes the deferred judgements. Those that are deferred later are not of them.
func (u *unit) due() *due {
	for _, d := range u.deferred {
		d.changes = d.from.after(u.changes)
	}
	open := u.deferred
	u.deferred = nil
	return &due{u, open}
}

// query runs the queries, and before them those for the answers that are missing, in one round trip.
func (d *due) query(ctx context.Context, more ...query) error {
	var queries factQueries
	for _, of := range d.open {
		if of.answers != nil {
			continue
		}
		of.answers = make([]repository.Answer, len(of.Questions))
		without := derive.ChangedBy(of.changes)
		for i, q := range of.Questions {
			if q.Kind == repository.DealsOfUser {
				queries.own = append(queries.own, recordedDealsOfUser(q, without, of.changes, &of.answers[i]))
			} else {
				facts{d.u}.add(ctx, &queries, q, without, &of.answers[i])
			}
		}
	}
	return d.u.query(ctx, append(queries.all(), more...)...)
}

func (d *due) judge(ctx context.Context) error {
	for len(d.open) > 0 {
		if err := d.query(ctx); err != nil {
			return err
		}
		var open []*deferred
		for _, of := range d.open {
			for i, q := range of.Questions {
				of.answers[i] = derive.WithFormer(of.answers[i], derive.Former(q, of.changes))
			}
			further, err := of.Judge(ctx, of.answers)
			if err != nil {
				return err
			}
			if len(further) > 0 {
				of.Questions, of.answers = further, nil
				open = append(open, of)
			}
		}
		d.open = open
		d.u.lockSubjects(asked(open))
	}
	return nil
}

func asked(of []*deferred) (locks subjectLocks) {
	for _, d := range of {
		for _, q := range d.Questions {
			locks.add(derive.SubjectOf(q), shared)
		}
	}
	return locks
}

// recordedDealsOfUser is the query for the deals of a user by the read models, in which all
// changes of the unit of work are recorded by then; and by the records, while the read models are
// not ready. The first has a row without a status.
//
// Chose: the totals of lists, which are exact, with the changes that are not folded into them.
// Because: a user has tens of thousands of deals, and the writers of one user count them one
// after another. Costs: only at the end of a unit of work, when its own changes are recorded.
func recordedDealsOfUser(q repository.Question, without derive.Changed, c repository.Changes, a *repository.Answer) query {
	return query{`
with state as (
    select lists_ready, oldest_open_batch
    from read_model_state
)
select null::bigint, 0::bigint
from state
where lists_ready
union all
select d.status_id, sum(d.number)::bigint
from (
    select t.status_id, t.record_count as number
    from deal_totals t
    where t.user_id = $1
    union all
    select c.status_id, c.delta
    from deal_changes c
    where c.user_id = $1 and c.batch_id >= (select oldest_open_batch from state)
) d
where (select lists_ready from state)
group by d.status_id
union all
select status_id, count(*)
from deals
where user_id = $1 and id <> all($2) and not (select lists_ready from state)
group by status_id`, []any{q.ID, ids(without.Deals)}, func(rows pgx.Rows) error {
		a.ByStatus = map[catalog.StatusID]int{}
		for rows.Next() {
			var id *catalog.StatusID
			var n int
			if err := rows.Scan(&id, &n); err != nil {
				return err
			}
			if id != nil {
				a.ByStatus[*id] += n
				continue
			}
			for status, n := range derive.PresentDeals(q.ID, c) {
				a.ByStatus[status] -= n
			}
		}
		maps.DeleteFunc(a.ByStatus, func(_ catalog.StatusID, n int) bool { return n == 0 })
		return nil
	}}
}
