package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/migrations"
)

// ErrNotMigrated says that the database lacks a migration.
var ErrNotMigrated = errors.New("the database is not migrated: run kontor migrate up")

// Ready is nil if the database answers and has every migration that this
// program knows.
func Ready(ctx context.Context, pool *pgxpool.Pool) error {
	var has int64
	err := pool.QueryRow(ctx, "select coalesce(max(version_id), 0) from "+migrationsTable+" where is_applied").Scan(&has)
	if err != nil {
		return fmt.Errorf("ask for the schema's version: %w", err)
	}
	wants, err := newestMigration()
	if err != nil {
		return err
	}
	if has < wants {
		return ErrNotMigrated
	}
	return nil
}

// newestMigration is the number of the last file.
func newestMigration() (int64, error) {
	files, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil || len(files) == 0 {
		return 0, fmt.Errorf("list the migrations: %w", err)
	}
	number, _, _ := strings.Cut(files[len(files)-1], "_")
	return strconv.ParseInt(number, 10, 64)
}
