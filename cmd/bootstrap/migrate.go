package bootstrap

import (
	"context"

	"github.com/kontor-crm/kontor/adapters/postgres"
)

// Migrate brings the schema up to date and records the time zone in a database that
// has none yet. A database with another zone is an error.
func Migrate(ctx context.Context, c Config) error {
	if err := postgres.MigrateUp(ctx, c.DatabaseURL); err != nil {
		return err
	}
	return postgres.RecordZone(ctx, c.DatabaseURL, c.TimeZone)
}
