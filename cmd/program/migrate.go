package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/kontor-crm/kontor/adapters/localpg"
	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgtenant"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/ports/tenant"
)

func migrateCommand(c bootstrap.Config) *cli.Command {
	return &cli.Command{
		Name:  "migrate",
		Usage: "migrate the schema of the database, or list its migrations",
		Commands: []*cli.Command{
			migration(c, "up", "apply all missing migrations", migrateUp),
			migrateDownCommand(c),
			migration(c, "status", "list the migrations", func(context.Context, bootstrap.Config) error { return nil }),
		},
	}
}

// migrateUp migrates, and stores the rules that are compiled into the program. Companies come
// last, and get these rules when they are first used.
func migrateUp(ctx context.Context, c bootstrap.Config) error {
	if err := bootstrap.Migrate(ctx, c); err != nil {
		return err
	}
	op, closeAll, err := bootstrap.NewOperation(ctx, c)
	if err != nil {
		return err
	}
	defer closeAll()
	if _, err = op.Commands.Rules.Register(ctx); err != nil {
		return err
	}
	return migrated(bootstrap.MigrateCompanies(ctx, c))
}

// migrateDown rolls back all companies, and then the default one: until its end the number of
// the default company is the one to go back from.
func migrateDown(ctx context.Context, c bootstrap.Config, version int64) error {
	if err := migrated(bootstrap.MigrateCompaniesDown(ctx, c, version)); err != nil {
		return err
	}
	return postgres.MigrateDownTo(ctx, c.DatabaseURL, version)
}

var errIncomplete = errors.New("some companies are not migrated: correct the cause and repeat the command, which does the rest")

// migrated returns an error for each company that could not be migrated.
func migrated(m pgtenant.Migrated, err error) error {
	if err != nil || len(m.Failed) == 0 {
		return err
	}
	var all []error
	for _, f := range m.Failed {
		all = append(all, fmt.Errorf("company %s: %s", f.Name, oneLine(explain(f.Err))))
	}
	return errors.Join(append(all, fmt.Errorf("%d of %d companies: %w", len(m.Failed), m.All, errIncomplete))...)
}

func migrateDownCommand(c bootstrap.Config) *cli.Command {
	const newest = -1 // roll back only the newest one
	var to int64
	var really bool
	cmd := migration(c, "down", "roll back the newest migration and lose its data", func(ctx context.Context, c bootstrap.Config) error {
		if to < newest {
			return misused("--to must be the number of a migration, or 0")
		}
		number := to
		if number == newest {
			var err error
			if number, err = postgres.PreviousMigration(ctx, c.DatabaseURL); err != nil {
				return err
			}
		}
		if !really {
			return refuseRollback(ctx, c, number)
		}
		return migrateDown(ctx, c, number)
	})
	cmd.Flags = append(cmd.Flags, &cli.Int64Flag{
		Name: "to", Destination: &to, Value: newest, DefaultText: "the previous one",
		Usage: "roll back all migrations above this `number`, such as the newest one that an older program knows",
	}, &cli.BoolFlag{
		Name: "really", Aliases: []string{"yes"}, Destination: &really,
		Usage: "confirm that the data in what the migrations added are to be lost",
	})
	return cmd
}

// refuseRollback returns an error that says what rolling back to this migration would lose.
func refuseRollback(ctx context.Context, c bootstrap.Config, number int64) error {
	lost, err := postgres.RollbackTo(ctx, c.DatabaseURL, number)
	if err != nil {
		return err
	}
	companies, err := bootstrap.ListCompanies(ctx, c)
	if err != nil {
		return err
	}
	var sizes []string
	for _, t := range lost.Tables {
		if t.Records > 0 {
			sizes = append(sizes, fmt.Sprintf("%s: %d", t.Name, t.Records))
		}
	}
	text := "rolling back " + listed(lost.Migrations, "no migration") + " would lose all data in what it added"
	if len(lost.Tables) > 0 {
		text += "; records of tables that would be dropped: " + listed(sizes, "none")
	}
	if len(companies) > 0 {
		text += fmt.Sprintf("; and those of %d companies, which are not counted", len(companies))
	}
	return misused("%s. Save them with pg_dump, and confirm with --really", text)
}

func listed(names []string, none string) string {
	if len(names) == 0 {
		return none
	}
	return strings.Join(names, ", ")
}

// migration returns a subcommand that changes the schema and then lists the migrations.
func migration(c bootstrap.Config, name, usage string, change func(ctx context.Context, c bootstrap.Config) error) *cli.Command {
	var out output
	return &cli.Command{
		Name:  name,
		Usage: usage,
		Flags: append(c.DatabaseFlags(), out.flag()),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := validate(&c); err != nil {
				return err
			}
			log := slog.New(slog.DiscardHandler)
			open := attachExisting
			if name == "up" {
				open = localpg.Attach
			}
			return withDatabase(ctx, c, log, open, func(ctx context.Context, c bootstrap.Config) error {
				if err := change(ctx, c); err != nil {
					return err
				}
				list, err := postgres.Migrations(ctx, c.DatabaseURL)
				if err != nil {
					return err
				}
				all, err := bootstrap.ListCompanies(ctx, c)
				if err != nil {
					return err
				}
				return out.migrations(cmd.Root().Writer, list, all)
			})
		},
	}
}

func (o output) migrations(w io.Writer, list []postgres.Migration, all []tenant.Tenant) error {
	rows := make([]migrationRow, len(list))
	for i, m := range list {
		rows[i] = migrationRow{Version: m.Version, Name: m.Name, Applied: m.Applied, Edited: m.Edited}
		if len(all) > 0 {
			have := 0
			for _, c := range all {
				if c.Migration >= m.Version {
					have++
				}
			}
			rows[i].Companies = &have
		}
	}
	if o.isJSON() {
		return writeJSON(w, rows)
	}
	head := []string{"STATE", "MIGRATION"}
	if len(all) > 0 {
		head = append(head, "COMPANIES")
	}
	t := newTable(w, head...)
	for _, m := range rows {
		state := map[bool]string{true: "applied", false: "missing"}[m.Applied]
		if m.Edited {
			state = "edited"
		}
		cells := []string{state, m.Name}
		if m.Companies != nil {
			cells = append(cells, fmt.Sprintf("%d of %d", *m.Companies, len(all)))
		}
		t.row(cells...)
	}
	return t.flush()
}

type migrationRow struct {
	Version   int64  `json:"version"`
	Name      string `json:"name"`
	Applied   bool   `json:"applied"`
	Edited    bool   `json:"edited,omitempty"`    // since it was applied
	Companies *int   `json:"companies,omitempty"` // that have it
}
