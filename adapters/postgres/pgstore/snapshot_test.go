package pgstore_test

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kontor-crm/kontor/adapters/gate"
	"github.com/kontor-crm/kontor/adapters/postgres/pgstore"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/agreement"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// filled is a database with records of all kinds.
type filled struct {
	fixture.Office
	tx        repository.Tx
	snapshots *pgstore.Snapshots
	stored    map[string]any // a complete record of each resource, by value
	invoice   invoice.ID
}

func open(t *testing.T) filled {
	t.Helper()
	pool := pgtest.DB(t, pgtest.URL(t), "UTC")
	tx := pgstore.NewTx(pool, []pgstore.Projection{pgstore.ReadModels{}})
	o := filled{fixture.Open(t, tx), tx, pgstore.NewSnapshots(pool, nil), map[string]any{}, 0}
	fixture.Do(t, tx, o.Manager, func(ctx context.Context, s repository.Stores) (err error) {
		of := fixture.Must(s.Deals.Lock(ctx, o.Deal)).State()
		for _, status := range []invoice.Status{invoice.NotPaid, invoice.Paid} {
			a := fixture.Invoice(o.Office)
			a.Status = domain.Some(status)
			inv := fixture.Must(invoice.New(o.Manager, a, performer.Terms{}, fixture.At))
			fixture.Must(0, inv.AttachToDeal(of))
			o.invoice = fixture.Must(s.Invoices.Add(ctx, inv))
		}
		fixture.Must(s.Contacts.Add(ctx, fixture.Must(contact.New(contact.ToClient(o.Client), fixture.Contact()))))
		fixture.Must(s.Offers.Add(ctx, fixture.Must(agreement.New[agreement.OfferID](fixture.Agreement(o.Deal), fixture.At))))
		fixture.Must(s.Contracts.Add(ctx, fixture.Must(agreement.New[agreement.ContractID](fixture.Agreement(o.Deal), fixture.At))))
		return nil
	})
	fixture.Do(t, tx, o.Manager, func(ctx context.Context, s repository.Stores) (err error) {
		o.stored["user"] = fixture.Must(s.Users.Lock(ctx, o.Admin)).State()
		o.stored["status"] = fixture.Must(s.Statuses.Lock(ctx, o.Default)).State()
		o.stored["deal-type"] = fixture.Must(s.DealTypes.Lock(ctx, o.DealType)).State()
		o.stored["invoice-type"] = fixture.Must(s.InvoiceTypes.Lock(ctx, o.InvoiceType)).State()
		o.stored["performer"] = fixture.Must(s.Performers.Lock(ctx, o.Performer)).State()
		o.stored["client"] = fixture.Must(s.Clients.Lock(ctx, o.Client)).State()
		o.stored["contact"] = fixture.Must(s.Contacts.Lock(ctx, 1)).State()
		o.stored["payment"] = fixture.Must(s.Payments.Lock(ctx, 1)).State()
		o.stored["deal"] = fixture.Must(s.Deals.Lock(ctx, o.Deal)).State()
		o.stored["offer"] = fixture.Must(s.Offers.Lock(ctx, 1)).State()
		o.stored["contract"] = fixture.Must(s.Contracts.Lock(ctx, 1)).State()
		o.stored["invoice"] = fixture.Must(s.Invoices.Lock(ctx, o.invoice)).State()
		return nil
	})
	return o
}

func take(t *testing.T, o filled, resource string) repository.Snapshot {
	t.Helper()
	s, err := o.snapshots.Take(t.Context(), resource)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(t.Context()) })
	return s
}

// readAll are the pages of a snapshot.
func readAll(t *testing.T, s repository.Snapshot) (pages []repository.Batch) {
	t.Helper()
	for {
		page, err := s.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(page.IDs) == 0 {
			return pages
		}
		pages = append(pages, page)
	}
}

func TestSnapshotHasTheStatesOfEachResource(t *testing.T) {
	t.Parallel()
	o := open(t)
	for _, resource := range ruledef.Resources {
		want := o.stored[resource]
		var got any
		snapshot := fixture.Must(o.snapshots.Take(t.Context(), resource))
		pages := readAll(t, snapshot)
		snapshot.Close(t.Context())
		for _, page := range pages {
			for i, state := range page.States {
				if page.IDs[i] == reflect.ValueOf(want).FieldByName("ID").Int() {
					got = reflect.ValueOf(state).Elem().Interface()
				}
			}
		}
		noLines := cmpopts.IgnoreFields(invoice.State{}, "Lines")
		if diff := cmp.Diff(want, got, noLines, cmpopts.EquateComparable(contact.Link{}, money.Percent{}), cmp.Comparer(sameAmount)); diff != "" {
			t.Errorf("a %s: -stored +read\n%s", resource, diff)
		}
	}
}

func sameAmount(a, b money.Amount) bool { return a.Number().Compare(b.Number()) == 0 }

func TestSnapshotDoesNotSeeLaterChanges(t *testing.T) {
	t.Parallel()
	o := open(t)
	s := take(t, o, "client")
	fixture.Do(t, o.tx, o.Manager, func(ctx context.Context, st repository.Stores) error {
		fixture.Must(st.Clients.Add(ctx, fixture.Client(o.Manager, fixture.Company())))
		fixture.Must(st.Deals.Add(ctx, fixture.Must(deal.New(o.Manager, o.Status, fixture.Deal(o.Client, o.DealType), fixture.At))))
		return nil
	})
	if pages := readAll(t, s); len(pages) != 1 || len(pages[0].IDs) != 2 {
		t.Errorf("it has %v, want the two clients before the change", pages)
	}
	answers, err := s.Answer(t.Context(), []repository.Question{{Kind: repository.DealsOfClient, ID: int64(o.Client)}})
	if err != nil || len(answers[0].ByStatus) != 1 {
		t.Errorf("the client has the deals %v, %v; want the one before the change", answers, err)
	}
}

// contract 12.77
func TestSnapshotsAreSlowQueries(t *testing.T) {
	t.Parallel()
	pool := pgtest.DB(t, pgtest.URL(t), "UTC")
	limits := gate.Limits{Running: 1, PerCaller: 1, Wait: 50 * time.Millisecond}
	snapshots := pgstore.NewSnapshots(pool, gate.New("operations", limits, nil))
	for range 2 {
		first := fixture.Must(snapshots.Take(t.Context(), "client"))
		if _, err := snapshots.Take(t.Context(), "client"); !fault.Is(err, fault.Throttled) {
			t.Errorf("beside another one: %v", err)
		}
		first.Close(t.Context())
	}
}

// Long texts end a page early.
func TestSnapshotPagesAreBounded(t *testing.T) {
	t.Parallel()
	o := open(t)
	const clients, size = 1202, 10_000
	pool := pgtest.DB(t, pgtest.URL(t), "UTC")
	snapshots := pgstore.NewSnapshots(pool, nil)
	o.Office = fixture.Open(t, pgstore.NewTx(pool, []pgstore.Projection{pgstore.ReadModels{}}))
	if _, err := pool.Exec(t.Context(), `
insert into clients (user_id, type, name, name_key, description, created_at, updated_at)
select $1, 1, 'n', 'n', repeat('x', $2), now(), now()
from generate_series(3, $3::int)`, o.Manager, size, clients); err != nil {
		t.Fatal(err)
	}
	s, err := snapshots.Take(t.Context(), "client")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(t.Context())
	next, done := int64(1), 0.0
	for _, page := range readAll(t, s) {
		if bytes := len(page.IDs) * size; bytes > 5<<20 {
			t.Errorf("a page has %d bytes", bytes)
		}
		for _, id := range page.IDs {
			if id != next {
				t.Fatalf("client %d follows %d", id, next-1)
			}
			next++
		}
		if page.Done <= done {
			t.Errorf("after client %d %v is done, as before", next-1, page.Done)
		}
		done = page.Done
	}
	if next != clients+1 || done != 1 {
		t.Errorf("it ends after client %d with %v done, want %d", next-1, done, clients)
	}
}

func TestSnapshotAnswersAsFactsDo(t *testing.T) {
	t.Parallel()
	o := open(t)
	inv := o.stored["invoice"].(invoice.State)
	taken := repository.Question{Kind: repository.NumberTaken, ID: int64(inv.PerformerID), Number: inv.Number, Year: inv.Date.Year()}
	others := []repository.Question{taken, taken, taken, taken, taken}
	others[1].Except = repository.Record{Resource: "invoice", ID: int64(inv.ID)}
	others[2].Year++
	others[3].ID++
	others[4].Number += "x"
	var questions []repository.Question
	for _, kind := range []repository.FactKind{
		repository.UnpaidInvoicesOfClient, repository.DealsOfClient, repository.DealsOfUser, repository.InvoicesOfDeal,
		repository.AgreementsOfDeal, repository.LinesOfInvoice, repository.ContactsOfClient, repository.ContactsOfDeal,
		repository.ClientRecord, repository.DealRecord, repository.StatusRecord, repository.PerformerRecord, repository.UserRecord,
		repository.StatusList,
	} {
		for id := range int64(5) {
			questions = append(questions, repository.Question{Kind: kind, ID: id})
		}
	}
	questions = append(questions, others...)
	var want []repository.Answer
	fixture.Do(t, o.tx, o.Manager, func(ctx context.Context, s repository.Stores) (err error) {
		want, err = s.Facts.Answer(ctx, questions)
		return err
	})
	got, err := take(t, o, "client").Answer(t.Context(), questions)
	if err != nil {
		t.Fatal(err)
	}
	same := []cmp.Option{cmp.Comparer(sameAmount), cmp.Comparer(money.Quantity.Equal), cmpopts.EquateEmpty(), cmpopts.EquateComparable(contact.Link{})}
	for i, q := range questions {
		if diff := cmp.Diff(want[i], got[i], same...); diff != "" {
			t.Errorf("the answer to %+v: -facts +snapshot\n%s", q, diff)
		}
	}
}

func TestSnapshotAnswersQuestionsThatNoRecordCanHave(t *testing.T) {
	t.Parallel()
	o := open(t)
	questions := []repository.Question{
		{Kind: repository.NumberTaken, ID: 1, Year: 1 << 30, Number: "a"}, {Kind: repository.NumberTaken, ID: 1, Year: 2026, Number: "a\x00"},
	}
	answers, err := take(t, o, "client").Answer(t.Context(), questions)
	if err != nil || len(answers) != 2 || answers[0].IsTaken || answers[1].IsTaken {
		t.Errorf("the answers are %v, %v", answers, err)
	}
}
