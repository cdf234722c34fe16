package bootstrap

import (
	"context"

	"github.com/kontor-crm/kontor/adapters/postgres"
)

// CheckPooler returns an error if there is a connection pooler that requests cannot use as
// it is configured. One that cannot be reached is none.
func CheckPooler(ctx context.Context, c Config) error {
	if c.PoolerURL == "" {
		return nil
	}
	return postgres.CheckPooler(ctx, c.pool(unwatched()))
}

// Migrate brings the schema up to date and records the time zone in a database that
// has none yet. A database with another zone is an error.
func Migrate(ctx context.Context, c Config) error {
	if err := postgres.MigrateUp(ctx, c.DatabaseURL); err != nil {
		return err
	}
	return postgres.RecordZone(ctx, c.DatabaseURL, c.TimeZone)
}
