package memstore

import (
	"cmp"
	"context"
	"slices"

	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/document"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Violations are all violations, oldest first.
func (s *Store) Violations() []repository.Violation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.data.violations)
}

// rules are the stored rules. Their version grows with each change, as others see it.
type rules struct {
	*repo[ruledef.ID, *ruledef.Rule, ruledef.State]
}

func (r *rules) Set() repository.RuleSet {
	set := repository.RuleSet{Version: r.unit.ruleSet + 1}
	for _, s := range r.table.rows {
		set.Rules = append(set.Rules, s)
	}
	slices.SortFunc(set.Rules, func(a, b ruledef.State) int { return cmp.Compare(a.Name, b.Name) })
	return set
}

func (r *rules) AddViolations(v ...repository.Violation) {
	for _, violation := range v {
		if _, ok := r.table.rows[violation.RuleID]; ok {
			r.unit.violations = append(slices.Clip(r.unit.violations), violation)
		}
	}
}

func (r *rules) SetReaction(reaction string) { r.unit.reaction = reaction }

func (r *rules) Add(ctx context.Context, rule *ruledef.Rule) (ruledef.ID, error) {
	r.unit.ruleSet++
	return r.repo.Add(ctx, rule)
}

func (r *rules) Save(ctx context.Context, rule *ruledef.Rule) error {
	r.unit.ruleSet++
	return r.repo.Save(ctx, rule)
}

func (r *rules) Remove(ctx context.Context, rule *ruledef.Rule) error {
	id := rule.State().ID
	if slices.ContainsFunc(r.unit.violations, func(v repository.Violation) bool { return v.RuleID == id }) {
		return fault.New(fault.Conflict, "the rule has violations: delete them first")
	}
	r.unit.ruleSet++
	return r.repo.Remove(ctx, rule)
}

func (r *rules) Register(ctx context.Context, rules ...*ruledef.Rule) error {
	for _, added := range rules {
		s := added.State()
		if _, taken := r.table.find(func(other ruledef.State) bool { return other.Name == s.Name }); taken {
			continue
		}
		if _, err := r.Add(ctx, added); err != nil {
			return err
		}
	}
	return nil
}

func (r *rules) RemoveViolations(_ context.Context, rule *ruledef.Rule) error {
	id := rule.State().ID
	r.unit.violations = slices.DeleteFunc(slices.Clone(r.unit.violations), func(v repository.Violation) bool { return v.RuleID == id })
	return nil
}

// facts answers questions from the records. There is one unit of work at a time, and so
// nothing to lock.
type facts struct{ *unit }

func (f facts) Protect(repository.FactKinds) {}

func (f facts) AnswerLocked(ctx context.Context, questions []repository.Question) ([]repository.Answer, error) {
	return f.Answer(ctx, questions)
}

func (f facts) Answer(_ context.Context, questions []repository.Question) ([]repository.Answer, error) {
	answers := make([]repository.Answer, len(questions))
	for i, q := range questions {
		answers[i] = f.answer(q)
	}
	return answers, nil
}

func (f facts) answer(q repository.Question) (a repository.Answer) {
	switch q.Kind {
	case repository.UnpaidInvoicesOfClient:
		for _, id := range f.invoices.ids() {
			if s := f.invoices.rows[id]; int64(s.ClientID) == q.ID && s.Status == invoice.NotPaid {
				a.Count++
				a.Sum = a.Sum.Plus(s.PayPrice)
				if a.Oldest.IsZero() || s.Date.Before(a.Oldest) {
					a.Oldest = s.Date
				}
			}
		}
	case repository.DealsOfClient:
		a.ByStatus = f.dealsBy(func(s deal.State) bool { return int64(s.ClientID) == q.ID })
	case repository.DealsOfUser:
		a.ByStatus = f.dealsBy(func(s deal.State) bool { return int64(s.UserID) == q.ID })
	case repository.InvoicesOfDeal:
		a.ByState = map[invoice.Status]int{}
		for _, s := range f.invoices.rows {
			if int64(s.DealID) == q.ID {
				a.ByState[s.Status]++
			}
		}
	case repository.DocumentsOfDeal:
		a.Offers, a.Contracts = documentsOf(f.offers, q.ID), documentsOf(f.contracts, q.ID)
	case repository.NumberTaken:
		for _, s := range f.invoices.rows {
			if int64(s.PerformerID) == q.ID && s.Number == q.Number && s.Date.Year() == q.Year && s.ID != q.Except {
				a.IsTaken = true
			}
		}
	case repository.LinesOfInvoice:
		a.Lines = f.invoices.rows[invoice.ID(q.ID)].Lines
	}
	return a
}

func (f facts) dealsBy(fits func(deal.State) bool) map[catalog.StatusID]int {
	n := map[catalog.StatusID]int{}
	for _, s := range f.deals.rows {
		if fits(s) {
			n[s.StatusID]++
		}
	}
	return n
}

func documentsOf[ID document.Identifier](t table[ID, document.State[ID]], of int64) (n int) {
	for _, s := range t.rows {
		if int64(s.DealID) == of {
			n++
		}
	}
	return n
}
