package program

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/kontor-crm/kontor/adapters/localpg"
	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/fault"
)

// embedded starts or joins the private PostgreSQL of a folder.
type embedded func(ctx context.Context, o localpg.Options) (*localpg.Server, error)

// withDatabase calls run with the URL of a database in the configuration: the
// configured one, or the private one, which is stopped afterwards if it was started
// for this call.
func withDatabase(ctx context.Context, c bootstrap.Config, log *slog.Logger, start embedded,
	run func(ctx context.Context, c bootstrap.Config) error,
) (err error) {
	if c.DatabaseURL != "" {
		return run(ctx, c)
	}
	server, err := start(ctx, localpg.Options{Dir: c.DataDir, Log: log})
	if err != nil {
		return err
	}
	defer func() {
		if stopErr := server.Stop(); stopErr != nil && err == nil {
			err = fmt.Errorf("stop the private PostgreSQL: %w", stopErr)
		}
	}()
	c.DatabaseURL = server.URL()
	return run(ctx, c)
}

// attachExisting is localpg.Attach for commands that work on what a service has stored: it creates no
// database, which in a wrong folder would be another one.
func attachExisting(ctx context.Context, o localpg.Options) (*localpg.Server, error) {
	if !hasData(o.Dir) {
		return nil, fmt.Errorf("there is no database in %s: go to the folder of the service, or set KONTOR_DATA_DIR (--data-dir); "+
			"for a PostgreSQL server set KONTOR_DATABASE_URL (--database-url); kontor serve creates a new database", absolute(o.Dir))
	}
	return localpg.Attach(ctx, o)
}

// hasData reports whether the folder has data of a private PostgreSQL, or cannot be read.
func hasData(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, "postgresql"))
	return !errors.Is(err, fs.ErrNotExist)
}

func absolute(folder string) string {
	if path, err := filepath.Abs(folder); err == nil {
		return path
	}
	return folder
}

// withSchema calls run with the tables of the chosen company, as this program knows them. The
// private database is migrated; a configured one must be: instances of an older version may
// use it, and when to migrate is for the operator to decide.
func withSchema(ctx context.Context, c *bootstrap.Config, run func(ctx context.Context, c bootstrap.Config) error) error {
	if err := validate(c); err != nil {
		return err
	}
	prepare := postgres.CheckMigrated
	if c.DatabaseURL == "" {
		prepare = migratePrivate
	}
	return withDatabase(ctx, *c, slog.New(slog.DiscardHandler), attachExisting, func(ctx context.Context, c bootstrap.Config) error {
		if err := prepare(ctx, c.DatabaseURL); err != nil {
			return err
		}
		in, err := bootstrap.InCompany(ctx, c)
		if err != nil {
			return fault.Named(err, c.CompanyName)
		}
		if in.CompanyName != "" {
			if err := postgres.CheckMigrated(ctx, in.DatabaseURL); err != nil {
				return fault.Named(err, c.CompanyName)
			}
		}
		return run(ctx, in)
	})
}

// migratePrivate migrates the private database. A company that cannot be migrated is an
// error of the commands that use it.
func migratePrivate(ctx context.Context, databaseURL string) error {
	if err := postgres.MigrateUp(ctx, databaseURL); err != nil {
		return err
	}
	_, err := bootstrap.MigrateCompanies(ctx, bootstrap.Config{DatabaseURL: databaseURL})
	return err
}

// withRecords calls run with a database whose records can be read and written in the time
// zone of the settings.
func withRecords(ctx context.Context, c *bootstrap.Config, run func(ctx context.Context, c bootstrap.Config) error) error {
	return withSchema(ctx, c, func(ctx context.Context, c bootstrap.Config) error {
		if err := postgres.RecordZone(ctx, c.DatabaseURL, c.TimeZone); err != nil {
			return err
		}
		return run(ctx, c)
	})
}

func operate(ctx context.Context, c *bootstrap.Config, run func(context.Context, *bootstrap.Operation) error) error {
	return withRecords(ctx, c, func(ctx context.Context, c bootstrap.Config) error {
		op, closeAll, err := bootstrap.NewOperation(ctx, c)
		if err != nil {
			return err
		}
		defer closeAll()
		return run(ctx, op)
	})
}
