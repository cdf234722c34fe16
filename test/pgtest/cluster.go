package pgtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgsummary"
)

// cluster is a server with a migrated template database, which it clones.
type cluster struct {
	server   server
	url      url.URL       // of the administration database
	admin    *pgxpool.Pool // on the administration database
	prefix   string        // of the names of all databases created here
	template string
	owned    bool // whether close drops the template
	copying  string
	created  atomic.Int64
}

// openCluster chooses a server. Its template is the one that Share prepared,
// or a new one.
func openCluster(ctx context.Context) (*cluster, error) {
	server, err := choose(ctx, os.Getenv(envURL), os.Getenv(envServer), startContainer, startLocal)
	if err != nil {
		return nil, err
	}
	c := &cluster{server: server, prefix: fmt.Sprintf("kontor_test_%08x", rand.Uint32()), template: os.Getenv(envTemplate)}
	if err := c.connect(ctx); err != nil {
		return nil, errors.Join(err, c.close())
	}
	if c.template != "" {
		return c, nil
	}
	c.template, c.owned = c.prefix+"_template", true
	if err := c.migrateTemplate(ctx); err != nil {
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

// migrateTemplate creates the template, with its read models built as a
// starting service builds them.
func (c *cluster) migrateTemplate(ctx context.Context) error {
	if err := c.create(ctx, c.template, "template0"); err != nil {
		return err
	}
	if err := postgres.MigrateUp(ctx, c.urlOf(c.template)); err != nil {
		return fmt.Errorf("migrate the template: %w", err)
	}
	pool, err := pgxpool.New(ctx, c.urlOf(c.template))
	if err != nil {
		return fmt.Errorf("connect to the template: %w", err)
	}
	defer pool.Close()
	if err := pgsummary.Rebuild(ctx, pool); err != nil {
		return fmt.Errorf("rebuild the template's read models: %w", err)
	}
	return nil
}

// close drops the template and stops the server if they were created here.
func (c *cluster) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var err error
	if c.admin != nil {
		if c.owned {
			err = c.drop(ctx, c.template)
		}
		c.admin.Close()
	}
	return errors.Join(err, c.server.stop(ctx))
}

// clone creates a migrated database and returns its name.
func (c *cluster) clone(ctx context.Context) (string, error) {
	return c.next(ctx, c.template)
}

// empty creates a database without a schema and returns its name.
func (c *cluster) empty(ctx context.Context) (string, error) {
	return c.next(ctx, "template0")
}

func (c *cluster) next(ctx context.Context, template string) (string, error) {
	name := fmt.Sprintf("%s_%d", c.prefix, c.created.Add(1))
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
	if _, err := c.admin.Exec(ctx, sql); err != nil {
		return fmt.Errorf("create a database: %w", err)
	}
	return nil
}

func (c *cluster) drop(ctx context.Context, name string) error {
	if _, err := c.admin.Exec(ctx, fmt.Sprintf("drop database if exists %s with (force)", quote(name))); err != nil {
		return fmt.Errorf("drop a database: %w", err)
	}
	return nil
}

func (c *cluster) urlOf(name string) string {
	of := c.url
	of.Path = "/" + name
	return of.String()
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }
