package pgstore_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kontor-crm/kontor/adapters/postgres/pgstore"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/agreement"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/pgtest"
)

func aRule(name string) ruledef.Attributes {
	return ruledef.Attributes{
		Name: domain.Some(name), Resource: domain.Some("deal"), On: domain.Some([]string{"delete", "create"}),
		Expression: domain.Some("true"), Message: domain.Some("Zoë's “rule”"), Field: domain.Some("name"), Forbidden: domain.Some(true), Mode: domain.Some("warn"),
	}
}

func TestRuleIsStoredAndPartOfTheSet(t *testing.T) {
	onStore(t, func(s store) {
		var first, second ruledef.ID
		var empty, full repository.RuleSet
		s.do(func(ctx context.Context, st repository.Stores) (err error) {
			empty = st.Rules.Set()
			if second, err = st.Rules.Add(ctx, fixture.Must(ruledef.New(aRule("b.second"), fixture.At))); err != nil {
				return err
			}
			first, err = st.Rules.Add(ctx, ruledef.Compiled("a.first", "deal", ruledef.Off, fixture.At))
			return err
		})
		s.do(func(ctx context.Context, st repository.Stores) error {
			full = st.Rules.Set()
			r, err := st.Rules.Lock(ctx, second)
			if err != nil {
				return err
			}
			if err := r.Update(ruledef.Attributes{Mode: domain.Some("enforce"), Forbidden: domain.Some(false)}, fixture.At.Add(time.Hour)); err != nil {
				return err
			}
			return st.Rules.Save(ctx, r)
		})
		want := []ruledef.State{
			{ID: first, Version: 1, Name: "a.first", Resource: "deal", On: ruledef.Of(ruledef.Create, ruledef.Update, ruledef.Delete), Mode: ruledef.Off, Source: ruledef.Program, CreatedAt: fixture.At, UpdatedAt: fixture.At},
			{
				ID: second, Version: 1, Name: "b.second", Resource: "deal", On: ruledef.Of(ruledef.Create, ruledef.Delete), Expression: "true", Message: "Zoë's “rule”", Field: "name", Forbidden: true,
				Mode: ruledef.Warn, Source: ruledef.Typed, CreatedAt: fixture.At, UpdatedAt: fixture.At,
			},
		}
		if diff := cmp.Diff(want, full.Rules, cmpopts.EquateApproxTime(0)); diff != "" || full.Version <= empty.Version || len(empty.Rules) != 0 {
			s.t.Errorf("the version grows from %d to %d: -want +got\n%s", empty.Version, full.Version, diff)
		}
		var last repository.RuleSet
		s.do(func(ctx context.Context, st repository.Stores) error {
			last = st.Rules.Set()
			r, err := st.Rules.Lock(ctx, first)
			if err != nil {
				return err
			}
			return st.Rules.Remove(ctx, r)
		})
		if changed := last.Rules[1]; changed.Version != 2 || changed.Mode != ruledef.Enforce || changed.Forbidden || !changed.UpdatedAt.Equal(fixture.At.Add(time.Hour)) || last.Version <= full.Version {
			s.t.Errorf("after a change the set %d has %+v", last.Version, changed)
		}
		err := s.Do(s.t.Context(), repository.Meta{At: fixture.At}, func(ctx context.Context, st repository.Stores) error {
			_, err := st.Rules.Add(ctx, fixture.Must(ruledef.New(aRule("b.second"), fixture.At)))
			return err
		})
		if f := fault.As(err); f == nil || f.Kind != fault.Invalid || f.Fields[0].Name != "name" {
			s.t.Errorf("a second rule of the name: %v", err)
		}
	})
}

func TestRuleIsRemovedWithItsViolations(t *testing.T) {
	onStore(t, func(s store) {
		o := s.office
		var id ruledef.ID
		s.do(func(ctx context.Context, st repository.Stores) (err error) {
			id, err = st.Rules.Add(ctx, fixture.Must(ruledef.New(aRule("it"), fixture.At)))
			return err
		})
		s.do(func(_ context.Context, st repository.Stores) error {
			st.Rules.AddViolations(
				repository.Violation{RuleID: id, Resource: "deal", RecordID: int64(o.Deal), UserID: o.Manager, At: fixture.At, Message: "one"},
				repository.Violation{RuleID: id, Resource: "deal", At: fixture.At, Message: "two"})
			return nil
		})
		s.do(func(ctx context.Context, st repository.Stores) error {
			r, err := st.Rules.Lock(ctx, id)
			if err != nil {
				return err
			}
			return st.Rules.Remove(ctx, r)
		})
		var left int
		if err := s.pool.QueryRow(s.t.Context(), "select count(*) from rule_violations").Scan(&left); err != nil || left > 0 {
			s.t.Errorf("%d violations are left, %v", left, err)
		}
	})
}

func TestRuleIsRegisteredUnlessItsNameIsTaken(t *testing.T) {
	onStore(t, func(s store) {
		s.do(func(ctx context.Context, st repository.Stores) error {
			_, err := st.Rules.Add(ctx, fixture.Must(ruledef.New(aRule("typed"), fixture.At)))
			return err
		})
		register := func(names ...string) (set repository.RuleSet) {
			s.do(func(ctx context.Context, st repository.Stores) error {
				var all []*ruledef.Rule
				for _, name := range names {
					all = append(all, ruledef.Compiled(name, "deal", ruledef.Enforce, fixture.At))
				}
				return st.Rules.Register(ctx, all...)
			})
			s.do(func(_ context.Context, st repository.Stores) error {
				set = st.Rules.Set()
				return nil
			})
			return set
		}
		first := register("b", "typed", "a")
		var names []string
		for _, r := range first.Rules {
			names = append(names, r.Name+" "+r.Source.String())
		}
		if diff := cmp.Diff([]string{"a program", "b program", "typed typed"}, names); diff != "" {
			s.t.Errorf("-want +got\n%s", diff)
		}
		if again := register("a", "b"); again.Version != first.Version || len(again.Rules) != 3 {
			s.t.Errorf("a second registration makes the set %d of %d of the set %d", again.Version, len(again.Rules), first.Version)
		}
	})
}

// contract 12.12
func TestRulesAreRegisteredByManyAtOnce(t *testing.T) {
	onStore(t, func(s store) {
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				tx := pgstore.NewTx(s.pool, nil)
				err := tx.Do(s.t.Context(), repository.Meta{At: fixture.At}, func(ctx context.Context, st repository.Stores) error {
					return st.Rules.Register(ctx, ruledef.Compiled("b", "deal", ruledef.Enforce, fixture.At), ruledef.Compiled("a", "deal", ruledef.Enforce, fixture.At))
				})
				if err != nil {
					s.t.Error(err)
				}
			})
		}
		all.Wait()
		var rules int
		if err := s.pool.QueryRow(s.t.Context(), "select count(*) from rules").Scan(&rules); err != nil || rules != 2 {
			s.t.Errorf("%d rules are stored, %v", rules, err)
		}
	})
}

func TestRuleWithoutItsViolationsIsRemoved(t *testing.T) {
	onStore(t, func(s store) {
		var id ruledef.ID
		s.do(func(ctx context.Context, st repository.Stores) (err error) {
			id, err = st.Rules.Add(ctx, fixture.Must(ruledef.New(aRule("it"), fixture.At)))
			return err
		})
		s.do(func(_ context.Context, st repository.Stores) error {
			st.Rules.AddViolations(repository.Violation{RuleID: id, Resource: "deal", At: fixture.At, Message: "one"})
			return nil
		})
		for _, change := range []func(repository.Rules, context.Context, *ruledef.Rule) error{repository.Rules.RemoveViolations, repository.Rules.Remove} {
			s.do(func(ctx context.Context, st repository.Stores) error {
				r, err := st.Rules.Lock(ctx, id)
				if err != nil {
					return err
				}
				return change(st.Rules, ctx, r)
			})
		}
	})
}

func TestViolationsOfADeletedRuleAreLeftOut(t *testing.T) {
	onStore(t, func(s store) {
		s.do(func(_ context.Context, st repository.Stores) error {
			st.Rules.AddViolations(repository.Violation{RuleID: nowhere, Resource: "deal", At: fixture.At, Message: "too late"})
			return nil
		})
	})
}

func TestFactsAreThoseOfTheUnitOfWork(t *testing.T) {
	onStore(t, func(s store) {
		o := s.office
		a := fixture.Invoice(o)
		a.Date = domain.Some(time.Date(2023, time.December, 31, 23, 59, 59, 0, time.UTC))
		a.Status = domain.Some(invoice.NotPaid)
		number := a.Number.Or("")
		var id invoice.ID
		s.doAs(o.Manager, func(ctx context.Context, st repository.Stores) error {
			inv := fixture.Must(invoice.New(o.Manager, a, performer.Terms{}, fixture.At))
			var err error
			if id, err = st.Invoices.Add(ctx, inv); err != nil {
				return err
			}
			if _, err := st.Offers.Add(ctx, fixture.Must(agreement.New[agreement.OfferID](fixture.Agreement(o.Deal), fixture.At))); err != nil {
				return err
			}
			pay := inv.State().Due()
			answers, err := st.Facts.AnswerLocked(ctx, []repository.Question{
				{Kind: repository.UnpaidInvoicesOfClient, ID: int64(o.Client)},
				{Kind: repository.DealsOfClient, ID: int64(o.Client)},
				{Kind: repository.DealsOfUser, ID: int64(o.Manager)},
				{Kind: repository.InvoicesOfDeal, ID: int64(o.Deal)},
				{Kind: repository.AgreementsOfDeal, ID: int64(o.Deal)},
				{Kind: repository.NumberTaken, ID: int64(o.Performer), Number: number, Year: 2023},
				{Kind: repository.NumberTaken, ID: int64(o.Performer), Number: number, Year: 2023, Except: repository.Record{Resource: "invoice", ID: int64(id)}},
				{Kind: repository.NumberTaken, ID: int64(o.Performer), Number: number, Year: 2024},
				{Kind: repository.NumberTaken, ID: int64(o.Performer), Number: "\x00", Year: 2024},
				{Kind: repository.NumberTaken, ID: int64(o.Performer), Number: number, Year: 1 << 30},
				{Kind: repository.UnpaidInvoicesOfClient, ID: nowhere},
				{Kind: repository.DealsOfClient, ID: nowhere},
			})
			if err != nil {
				return err
			}
			want := []repository.Answer{
				{Count: 1, Sum: pay, Oldest: a.Date.Or(time.Time{})},
				{ByStatus: map[catalog.StatusID]int{o.Default: 1}},
				{ByStatus: map[catalog.StatusID]int{o.Default: 3}},
				{ByState: map[invoice.Status]int{invoice.NotPaid: 1}},
				{Offers: 1},
				{IsTaken: true}, {}, {}, {}, {}, {}, {ByStatus: map[catalog.StatusID]int{}},
			}
			if diff := cmp.Diff(want, answers, cmp.Comparer(money.Amount.Equal)); diff != "" {
				s.t.Errorf("-want +got\n%s", diff)
			}
			return nil
		})
		s.do(func(ctx context.Context, st repository.Stores) error {
			answers, err := st.Facts.Answer(ctx, []repository.Question{{Kind: repository.LinesOfInvoice, ID: int64(id)}})
			if err == nil && (len(answers[0].Lines) != len(a.Lines.Or(nil)) || answers[0].Lines[0].Name == "") {
				s.t.Errorf("the lines are %+v", answers[0].Lines)
			}
			return err
		})
	})
}

// TestFactsLockedKeepWritersAway has a writer that would make an answer untrue commit only after
// the one who has asked.
func TestFactsLockedKeepWritersAway(t *testing.T) {
	onStore(t, func(s store) {
		o := s.office
		question := []repository.Question{{Kind: repository.UnpaidInvoicesOfClient, ID: int64(o.Client)}}
		unpaid := fixture.Invoice(o)
		unpaid.Status = domain.Some(invoice.NotPaid)
		issue := func(ctx context.Context, st repository.Stores) error {
			_, err := st.Invoices.Add(ctx, fixture.Must(invoice.New(o.Manager, unpaid, performer.Terms{}, fixture.At)))
			return err
		}
		written := make(chan error, 1)
		s.do(func(ctx context.Context, st repository.Stores) error {
			before, err := st.Facts.AnswerLocked(ctx, question)
			if err != nil {
				return err
			}
			go func() {
				written <- s.Do(context.WithoutCancel(ctx), repository.Meta{UserID: o.Manager, At: fixture.At}, func(ctx context.Context, st repository.Stores) error {
					st.Facts.Protect(repository.AllFacts)
					return issue(ctx, st)
				})
			}()
			for waiting := false; !waiting; {
				select {
				case err := <-written:
					s.t.Errorf("the other writer has committed: %v", err)
					written <- err
					return nil
				default:
				}
				waiting = pgtest.LockWaits(s.t, s.pool) > 0
			}
			after, err := st.Facts.Answer(ctx, question)
			if err == nil && after[0].Count != before[0].Count {
				s.t.Errorf("the client has %d unpaid invoices after %d", after[0].Count, before[0].Count)
			}
			return err
		})
		if err := <-written; err != nil {
			s.t.Fatal(err)
		}
		s.do(func(ctx context.Context, st repository.Stores) error {
			answers, err := st.Facts.Answer(ctx, question)
			if err == nil && answers[0].Count != 1 {
				s.t.Errorf("the client has %d unpaid invoices, want 1", answers[0].Count)
			}
			return err
		})
	})
}

// TestRuleSetIsThatOfTheFirstStatement has a second instance that knows the rules of before a
// change.
func TestRuleSetIsThatOfTheFirstStatement(t *testing.T) {
	onStore(t, func(s store) {
		o, one, two := s.office, s, s
		two.Tx = pgstore.NewTx(s.pool, projected)
		names := func(run func(ctx context.Context, st repository.Stores) error) (seen []string, runs int, err error) {
			err = two.Do(s.t.Context(), repository.Meta{At: fixture.At}, func(ctx context.Context, st repository.Stores) error {
				runs++
				seen = nil
				for _, r := range st.Rules.Set().Rules {
					seen = append(seen, r.Name)
				}
				return run(ctx, st)
			})
			return seen, runs, err
		}
		lock := func(ctx context.Context, st repository.Stores) error {
			_, err := st.Clients.Lock(ctx, o.Client)
			return err
		}
		refuse := func(context.Context, repository.Stores) error { return fault.New(fault.Invalid, "not so") }
		if seen, _, err := names(lock); len(seen) != 0 || err != nil {
			s.t.Fatalf("the rules are %v, %v", seen, err)
		}
		one.do(func(ctx context.Context, st repository.Stores) error {
			_, err := st.Rules.Add(ctx, fixture.Must(ruledef.New(aRule("a"), fixture.At)))
			return err
		})
		for _, c := range []struct {
			what string
			run  func(ctx context.Context, st repository.Stores) error
			runs int
		}{{"after the change", lock, 1}, {"again", lock, 1}} {
			if seen, runs, err := names(c.run); len(seen) != 1 || runs != c.runs || err != nil {
				s.t.Errorf("%s: the rules are %v after %d runs, %v", c.what, seen, runs, err)
			}
		}
		one.do(func(ctx context.Context, st repository.Stores) error {
			_, err := st.Rules.Add(ctx, fixture.Must(ruledef.New(aRule("b"), fixture.At)))
			return err
		})
		if seen, runs, err := names(refuse); len(seen) != 2 || runs != 1 || !fault.Is(err, fault.Invalid) {
			s.t.Errorf("a refusal without a statement: the rules are %v after %d runs, %v", seen, runs, err)
		}
	})
}

// TestRuleSetOfARestoredDatabaseIsReadAgain changes the rules after a restore as often as before
// it, but differently.
func TestRuleSetOfARestoredDatabaseIsReadAgain(t *testing.T) {
	onStore(t, func(s store) {
		o, one, two := s.office, s, s
		two.Tx = pgstore.NewTx(s.pool, projected)
		restore := func() {
			if _, err := s.pool.Exec(s.t.Context(), "with gone as (delete from rules) update rule_set set version = 1"); err != nil {
				s.t.Fatal(err)
			}
		}
		add := func(name string) {
			one.do(func(ctx context.Context, st repository.Stores) error {
				_, err := st.Rules.Add(ctx, fixture.Must(ruledef.New(aRule(name), fixture.At)))
				return err
			})
		}
		var seen []ruledef.State
		look := func(ctx context.Context, st repository.Stores) error {
			seen = st.Rules.Set().Rules
			_, err := st.Clients.Lock(ctx, o.Client)
			return err
		}
		add("before")
		two.do(look)
		restore()
		add("after")
		two.do(look)
		if len(seen) != 1 || seen[0].Name != "after" {
			s.t.Errorf("the rules are %v", seen)
		}
	})
}

func TestRuleOfALaterProgramIsNotChanged(t *testing.T) {
	onStore(t, func(s store) {
		var id ruledef.ID
		s.do(func(ctx context.Context, st repository.Stores) (err error) {
			id, err = st.Rules.Add(ctx, fixture.Must(ruledef.New(aRule("typed"), fixture.At)))
			return err
		})
		if _, err := s.pool.Exec(s.t.Context(), "alter table rules drop constraint rules_mode_known"); err != nil {
			s.t.Fatal(err)
		}
		if _, err := s.pool.Exec(s.t.Context(), "update rules set mode = 'later'"); err != nil {
			s.t.Fatal(err)
		}
		var locked error
		s.do(func(ctx context.Context, st repository.Stores) error {
			_, locked = st.Rules.Lock(ctx, id)
			return nil
		})
		if locked == nil {
			s.t.Error("a rule with an unknown mode is changed")
		}
	})
}
