package main

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/urfave/cli/v3"

	"github.com/kontor-crm/kontor/adapters/localpg"
	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

func migrateCommand() *cli.Command {
	return &cli.Command{
		Name:  "migrate",
		Usage: "change the schema of the database",
		Commands: []*cli.Command{
			migration("up", "apply every migration that is missing", bootstrap.Migrate),
			migration("down", "take the newest migration back; what it stored is lost", func(ctx context.Context, c bootstrap.Config) error {
				return postgres.MigrateDown(ctx, c.DatabaseURL)
			}),
			migration("status", "list the migrations", func(context.Context, bootstrap.Config) error { return nil }),
		},
	}
}

// migration is a subcommand that changes the schema and then lists where it
// stands.
func migration(name, usage string, change func(ctx context.Context, c bootstrap.Config) error) *cli.Command {
	var c bootstrap.Config
	return &cli.Command{
		Name:  name,
		Usage: usage,
		Flags: c.DatabaseFlags(),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := c.Validate(); err != nil {
				return err
			}
			log := slog.New(slog.DiscardHandler)
			return withDatabase(ctx, c, log, localpg.Attach, func(ctx context.Context, c bootstrap.Config) error {
				if err := change(ctx, c); err != nil {
					return err
				}
				list, err := postgres.Migrations(ctx, c.DatabaseURL)
				for _, m := range list {
					state := "missing"
					if m.Applied {
						state = "applied"
					}
					fmt.Fprintf(cmd.Root().Writer, "%-8s %s\n", state, m.Name)
				}
				return err
			})
		},
	}
}
