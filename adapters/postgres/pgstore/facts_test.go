package pgstore_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/kontor-crm/kontor/adapters/expression"
	"github.com/kontor-crm/kontor/adapters/postgres/pgstore"
	"github.com/kontor-crm/kontor/adapters/postgres/pgsummary"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/agreement"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// debts is an office with unpaid invoices, numbered "1" and "2", and what is asked about it.
type debts struct {
	fixture.Office
	first, second invoice.ID
	offer         agreement.OfferID
	questions     []repository.Question
}

func openDebts(s store) (d debts) {
	d.Office = s.office
	s.doAs(d.Manager, func(ctx context.Context, st repository.Stores) (err error) {
		if d.first, err = st.Invoices.Add(ctx, d.unpaid("1", 2021)); err != nil {
			return err
		}
		if d.second, err = st.Invoices.Add(ctx, d.unpaid("2", 2022)); err != nil {
			return err
		}
		d.offer, err = st.Offers.Add(ctx, fixture.Must(agreement.New[agreement.OfferID](fixture.Agreement(d.Deal), fixture.At)))
		return err
	})
	number := func(n string) repository.Question {
		return repository.Question{Kind: repository.NumberTaken, ID: int64(d.Performer), Number: n, Year: 2022}
	}
	d.questions = []repository.Question{
		{Kind: repository.UnpaidInvoicesOfClient, ID: int64(d.Client)}, {Kind: repository.DealsOfClient, ID: int64(d.Client)},
		{Kind: repository.DealsOfUser, ID: int64(d.Manager)}, {Kind: repository.InvoicesOfDeal, ID: int64(d.Deal)},
		{Kind: repository.AgreementsOfDeal, ID: int64(d.Deal)}, number("2"), number("3"),
	}
	return d
}

func (d debts) unpaid(number string, year int) *invoice.Invoice {
	a := fixture.Invoice(d.Office)
	a.Number, a.Date = domain.Some(number), domain.Some(time.Date(year, time.May, 1, 0, 0, 0, 0, time.UTC))
	a.Status = domain.Some(invoice.NotPaid)
	return fixture.Must(invoice.New(d.Manager, a, performer.Terms{}, fixture.At))
}

func (d debts) changeDeals(ctx context.Context, st repository.Stores) error {
	moved, err := st.Deals.Lock(ctx, d.OtherDeal)
	if err != nil {
		return err
	}
	if err := moved.Update(deal.Attributes{UserID: domain.Some(d.Other), StatusID: domain.Some(d.Status)}, deal.Facts{}, fixture.At); err != nil {
		return err
	}
	if err := st.Deals.Save(ctx, moved); err != nil {
		return err
	}
	_, err = st.Deals.Add(ctx, fixture.Must(deal.New(d.Manager, d.Status, fixture.Deal(d.Client, d.DealType), fixture.At)))
	return err
}

// contract 12.99
func TestDealsOfUserAreThoseOfTheReadModels(t *testing.T) {
	onStore(t, func(s store) {
		d := openDebts(s)
		exec := func(sql string) {
			if _, err := s.pool.Exec(s.t.Context(), sql); err != nil {
				s.t.Fatal(err)
			}
		}
		for _, c := range []struct {
			what    string
			prepare func()
			want    map[catalog.StatusID]int
		}{
			{"no change is folded", func() {}, map[catalog.StatusID]int{d.Default: 2, d.Status: 1}},
			{"all changes are folded", func() {
				if _, err := pgsummary.Fold(s.t.Context(), s.pool); err != nil {
					s.t.Fatal(err)
				}
			}, map[catalog.StatusID]int{d.Default: 2, d.Status: 1}},
			{"the totals are read", func() { exec("update deal_totals set record_count = record_count + 4 where user_id > 0") }, map[catalog.StatusID]int{d.Default: 6, d.Status: 1}},
		} {
			c.prepare()
			err := s.Do(s.t.Context(), repository.Meta{UserID: d.Manager, At: fixture.At, DryRun: true}, func(ctx context.Context, st repository.Stores) error {
				if err := d.changeDeals(ctx, st); err != nil {
					return err
				}
				answers, err := st.Facts.AnswerLocked(ctx, []repository.Question{{Kind: repository.DealsOfUser, ID: int64(d.Manager)}})
				if err != nil {
					return err
				}
				if diff := cmp.Diff(c.want, answers[0].ByStatus); diff != "" {
					s.t.Errorf("%s: -want +got\n%s", c.what, diff)
				}
				return nil
			})
			if err != nil {
				s.t.Fatal(err)
			}
		}
	})
}

// contract 12.110
func TestFactsLeaveOutTheJudgedRecord(t *testing.T) {
	onStore(t, func(s store) {
		d := openDebts(s)
		s.do(func(ctx context.Context, st repository.Stores) error {
			except := func(q repository.Question, resource string, id int64) repository.Question {
				return q.Without(repository.Record{Resource: resource, ID: id})
			}
			answers, err := st.Facts.Answer(ctx, []repository.Question{
				except(d.questions[0], "invoice", int64(d.first)), except(d.questions[1], "deal", int64(d.Deal)),
				except(d.questions[2], "deal", int64(d.Deal)), except(d.questions[3], "invoice", int64(d.first)),
				except(d.questions[4], "offer", int64(d.offer)), except(d.questions[4], "contract", int64(d.offer)),
				except(d.questions[5], "invoice", int64(d.second)), except(d.questions[5], "invoice", int64(d.first)),
				except(d.questions[2], "deal", nowhere), except(d.questions[0], "deal", int64(d.first)),
			})
			if err != nil {
				return err
			}
			pay := answers[0].Sum
			want := []repository.Answer{
				{Count: 1, Sum: pay, Oldest: time.Date(2022, time.May, 1, 0, 0, 0, 0, time.UTC)}, {ByStatus: map[catalog.StatusID]int{}},
				{ByStatus: map[catalog.StatusID]int{d.Default: 2}}, {ByState: map[invoice.Status]int{invoice.NotPaid: 1}},
				{}, {Offers: 1}, {}, {IsTaken: true}, {ByStatus: map[catalog.StatusID]int{d.Default: 3}},
				{Count: 2, Sum: pay.Plus(pay), Oldest: time.Date(2021, time.May, 1, 0, 0, 0, 0, time.UTC)},
			}
			if diff := cmp.Diff(want, answers, cmp.Comparer(money.Amount.Equal)); diff != "" {
				s.t.Errorf("-want +got\n%s", diff)
			}
			return nil
		})
	})
}

func TestFactsReadRecordsAndContacts(t *testing.T) {
	onStore(t, func(s store) {
		d := openDebts(s)
		s.do(func(ctx context.Context, st repository.Stores) error {
			known, err := st.Clients.Lock(ctx, d.Client)
			if err != nil {
				return err
			}
			if err := known.Update(client.Attributes{Email: domain.Some("new@client.example")}, fixture.At); err != nil {
				return err
			}
			if err := st.Clients.Save(ctx, known); err != nil {
				return err
			}
			first, err := st.Contacts.Add(ctx, fixture.Must(contact.New(contact.ToClient(d.Client), contact.Attributes{Name: domain.Some("Ann")})))
			if err != nil {
				return err
			}
			facts := rule.NewFacts(st.Facts)
			changed, err := facts.Client(ctx, d.Client)
			if err != nil || changed == nil || changed.Email != "new@client.example" {
				s.t.Errorf("the client is %+v, %v", changed, err)
			}
			none, err := facts.Client(ctx, nowhere)
			s.expect([]any{(*client.State)(nil), error(nil)}, []any{none, err})
			if found, err := facts.Deal(ctx, d.Deal); err != nil || found == nil || found.ID != d.Deal || found.ClientID != d.Client {
				s.t.Errorf("the deal is %+v, %v", found, err)
			}
			if found, err := facts.Status(ctx, d.Default); err != nil || found == nil || !found.Default {
				s.t.Errorf("the status is %+v, %v", found, err)
			}
			if all, err := facts.AllStatuses(ctx); err != nil || len(all) < 2 || !slices.ContainsFunc(all, func(st catalog.StatusState) bool { return st.Default }) {
				s.t.Errorf("the statuses are %+v, %v", all, err)
			}
			if found, err := facts.Performer(ctx, d.Performer); err != nil || found == nil || found.Name == "" {
				s.t.Errorf("the performer is %+v, %v", found, err)
			}
			if found, err := facts.User(ctx, d.Manager); err != nil || found == nil || found.Role != user.Manager {
				s.t.Errorf("the user is %+v, %v", found, err)
			}
			contacts, err := facts.Contacts(ctx, contact.ToClient(d.Client))
			if err != nil || len(contacts) == 0 || contacts[len(contacts)-1].ID != first || contacts[len(contacts)-1].Link != contact.ToClient(d.Client) {
				s.t.Errorf("the contacts are %+v, %v", contacts, err)
			}
			return nil
		})
	})
}

// contract 12.96
func TestRecordsOfFactsStayUntilTheCommit(t *testing.T) {
	onStore(t, func(s store) {
		o := s.office
		for what, c := range map[string]struct {
			question repository.Question
			write    func(ctx context.Context, st repository.Stores) error
		}{
			"a client": {repository.Question{Kind: repository.ClientRecord, ID: int64(o.Client)}, func(ctx context.Context, st repository.Stores) error {
				st.Facts.Protect(repository.AllFacts)
				return rename(ctx, st, o.Client, "Changed")
			}},
			"contacts": {repository.Question{Kind: repository.ContactsOfClient, ID: int64(o.Client)}, func(ctx context.Context, st repository.Stores) error {
				st.Facts.Protect(repository.AllFacts)
				_, err := st.Contacts.Add(ctx, fixture.Must(contact.New(contact.ToClient(o.Client), contact.Attributes{Name: domain.Some("Ann")})))
				return err
			}},
			"contacts of a deal that gains a client": {repository.Question{Kind: repository.ContactsOfClient, ID: int64(o.Client)},
				func(ctx context.Context, st repository.Stores) error {
					st.Facts.Protect(repository.AllFacts)
					id, err := st.Deals.Add(ctx, fixture.Must(deal.New(o.Manager, o.Default, fixture.Deal(0, o.DealType), fixture.At)))
					if err != nil {
						return err
					}
					d, err := st.Deals.Lock(ctx, id)
					if err != nil {
						return err
					}
					if err := d.GainClient(o.Client, fixture.At); err != nil {
						return err
					}
					return st.Deals.Save(ctx, d)
				}},
		} {
			written := make(chan error, 1)
			s.do(func(ctx context.Context, st repository.Stores) error {
				if _, err := st.Facts.AnswerLocked(ctx, []repository.Question{c.question}); err != nil {
					return err
				}
				go func() {
					written <- s.Do(context.WithoutCancel(ctx), repository.Meta{UserID: o.Manager, At: fixture.At}, c.write)
				}()
				for waiting := false; !waiting; {
					select {
					case err := <-written:
						s.t.Errorf("%s: the other writer has not waited: %v", what, err)
						written <- err
						return nil
					default:
					}
					waiting = pgtest.LockWaits(s.t, s.pool) > 0
				}
				return nil
			})
			if err := <-written; err != nil {
				s.t.Errorf("%s: %v", what, err)
			}
		}
	})
}

func rename(ctx context.Context, st repository.Stores, id client.ID, name string) error {
	c, err := st.Clients.Lock(ctx, id)
	if err != nil {
		return err
	}
	if err := c.Update(client.Attributes{Name: domain.Some(name)}, fixture.At); err != nil {
		return err
	}
	return st.Clients.Save(ctx, c)
}

// contract 12.163, 12.96, 16.105
func TestWhoUsesARecordWaitsBehindOneWhoWaitsToChangeIt(t *testing.T) {
	pgtest.SkipOnCitus(t, "it counts the locks of one server")
	onStore(t, func(s store) {
		o := s.office
		type work = func(ctx context.Context, st repository.Stores) error
		ask := func(kind repository.FactKind, id int64) work {
			return func(ctx context.Context, st repository.Stores) error {
				st.Facts.Protect(repository.AllFacts)
				_, err := st.Facts.AnswerLocked(ctx, []repository.Question{{Kind: kind, ID: id}})
				return err
			}
		}
		document := func(ctx context.Context, st repository.Stores) error {
			_, err := st.Issuing.Source(ctx, o.Performer, o.Client)
			return err
		}
		cases := map[string]struct{ use, change work }{
			"the performer of a document": {document, func(ctx context.Context, st repository.Stores) error {
				p, err := st.Performers.Lock(ctx, o.Performer)
				if err != nil {
					return err
				}
				if err := p.Update(performer.Attributes{Name: domain.Some("Changed")}, fixture.At); err != nil {
					return err
				}
				return st.Performers.Save(ctx, p)
			}},
			"its party": {document, func(ctx context.Context, st repository.Stores) error {
				return putParty(ctx, st, party.Owner{Performer: o.Performer}, "Kiel")
			}},
			"a party before its series are looked at": {document, func(ctx context.Context, st repository.Stores) error {
				_, err := st.Issuing.Kinds(ctx, o.Performer)
				return err
			}},
			"the party of a client that a rule asks for": {ask(repository.ClientRecord, int64(o.Client)), func(ctx context.Context, st repository.Stores) error {
				st.Facts.Protect(repository.AllFacts)
				return putParty(ctx, st, party.Owner{Client: o.Client}, "Bonn")
			}},
			"its deletion": {ask(repository.ClientRecord, int64(o.OtherClient)), func(ctx context.Context, st repository.Stores) error {
				st.Facts.Protect(repository.AllFacts)
				return st.Parties.Remove(ctx, party.Owner{Client: o.OtherClient})
			}},
			"its pictures": {document, func(ctx context.Context, st repository.Stores) error {
				return st.Pictures.Remove(ctx, o.Performer, performer.Logo)
			}},
		}
		for name, kind := range map[string]repository.FactKind{
			"company": repository.ClientRecord, "deal": repository.DealRecord, "status": repository.StatusRecord,
			"performer": repository.PerformerRecord, "user": repository.UserRecord, "status, terse": repository.StatusList,
		} {
			asked := samples(o)[name]
			id := s.added(o, asked)
			subject := id
			if kind == repository.StatusList {
				subject = repository.AllStatuses.ID
			}
			cases[name+" that a rule asks for"] = struct{ use, change work }{ask(kind, subject), func(ctx context.Context, st repository.Stores) error {
				st.Facts.Protect(repository.AllFacts)
				return errors.Join(asked.lock(ctx, st, id), asked.change(), asked.save(ctx, st))
			}}
		}
		for what, c := range cases {
			var writers errgroup.Group
			start := func(fn work) {
				done := make(chan struct{})
				before := pgtest.LockWaits(s.t, s.pool)
				writers.Go(func() error {
					defer close(done)
					return s.Do(s.t.Context(), repository.Meta{UserID: o.Manager, At: fixture.At}, fn)
				})
				for pgtest.LockWaits(s.t, s.pool) == before {
					select {
					case <-done:
						s.t.Errorf("%s: a writer has not waited", what)
						return
					case <-time.After(time.Millisecond):
					}
				}
			}
			s.do(func(ctx context.Context, st repository.Stores) error {
				err := c.use(ctx, st)
				start(c.change)
				start(c.use)
				return err
			})
			if err := writers.Wait(); err != nil {
				s.t.Errorf("%s: %v", what, err)
			}
		}
	})
}

// contract 12.96, 4.99
func TestWriteLocksTheClientsOfAMovedDealAtOnceAndADryRunLocksNone(t *testing.T) {
	pgtest.SkipOnCitus(t, "it takes advisory locks of its own")
	onStore(t, func(s store) {
		o := s.office
		var moved deal.ID
		s.do(func(ctx context.Context, st repository.Stores) (err error) {
			moved, err = st.Deals.Add(ctx, fixture.Must(deal.New(o.Manager, o.Default, fixture.Deal(o.Client, o.DealType), fixture.At)))
			return err
		})
		questions := []repository.Question{{Kind: repository.DealsOfClient, ID: int64(o.Client) + 1}, {Kind: repository.ClientRecord, ID: int64(o.Client)}}
		for _, dryRun := range []bool{true, false} {
			want := 3 // the deals of two clients, and a client
			if dryRun {
				want = 0
			}
			err := s.Do(s.t.Context(), repository.Meta{UserID: o.Manager, At: fixture.At, DryRun: dryRun}, func(ctx context.Context, st repository.Stores) error {
				st.Facts.Protect(repository.FactsOf(repository.DealsOfClient))
				found, err := st.Deals.Lock(ctx, moved)
				if err != nil {
					return err
				}
				if _, err := st.Facts.AnswerLocked(ctx, questions); err != nil {
					return err
				}
				if n := s.advisoryLocks(); n != want {
					s.t.Errorf("dry run %v: %d subjects are locked after the question, want %d", dryRun, n, want)
				}
				if err := st.Deals.Remove(ctx, found); err != nil {
					return err
				}
				_, err = st.View.Read(ctx, readmodel.Clients, int64(o.Client), &readmodel.Selection{Paths: []string{"id"}, Type: -1})
				if n := s.advisoryLocks(); n != want {
					s.t.Errorf("dry run %v: %d subjects are locked before the end, want %d", dryRun, n, want)
				}
				return err
			})
			if err != nil {
				s.t.Error(err)
			}
		}
	})
}

func (s store) advisoryLocks() (n int) {
	s.t.Helper()
	err := s.pool.QueryRow(s.t.Context(), `
select count(*) from pg_locks
where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`).Scan(&n)
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

// contract 12.110
func TestLimitIsTheSameForAllOperations(t *testing.T) {
	onStore(t, func(s store) {
		o := s.office
		limit := typed("invoice", `after.status_id != 1 || facts.unpaid_invoices(after.client_id).count < 5`, "many")
		limit.On = domain.Some([]string{"create", "update"})
		addRules(s, limit)
		_, invoices := underTyped(s, nil)
		by := s.manager()
		a := fixture.Invoice(o)
		a.Status = domain.Some(invoice.NotPaid)
		var last invoice.ID
		for range 5 {
			id, err := invoices.Create(s.t.Context(), by, a)
			if err != nil {
				s.t.Fatal(err)
			}
			last = id
		}
		if _, err := invoices.Create(s.t.Context(), by, a); !fault.Is(err, fault.Invalid) {
			s.t.Errorf("the sixth is not refused: %v", err)
		}
		if err := invoices.Update(s.t.Context(), by, last, invoice.Attributes{Notice: domain.Some("new")}); err != nil {
			s.t.Errorf("the notice of the fifth: %v", err)
		}
		registry := fixture.Must(rule.NewRegistry(fixture.Must(expression.NewCompiler(time.UTC)), nil))
		trials := command.NewTrials(s.Tx, pgstore.NewSnapshots(s.pool, nil), registry, atFixture{})
		for _, on := range []string{"create", "update", "delete"} {
			tried := limit
			tried.On = domain.Some([]string{on})
			if on == "delete" {
				tried.Expression = domain.Some(`facts.unpaid_invoices(before.client_id).count < 5`)
			}
			c, err := trials.Unsaved(tried)
			if err != nil {
				s.t.Fatal(err)
			}
			found, err := trials.Run(s.t.Context(), c, user.Manager, func(ruledef.TrialResult) {})
			if err != nil || found.Refused != 0 || found.Failed != 0 || found.Passed < 5 {
				s.t.Errorf("on %s, the trial finds %+v, %v", on, found, err)
			}
		}
	})
}
