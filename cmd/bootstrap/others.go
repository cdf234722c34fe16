package bootstrap

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/wire"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/credential"
	"github.com/kontor-crm/kontor/adapters/httpapi"
	"github.com/kontor-crm/kontor/adapters/httpapi/traffic"
	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/admission"
	"github.com/kontor-crm/kontor/adapters/postgres/pgcompany"
	"github.com/kontor-crm/kontor/adapters/postgres/pgcount"
	"github.com/kontor-crm/kontor/adapters/postgres/pgread"
	"github.com/kontor-crm/kontor/adapters/postgres/pgstore"
	"github.com/kontor-crm/kontor/adapters/postgres/pgtrial"
	"github.com/kontor-crm/kontor/adapters/telemetry"
	"github.com/kontor-crm/kontor/application/access"
	companies "github.com/kontor-crm/kontor/application/company"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/application/trial"
	"github.com/kontor-crm/kontor/ports/company"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Others serves the companies other than the default one. Until the first request for one of
// them, it opens no connections and runs nothing in the background.
type Others struct {
	config Config
	gate   *admission.Gate
	spans  postgres.Spans
	slots  trial.Slots
	limit  *postgres.Limit // of the connections of all companies, with the default one
	log    *slog.Logger
	live   *companies.Live[*companyState]

	mu        sync.Mutex
	worker    *companyWorker // nil: no company is in use yet
	pools     map[*pgxpool.Pool]struct{}
	compilers map[string]rule.Compiler // by zone
	closed    bool
}

// companyState is what requests for one company need.
type companyState struct {
	of       company.Company
	pool     *pgxpool.Pool
	api      *httpapi.Company
	commands Commands
	counter  *pgcount.Counter
	trials   *trial.Trials
	use      *use
}

var companyStates = wire.NewSet(
	newTx, newMarkedTx,
	pgstore.NewGrants, wire.Bind(new(repository.Grants), new(*pgstore.Grants)),
	newAPI,
	newCompanyTrials,
	pgtrial.NewSnapshots, wire.Bind(new(repository.Snapshots), new(*pgtrial.Snapshots)),
	pgcount.New, wire.Bind(new(rule.Observer), new(*pgcount.Counter)),
	companyOf,
	wire.Struct(new(companyState), "of", "api", "commands", "counter", "trials", "use"),
)

func companyOf(c Config) company.Company { return c.Company }

func newAPI(of company.Company, auth *access.Authenticator, r []httpapi.Resource) *httpapi.Company {
	return httpapi.NewCompany(of, auth, r, httpapi.Replicas{})
}

// markedTx marks the company for the worker with each unit of work.
type markedTx struct {
	*pgstore.Tx
	use *use
}

func newMarkedTx(tx *pgstore.Tx, u *use) repository.Tx { return markedTx{tx, u} }

func (t markedTx) Do(ctx context.Context, meta repository.Meta, fn func(ctx context.Context, s repository.Stores) error) error {
	defer t.use.mark()
	return t.Tx.Do(ctx, meta, fn)
}

func newOthers(c Config, db *pgxpool.Pool, gate *admission.Gate, spans postgres.Spans, slots trial.Slots, limit *postgres.Limit, log *slog.Logger) (*Others, func()) {
	o := &Others{
		config: c, gate: gate, spans: spans, slots: slots, limit: limit, log: log,
		pools: map[*pgxpool.Pool]struct{}{}, compilers: map[string]rule.Compiler{},
	}
	o.live = companies.NewLive(pgcompany.NewCatalogue(db), newClock(c), o.open, o.drop)
	return o, o.close
}

// Find implements httpapi.Companies.
func (o *Others) Find(ctx context.Context, token string, within time.Duration) (*httpapi.Company, error) {
	code, ok := credential.CompanyOf(token)
	if !ok {
		return nil, nil
	}
	p, ok, err := o.live.Find(ctx, code, within)
	if !ok || err != nil {
		return nil, err
	}
	return p.api, nil
}

// connections returns the state of the connections for requests; false if none was needed yet.
func (o *Others) connections() (telemetry.Companies, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.worker == nil {
		return telemetry.Companies{}, false
	}
	all := telemetry.Companies{Waiting: o.limit.Waiting()}
	for pool := range o.pools {
		s := pool.Stat()
		all.Open += int(s.TotalConns())
		all.Used += int(s.AcquiredConns())
	}
	return all, true
}

func (o *Others) open(ctx context.Context, of company.Company) (p *companyState, err error) {
	c := o.config
	c.Company, c.TimeZone = of, of.TimeZone
	if err := o.start(); err != nil {
		return nil, err
	}
	compiler, err := o.compiler(c)
	if err != nil {
		return nil, err
	}
	log := o.log.With("company", string(of.Code))
	pool, err := o.openPool(c)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			o.closePool(pool)
		}
	}()
	if err := postgres.CheckCompany(ctx, pool, of.TimeZone); err != nil {
		return nil, err
	}
	p, err = newCompanyState(c, pool, pgread.Gated(pool, o.gate), compiler, o.worker.use(pool, log), o.slots, log)
	if err != nil {
		return nil, err
	}
	p.pool = pool
	RegisterRules(ctx, p.commands, log)
	p.use.begin(p.counter)
	return p, nil
}

func (o *Others) openPool(c Config) (*pgxpool.Pool, error) {
	config := c.tenantPool(o.spans, o.limit)
	config.Company, config.Node = c.Company.Code, c.Company.Node
	pool, err := postgres.Open(context.Background(), config)
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.pools[pool] = struct{}{}
	return pool, nil
}

func (o *Others) closePool(pool *pgxpool.Pool) {
	o.limit.Close(pool)
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.pools, pool)
}

// drop forgets a company. What it has counted is stored, and its trial ends. Its connections are closed
// when the requests that have found it before have ended.
func (o *Others) drop(p *companyState) {
	p.trials.Stop()
	p.use.end()
	time.AfterFunc(o.config.RequestTimeout+time.Second, func() { o.closePool(p.pool) })
}

// start starts the worker, once, for the first company.
func (o *Others) start() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return traffic.ErrShutdown
	}
	if o.worker == nil {
		o.worker = startCompanyWorker(newClock(o.config), o.live.Sweep)
	}
	return nil
}

// compiler returns the compiler of the zone, which all companies in it share: it takes a megabyte.
func (o *Others) compiler(c Config) (rule.Compiler, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if known, ok := o.compilers[c.TimeZone]; ok {
		return known, nil
	}
	made, err := newCompiler(c)
	if err == nil {
		o.compilers[c.TimeZone] = made
	}
	return made, err
}

func (o *Others) close() {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	o.live.Close()
	if o.worker != nil {
		o.worker.stop()
	}
	o.mu.Lock()
	left := slices.Collect(maps.Keys(o.pools))
	o.mu.Unlock()
	for _, pool := range left {
		o.closePool(pool)
	}
}
