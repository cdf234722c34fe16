package doctor

import (
	"slices"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// everyParameter has PgBouncer accept a direct connection of a service, and drop its
// settings.
const everyParameter = "ignore_startup_parameters = statement_timeout, lock_timeout, idle_in_transaction_session_timeout, " +
	"default_transaction_isolation, default_transaction_read_only, jit, max_parallel_workers_per_gather, plan_cache_mode, enable_seqscan, random_page_cost"

// contract 1.68, 1.84
func TestPoolerProblemIsFoundWithAHint(t *testing.T) {
	t.Parallel()
	behind := func(settings ...string) func(*environment) {
		return func(p *environment) {
			p.settings.PoolerURL = pgtest.StartPooler(p.t, settings...).URL(p.settings.DatabaseURL)
		}
	}
	prepared := func(settings ...string) func(*environment) {
		return func(p *environment) {
			p.prepare()
			behind(settings...)(p)
		}
	}
	for name, c := range map[string]struct {
		spoil       func(*environment)
		check       string
		state       State
		found, hint string
	}{
		"none":                     {func(*environment) {}, "pooler", OK, "none", ""},
		"transactions are pooled":  {prepared(), "pooler", OK, "pools transactions", ""},
		"sessions are pooled":      {prepared("pool_mode = session"), "pooler", Warn, "pools sessions", "pool_mode = transaction"},
		"statements are pooled":    {prepared("pool_mode = statement"), "pooler", Fail, "has no transactions", "pool_mode = transaction"},
		"the settings are missing": {behind(), "pooler", Fail, "statement_timeout", "alter role"},
		"nothing is there":         {func(p *environment) { p.settings.PoolerURL = "postgres://kontor@127.0.0.1:1/kontor" }, "pooler", Fail, "cannot be used", "KONTOR_POOLER_URL"},
		"it is the database itself": {func(p *environment) {
			p.prepare()
			p.settings.PoolerURL = pgtest.WithParameter(p.t, p.settings.DatabaseURL, "connect_timeout", "4")
		}, "pooler", Warn, "the database itself", "remove it"},
		"it is another database": {
			func(p *environment) { p.settings.PoolerURL = pgtest.StartPooler(p.t).URL(pgtest.URL(p.t)) },
			"pooler", Fail, "another database", "KONTOR_DATABASE_URL",
		},
		"the direct connection is pooled": {
			func(p *environment) {
				p.settings.DatabaseURL = pgtest.StartPooler(p.t, everyParameter).URL(p.settings.DatabaseURL)
			},
			"pooler", Fail, "does not keep sessions", "KONTOR_POOLER_URL",
		},
		"the direct connection loses its settings": {
			func(p *environment) {
				p.settings.DatabaseURL = pgtest.StartPooler(p.t, everyParameter).URL(p.settings.DatabaseURL)
			},
			"session", Fail, "lock_timeout", "KONTOR_POOLER_URL",
		},
		"transactions have another isolation level": {
			func(p *environment) {
				p.prepare()
				at := p.pool.Config().ConnConfig
				p.execute("alter role " + at.User + " in database " + at.Database + " set default_transaction_isolation = 'repeatable read'")
				behind()(p)
			},
			"pooler", Fail, "default_transaction_isolation", "alter role",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := healthy(t)
			c.spoil(p)
			all := p.examine(Operator).Findings(t.Context())
			at := slices.IndexFunc(all, func(f Finding) bool { return f.Name == c.check })
			if at < 0 || all[at].State != c.state || !strings.Contains(all[at].Found, c.found) || !strings.Contains(all[at].Hint, c.hint) {
				t.Errorf("there is no such finding of %s among %+v", c.check, all)
			}
		})
	}
}

// prepare makes the settings of a service the defaults of the role.
func (p *environment) prepare() {
	p.t.Helper()
	config := p.pool.Config().ConnConfig
	for _, sql := range postgres.RoleDefaults(p.settings.config(""), config.User, config.Database) {
		p.execute(sql)
	}
}
