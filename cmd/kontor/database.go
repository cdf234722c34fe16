package main

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/kontor-crm/kontor/adapters/localpg"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

// embedded starts or joins the private PostgreSQL of a folder.
type embedded func(ctx context.Context, o localpg.Options) (*localpg.Server, error)

// withDatabase calls use with the URL of a database in the configuration: the
// configured one, or the private one, which is stopped afterwards if it was started
// for this call.
func withDatabase(ctx context.Context, c bootstrap.Config, log *slog.Logger, start embedded,
	use func(ctx context.Context, c bootstrap.Config) error,
) (err error) {
	if c.DatabaseURL != "" {
		return use(ctx, c)
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
	return use(ctx, c)
}

// operate runs an operator's command on a migrated database.
func operate(ctx context.Context, c *bootstrap.Config, use func(context.Context, *bootstrap.Operation) error) error {
	if err := validate(c); err != nil {
		return err
	}
	return withDatabase(ctx, *c, slog.New(slog.DiscardHandler), localpg.Attach, func(ctx context.Context, c bootstrap.Config) error {
		if err := bootstrap.Migrate(ctx, c); err != nil {
			return err
		}
		op, closeAll, err := bootstrap.NewOperation(ctx, c)
		if err != nil {
			return err
		}
		defer closeAll()
		return use(ctx, op)
	})
}
