package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/kontor-crm/kontor/migrations"
)

const migrationsTable = "schema_migrations"

// Migration is a migration, and whether it is applied.
type Migration struct {
	Version int64
	Name    string
	Applied bool
	Edited  bool // the database has applied another version of it
}

// MigrateUp applies all pending migrations. Several processes may call it at once: one
// migrates, the others wait. Services may run meanwhile. A migration that does not get its
// locks within lockTimeout is retried, so that statements that need the same locks do not
// queue behind it.
func MigrateUp(ctx context.Context, databaseURL string) error {
	return MigrateUpFrom(ctx, databaseURL, migrations.FS)
}

// MigrateUpFrom is like MigrateUp, with the migrations in files, such as those of a newer
// program. If the database has applied another version of one, it returns an EditedMigration.
func MigrateUpFrom(ctx context.Context, databaseURL string, files fs.FS) error {
	err := withConn(ctx, databaseURL, func(conn *pgx.Conn) error {
		return CheckUnedited(ctx, conn, files)
	})
	if err != nil {
		return err
	}
	return withProvider(ctx, databaseURL, files, func(p *goose.Provider) error {
		return retryLocks(ctx, func() error {
			_, err := p.Up(ctx)
			return err
		})
	})
}

// MigrateDownTo rolls back the migrations above that number; the data in what they added are
// lost. If the database has a migration that this program does not know, it returns an
// UnknownMigration.
func MigrateDownTo(ctx context.Context, databaseURL string, number int64) error {
	return withProvider(ctx, databaseURL, migrations.FS, func(p *goose.Provider) error {
		if err := checkKnown(ctx, p); err != nil {
			return err
		}
		return retryLocks(ctx, func() error {
			_, err := p.DownTo(ctx, number)
			return err
		})
	})
}

// UnknownMigration is the error of rolling back a migration of a newer program.
type UnknownMigration struct {
	Has   int64 // the newest that the database has
	Known int64 // the newest that this program knows
}

func (e UnknownMigration) Error() string {
	return fmt.Sprintf("the database has migration %d, and this program knows those up to %d only: "+
		"use the newer program that added it for kontor migrate down", e.Has, e.Known)
}

func checkKnown(ctx context.Context, p *goose.Provider) error {
	has, err := p.GetDBVersion(ctx)
	if err != nil {
		return err
	}
	if has > Version {
		return UnknownMigration{Has: has, Known: Version}
	}
	return nil
}

// A migration waits for each lock for lockTimeout, and is tried again after lockPause,
// for five minutes in all. The timeout is shorter than deadlock_timeout (1 s by default)
// and the lock timeout of requests: in a deadlock it is the migration that gives up.
const (
	lockTimeout  = 500 * time.Millisecond
	lockAttempts = 200
	lockPause    = time.Second
)

// retryLocks retries the migrations while locks are not available. Migrations that were
// applied stay applied.
func retryLocks(ctx context.Context, migrate func() error) error {
	for attempt := 1; ; attempt++ {
		err := migrate()
		if !isState(err, lockNotAvailable, deadlockDetected) || attempt == lockAttempts {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		case <-time.After(lockPause):
		}
	}
}

// CheckMigrated returns ErrNotMigrated if the database lacks a migration, and an EditedMigration if it has applied
// another version of one.
func CheckMigrated(ctx context.Context, databaseURL string) error {
	return withConn(ctx, databaseURL, func(conn *pgx.Conn) error {
		var newest int64
		err := conn.QueryRow(ctx, "select coalesce(max(version_id), 0) from "+migrationsTable+" where is_applied",
			pgx.QueryExecModeSimpleProtocol).Scan(&newest)
		switch {
		case isState(err, undefinedTable):
			return ErrNotMigrated
		case err != nil:
			return fmt.Errorf("read the version of the schema: %w", err)
		}
		if err := CheckUnedited(ctx, conn, migrations.FS); err != nil {
			return err
		}
		if newest < Version {
			return ErrNotMigrated
		}
		return nil
	})
}

// Migrations returns all migrations that this program knows, oldest first.
func Migrations(ctx context.Context, databaseURL string) ([]Migration, error) {
	var list []Migration
	err := withProvider(ctx, databaseURL, migrations.FS, func(p *goose.Provider) error {
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
	if err != nil {
		return list, err
	}
	err = withConn(ctx, databaseURL, func(conn *pgx.Conn) error {
		edited, err := editedMigrations(ctx, conn, migrations.FS)
		for i := range list {
			list[i].Edited = slices.Contains(edited, list[i].Name)
		}
		return err
	})
	return list, err
}

// PreviousMigration returns the number of the second-newest applied migration; 0 if there is
// none. Its errors are those of MigrateDownTo.
func PreviousMigration(ctx context.Context, databaseURL string) (number int64, err error) {
	err = withProvider(ctx, databaseURL, migrations.FS, func(p *goose.Provider) error {
		if err := checkKnown(ctx, p); err != nil {
			return err
		}
		status, err := p.Status(ctx)
		var newest int64
		for _, s := range status { // oldest first
			if s.State == goose.StateApplied {
				number, newest = newest, s.Source.Version
			}
		}
		return err
	})
	return number, err
}

func withProvider(ctx context.Context, databaseURL string, files fs.FS, fn func(*goose.Provider) error) (err error) {
	config, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		return fmt.Errorf("read the database URL: %w", err)
	}
	config.RuntimeParams["application_name"] = migrateName
	config.RuntimeParams["lock_timeout"] = milliseconds(lockTimeout)
	config.RuntimeParams[isolationSetting] = string(pgx.ReadCommitted)
	db := stdlib.OpenDB(*config)
	defer func() { err = errors.Join(err, db.Close()) }()
	// A second process tries to get the lock every second, for five minutes.
	options, table := []lock.SessionLockerOption{lock.WithLockTimeout(1, 300)}, migrationsTable
	switch schema := config.RuntimeParams[searchPath]; {
	case schema == sharedSchema:
		table = sharedMigrationsTable
		options = append(options, lock.WithLockID(migrationLock(schema)))
	case isTenant(schema):
		files = checksummed{files}
		if files, err = filesFor(ctx, db, files); err != nil {
			return err
		}
		options = append(options, lock.WithLockID(migrationLock(schema)))
	default:
		files = checksummed{files}
	}
	locker, err := lock.NewPostgresSessionLocker(options...)
	if err != nil {
		return fmt.Errorf("make the migration lock: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files,
		goose.WithSessionLocker(locker), goose.WithTableName(table))
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	if err := fn(provider); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

func filesFor(ctx context.Context, db *sql.DB, files fs.FS) (fs.FS, error) {
	forCompany := tenantFiles{FS: files}
	err := db.QueryRowContext(ctx, trigramSchema).Scan(&forCompany.trigrams)
	if errors.Is(err, sql.ErrNoRows) {
		return files, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find the extension pg_trgm: %w", err)
	}
	return forCompany, nil
}
