package pgtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/test/citus"
)

// The environment of tests on Citus.
const (
	// envCitus, if it is set, has each database of the tests be a distributed schema, on the
	// workers in turns.
	envCitus = "KONTOR_TEST_CITUS"
	// envCompany, if it is set too, has the default company be on the coordinator, as that of a service is: tests add others.
	envCompany = "KONTOR_TEST_COMPANY"
	// envCitusURL is the coordinator of an existing cluster. The tests reach the workers by the
	// addresses that it has for them, and create databases on all nodes.
	envCitusURL = "KONTOR_TEST_CITUS_URL"
)

// IsDistributed reports whether the databases of the tests are distributed by Citus.
func IsDistributed() bool { return os.Getenv(envCitus) != "" }

// isDefaultDistributed reports whether the default company has its tables in the distributed schema of its database.
func isDefaultDistributed() bool { return IsDistributed() && os.Getenv(envCompany) == "" }

// companySchema is the distributed schema in each database.
const companySchema = "company_0a1b2c3d"

// distribution is what a cluster of Citus is in addition to a server.
type distribution struct {
	pools []*pgxpool.Pool // on the administration databases of the workers

	counting  sync.Mutex     // guards what follows
	databases int            // of tests that have ended
	schemas   map[string]int // that they had, by the address of the worker
}

// Workers is how many workers a cluster of the tests has.
const Workers = 2

// startCitus starts a cluster, or uses the one of envCitusURL.
func startCitus(ctx context.Context) (server, error) {
	if given := os.Getenv(envCitusURL); given != "" {
		return server{name: cmp.Or(os.Getenv(envServer), "the Citus of "+envCitusURL), url: given, stop: leave}, nil
	}
	c, err := citus.Start(ctx, Workers)
	if err != nil {
		return server{}, fmt.Errorf("start Citus: set %s or install it: %w", envCitusURL, err)
	}
	s := server{
		name: "a private Citus with " + strconv.Itoa(Workers) + " workers",
		url:  c.URL("postgres"),
		stop: func(context.Context) error { return c.Stop() },
	}
	var workers []string
	for _, n := range c.Nodes[1:] {
		workers = append(workers, n.URL("postgres"))
	}
	if err := citus.Distribute(ctx, s.url, workers...); err != nil {
		return server{}, errors.Join(err, c.Stop())
	}
	return s, nil
}

// distribute connects to the workers.
func (c *cluster) distribute(ctx context.Context) error {
	rows, err := c.admin.Query(ctx, "select nodename, nodeport from pg_dist_node where noderole = 'primary' and groupid <> 0 order by groupid")
	if err != nil {
		return fmt.Errorf("list the workers: %w", err)
	}
	d := &distribution{schemas: map[string]int{}}
	var host string
	var port int
	if _, err := pgx.ForEachRow(rows, []any{&host, &port}, func() error {
		config := c.admin.Config()
		config.ConnConfig.Host, config.ConnConfig.Port, config.ConnConfig.Fallbacks = host, uint16(port), nil
		pool, err := pgxpool.NewWithConfig(ctx, config)
		d.pools = append(d.pools, pool)
		return err
	}); err != nil {
		return fmt.Errorf("connect to the workers: %w", err)
	}
	if len(d.pools) < Workers {
		return fmt.Errorf("the tests need %d workers, and there are %d", Workers, len(d.pools))
	}
	c.distribution = d
	return nil
}

func (d *distribution) close() {
	if d == nil {
		return
	}
	for _, pool := range d.pools {
		pool.Close()
	}
}

// workers is the number of workers; 0 on one server.
func (d *distribution) workers() int {
	if d == nil {
		return 0
	}
	return len(d.pools)
}

// addressOf is that of a worker's pool.
func addressOf(pool *pgxpool.Pool) string {
	to := pool.Config().ConnConfig
	return net.JoinHostPort(to.Host, strconv.Itoa(int(to.Port)))
}

// nodes are the administration databases of all nodes.
func (c *cluster) nodes() []*pgxpool.Pool {
	if c.distribution == nil {
		return []*pgxpool.Pool{c.admin}
	}
	return append([]*pgxpool.Pool{c.admin}, c.pools...)
}

// makeSchema makes the databases of that name one distributed database, with an empty
// schema on the worker with that number, counted from 0.
func (c *cluster) makeSchema(ctx context.Context, name string, worker int) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	whole := c.url
	whole.Path = "/" + name
	var workers []string
	for _, pool := range c.pools {
		at := whole
		at.Host = addressOf(pool)
		workers = append(workers, at.String())
	}
	if err := citus.Distribute(ctx, whole.String(), workers...); err != nil {
		return err
	}
	return citus.PlaceSchema(ctx, whole.String(), workers[worker], companySchema)
}

// RestartIDs has the ids of a company begin at 1, as on one server: those of a worker begin at the first one of its group.
func RestartIDs(t testing.TB, url, schema string) {
	t.Helper()
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatalf("pgtest: read the URL: %v", err)
	}
	for _, pool := range start(t).pools {
		to := pool.Config().ConnConfig
		config.Host, config.Port, config.Fallbacks = to.Host, to.Port, nil
		conn, err := pgx.ConnectConfig(t.Context(), config)
		if err == nil {
			_, err = conn.Exec(t.Context(), fmt.Sprintf(restartIDs, schema))
			err = errors.Join(err, conn.Close(t.Context()))
		}
		if err != nil {
			t.Fatalf("pgtest: restart the ids of a company: %v", err)
		}
	}
}

const restartIDs = `
set citus.enable_ddl_propagation = off;
do $$
declare
    i record;
    next bigint;
begin
    for i in
        select c.oid::regclass as of, a.attname as id
        from pg_class c
        join pg_attribute a on a.attrelid = c.oid and a.attidentity <> ''
        where c.relkind = 'r' and c.relnamespace = to_regnamespace('%s')
    loop
        execute format('select coalesce(max(%%I), 0) + 1 from %%s', i.id, i.of) into next;
        execute format('alter sequence %%s minvalue 1 start 1 restart %%s', pg_get_serial_sequence(i.of::text, i.id), next);
    end loop;
end $$`

// schemasOf are the schemas with tables, and the worker of each.
const schemasOf = `
select distinct n.nspname, d.nodename, d.nodeport
from pg_dist_schema s
join pg_namespace n on n.oid = s.schemaid
join pg_class c on c.relnamespace = n.oid
join pg_dist_shard h on h.logicalrelid = c.oid
join pg_dist_placement p using (shardid)
join pg_dist_node d using (groupid)`

// count counts the schemas of a database whose test ends, and logs where they are if it has failed.
func (c *cluster) count(t testing.TB, name string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, c.urlOf(name))
	if err != nil {
		t.Fatalf("pgtest: connect to count the schemas: %v", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	rows, err := conn.Query(ctx, schemasOf)
	if err != nil {
		t.Fatalf("pgtest: count the schemas: %v", err)
	}
	c.counting.Lock()
	defer c.counting.Unlock()
	c.databases++
	var schema, host string
	var port int
	_, err = pgx.ForEachRow(rows, []any{&schema, &host, &port}, func() error {
		at := net.JoinHostPort(host, strconv.Itoa(port))
		c.schemas[at]++
		if t.Failed() {
			t.Logf("pgtest: %s was on worker %d", schema, 1+slices.IndexFunc(c.pools, func(p *pgxpool.Pool) bool { return addressOf(p) == at }))
		}
		return nil
	})
	if err != nil {
		t.Errorf("pgtest: count the schemas: %v", err)
	}
}

// placed says how many schemas of the tests each worker had. It is an error if one had none.
func (d *distribution) placed() (text string, err error) {
	d.counting.Lock()
	defer d.counting.Unlock()
	for i, pool := range d.pools {
		n := d.schemas[addressOf(pool)]
		text += fmt.Sprintf(", %d on worker %d", n, i+1)
		if n == 0 && d.databases >= len(d.pools) {
			err = fmt.Errorf("worker %d has had no schema of %d databases", i+1, d.databases)
		}
	}
	return "schemas of tests" + strings.TrimPrefix(text, ","), err
}

// seal ends the connections to a database of all nodes, and has nobody connect again, so
// that it can be copied: each node has a maintenance process in it.
func (c *cluster) seal(ctx context.Context, name string) error {
	for _, node := range c.nodes() {
		if _, err := node.Exec(ctx, "alter database "+quote(name)+" allow_connections false"); err != nil {
			return fmt.Errorf("seal the template: %w", err)
		}
	}
	for _, node := range c.nodes() {
		if _, err := node.Exec(ctx, "select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1", name); err != nil {
			return fmt.Errorf("end the connections to the template: %w", err)
		}
	}
	return nil
}

// LockWaits is the number of sessions that wait for a lock in the pool's database, on all
// nodes.
func LockWaits(t testing.TB, of interface{ Config() *pgxpool.Config }) (n int) {
	t.Helper()
	for _, node := range start(t).nodes() {
		var waiting int
		err := node.QueryRow(t.Context(), "select count(*) from pg_stat_activity where datname = $1 and wait_event_type = 'Lock'",
			of.Config().ConnConfig.Database).Scan(&waiting)
		if err != nil {
			t.Fatalf("pgtest: %v", err)
		}
		n += waiting
	}
	return n
}

// SkipOnCitus skips a test that needs a server of its own.
func SkipOnCitus(t testing.TB, reason string) {
	t.Helper()
	if os.Getenv(envCitus) != "" {
		t.Skip("on Citus: " + reason)
	}
}
