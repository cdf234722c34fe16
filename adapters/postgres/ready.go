package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// ErrNotMigrated says that the database lacks a migration.
var ErrNotMigrated = errors.New("the database is not migrated: run kontor migrate up")

// Ready returns nil if the database responds, has every migration that this program
// knows, and does not require a newer program. The errors are ErrNotMigrated, TooOld,
// and those of the database.
func Ready(ctx context.Context, pool *pgxpool.Pool) error {
	var newest int64
	err := pool.QueryRow(ctx, "select coalesce(max(version_id), 0) from "+migrationsTable+" where is_applied").Scan(&newest)
	if err != nil {
		return fmt.Errorf("read the version of the schema: %w", err)
	}
	if newest < Version {
		return ErrNotMigrated
	}
	var minimum string
	err = pool.QueryRow(ctx, "select value from settings where name = 'minimum_version'").Scan(&minimum)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the minimum version: %w", err)
	}
	return checkVersion(minimum)
}
