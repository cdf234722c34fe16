package pgtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgsummary"
)

// cluster is a server with a migrated template database, which it clones; on Citus one for each
// worker, in turns.
type cluster struct {
	server    server
	url       url.URL       // of the administration database
	admin     *pgxpool.Pool // on the administration database
	prefix    string        // of the names of all databases created here
	templates []string
	owned     bool // whether close drops the templates
	copying   string
	created   atomic.Int64

	adding   sync.Mutex // guards fixtures
	fixtures []string   // databases of fixtures, which close drops

	drops      sync.WaitGroup // of databases of tests, in the background
	oneDrop    sync.Mutex     // guards dropErrors
	dropErrors error

	*distribution // nil: one server
}

// openCluster chooses a server. Its templates are those that Share prepared,
// or new ones.
func openCluster(ctx context.Context) (*cluster, error) {
	isDistributed := IsDistributed()
	open := func() (server, error) {
		return choose(ctx, os.Getenv(envURL), os.Getenv(envServer), startContainer, startLocal)
	}
	if isDistributed {
		open = func() (server, error) { return startCitus(ctx) }
	}
	server, err := open()
	if err != nil {
		return nil, err
	}
	c := &cluster{server: server, prefix: fmt.Sprintf("kontor_test_%08x", rand.Uint32())}
	if err := c.connect(ctx); err != nil {
		return nil, errors.Join(err, c.close())
	}
	if isDistributed {
		if err := c.distribute(ctx); err != nil {
			return nil, errors.Join(err, c.close())
		}
	}
	if shared := os.Getenv(envTemplates); shared != "" {
		c.templates = strings.Split(shared, ",")
		return c, nil
	}
	c.owned = true
	if err := c.migrateTemplates(ctx); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

func (c *cluster) connect(ctx context.Context) error {
	parsed, err := url.Parse(c.server.url)
	if err != nil || parsed.Scheme == "" {
		return errors.New("the server's URL is not of the form postgres://user@host/database")
	}
	c.url = *parsed
	config, err := pgxpool.ParseConfig(c.server.url)
	if err != nil {
		return fmt.Errorf("parse the server's URL: %w", err)
	}
	config.MaxConns = 4
	if c.admin, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return fmt.Errorf("connect to the server: %w", err)
	}
	c.copying, err = fastestCopy(ctx, c.admin)
	return err
}

// migrateTemplates creates the templates.
func (c *cluster) migrateTemplates(ctx context.Context) error {
	for i := range max(1, c.workers()) {
		c.templates = append(c.templates, fmt.Sprintf("%s_template_%d", c.prefix, i+1))
		if err := c.migrateTemplate(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// migrateTemplate creates a template, with its read models built as a
// starting service builds them.
func (c *cluster) migrateTemplate(ctx context.Context, number int) error {
	name := c.templates[number]
	if err := c.create(ctx, name, "template0"); err != nil {
		return err
	}
	if c.distribution != nil {
		if err := c.makeSchema(ctx, name, number); err != nil {
			return err
		}
	}
	if err := postgres.MigrateUp(ctx, c.migratingURL(name)); err != nil {
		return fmt.Errorf("migrate the template: %w", err)
	}
	db, err := postgres.Open(ctx, postgres.Config{URL: c.urlOf(name), Zone: "UTC"})
	if err != nil {
		return fmt.Errorf("connect to the template: %w", err)
	}
	err = pgsummary.Rebuild(ctx, db)
	db.Close()
	if err != nil {
		return fmt.Errorf("rebuild the template's read models: %w", err)
	}
	if c.distribution != nil {
		return c.seal(ctx, name)
	}
	return nil
}

// dropSoon drops the database of a test. Nothing waits for it but close, because a drop waits for
// the server to write the changes of all databases. One at a time leaves connections to create others.
func (c *cluster) dropSoon(name string) {
	c.drops.Go(func() {
		c.oneDrop.Lock()
		defer c.oneDrop.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		c.dropErrors = errors.Join(c.dropErrors, c.drop(ctx, name))
	})
}

// close drops the fixtures, and drops the templates and stops the server if they were created here.
func (c *cluster) close() error {
	c.drops.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err := c.dropErrors
	if c.admin != nil {
		left := c.fixtures
		if c.owned {
			left = append(left, c.templates...)
		}
		for _, name := range left {
			err = errors.Join(err, c.drop(ctx, name))
		}
		c.distribution.close()
		c.admin.Close()
	}
	return errors.Join(err, c.server.stop(ctx))
}

// clone creates a migrated database and returns its name.
func (c *cluster) clone(ctx context.Context) (string, error) {
	number := c.created.Add(1)
	return c.next(ctx, number, c.templates[number%int64(len(c.templates))])
}

// copyOf creates a copy of a fixture and returns its name.
func (c *cluster) copyOf(ctx context.Context, fixture string) (string, error) {
	return c.next(ctx, c.created.Add(1), fixture)
}

// fixture creates a database that is dropped by close.
func (c *cluster) fixture(ctx context.Context, create func(*cluster, context.Context) (string, error)) (string, error) {
	name, err := create(c, ctx)
	c.adding.Lock()
	defer c.adding.Unlock()
	c.fixtures = append(c.fixtures, name)
	return name, err
}

// empty creates a database without tables and returns its name.
func (c *cluster) empty(ctx context.Context) (string, error) {
	number := c.created.Add(1)
	name, err := c.next(ctx, number, "template0")
	if err == nil && c.distribution != nil {
		err = c.makeSchema(ctx, name, int(number%int64(c.workers())))
	}
	return name, err
}

func (c *cluster) next(ctx context.Context, number int64, template string) (string, error) {
	name := fmt.Sprintf("%s_%d", c.prefix, number)
	return name, c.create(ctx, name, template)
}

// fastestCopy returns the option of "create database" that copies files.
// Without fsync this is faster than writing every page to the log, PostgreSQL's
// default from version 15 on; earlier versions have no choice.
func fastestCopy(ctx context.Context, admin *pgxpool.Pool) (string, error) {
	var version int
	err := admin.QueryRow(ctx, "select current_setting('server_version_num')::int").Scan(&version)
	if err != nil {
		return "", fmt.Errorf("query the server's version: %w", err)
	}
	if version < 150000 {
		return "", nil
	}
	return " strategy file_copy", nil
}

func (c *cluster) create(ctx context.Context, name, template string) error {
	sql := fmt.Sprintf("create database %s template %s%s", quote(name), quote(template), c.copying)
	return c.onAllNodes(func(node *pgxpool.Pool) error {
		if _, err := node.Exec(ctx, sql); err != nil {
			return fmt.Errorf("create a database: %w", err)
		}
		return nil
	})
}

func (c *cluster) drop(ctx context.Context, name string) error {
	if c.distribution != nil {
		if err := c.seal(ctx, name); err != nil {
			return err
		}
	}
	return c.onAllNodes(func(node *pgxpool.Pool) error {
		if _, err := node.Exec(ctx, fmt.Sprintf("drop database if exists %s with (force)", quote(name))); err != nil {
			return fmt.Errorf("drop a database: %w", err)
		}
		return nil
	})
}

// onAllNodes runs do for the administration databases of all nodes at once.
func (c *cluster) onAllNodes(do func(*pgxpool.Pool) error) error {
	nodes := c.nodes()
	failures := make([]error, len(nodes))
	var running sync.WaitGroup
	for i, node := range nodes {
		running.Go(func() { failures[i] = do(node) })
	}
	running.Wait()
	return errors.Join(failures...)
}

// urlOf is the address of a database as a service is given it: that of a distributed schema
// has its search path.
func (c *cluster) urlOf(name string) string { return c.urlIn(name, companySchema) }

// migratingURL is urlOf for migrations, which use an extension outside of the schema.
func (c *cluster) migratingURL(name string) string { return c.urlIn(name, companySchema+",public") }

func (c *cluster) urlIn(name, path string) string {
	of := c.url
	of.Path = "/" + name
	if c.distribution != nil && isDefaultDistributed() {
		query := of.Query()
		query.Set("search_path", path)
		of.RawQuery = query.Encode()
	}
	return of.String()
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }
