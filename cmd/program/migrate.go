package program

import (
	"context"
	"io"
	"log/slog"

	"github.com/urfave/cli/v3"

	"github.com/kontor-crm/kontor/adapters/localpg"
	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

func migrateCommand(c bootstrap.Config) *cli.Command {
	return &cli.Command{
		Name:     "migrate",
		Category: ofData,
		Usage:    "migrate the schema of the database, or list its migrations",
		Metadata: examples("kontor migrate status", "kontor migrate up"),
		Commands: []*cli.Command{
			migration(c, "up", "apply all missing migrations", migrateUp),
			migrateDownCommand(c),
			migration(c, "status", "list the migrations", func(context.Context, bootstrap.Config) error { return nil }),
		},
	}
}

// migrateUp migrates, and stores the rules that are compiled into the program.
func migrateUp(ctx context.Context, c bootstrap.Config) error {
	if err := bootstrap.Migrate(ctx, c); err != nil {
		return err
	}
	op, closeAll, err := bootstrap.NewOperation(ctx, c)
	if err != nil {
		return err
	}
	defer closeAll()
	_, err = op.Commands.Rules.Register(ctx)
	return err
}

func migrateDownCommand(c bootstrap.Config) *cli.Command {
	const newest = -1 // roll back only the newest one
	var to int64
	cmd := migration(c, "down", "roll back the newest migration and lose its data", func(ctx context.Context, c bootstrap.Config) error {
		switch {
		case to == newest:
			return postgres.MigrateDown(ctx, c.DatabaseURL)
		case to < 0:
			return misused("--to must be the number of a migration, or 0")
		}
		return postgres.MigrateDownTo(ctx, c.DatabaseURL, to)
	})
	cmd.Flags = append(cmd.Flags, &cli.Int64Flag{
		Name: "to", Destination: &to, Value: newest, DefaultText: "the previous one",
		Usage: "roll back all migrations above this `number`, such as the newest one that an older program knows",
	})
	cmd.Metadata = examples("kontor migrate down", "kontor migrate down --to 9")
	return cmd
}

// migration is a subcommand that changes the schema and then lists the
// migrations.
func migration(c bootstrap.Config, name, usage string, change func(ctx context.Context, c bootstrap.Config) error) *cli.Command {
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

// migrationRow is a postgres.Migration as JSON.
type migrationRow struct {
	Version int64  `json:"version"`
	Name    string `json:"name"`
	Applied bool   `json:"applied"`
}
