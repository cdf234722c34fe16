package pgtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/test/citus"
)

// The environment of tests on Citus.
const (
	// envCitus has each database of the tests be a distributed schema, on the worker with that
	// number, counted from 1.
	envCitus = "KONTOR_TEST_CITUS"
	// envCitusURL is the coordinator of an existing cluster. The tests reach the workers by the
	// addresses that it has for them, and create databases on all nodes.
	envCitusURL = "KONTOR_TEST_CITUS_URL"
)

// companySchema is the distributed schema in each database.
const companySchema = "company_0a1b2c3d"

// distribution is what a cluster of Citus is in addition to a server.
type distribution struct {
	workers []*pgxpool.Pool // on the administration databases
	worker  int             // that the schemas are placed on
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
func (c *cluster) distribute(ctx context.Context, worker string) error {
	number, err := strconv.Atoi(worker)
	if err != nil || number < 1 {
		return fmt.Errorf("%s is %q, and must be the number of a worker", envCitus, worker)
	}
	rows, err := c.admin.Query(ctx, "select nodename, nodeport from pg_dist_node where noderole = 'primary' and groupid <> 0 order by groupid")
	if err != nil {
		return fmt.Errorf("list the workers: %w", err)
	}
	d := &distribution{worker: number - 1}
	var host string
	var port int
	if _, err := pgx.ForEachRow(rows, []any{&host, &port}, func() error {
		config := c.admin.Config()
		config.ConnConfig.Host, config.ConnConfig.Port, config.ConnConfig.Fallbacks = host, uint16(port), nil
		pool, err := pgxpool.NewWithConfig(ctx, config)
		d.workers = append(d.workers, pool)
		return err
	}); err != nil {
		return fmt.Errorf("connect to the workers: %w", err)
	}
	if number > len(d.workers) {
		return fmt.Errorf("%s is %d, and there are %d workers", envCitus, number, len(d.workers))
	}
	c.distribution = d
	return nil
}

func (d *distribution) close() {
	if d == nil {
		return
	}
	for _, pool := range d.workers {
		pool.Close()
	}
}

// nodes are the administration databases of all nodes.
func (c *cluster) nodes() []*pgxpool.Pool {
	if c.distribution == nil {
		return []*pgxpool.Pool{c.admin}
	}
	return append([]*pgxpool.Pool{c.admin}, c.workers...)
}

// makeSchema makes the databases of that name one distributed database, with an empty
// schema on the tests' worker.
func (c *cluster) makeSchema(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	whole := c.url
	whole.Path = "/" + name
	var workers []string
	for _, pool := range c.workers {
		at := whole
		to := pool.Config().ConnConfig
		at.Host = net.JoinHostPort(to.Host, strconv.Itoa(int(to.Port)))
		workers = append(workers, at.String())
	}
	if err := citus.Distribute(ctx, whole.String(), workers...); err != nil {
		return err
	}
	return citus.PlaceSchema(ctx, whole.String(), workers[c.worker], companySchema)
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
func LockWaits(t testing.TB, of *pgxpool.Pool) (n int) {
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
