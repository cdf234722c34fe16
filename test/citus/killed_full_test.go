//go:build full

package citus_test

import (
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgcompany"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/ports/company"
	"github.com/kontor-crm/kontor/test/citus"
	"github.com/kontor-crm/kontor/test/testprogram"
)

// ofCommands are the sessions of commands that change companies.
const ofCommands = "datname = current_database() and application_name in ('kontor company', 'kontor migrate')"

const sessions = "select count(*) from pg_stat_activity where " + ofCommands

// executing is a query for sessions of commands that run a statement like that.
func executing(pattern string) string {
	return sessions + " and state = 'active' and query ~* '" + pattern + "'"
}

// moment is a moment of a command: the query then has another result than 0.
type moment struct {
	name, query string
	locked      string // a table: the moment is when the command waits for it after that; empty: none
}

// interruptions end a command in the middle.
var interruptions = map[string]func(t *testing.T, url string, c *command){
	"killed": func(t *testing.T, _ string, c *command) {
		t.Helper()
		c.kill(t)
	},
	"disconnected": func(t *testing.T, url string, c *command) {
		t.Helper()
		execute(t, url, "select pg_terminate_backend(pid, 5000) from pg_stat_activity where "+ofCommands)
		if err := <-c.ended; err == nil {
			t.Log("the command was done")
		}
	},
}

// site is the database of the tests that share one, with the program and the services of two companies.
type site struct {
	t       *testing.T
	c       *citus.Cluster
	name    string // of the database
	url     string
	program string
	offices []office // one on each worker
}

func newSite(t *testing.T) *site {
	t.Helper()
	c, url, offices, store := serveShared(t)
	store.Close() // its sessions are like those of commands
	cleanUp(t, url)
	program, err := testprogram.Build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &site{t, c, shared.database, url, program, offices}
}

// in returns the site for a subtest.
func (s site) in(t *testing.T) *site {
	t.Helper()
	s.t = t
	return &s
}

// interrupt starts a command, interrupts it at that moment, and waits until the servers have ended its
// sessions and transactions.
func (s *site) interrupt(at moment, how string, arguments ...string) {
	s.t.Helper()
	c := start(s.t, s.program, s.url, arguments...)
	c.await(s.t, s.url, at.query, some)
	if at.locked != "" {
		defer s.lock(at.locked)()
		c.await(s.t, s.url, sessions+" and wait_event_type = 'Lock'", some)
	}
	if len(c.ended) > 0 {
		s.t.Logf("%v had ended before the moment %s", arguments, at.name)
	}
	interruptions[how](s.t, s.url, c)
	await(s.t, s.url, sessions, none)
	for _, n := range s.c.Nodes[:3] { // those of a commit are ended by Citus, within a minute
		await(s.t, n.URL(s.name), "select count(*) from pg_prepared_xacts where database = current_database()", none)
	}
}

// lock has nobody change the table until release is called.
func (s *site) lock(table string) (release func()) {
	s.t.Helper()
	conn, err := pgx.Connect(s.t.Context(), s.url)
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := conn.Exec(s.t.Context(), "begin; lock table "+table+" in share mode"); err != nil {
		s.t.Fatal(err)
	}
	return func() { _ = conn.Close(s.t.Context()) }
}

// keepWriting has all offices write until stop is called. No write may fail.
func (s *site) keepWriting() (stop func()) {
	done := make(chan struct{})
	var writers sync.WaitGroup
	for i, o := range s.offices {
		writers.Go(func() {
			var longest time.Duration
			for {
				select {
				case <-done:
					s.t.Logf("a write of office %d took %s at most", i, longest)
					return
				case <-time.After(50 * time.Millisecond):
				}
				began := time.Now()
				if status, text := o.send(http.MethodPost, "/rest/client", `{"name":"x","type":1}`); status != http.StatusOK {
					s.t.Errorf("office %d meanwhile: %d %s", i, status, text)
				}
				longest = max(longest, time.Since(began))
			}
		})
	}
	return func() {
		close(done)
		writers.Wait()
	}
}

// catalogue returns the companies by name.
func (s *site) catalogue() map[string]company.Company {
	s.t.Helper()
	conn, err := pgx.Connect(s.t.Context(), s.url)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = conn.Close(s.t.Context()) }()
	listing, err := pgcompany.NewCatalogue(conn).List(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	all := map[string]company.Company{}
	for _, c := range listing.Companies {
		all[c.Name] = c
	}
	return all
}

// structure lists the relations and constraints in a schema of a node, and whether indexes are valid.
// The numbers of shards are left out.
const structure = `
select c.relkind::text || ' ' || regexp_replace(c.relname, '_\d{6,}$', '') || ' ' || coalesce(i.indisvalid::text, '') || ' '
    || (select count(*) from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) || ' '
    || (select count(*) from pg_constraint o where o.conrelid = c.oid)
from pg_class c
left join pg_index i on i.indexrelid = c.oid
where c.relnamespace = $1::text::regnamespace
order by 1`

// remains is the number of things on a node that belong to no company.
const remains = `
select (select count(*) from pg_dist_partition p where not exists (select from pg_dist_shard s where s.logicalrelid = p.logicalrelid))
    + (select count(*) from pg_dist_colocation c where not exists (select from pg_dist_schema s where s.colocationid = c.colocationid))
    + (select count(*) from pg_dist_schema s where not exists (select from pg_namespace n where n.oid = s.schemaid))`

// check reports schemas of no company, companies without a schema, and companies with other tables than the
// first office has, on all nodes. The tables of companies that are not migrated are left out.
func (s *site) check() map[string]company.Company {
	s.t.Helper()
	all := s.catalogue()
	var schemas []string
	for _, c := range all {
		if c.State != company.Adding {
			schemas = append(schemas, c.Code.Schema())
		}
	}
	slices.Sort(schemas)
	for i, n := range s.c.Nodes[:3] {
		url := n.URL(s.name)
		if found := column[string](s.t, url, "select nspname::text from pg_namespace where nspname ~ '^company_' order by 1"); !slices.Equal(found, schemas) {
			s.t.Errorf("node %d has the schemas %v, and the catalogue %v", i, found, schemas)
		}
		if left := column[int64](s.t, url, remains)[0] + column[int64](s.t, url, leftovers)[0]; left != 0 {
			s.t.Errorf("%d leftovers on node %d", left, i)
		}
	}
	for name, c := range all {
		if c.State == company.Adding {
			continue
		}
		switch has := s.migrationOf(c); {
		case has == postgres.Version:
			s.compare(name, c)
		case c.Migration > has:
			s.t.Errorf("%s has migration %d, and the catalogue says %d", name, has, c.Migration)
		}
	}
	return all
}

// migrationOf returns the newest migration in the schema of a company.
func (s *site) migrationOf(c company.Company) int64 {
	s.t.Helper()
	return column[int64](s.t, s.url, "select max(version_id) from "+c.Code.Schema()+".schema_migrations")[0]
}

// compare compares a company with the first office, which is on the first worker.
func (s *site) compare(name string, c company.Company) {
	s.t.Helper()
	nodes := []*citus.Node{s.c.Nodes[0], s.c.Nodes[1], s.c.Nodes[2]}
	if c.Node == addressOf(s.c, 2) {
		slices.Reverse(nodes[1:])
	}
	for i, n := range nodes {
		want := column[string](s.t, s.c.Nodes[i].URL(s.name), structure, s.offices[0].code.Schema())
		if diff := cmp.Diff(want, column[string](s.t, n.URL(s.name), structure, c.Code.Schema())); diff != "" || c.Node == "" {
			s.t.Errorf("%s, on %q, has other tables on the node %d:\n%s", name, c.Node, n.Port, diff)
		}
	}
}

// contract 14.5, 14.10, 15.14
func TestKilledAdditionAndRemovalAreFinishedOnWorkers(t *testing.T) {
	s := newSite(t)
	isIn := func(state company.State) string {
		return "select count(*) from kontor_shared.companies where state = '" + string(state) + "'"
	}
	const catalogue = "kontor_shared.catalogue" // which the last statement of each transaction changes
	adding := []moment{
		{name: "when it begins", query: sessions},
		{name: "when it has the name", query: isIn(company.Adding)},
		{name: "while it creates tables", query: executing("create table")},
		{name: "after it has created them", query: isIn(company.Adding), locked: catalogue},
		{name: "when it commits", query: executing("^commit") + " and (" + isIn(company.Adding) + ") > 0"},
	}
	removing := []moment{
		{name: "when it begins", query: sessions},
		{name: "while services notice", query: isIn(company.Removing)},
		{name: "while it drops the tables", query: executing("drop schema")},
		{name: "after it has dropped them", query: isIn(company.Removing), locked: catalogue},
		{name: "when it commits", query: executing("^commit") + " and (" + isIn(company.Removing) + ") > 0"},
	}
	defer s.keepWriting()()
	for i := range adding {
		for _, how := range slices.Sorted(maps.Keys(interruptions)) {
			t.Run(strings.Join([]string{how, adding[i].name, removing[i].name}, ", "), func(t *testing.T) {
				s := s.in(t)
				s.interrupt(adding[i], how, "company", "add", "dairy")
				before := s.check()["dairy"].State
				if before != company.Active {
					succeed(t, s.program, s.url, "company", "add", "dairy")
				}
				added := s.check()["dairy"]
				if added.State != company.Active {
					t.Fatalf("the company is %+v", added)
				}
				s.interrupt(removing[i], how, "company", "remove", "dairy", "--really")
				after := s.check()["dairy"].State
				if after != "" {
					succeed(t, s.program, s.url, "company", "remove", "dairy", "--really")
				}
				if left, isLeft := s.check()["dairy"]; isLeft {
					t.Errorf("the company is %+v", left)
				}
				t.Logf("interrupted, it was %q; added, on %s; interrupted again, %q", before, added.Node, after)
			})
		}
	}
}

// contract 14.20, 15.14
func TestKilledMigrationIsFinishedOnWorkers(t *testing.T) {
	s := newSite(t)
	names := []string{"dairy", "eatery"}
	migrated := addCompanies(t, s.c, s.url, "UTC", names...)
	defer func() {
		for _, name := range names {
			succeed(t, s.program, s.url, "company", "remove", name, "--really")
		}
		s.check()
	}()
	cleanUp(t, s.url)
	moments := []moment{
		{name: "when it begins", query: sessions},
		{name: "while it creates a table", query: executing("create table")},
		{name: "while it creates an index", query: executing("create index concurrently")},
		{name: "while it drops an index", query: executing("drop index concurrently if exists deals_by_client;?$")},
		{name: "when it has migrated a company", query: "select count(*) from kontor_shared.companies where name in ('dairy', 'eatery') and migration = (select max(migration) from kontor_shared.companies)"},
	}
	defer s.keepWriting()()
	for i, at := range moments {
		for j, how := range slices.Sorted(maps.Keys(interruptions)) {
			t.Run(how+" "+at.name, func(t *testing.T) {
				s := s.in(t)
				for _, o := range migrated {
					s.rollBack(o)
				}
				served := serve(t, s.url, migrated) // by a service that has not served them yet
				s.interrupt(at, how, "migrate", "up")
				all := s.check()
				for k, name := range names {
					status, text := served[k].send(http.MethodGet, "/rest/client", "")
					if has := s.migrationOf(all[name]); status == http.StatusOK && has != postgres.Version {
						t.Errorf("a company with migration %d is served: %s", has, text)
					}
				}
				t.Logf("interrupted, the companies had the migrations %d and %d", all["dairy"].Migration, all["eatery"].Migration)
				if (i+j)%2 == 0 {
					succeed(t, s.program, s.url, "migrate", "up")
				} else {
					defer bootstrap.StartMigration(t.Context(), bootstrap.Defaults(s.url), slog.New(slog.DiscardHandler))()
				}
				await(t, s.url, "select count(*) from kontor_shared.companies where migration < (select max(migration) from kontor_shared.companies)", none)
				s.check()
				for _, o := range served {
					o.awaitService()
				}
			})
		}
	}
}

// rollBack rolls back the migrations of one company, as those of all are rolled back.
func (s *site) rollBack(o office) {
	s.t.Helper()
	const to = 11
	execute(s.t, s.url, "update kontor_shared.companies set migration = $1 where code = $2", to, o.code)
	execute(s.t, s.url, "update kontor_shared.catalogue set version = version + 1")
	in, err := postgres.InCompany(s.url, o.code)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := postgres.MigrateDownTo(s.t.Context(), in, to); err != nil {
		s.t.Fatal(err)
	}
}

// awaitService waits until the company is served.
func (o office) awaitService() {
	o.t.Helper()
	var status int
	var text string
	for range 3000 {
		if status, text = o.send(http.MethodGet, "/rest/client", ""); status == http.StatusOK {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	o.t.Fatalf("it is not served: %d %s", status, text)
}
