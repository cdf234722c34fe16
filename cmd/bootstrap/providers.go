package bootstrap

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/google/wire"

	"github.com/kontor-crm/kontor/adapters/credential"
	"github.com/kontor-crm/kontor/adapters/expression"
	"github.com/kontor-crm/kontor/adapters/gate"
	"github.com/kontor-crm/kontor/adapters/httpapi"
	"github.com/kontor-crm/kontor/adapters/httpapi/traffic"
	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgread"
	"github.com/kontor-crm/kontor/adapters/postgres/pgstore"
	"github.com/kontor-crm/kontor/adapters/telemetry"
	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/ports/repository"
)

// RuleOptions returns the rules of the business: a new one is a file in application/rule
// and a line here. Those of a team's own program come after them.
func RuleOptions(c Config) []rule.Option {
	return append([]rule.Option{
		rule.Clients.Rules(rule.ClientStaysWithManager{}),
		rule.Deals.Rules(rule.DealStaysWithManager{}),
	}, c.Rules...)
}

func newZone(c Config) (*time.Location, error) { return time.LoadLocation(c.TimeZone) }

func newCompiler(c Config) (rule.Compiler, error) {
	zone, err := newZone(c)
	if err != nil {
		return nil, err
	}
	return expression.NewCompiler(zone)
}

func newRegistry(c Config, compiler rule.Compiler, clock ports.Clock, o rule.Observer) (*rule.Registry, error) {
	return rule.NewRegistry(compiler, o, append(RuleOptions(c), rule.Timed(clock.Elapsed))...)
}

// projections returns the projections: a new projection is a file in
// adapters/postgres/pgstore and a line here.
func projections(c Config) []pgstore.Projection {
	all := []pgstore.Projection{
		pgstore.DealHistory{},
		pgstore.ReadModels{},
	}
	if c.serving && c.ChangeDays == 0 {
		return all
	}
	return append(all, pgstore.ChangeLog{})
}

// Service has the parts of kontor serve.
type Service struct {
	Handler     http.Handler
	Admin       Admin
	Commands    Commands
	Transaction Transaction
	Shutdown    *traffic.Shutdown
}

// Commands are all the use cases.
type Commands struct {
	Users        *command.Users
	Tokens       *command.Tokens
	Statuses     *command.Statuses
	DealTypes    *command.DealTypes
	InvoiceTypes *command.InvoiceTypes
	Performers   *command.Performers
	Clients      *command.Clients
	Contacts     *command.Contacts
	Payments     *command.Payments
	Deals        *command.Deals
	Offers       *command.Offers
	Contracts    *command.Contracts
	Invoices     *command.Invoices
	Rules        *command.Rules
}

// Transaction runs several use cases in one transaction.
type Transaction struct {
	tx       *pgstore.Tx
	registry *rule.Registry
	clock    ports.Clock
	minter   ports.TokenMinter
}

// Do calls fn, which may be called again after a conflict with others, and stores what it has changed if it
// returns nil. After the error of one use case, the others fail too.
func (b Transaction) Do(ctx context.Context, fn func(ctx context.Context, c Commands) error) error {
	return b.tx.Together(ctx, func(ctx context.Context, tx repository.Tx) error {
		return fn(ctx, commandsIn(tx, b.registry, b.clock, b.minter))
	})
}

// Operation has the dependencies of operators' commands.
type Operation struct {
	Commands    Commands
	Transaction Transaction
	Accounts    Accounts
	Tokens      readmodel.Reader[readmodel.TokenFilter]
	Trials      *command.Trials
	Rules       readmodel.Reader[readmodel.RuleFilter]
}

// Accounts reads users for operators. It is a separate type because Wire selects
// dependencies by type.
type Accounts readmodel.Reader[readmodel.NoFilter]

type machineClock struct{}

var started = time.Now()

func (machineClock) Now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// Elapsed implements ports.Clock: it returns the time since the start of the process.
func (machineClock) Elapsed() time.Duration { return time.Since(started) }

func newClock(c Config) ports.Clock {
	if c.Clock == nil {
		return machineClock{}
	}
	return c.Clock
}

// storing is the database of one company.
var storing = wire.NewSet(
	projections,
	newMinter, wire.Bind(new(ports.TokenMinter), new(credential.Minter)),
	newClock,
	newTx,
	pgstore.NewSnapshots, wire.Bind(new(repository.Snapshots), new(*pgstore.Snapshots)),
	command.NewTrials,
)

var commands = wire.NewSet(newRegistry, useCases, wire.Struct(new(Transaction), "*"))

var useCases = wire.NewSet(
	command.NewUsers,
	command.NewTokens,
	command.NewStatuses,
	command.NewDealTypes,
	command.NewInvoiceTypes,
	command.NewPerformers,
	command.NewClients,
	command.NewContacts,
	command.NewPayments,
	command.NewDeals,
	command.NewOffers,
	command.NewContracts,
	command.NewInvoices,
	command.NewRules,
	wire.Struct(new(Commands), "*"),
)

// requests is what requests for one company need.
var requests = wire.NewSet(
	storing, commands,
	newTenantServer, newTenantDB, newUpkeepDB, newTenantCompiler, newTenantLog, newTenantObserver, newTenantJob, newMarkedTx,
	newGrants, wire.Bind(new(repository.Grants), new(*pgstore.Grants)),
	access.NewAuthenticator,
	newTenantGate, newWriteGate,
	newAPI,
	wire.Struct(new(openTenant), "*"),
)

// serving is what all companies share.
var serving = wire.NewSet(
	newTelemetry,
	postgres.NewTimelines,
	newTenants,
	newProbe,
	wire.Struct(new(traffic.Shutdown)),
	newHandler, newAdmin,
	commandsOf, transactionOf,
	wire.Struct(new(Service), "*"),
)

// operating is what operators do at the command line.
var operating = wire.NewSet(
	storing, commands,
	OpenDB, ungated, ungatedWrites,
	newCompiler, unobserved,
	wire.Bind(new(repository.Tx), new(*pgstore.Tx)),
	newAccounts, newTokens, newRules,
	wire.Struct(new(Operation), "*"),
)

// unobserved is for commands, which have no metrics.
func unobserved() rule.Observer { return nil }

// ungated is for commands, whose queries do not compete with requests of their process.
func ungated() *gate.Gate { return nil }

// writeGate is a type because Wire selects dependencies by type.
type writeGate struct{ *gate.Gate }

func ungatedWrites() writeGate { return writeGate{} }

// OpenDB returns the company's handle for the command of an operator.
func OpenDB(ctx context.Context, c Config) (*postgres.DB, func(), error) {
	db, err := postgres.Open(ctx, c.pool(c.Tenant.Node, nil))
	if err != nil {
		return nil, nil, err
	}
	return db, db.Close, nil
}

func newProbe(ctx context.Context, c Config, timelines *postgres.Timelines) (*postgres.Probe, func(), error) {
	config := c.pool("", nil)
	config.Timelines = timelines
	probe, err := postgres.NewProbe(ctx, config)
	if err != nil {
		return nil, nil, err
	}
	return probe, probe.Close, nil
}

func newTx(c Config, db *postgres.DB, writes writeGate, all []pgstore.Projection) *pgstore.Tx {
	return pgstore.NewTxOf(c.Tenant.Code, db, writes.Gate, all)
}

func newMinter(c Config) credential.Minter { return credential.Minter{Tenant: c.Tenant.Code} }

func newAccounts(db *postgres.DB) Accounts { return pgread.NewAccounts(db) }

func newTokens(db *postgres.DB) readmodel.Reader[readmodel.TokenFilter] {
	return pgread.NewTokens(db)
}

func newRules(db *postgres.DB) readmodel.Reader[readmodel.RuleFilter] {
	return pgread.NewRules(db)
}

func commandsOf(all *Tenants) Commands { return all.home.commands }

func transactionOf(all *Tenants) Transaction { return all.home.transaction }

// Resources returns the resources of the API, each with its reader and its use cases.
func Resources(db pgread.Querier, documents repository.Documents, c Commands, t *command.Trials) []httpapi.Resource {
	clients, deals, rules := pgread.NewClients(db), pgread.NewDeals(db), pgread.NewRules(db)
	return []httpapi.Resource{
		httpapi.Users(pgread.NewUsers(db)),
		httpapi.Statuses(pgread.NewStatuses(db), c.Statuses),
		httpapi.DealTypes(pgread.NewDealTypes(db), c.DealTypes),
		httpapi.InvoiceTypes(pgread.NewInvoiceTypes(db), c.InvoiceTypes),
		httpapi.Performers(pgread.NewPerformers(db), c.Performers),
		httpapi.PerformerParties(pgread.NewPerformerParties(db), c.Performers),
		httpapi.PerformerSeries(query.NewSeries(pgread.NewSeriesInputs(db))),
		httpapi.PerformerPictures(pgread.NewPictures(db), c.Performers),
		httpapi.Clients(clients, c.Clients),
		httpapi.ClientParties(pgread.NewClientParties(db), c.Clients),
		httpapi.Contacts(query.NewContacts(pgread.NewContacts(db), clients, deals), c.Contacts),
		httpapi.Deals(deals, query.NewDealHistory(pgread.NewDealHistory(db), deals), c.Deals),
		httpapi.Offers(pgread.NewOffers(db), c.Offers),
		httpapi.Contracts(pgread.NewContracts(db), c.Contracts),
		httpapi.Invoices(pgread.NewInvoices(db), query.NewInvoiceExplanations(pgread.NewInvoiceInputs(db)), c.Invoices),
		httpapi.InvoiceDocuments(query.NewDocuments(documents, pgread.NewPictures(db))),
		httpapi.InvoiceItems(pgread.NewInvoiceItems(db), c.Invoices),
		httpapi.Payments(pgread.NewPayments(db), c.Payments),
		httpapi.Reports(pgread.NewReceivables(db), pgread.NewRevenue(db), pgread.NewVAT(db), pgread.NewOverdue(db)),
		httpapi.Rules(rules, query.NewRuleViolations(pgread.NewRuleViolations(db), rules), c.Rules),
		httpapi.RuleTrials(t),
		httpapi.Changes(changes(db, map[string]query.RecordReader{
			"client": clients, "contact": pgread.NewContacts(db), "payment": pgread.NewPayments(db), "deal": deals,
			"invoice": pgread.NewInvoices(db), "performer": pgread.NewPerformers(db),
		})),
		httpapi.Tokens(pgread.NewTokens(db), c.Tokens),
		httpapi.Me(pgread.NewMe(db)),
	}
}

// changes returns the log of changes of each of the resources.
func changes(db pgread.Querier, records map[string]query.RecordReader) map[string]readmodel.Reader[readmodel.ChangeFilter] {
	all := map[string]readmodel.Reader[readmodel.ChangeFilter]{}
	for resource, reader := range records {
		all[resource] = query.NewChanges(pgread.NewChanges(db), reader)
	}
	return all
}

// ScopeResources returns the resources that scopes of tokens can name.
func ScopeResources() []string { return httpapi.ScopeResources(Resources(nil, nil, Commands{}, nil)) }

func newHandler(
	c Config, all *Tenants, p *postgres.Probe, t *telemetry.Telemetry, s *traffic.Shutdown, log *slog.Logger,
) http.Handler {
	t.CountCreations(httpapi.Creatable(Resources(nil, nil, Commands{}, nil)))
	return t.Handler(httpapi.New(c.api(t.Requests(), s, all), all.home.api, all.ready(p), log))
}
