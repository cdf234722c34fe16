package program

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/kontor-crm/kontor/adapters/postgres/pgcompany"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/ports/company"
)

func companyMoveCommand() *cli.Command {
	var c bootstrap.Config
	return &cli.Command{
		Name:      "move",
		Usage:     "move the tables of a company to another worker of Citus",
		ArgsUsage: "<name> <host:port>",
		Description: "Requests are served meanwhile. At the end writes have to wait, and the command reports for how long. If it is\n" +
			"interrupted, repeat it. kontor company list shows the worker of each company.",
		Metadata: examples("kontor company move bakery 10.0.0.12:5432"),
		Flags:    c.ConnectionFlags(),
		Action: companyAction(&c, 2, func(ctx context.Context, cmd *cli.Command, all *bootstrap.Companies) error {
			name, node := cmd.Args().Get(0), cmd.Args().Get(1)
			moved, err := all.Store.Move(ctx, name, node)
			if err != nil {
				return err
			}
			if moved.From == node {
				_, err = fmt.Fprintf(cmd.Root().Writer, "%s is on %s already\n", name, node)
				return err
			}
			_, err = fmt.Fprintf(cmd.Root().Writer, "moved %s from %s to %s in %s; writes waited for %s at most\n",
				name, moved.From, node, moved.Took.Round(100*time.Millisecond), moved.Pause.Round(10*time.Millisecond))
			return err
		}),
	}
}

// placedCompanies prints companies with the workers that have their tables.
func (o output) placedCompanies(w io.Writer, list []company.Company, places map[company.Code]pgcompany.Place) error {
	if o.isJSON() {
		rows := make([]companyRow, len(list))
		for i, c := range list {
			rows[i] = companyRowFrom(c)
			rows[i].Node, rows[i].Size = places[c.Code].Node, places[c.Code].Size
		}
		return writeJSON(w, rows)
	}
	t := newTable(w, "NAME", "STATE", "CODE", "TIME ZONE", "MIGRATION", "CREATED AT", "NODE", "SIZE")
	for _, c := range list {
		place, size := places[c.Code], "unknown"
		if place.Size != nil {
			size = fmt.Sprintf("%.1f MB", float64(*place.Size)/1e6)
		}
		t.row(c.Name, stateOf(c), string(c.Code), c.TimeZone, strconv.FormatInt(c.Migration, 10), c.CreatedAt.UTC().Format(time.DateTime), place.Node, size)
	}
	return t.flush()
}
