package bootstrap

import (
	"context"
	"errors"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgcompany"
)

// CheckPooler returns an error if the configuration of the connection pooler prevents its
// use for requests. It ignores one that cannot be reached.
func CheckPooler(ctx context.Context, c Config) error {
	if c.PoolerURL == "" {
		return nil
	}
	if err := rejectCompanies(ctx, c.withoutPooler()); err != nil {
		return err
	}
	return postgres.CheckPooler(ctx, c.pool(untraced()))
}

// ErrPooledCompanies is the error of a start with both companies and a connection pooler.
var ErrPooledCompanies = errors.New("companies cannot be served through a connection pooler, which does not keep the schema of a connection: " +
	"leave out --pooler-url (KONTOR_POOLER_URL)")

func rejectCompanies(ctx context.Context, c Config) error {
	c.MaxConnections = 1
	pool, closePool, err := newPool(ctx, c, untraced())
	if err != nil {
		return err
	}
	defer closePool()
	listing, err := pgcompany.NewCatalogue(pool).List(ctx)
	if err == nil && len(listing.Companies) > 0 {
		return ErrPooledCompanies
	}
	return ctx.Err() // a database that cannot be reached may become reachable
}

// Migrate migrates the schema, and records the time zone in a database that has none yet.
// A database with another zone is an error.
func Migrate(ctx context.Context, c Config) error {
	if err := postgres.MigrateUp(ctx, c.DatabaseURL); err != nil {
		return err
	}
	return postgres.RecordZone(ctx, c.DatabaseURL, c.TimeZone)
}
