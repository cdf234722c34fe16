package bootstrap

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/credential"
	"github.com/kontor-crm/kontor/adapters/httpapi"
	"github.com/kontor-crm/kontor/adapters/httpapi/traffic"
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
	limit     *postgres.Limit // of the connections of all tenants
	gate      *postgres.Gate  // of slow queries
	exports   *postgres.Gate  // of whole lists
	log       *slog.Logger

	upkeep    *pgxpool.Pool // of the default company, for what must not wait for requests
	home      *openTenant   // the default company
	live      *tenants.Live[*openTenant]
	catalogue *pgtenant.Catalogue
	worker    *worker

	mu        sync.Mutex
	open      map[*openTenant]struct{} // until their connections are closed
	compilers map[string]rule.Compiler // by zone
	hasOthers bool                     // there was one beside the default company
	isClosed  bool
}

// openTenant is what requests for one company need.
type openTenant struct {
	pool        *pgxpool.Pool
	api         *httpapi.Tenant
	commands    Commands
	transaction Transaction
	job         *tenantJob

	close func()
}

// newTenants opens the default company and starts the background work. The returned function ends all.
func newTenants(c Config, t *telemetry.Telemetry, timelines *postgres.Timelines, log *slog.Logger) (*Tenants, func(), error) {
	all := &Tenants{
		config: c, spans: spansOf(t), verdicts: t.Rules(), timelines: timelines, log: log,
		limit: postgres.NewLimit(c.MaxConnections), gate: postgres.NewGate("slow queries", c.gate()),
		exports: postgres.NewGate("exports", c.gate()), worker: newWorker(newClock(c)),
		open: map[*openTenant]struct{}{}, compilers: map[string]rule.Compiler{},
	}
	upkeep, closeUpkeep, err := all.openPool(context.Background(), c.upkeepPool(all.spans))
	if err != nil {
		return nil, nil, err
	}
	all.upkeep, all.catalogue = upkeep, pgtenant.NewCatalogue(upkeep)
	home, err := all.add(tenant.Tenant{TimeZone: c.TimeZone})
	if err != nil {
		closeUpkeep()
		return nil, nil, err
	}
	all.home = home
	all.live = tenants.NewLive(all.catalogue, newClock(c), all.start, all.drop)
	all.worker.repeat(purgePause, func(context.Context) {
		home.job.mark()
		all.live.Sweep()
	})
	all.worker.repeat(24*time.Hour, all.purge)
	return all, func() {
		all.end()
		closeUpkeep()
	}, nil
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
		err := postgres.Warm(ctx, all.home.pool, min(warmConnections, all.home.pool.Config().MaxConns))
		isWarm = err == nil
		return err
	}
}

// start opens a tenant for requests.
func (all *Tenants) start(ctx context.Context, found tenant.Tenant) (*openTenant, error) {
	t, err := all.add(found)
	if err != nil {
		return nil, err
	}
	if err := postgres.CheckTenant(ctx, t.pool, found.TimeZone); err != nil {
		t.close()
		return nil, err
	}
	RegisterRules(ctx, t.commands, t.job.log)
	t.job.mark()
	return t, nil
}

// add opens a tenant, which connects when it is used.
func (all *Tenants) add(found tenant.Tenant) (*openTenant, error) {
	t, cleanup, err := newTenant(context.Background(), all.config.in(found), all)
	if err != nil {
		return nil, err
	}
	t.close = sync.OnceFunc(func() {
		cleanup()
		all.mu.Lock()
		defer all.mu.Unlock()
		delete(all.open, t)
	})
	all.mu.Lock()
	isClosed := all.isClosed
	all.open[t] = struct{}{}
	all.hasOthers = all.hasOthers || found.Code != ""
	all.mu.Unlock()
	if isClosed {
		t.close()
		return nil, traffic.ErrShutdown
	}
	return t, nil
}

// drop closes a tenant. Its background work ends at once, and its connections are closed when the
// requests that have found it before have ended.
func (all *Tenants) drop(t *openTenant) {
	t.job.end()
	time.AfterFunc(all.config.RequestTimeout+time.Second, t.close)
}

func (all *Tenants) end() {
	all.mu.Lock()
	all.isClosed = true
	all.mu.Unlock()
	all.live.Close()
	all.worker.stop()
	all.mu.Lock()
	left := slices.Collect(maps.Keys(all.open))
	all.mu.Unlock()
	for _, t := range left {
		t.close()
	}
}

// purge deletes the expired records of each company other than the default one, whether it is in use or not.
func (all *Tenants) purge(ctx context.Context) {
	listing, err := all.catalogue.List(ctx)
	for _, c := range listing.Tenants {
		if c.State == tenant.Active || c.State == tenant.Disabled {
			if err := all.purgeIn(ctx, c); err != nil && ctx.Err() == nil {
				all.log.Warn("expired records are not purged", "company", string(c.Code), "error", err.Error())
			}
		}
	}
	if err != nil && ctx.Err() == nil {
		all.log.Warn("expired records of companies are not purged", "error", err.Error())
	}
}

func (all *Tenants) purgeIn(ctx context.Context, found tenant.Tenant) error {
	config := all.config.in(found).tenantPool(nil, all.limit)
	config.MaxConns = 1
	pool, closePool, err := all.openPool(ctx, config)
	if err != nil {
		return err
	}
	defer closePool()
	return postgres.Purge(ctx, pool, all.worker.clock.Now())
}

// openPool opens connections that refuse former primaries.
func (all *Tenants) openPool(ctx context.Context, c postgres.Config) (*pgxpool.Pool, func(), error) {
	c.Timelines = all.timelines
	return openPool(ctx, c)
}

// connections returns the state of the connections of the tenants beside the default company; false if there was none yet.
func (all *Tenants) connections() (telemetry.Companies, bool) {
	all.mu.Lock()
	defer all.mu.Unlock()
	sum := telemetry.Companies{Waiting: all.limit.Waiting()}
	for t := range all.open {
		if t != all.home {
			s := t.pool.Stat()
			sum.Open += int(s.TotalConns())
			sum.Used += int(s.AcquiredConns())
		}
	}
	return sum, all.hasOthers
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

func newTenantPool(ctx context.Context, c Config, all *Tenants) (*pgxpool.Pool, func(), error) {
	return all.openPool(ctx, c.tenantPool(all.spans, all.limit))
}

// upkeepPool is a type because Wire selects dependencies by type.
type upkeepPool struct{ *pgxpool.Pool }

// newUpkeepPool returns the connections for token look-ups and background work: of the default company those that no
// request holds, of another one those of its requests.
func newUpkeepPool(c Config, all *Tenants, requests *pgxpool.Pool) upkeepPool {
	if c.Tenant.Code == "" {
		return upkeepPool{all.upkeep}
	}
	return upkeepPool{requests}
}

func newGrants(upkeep upkeepPool) *pgstore.Grants { return pgstore.NewGrants(upkeep.Pool) }

func newTenantGate(all *Tenants) *postgres.Gate { return all.gate }

func newWriteGate(c Config) writeGate { return writeGate{postgres.NewGate("changes", c.writeGate())} }

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
func newAPI(c Config, all *Tenants, auth *access.Authenticator, pool *pgxpool.Pool, commands Commands, t *command.Trials) *httpapi.Tenant {
	return httpapi.NewTenant(c.Tenant, auth, Resources(pgread.Gated(pool, all.gate, all.exports), commands, t))
}
