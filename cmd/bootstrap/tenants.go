package bootstrap

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/kontor-crm/kontor/adapters/credential"
	"github.com/kontor-crm/kontor/adapters/gate"
	"github.com/kontor-crm/kontor/adapters/httpapi"
	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgread"
	"github.com/kontor-crm/kontor/adapters/postgres/pgstore"
	"github.com/kontor-crm/kontor/adapters/postgres/pgtenant"
	"github.com/kontor-crm/kontor/adapters/telemetry"
	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/application/rule"
	tenants "github.com/kontor-crm/kontor/application/tenant"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/ports/tenant"
)

// Tenants holds what requests for each company in use need. A tenant is a company that keeps its data in
// Kontor. The default one is open for as long as the service runs, even if the database cannot be reached;
// the others are opened when they are used.
type Tenants struct {
	config    Config
	spans     postgres.Spans
	verdicts  rule.Observer // of the default company; nil: none
	timelines *postgres.Timelines
	heavy     *gate.InFlight // the limit of all heavy work
	gate      *gate.Gate     // of slow queries
	exports   *gate.Gate     // of whole lists
	log       *slog.Logger

	upkeep    *postgres.DB // of the default company, for what must not wait for requests
	home      *openTenant  // the default company
	live      *tenants.Live[*openTenant]
	catalogue *pgtenant.Catalogue
	worker    *worker

	mu        sync.Mutex
	servers   map[string]server        // by the node of Citus; "": that of the database URL
	compilers map[string]rule.Compiler // by zone
}

// server is what the companies on one server share.
type server struct {
	*postgres.Pool
	writes *gate.Gate
}

// openTenant is what requests for one company need.
type openTenant struct {
	db          *postgres.DB
	api         *httpapi.Tenant
	commands    Commands
	transaction Transaction
	job         *tenantJob
}

// newTenants opens the default company and starts the background work. The returned function ends all.
func newTenants(c Config, t *telemetry.Telemetry, timelines *postgres.Timelines, log *slog.Logger) (*Tenants, func(), error) {
	heavy := c.heavy()
	all := &Tenants{
		config: c, spans: spansOf(t), verdicts: t.Rules(), timelines: timelines, log: log,
		heavy: heavy, gate: gate.New("slow queries", c.gate(), heavy), exports: gate.New("exports", c.gate(), heavy),
		worker: newWorker(newClock(c)), servers: map[string]server{}, compilers: map[string]rule.Compiler{},
	}
	upkeep := c.upkeepPool(all.spans)
	upkeep.Timelines = timelines
	var err error
	if all.upkeep, err = postgres.Open(context.Background(), upkeep); err != nil {
		return nil, nil, err
	}
	all.catalogue = pgtenant.NewCatalogue(all.upkeep)
	home, err := newTenant(c.in(tenant.Tenant{TimeZone: c.TimeZone}), all)
	if err != nil {
		all.close()
		return nil, nil, err
	}
	all.home = home
	all.live = tenants.NewLive(all.catalogue, newClock(c), all.start, func(t *openTenant) { t.job.end() })
	all.worker.repeat(purgePause, func(context.Context) {
		home.job.mark()
		all.live.Sweep()
	})
	all.worker.daily(purgeTime, all.purge)
	return all, func() {
		all.live.Close()
		all.worker.stop()
		all.close()
	}, nil
}

// close closes all connections, when they have been released.
func (all *Tenants) close() {
	for _, s := range all.servers {
		s.Close()
	}
	all.upkeep.Close()
}

// Find implements httpapi.Tenants.
func (all *Tenants) Find(ctx context.Context, token string, within time.Duration) (*httpapi.Tenant, error) {
	code, ok := credential.TenantOf(token)
	if !ok {
		return nil, nil
	}
	found, ok, err := all.live.Find(ctx, code, within)
	if !ok || err != nil {
		return nil, err
	}
	return found.api, nil
}

// warmConnections is how many connections for requests of the default company are open before the service is ready.
const warmConnections = 4

// ready returns whether requests can be served, as the probe says it, and as fast as later ones: when a service is ready
// for the first time, connections for requests are open.
func (all *Tenants) ready(probe *postgres.Probe) func(ctx context.Context) error {
	isWarm := false // a check begins when the one before has ended
	return func(ctx context.Context) error {
		if err := probe.Ready(ctx); err != nil || isWarm {
			return err
		}
		err := all.home.db.Pool().Warm(ctx, int32(min(warmConnections, all.config.companyConnections())))
		isWarm = err == nil
		return err
	}
}

// start opens a tenant for requests.
func (all *Tenants) start(ctx context.Context, found tenant.Tenant) (*openTenant, error) {
	t, err := newTenant(all.config.in(found), all)
	if err != nil {
		return nil, err
	}
	if err := postgres.CheckTenant(ctx, t.db, found.TimeZone); err != nil {
		return nil, err
	}
	RegisterRules(ctx, t.commands, t.job.log)
	t.job.mark()
	return t, nil
}

// server returns what the companies of a node share; it connects when it is used.
func (all *Tenants) server(node string) (server, error) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if known, ok := all.servers[node]; ok {
		return known, nil
	}
	c := all.config.pool(node, all.spans)
	c.Timelines = all.timelines
	pool, err := postgres.OpenPool(context.Background(), c)
	if err != nil {
		return server{}, err
	}
	made := server{pool, gate.New("changes", all.config.writeGate(all.config.MaxConnections), nil)}
	all.servers[node] = made
	return made, nil
}

// purge deletes the expired records of each company other than the default one, whether it is in use or not. It does
// nothing while another instance does.
func (all *Tenants) purge(ctx context.Context) {
	err := all.home.db.Alone(ctx, "purge", func() error {
		listing, err := all.catalogue.List(ctx)
		for _, c := range listing.Tenants {
			if c.State == tenant.Active || c.State == tenant.Disabled {
				if err := all.purgeIn(ctx, c); err != nil && ctx.Err() == nil {
					all.log.Warn("expired records are not purged", "company", string(c.Code), "error", err.Error())
				}
			}
		}
		return err
	})
	if err != nil && ctx.Err() == nil {
		all.log.Warn("expired records of companies are not purged", "error", err.Error())
	}
}

func (all *Tenants) purgeIn(ctx context.Context, c tenant.Tenant) error {
	at, err := all.server(c.Node)
	if err != nil {
		return err
	}
	return postgres.Purge(ctx, at.Company(c.Code, c.TimeZone, 1), all.worker.clock.Now(), all.config.keepChanges())
}

// connections returns the state of the connections for requests.
func (all *Tenants) connections() (sum telemetry.Pool) {
	all.mu.Lock()
	defer all.mu.Unlock()
	for _, s := range all.servers {
		one := s.State()
		sum.Acquired, sum.Idle, sum.Max = sum.Acquired+one.Acquired, sum.Idle+one.Idle, sum.Max+one.Max
		sum.Acquires, sum.Waits, sum.Waited = sum.Acquires+one.Acquires, sum.Waits+one.Waits, sum.Waited+one.Waited
	}
	return sum
}

// The parts of a tenant.

// newTenantCompiler returns the compiler of the zone, which all tenants in it share: it takes a megabyte.
func newTenantCompiler(c Config, all *Tenants) (rule.Compiler, error) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if known, ok := all.compilers[c.TimeZone]; ok {
		return known, nil
	}
	made, err := newCompiler(c)
	if err == nil {
		all.compilers[c.TimeZone] = made
	}
	return made, err
}

func newTenantServer(c Config, all *Tenants) (server, error) { return all.server(c.Tenant.Node) }

func newTenantDB(c Config, s server) *postgres.DB {
	return s.Company(c.Tenant.Code, c.TimeZone, c.companyConnections())
}

// upkeepDB is a type because Wire selects dependencies by type.
type upkeepDB struct{ *postgres.DB }

// newUpkeepDB returns the handle for token look-ups and background work: of the default company one whose connections no
// request holds, of another one that of its requests.
func newUpkeepDB(c Config, all *Tenants, requests *postgres.DB) upkeepDB {
	if c.Tenant.Code == "" {
		return upkeepDB{all.upkeep}
	}
	return upkeepDB{requests}
}

func newGrants(upkeep upkeepDB) *pgstore.Grants { return pgstore.NewGrants(upkeep.DB) }

func newTenantGate(all *Tenants) *gate.Gate { return all.gate }

func newWriteGate(c Config, s server) writeGate {
	return writeGate{gate.New("changes", c.writeGate(c.companyConnections()), nil).Within(s.writes)}
}

func newTenantLog(c Config, all *Tenants) *slog.Logger {
	if c.Tenant.Code == "" {
		return all.log
	}
	return all.log.With("company", string(c.Tenant.Code))
}

// newTenantObserver returns the metrics, which have the rules of the default company only.
func newTenantObserver(c Config, all *Tenants) rule.Observer {
	if c.Tenant.Code != "" {
		return nil
	}
	return all.verdicts
}

// markedTx marks the tenant for the worker with each unit of work.
type markedTx struct {
	*pgstore.Tx
	job *tenantJob
}

func newMarkedTx(tx *pgstore.Tx, j *tenantJob) repository.Tx { return markedTx{tx, j} }

func (t markedTx) Do(ctx context.Context, meta repository.Meta, fn func(ctx context.Context, s repository.Stores) error) error {
	defer t.job.mark()
	return t.Tx.Do(ctx, meta, fn)
}

// newAPI returns the API of a tenant.
func newAPI(c Config, all *Tenants, auth *access.Authenticator, db *postgres.DB, commands Commands, t *command.Trials) *httpapi.Tenant {
	return httpapi.NewTenant(c.Tenant, auth, Resources(pgread.Gated(db, all.gate, all.exports), pgstore.NewDocuments(db), commands, t))
}
