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

// A cluster is a server with a migrated template, and makes databases on it.
type cluster struct {
	server server
	url    url.URL       // of the database to give orders in
	admin  *pgxpool.Pool // on that database
	prefix string        // of the names of all databases made here
	copies string        // what a clone's order ends with
	made   atomic.Int64
}

// open finds a server and migrates a template on it.
func open(ctx context.Context) (*cluster, error) {
	server, err := choose(ctx, os.Getenv("KONTOR_TEST_DATABASE_URL"), startContainer, startLocal)
	if err != nil {
		return nil, err
	}
	c := &cluster{server: server, prefix: fmt.Sprintf("kontor_test_%08x", rand.Uint32())}
	err = announce(os.Stderr, server.name, os.Getenv("KONTOR_TEST_SERVERS"))
	if err == nil {
		err = c.prepare(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

func (c *cluster) prepare(ctx context.Context) error {
	parsed, err := url.Parse(c.server.url)
	if err != nil || parsed.Scheme == "" {
		return errors.New("the server's address is not of the form postgres://user@host/database")
	}
	c.url = *parsed
	config, err := pgxpool.ParseConfig(c.server.url)
	if err != nil {
		return fmt.Errorf("read the server's address: %w", err)
	}
	config.MaxConns = 4
	if c.admin, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return fmt.Errorf("connect to the server: %w", err)
	}
	if c.copies, err = fastestCopy(ctx, c.admin); err != nil {
		return err
	}
	if err := c.create(ctx, c.template(), "template0"); err != nil {
		return err
	}
	if err := postgres.MigrateUp(ctx, c.urlOf(c.template())); err != nil {
		return fmt.Errorf("migrate the template: %w", err)
	}
	return c.finish(ctx)
}

// finish has the template's read models ready, as a service does that starts.
func (c *cluster) finish(ctx context.Context) error {
	pool, err := pgxpool.New(ctx, c.urlOf(c.template()))
	if err != nil {
		return fmt.Errorf("connect to the template: %w", err)
	}
	defer pool.Close()
	if err := pgsummary.Rebuild(ctx, pool); err != nil {
		return fmt.Errorf("finish the template: %w", err)
	}
	return nil
}

// close drops the template and stops the server if it was started here.
func (c *cluster) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var err error
	if c.admin != nil {
		err = c.drop(ctx, c.template())
		c.admin.Close()
	}
	return errors.Join(err, c.server.stop(ctx))
}

// clone makes a migrated database and gives its name.
func (c *cluster) clone(ctx context.Context) (string, error) {
	return c.next(ctx, c.template())
}

// empty makes a database without a schema and gives its name.
func (c *cluster) empty(ctx context.Context) (string, error) {
	return c.next(ctx, "template0")
}

func (c *cluster) next(ctx context.Context, template string) (string, error) {
	name := fmt.Sprintf("%s_%d", c.prefix, c.made.Add(1))
	return name, c.create(ctx, name, template)
}

func (c *cluster) template() string { return c.prefix + "_template" }

// fastestCopy is the option that has a template's files copied. Without fsync
// this is faster than sending every page through the log, as PostgreSQL does
// from version 15 on unless told otherwise; before, there is no choice.
func fastestCopy(ctx context.Context, admin *pgxpool.Pool) (string, error) {
	var version int
	err := admin.QueryRow(ctx, "select current_setting('server_version_num')::int").Scan(&version)
	if err != nil {
		return "", fmt.Errorf("ask the server for its version: %w", err)
	}
	if version < 150000 {
		return "", nil
	}
	return " strategy file_copy", nil
}

func (c *cluster) create(ctx context.Context, name, template string) error {
	order := fmt.Sprintf("create database %s template %s%s", quote(name), quote(template), c.copies)
	if err := c.order(ctx, order); err != nil {
		return fmt.Errorf("create a database: %w", err)
	}
	return nil
}

func (c *cluster) drop(ctx context.Context, name string) error {
	if err := c.order(ctx, fmt.Sprintf("drop database if exists %s with (force)", quote(name))); err != nil {
		return fmt.Errorf("drop a database: %w", err)
	}
	return nil
}

func (c *cluster) order(ctx context.Context, sql string) error {
	_, err := c.admin.Exec(ctx, sql)
	return err
}

func (c *cluster) urlOf(name string) string {
	of := c.url
	of.Path = "/" + name
	return of.String()
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }
