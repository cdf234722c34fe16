package main

import (
	"context"
	"io"
	"log/slog"

	"github.com/urfave/cli/v3"

	"github.com/kontor-crm/kontor/adapters/localpg"
	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

func migrateCommand() *cli.Command {
	return &cli.Command{
		Name:     "migrate",
		Category: ofData,
		Usage:    "change the schema of the database, or show where it stands",
		Metadata: examples("kontor migrate status", "kontor migrate up"),
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
	var out output
	return &cli.Command{
		Name:     name,
		Usage:    usage,
		Metadata: examples("kontor migrate "+name, "kontor migrate "+name+" --output json"),
		Flags:    append(c.DatabaseFlags(), out.flag()),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := validate(&c); err != nil {
				return err
			}
			log := slog.New(slog.DiscardHandler)
			return withDatabase(ctx, c, log, localpg.Attach, func(ctx context.Context, c bootstrap.Config) error {
				if err := change(ctx, c); err != nil {
					return err
				}
				list, err := postgres.Migrations(ctx, c.DatabaseURL)
				if err != nil {
					return err
				}
				return out.migrations(cmd.Root().Writer, list)
			})
		},
	}
}

func (o output) migrations(w io.Writer, list []postgres.Migration) error {
	if o.isJSON() {
		rows := make([]migrationRow, len(list))
		for i, m := range list {
			rows[i] = migrationRow(m)
		}
		return writeJSON(w, rows)
	}
	t := newTable(w, "STATE", "MIGRATION")
	for _, m := range list {
		state := "missing"
		if m.Applied {
			state = "applied"
		}
		t.row(state, m.Name)
	}
	return t.flush()
}

// migrationRow is a postgres.Migration as scripts read it.
type migrationRow struct {
	Version int64  `json:"version"`
	Name    string `json:"name"`
	Applied bool   `json:"applied"`
}
