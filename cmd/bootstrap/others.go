package bootstrap

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/google/wire"

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
	"github.com/kontor-crm/kontor/ports/caller"
	"github.com/kontor-crm/kontor/ports/company"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Others serves the companies other than the default one. Until the first request for one of
// them, it opens no connections and runs nothing in the background.
type Others struct {
	config Config
	gate   *admission.Gate
	writes writeGate
	spans  postgres.Spans
	slots  trial.Slots
	turns  *postgres.Turns // of the default company
	log    *slog.Logger
	live   *companies.Live[*companyState]

	mu        sync.Mutex
	requests  *postgres.CompanyPool // nil: not open yet
	trials    *postgres.CompanyPool
	worker    *companyWorker
	compilers map[string]rule.Compiler // by zone
	closed    bool
}

// companyState is what requests for one company need.
type companyState struct {
	of       company.Company
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
	pgcount.New, wire.Bind(new(rule.Observer), new(*pgcount.Counter)),
	companyOf,
	wire.Struct(new(companyState), "*"),
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

func newOthers(c Config, db postgres.DB, gate *admission.Gate, writes writeGate, spans postgres.Spans, slots trial.Slots, turns *postgres.Turns, log *slog.Logger) (*Others, func()) {
	o := &Others{config: c, gate: gate, writes: writes, spans: spans, slots: slots, turns: turns, log: log, compilers: map[string]rule.Compiler{}}
	o.live = companies.NewLive(pgcompany.NewCatalogue(db), newClock(c), o.open, o.drop)
	return o, o.close
}

// find returns the lookup of companies for the API; nil behind a connection pooler, which does not
// keep the schema of a connection.
func (o *Others) find() httpapi.Companies {
	if o.config.PoolerURL != "" {
		return nil
	}
	return o
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
	if o.requests == nil {
		return telemetry.Companies{}, false
	}
	open, used := o.requests.Connections()
	return telemetry.Companies{Open: open, Used: used, Waiting: o.requests.Waiting()}, true
}

func (o *Others) open(ctx context.Context, of company.Company) (*companyState, error) {
	c := o.config
	c.Company, c.TimeZone = of, of.TimeZone
	if err := o.start(of); err != nil {
		return nil, err
	}
	compiler, err := o.compiler(c)
	if err != nil {
		return nil, err
	}
	log := o.log.With("company", string(of.Code))
	shards := o.shards(ctx, of, log)
	db := o.requests.DB(of, shards)
	if err := postgres.CheckCompany(ctx, db, of.TimeZone); err != nil {
		return nil, err
	}
	p, err := newCompanyState(c, db, pgread.Gated(db, o.gate), o.writes, compiler, o.worker.use(of, shards, log), pgtrial.NewSnapshots(o.trials.DB(of, nil)), o.slots, log)
	if err != nil {
		return nil, err
	}
	RegisterRules(ctx, p.commands, log)
	p.use.begin(p.counter)
	return p, nil
}

// shards are the tables of the company on its worker, if they can be used from here.
func (o *Others) shards(ctx context.Context, of company.Company, log *slog.Logger) *postgres.Shards {
	if !o.config.CitusDirect {
		return nil
	}
	found, err := o.requests.FindShards(ctx, of)
	if err != nil {
		log.Warn("all statements go through the coordinator, because the worker cannot be used directly: "+
			"let the service connect to the worker, or set --citus-direct=false (KONTOR_CITUS_DIRECT)", "worker", of.Node, "error", err.Error())
		return nil
	}
	return found
}

// drop forgets a company. What it has counted is stored, and its trial ends.
func (o *Others) drop(p *companyState) {
	p.trials.Stop()
	p.use.end()
}

// start opens the connections of companies and starts the worker, once, for the first company.
func (o *Others) start(first company.Company) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.closed:
		return traffic.ErrShutdown
	case o.requests != nil:
		return nil
	}
	config := o.config.pool(o.spans)
	config.Turns = o.turns
	requests, err := postgres.OpenCompanies(context.Background(), config, caller.Share(o.config.CallerShare))
	if err != nil {
		return err
	}
	maintenance := o.config.pool(untraced())
	maintenance.MaxConns = companyWorkers
	if first.Node != "" { // the database has Citus
		maintenance.MaxConns = companyWorkers * nodesOfWorker
	}
	others, err := postgres.OpenCompanies(context.Background(), maintenance, 0)
	if err != nil {
		requests.Close()
		return err
	}
	single := o.config.pool(untraced())
	single.MaxConns = 1
	trials, err := postgres.OpenCompanies(context.Background(), single, 0)
	if err != nil {
		requests.Close()
		others.Close()
		return err
	}
	o.requests, o.trials, o.worker = requests, trials, startCompanyWorker(others, newClock(o.config), o.live.Sweep)
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
	if o.requests == nil {
		return
	}
	o.worker.stop()
	o.trials.Close()
	o.requests.Close()
}
