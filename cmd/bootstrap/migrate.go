package bootstrap

import (
	"context"

	"github.com/kontor-crm/kontor/adapters/postgres"
)

// CheckPooler returns an error if the database is reached through a connection pooler that does not keep
// sessions. It ignores one that cannot be reached.
func CheckPooler(ctx context.Context, c Config) error {
	return postgres.CheckPooler(ctx, c.DatabaseURL)
}

// Migrate migrates the schema, and records the time zone in a database that has none yet.
// A database with another zone is an error.
func Migrate(ctx context.Context, c Config) error {
	if err := postgres.MigrateUp(ctx, c.DatabaseURL); err != nil {
		return err
	}
	return postgres.RecordZone(ctx, c.DatabaseURL, c.TimeZone)
}
