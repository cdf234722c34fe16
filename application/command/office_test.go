package command_test

import (
	"context"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/agreement"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/strict"
	"github.com/kontor-crm/kontor/test/workload"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

// office is the use cases over a database of the test, with the records of fixture.Open and a
// clock that is a day ahead of them.
type office struct {
	fixture.Office
	t     *testing.T
	db    workload.Company
	store repository.Tx
	clock *standing

	users        *command.Users
	statuses     *command.Statuses
	dealTypes    *command.DealTypes
	invoiceTypes *command.InvoiceTypes
	performers   *command.Performers
	clients      *command.Clients
	contacts     *command.Contacts
	deals        *command.Deals
	offers       *command.Offers
	contracts    *command.Contracts
	invoices     *command.Invoices
	payments     *command.Payments
}

func open(t *testing.T) *office {
	t.Helper()
	return openOn(t, workload.NewCompany(t))
}

// openEmpty is an office that has nothing yet.
func openEmpty(t *testing.T) *office {
	t.Helper()
	return openOn(t, workload.OpenCompany(t, pgtest.URL(t)))
}

func openOn(t *testing.T, db workload.Company) *office {
	t.Helper()
	store, clock := strict.Tx{Tx: db.Tx}, &standing{fixture.At.Add(24 * time.Hour)}
	rules := registry(t, rule.Clients.Rules(rule.ClientStaysWithManager{}), rule.Deals.Rules(rule.DealStaysWithManager{}))
	deals := command.NewDeals(store, clock, rules)
	return &office{
		Office: db.Office, t: t, db: db, store: store, clock: clock,
		users:        command.NewUsers(store, clock, rules),
		statuses:     command.NewStatuses(store, clock, rules),
		dealTypes:    command.NewDealTypes(store, clock, rules),
		invoiceTypes: command.NewInvoiceTypes(store, clock, rules),
		performers:   command.NewPerformers(store, clock, rules),
		clients:      command.NewClients(store, clock, rules),
		contacts:     command.NewContacts(store, clock, rules),
		deals:        deals,
		offers:       command.NewOffers(store, clock, rules),
		contracts:    command.NewContracts(store, clock, rules),
		invoices:     command.NewInvoices(store, clock, rules, deals),
		payments:     command.NewPayments(store, clock, rules),
	}
}

// registry is the rules and reactions of a program.
func registry(t *testing.T, options ...rule.Option) *rule.Registry {
	t.Helper()
	r, err := rule.NewRegistry(nil, nil, options...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (o *office) admin() command.Request   { return by(o.Admin, user.Admin) }
func (o *office) manager() command.Request { return by(o.Manager, user.Manager) }
func (o *office) other() command.Request   { return by(o.Other, user.Manager) }
func (o *office) viewer() command.Request  { return by(o.Viewer, user.Viewer) }

func by(id user.ID, role user.Role) command.Request {
	return command.Request{Actor: access.Actor{UserID: id, Role: role}}
}

// expecting is a request that expects the record in that version.
func expecting(r command.Request, version int64) command.Request {
	r.Expect = []int64{version}
	return r
}

// unreadable is a request with unreadable fields.
func unreadable(r command.Request, fields ...string) command.Request {
	for _, name := range fields {
		r.Wrong = append(r.Wrong, fault.Field{Name: name, Message: "makes no sense"})
	}
	return r
}

// nowhere is the id of no record.
const nowhere = 4_000_000

func (o *office) client(id client.ID) client.State {
	o.t.Helper()
	return stored[client.ID, *client.Client, client.State](o, id, func(s repository.Stores) locker[client.ID, *client.Client] { return s.Clients })
}

func (o *office) contact(id contact.ID) contact.State {
	o.t.Helper()
	return stored[contact.ID, *contact.Contact, contact.State](o, id, func(s repository.Stores) locker[contact.ID, *contact.Contact] { return s.Contacts })
}

func (o *office) deal(id deal.ID) deal.State {
	o.t.Helper()
	return stored[deal.ID, *deal.Deal, deal.State](o, id, func(s repository.Stores) locker[deal.ID, *deal.Deal] { return s.Deals })
}

func (o *office) offer(id agreement.OfferID) agreement.State[agreement.OfferID] {
	o.t.Helper()
	return stored[agreement.OfferID, *agreement.Offer, agreement.State[agreement.OfferID]](o, id, func(s repository.Stores) locker[agreement.OfferID, *agreement.Offer] { return s.Offers })
}

func (o *office) contract(id agreement.ContractID) agreement.State[agreement.ContractID] {
	o.t.Helper()
	return stored[agreement.ContractID, *agreement.Contract, agreement.State[agreement.ContractID]](o, id, func(s repository.Stores) locker[agreement.ContractID, *agreement.Contract] {
		return s.Contracts
	})
}

func (o *office) invoice(id invoice.ID) invoice.State {
	o.t.Helper()
	return stored[invoice.ID, *invoice.Invoice, invoice.State](o, id, func(s repository.Stores) locker[invoice.ID, *invoice.Invoice] { return s.Invoices })
}

func (o *office) status(id catalog.StatusID) catalog.StatusState {
	o.t.Helper()
	return stored[catalog.StatusID, *catalog.Status, catalog.StatusState](o, id, func(s repository.Stores) locker[catalog.StatusID, *catalog.Status] { return s.Statuses })
}

func (o *office) contactsOf(link contact.Link) []contact.ID {
	o.t.Helper()
	ofClient, _ := link.Client()
	ofDeal, _ := link.Deal()
	return queried(o, pgx.RowTo[contact.ID], "select id from contacts where coalesce(client_id, 0) = $1 and coalesce(deal_id, 0) = $2 order by id", ofClient, ofDeal)
}

func (o *office) history(id deal.ID) []repository.DealHistoryEntry {
	o.t.Helper()
	return queried(o, pgx.RowToStructByPos[repository.DealHistoryEntry], `
select deal_id, status_id, coalesce(invoice_id, 0), user_id, created_on, coalesce(cause, '')
from deal_history
where deal_id = $1
order by id`, id)
}

// violations are the resource and the id of the record of each violation.
func (o *office) violations() []string {
	o.t.Helper()
	return queried(o, pgx.RowTo[string], "select r.resource || ' ' || v.record_id from rule_violations v join rules r on r.id = v.rule_id order by v.id")
}

func queried[T any](o *office, scan pgx.RowToFunc[T], sql string, args ...any) []T {
	o.t.Helper()
	rows, err := o.db.Pool.Query(o.t.Context(), sql, args...)
	if err != nil {
		o.t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, scan)
	if err != nil {
		o.t.Fatal(err)
	}
	return all
}

type locker[ID, A any] interface {
	Lock(ctx context.Context, id ID) (A, error)
}

// stored is the stored state of the record.
func stored[ID any, A interface{ State() S }, S any](o *office, id ID, in func(s repository.Stores) locker[ID, A]) (state S) {
	o.t.Helper()
	fixture.Do(o.t, o.store, 0, func(ctx context.Context, s repository.Stores) error {
		a, err := in(s).Lock(ctx, id)
		if err == nil {
			state = a.State()
		}
		return err
	})
	return state
}

// done is the result of a use case that must succeed.
func done[T any](t *testing.T) func(value T, err error) T {
	t.Helper()
	return func(value T, err error) T {
		t.Helper()
		succeed(t, err)
		return value
	}
}

func succeed(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("rejected: %v", err)
	}
}

// rejected checks for what kind of reason a use case rejects, and which fields
// it blames, in any order.
func rejected(t *testing.T, err error, kind fault.Kind, fields ...string) {
	t.Helper()
	f := fault.As(err)
	if f == nil || f.Kind != kind {
		t.Errorf("it ended with %v, want a rejection: %s", err, kind)
		return
	}
	var blamed []string
	for _, field := range f.Fields {
		if field.Name != "" {
			blamed = append(blamed, field.Name)
		}
	}
	slices.Sort(blamed)
	slices.Sort(fields)
	if !slices.Equal(blamed, fields) {
		t.Errorf("it blames %q, want %q: %v", blamed, fields, err)
	}
}

func expect(t *testing.T, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b contact.Link) bool { return a == b })); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
