package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/kontor-crm/kontor/migrations"
)

// migrationsTable is where the database keeps which migrations it has.
const migrationsTable = "schema_migrations"

// Migration is one step of the schema and whether the database has it.
type Migration struct {
	Version int64
	Name    string
	Applied bool
}

// MigrateUp applies every migration that the database does not have yet.
// Several processes may call it at once: one migrates, the others wait.
func MigrateUp(ctx context.Context, databaseURL string) error {
	return withProvider(databaseURL, func(p *goose.Provider) error {
		_, err := p.Up(ctx)
		return err
	})
}

// MigrateDown takes the newest applied migration back. Its data are lost. A
// database without any is left alone.
func MigrateDown(ctx context.Context, databaseURL string) error {
	return withProvider(databaseURL, func(p *goose.Provider) error {
		_, err := p.Down(ctx)
		if errors.Is(err, goose.ErrNoNextVersion) {
			return nil
		}
		return err
	})
}

// Migrations lists every migration this program knows, oldest first.
func Migrations(ctx context.Context, databaseURL string) ([]Migration, error) {
	var list []Migration
	err := withProvider(databaseURL, func(p *goose.Provider) error {
		status, err := p.Status(ctx)
		for _, s := range status {
			list = append(list, Migration{
				Version: s.Source.Version,
				Name:    s.Source.Path,
				Applied: s.State == goose.StateApplied,
			})
		}
		return err
	})
	return list, err
}

// Pending tells whether a migration is still to be applied.
func Pending(ctx context.Context, databaseURL string) (bool, error) {
	var pending bool
	err := withProvider(databaseURL, func(p *goose.Provider) (err error) {
		pending, err = p.HasPending(ctx)
		return err
	})
	return pending, err
}

func withProvider(databaseURL string, use func(*goose.Provider) error) (err error) {
	config, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		return fmt.Errorf("read the database URL: %w", err)
	}
	db := stdlib.OpenDB(*config)
	defer func() { err = errors.Join(err, db.Close()) }()
	// Whoever comes second looks every second, for five minutes, whether it is
	// its turn.
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300))
	if err != nil {
		return fmt.Errorf("make the migration lock: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, migrations.FS,
		goose.WithSessionLocker(locker), goose.WithTableName(migrationsTable))
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	if err := use(provider); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}
