package pgstore

import (
	"context"

	"github.com/kontor-crm/kontor/application/derive"
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

// after are the changes after the mark.
func (m mark) after(c repository.Changes) repository.Changes {
	return repository.Changes{
		Deals: c.Deals[m.deals:], Offers: c.Offers[m.offers:], Contracts: c.Contracts[m.contracts:], Invoices: c.Invoices[m.invoices:],
	}
}

// Defer implements repository.Facts.
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
	var queries []query
	for _, of := range d.open {
		if of.answers != nil {
			continue
		}
		of.answers = make([]repository.Answer, len(of.Questions))
		without := derive.ChangedBy(of.changes)
		for i, q := range of.Questions {
			queries = append(queries, facts{d.u}.answerTo(ctx, q, without, &of.answers[i]))
		}
	}
	return d.u.query(ctx, append(queries, more...)...)
}

// judge makes the judgements, with further round trips for further questions.
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

// asked are the locks on what the judgements ask about.
func asked(of []*deferred) (locks subjectLocks) {
	for _, d := range of {
		for _, q := range d.Questions {
			locks.add(derive.SubjectOf(q), shared)
		}
	}
	return locks
}
