package program

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/tenant"
)

func companyCommand() *cli.Command {
	return &cli.Command{
		Name:  "company",
		Usage: "add, list and change companies: several sets of users and records in one service",
		Description: "Each company has users, tokens, records, rules and a time zone of its own. The token of a request decides which\n" +
			"company it is for. Other commands take --company NAME, such as kontor user add --company bakery --username ann;\n" +
			"without it they are for the default company, which every database has.",
		Commands: []*cli.Command{
			companyAddCommand(),
			companyListCommand(),
			companyShowCommand(),
			companyRenameCommand(),
			companyChangeCommand("disable", "reject all tokens of a company, within two seconds", (*bootstrap.Companies).Disable),
			companyChangeCommand("enable", "accept the tokens of a disabled company again", (*bootstrap.Companies).Enable),
			companyRemoveCommand(),
		},
	}
}

// companyAction returns the action of a command that takes the names of
// companies.
func companyAction(
	c *bootstrap.Config, names int, run func(ctx context.Context, cmd *cli.Command, all *bootstrap.Companies) error,
) cli.ActionFunc {
	return func(ctx context.Context, cmd *cli.Command) error {
		if cmd.Args().Len() != names {
			required := []string{"no argument", "the name of one company", "two names"}[names]
			return misused("%s requires %s; see %s --help", cmd.FullName(), required, cmd.FullName())
		}
		return withSchema(ctx, c, func(ctx context.Context, c bootstrap.Config) error {
			all, closeAll, err := bootstrap.NewCompanies(ctx, c)
			if err != nil {
				return err
			}
			defer closeAll()
			return fault.Named(run(ctx, cmd, all), cmd.Args().First())
		})
	}
}

func companyAddCommand() *cli.Command {
	var c bootstrap.Config
	var out output
	var zone, code string
	return &cli.Command{
		Name:      "add",
		Usage:     "add a company",
		ArgsUsage: "<name>",
		Description: "A name has letters a to z, digits and hyphens. If the command is interrupted, the same command finishes it; until\n" +
			"then kontor company list shows the company as adding. With --code it adds a company whose tables pg_restore has\n" +
			"restored.",
		Flags: append(c.ConnectionFlags(), out.flag(), &cli.StringFlag{
			Name: "timezone", Destination: &zone, DefaultText: "that of the default company",
			Usage: "IANA `name` of the time zone of the company",
		}, &cli.StringFlag{
			Name: "code", Destination: &code, DefaultText: "a new one",
			Usage: "`code` of a company whose schema, company_<code>, exists already",
		}),
		Action: companyAction(&c, 1, func(ctx context.Context, cmd *cli.Command, all *bootstrap.Companies) error {
			if code != "" {
				return adopt(ctx, cmd, all, out, code, zone)
			}
			if zone == "" {
				stored, err := all.DefaultZone(ctx)
				if err != nil {
					return err
				}
				zone = stored
			}
			if err := bootstrap.ValidateZone(zone); err != nil {
				return misused("--timezone: %w", err)
			}
			added, err := all.Add(ctx, cmd.Args().First(), zone)
			if err != nil {
				return err
			}
			return out.companies(cmd.Root().Writer, []tenant.Tenant{added})
		}),
	}
}

func adopt(ctx context.Context, cmd *cli.Command, all *bootstrap.Companies, out output, code, zone string) error {
	parsed, isCode := tenant.ParseCode(code)
	switch {
	case !isCode:
		return misused("--code must be the 8 hexadecimal digits in the name of the schema")
	case zone != "":
		return misused("--timezone cannot be given with --code: the company has the time zone that is stored in its schema")
	}
	adopted, err := all.Adopt(ctx, cmd.Args().First(), parsed)
	if err != nil {
		return err
	}
	return out.companies(cmd.Root().Writer, []tenant.Tenant{adopted})
}

func companyListCommand() *cli.Command {
	var c bootstrap.Config
	var out output
	return &cli.Command{
		Name:  "list",
		Usage: "list all companies; on Citus, with the worker of each",
		Flags: append(c.ConnectionFlags(), out.flag()),
		Action: companyAction(&c, 0, func(ctx context.Context, cmd *cli.Command, all *bootstrap.Companies) error {
			list, err := all.List(ctx)
			if err != nil {
				return err
			}
			if len(list) == 0 && !out.isJSON() {
				_, err := fmt.Fprintln(cmd.Root().Writer, "There is only the default company. kontor company add adds another one.")
				return err
			}
			return out.companies(cmd.Root().Writer, list)
		}),
	}
}

func companyShowCommand() *cli.Command {
	var c bootstrap.Config
	var out output
	return &cli.Command{
		Name:      "show",
		Usage:     "show a company and the size of its tables",
		ArgsUsage: "<name>",
		Flags:     append(c.ConnectionFlags(), out.flag()),
		Action: companyAction(&c, 1, func(ctx context.Context, cmd *cli.Command, all *bootstrap.Companies) error {
			found, err := all.Find(ctx, cmd.Args().First())
			if err != nil {
				return err
			}
			size, err := all.Store.Size(ctx, found)
			if err != nil && !fault.Is(err, fault.Unavailable) {
				return err
			}
			return out.company(cmd.Root().Writer, found, size, err)
		}),
	}
}

func companyRenameCommand() *cli.Command {
	var c bootstrap.Config
	return &cli.Command{
		Name:      "rename",
		Usage:     "rename a company; its tokens stay valid",
		ArgsUsage: "<name> <new name>",
		Flags:     c.ConnectionFlags(),
		Action: companyAction(&c, 2, func(ctx context.Context, cmd *cli.Command, all *bootstrap.Companies) error {
			return all.Rename(ctx, cmd.Args().Get(0), cmd.Args().Get(1))
		}),
	}
}

func companyChangeCommand(name, usage string, change func(*bootstrap.Companies, context.Context, string) error) *cli.Command {
	var c bootstrap.Config
	return &cli.Command{
		Name:      name,
		Usage:     usage,
		ArgsUsage: "<name>",
		Flags:     c.ConnectionFlags(),
		Action: companyAction(&c, 1, func(ctx context.Context, cmd *cli.Command, all *bootstrap.Companies) error {
			return change(all, ctx, cmd.Args().First())
		}),
	}
}

func companyRemoveCommand() *cli.Command {
	var c bootstrap.Config
	var really bool
	return &cli.Command{
		Name:      "remove",
		Usage:     "remove a company with all its records",
		ArgsUsage: "<name>",
		Description: "First the tokens of the company are rejected, then its tables are dropped. If the command is interrupted, the same\n" +
			"command finishes it; until then kontor company list shows the company as removing.",
		Flags: append(c.ConnectionFlags(), &cli.BoolFlag{
			Name: "really", Aliases: []string{"yes"}, Destination: &really, Usage: "confirm that all records of the company are to be lost",
		}),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if !really {
				return misused("the records of the company would be lost: save them with pg_dump, and confirm with --really")
			}
			return companyAction(&c, 1, func(ctx context.Context, cmd *cli.Command, all *bootstrap.Companies) error {
				return all.Remove(ctx, cmd.Args().First())
			})(ctx, cmd)
		},
	}
}

func (o output) companies(w io.Writer, list []tenant.Tenant) error {
	if o.isJSON() {
		rows := make([]companyRow, len(list))
		for i, c := range list {
			rows[i] = companyRowFrom(c)
		}
		return writeJSON(w, rows)
	}
	head := []string{"NAME", "STATE", "CODE", "TIME ZONE", "MIGRATION", "CREATED AT"}
	onCitus := slices.ContainsFunc(list, func(c tenant.Tenant) bool { return c.Node != "" })
	if onCitus {
		head = append(head, "NODE")
	}
	t := newTable(w, head...)
	for _, c := range list {
		cells := []string{
			c.Name, stateOf(c), string(c.Code), c.TimeZone, strconv.FormatInt(c.Migration, 10), c.CreatedAt.UTC().Format(time.DateTime),
		}
		if onCitus {
			cells = append(cells, c.Node)
		}
		t.row(cells...)
	}
	return t.flush()
}

func stateOf(c tenant.Tenant) string {
	switch {
	case c.State == tenant.Adding:
		return "adding (repeat the command that adds it, or remove it)"
	case c.State == tenant.Removing:
		return "removing (repeat the command that removes it)"
	case c.Migration < postgres.Version:
		return string(c.State) + " (not migrated: run kontor migrate up)"
	}
	return string(c.State)
}

// company shows a company whose size is unknown if there is an error.
func (o output) company(w io.Writer, c tenant.Tenant, size int64, unknown error) error {
	row, sizeText := companyRowFrom(c), fmt.Sprintf("%.1f MB", float64(size)/1e6)
	if unknown == nil {
		row.Size = &size
	} else {
		sizeText = "unknown: " + explain(unknown)
	}
	if o.isJSON() {
		return writeJSON(w, row)
	}
	t := newTable(w)
	for _, line := range [][2]string{
		{"NAME", c.Name},
		{"STATE", stateOf(c)},
		{"CODE", row.Code},
		{"SCHEMA", c.Code.Schema()},
		{"TIME ZONE", c.TimeZone},
		{"MIGRATION", strconv.FormatInt(c.Migration, 10)},
		{"CREATED AT", c.CreatedAt.UTC().Format(time.DateTime)},
		{"NODE", c.Node},
		{"SIZE", sizeText},
	} {
		if line[1] != "" {
			t.row(line[0], line[1])
		}
	}
	return t.flush()
}

type companyRow struct {
	Name      string    `json:"name"`
	State     string    `json:"state"`
	Code      string    `json:"code"`
	TimeZone  string    `json:"time_zone"`
	Migration int64     `json:"migration"`
	CreatedAt time.Time `json:"created_at"`
	Node      string    `json:"node,omitempty"`
	Size      *int64    `json:"size,omitempty"` // in bytes
}

func companyRowFrom(c tenant.Tenant) companyRow {
	return companyRow{
		Name: c.Name, State: string(c.State), Code: string(c.Code), TimeZone: c.TimeZone, Migration: c.Migration, CreatedAt: c.CreatedAt.UTC(),
		Node: c.Node,
	}
}
