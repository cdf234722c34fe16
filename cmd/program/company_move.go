package program

import (
	"context"
	"fmt"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

func companyMoveCommand() *cli.Command {
	var c bootstrap.Config
	return &cli.Command{
		Name:      "move",
		Usage:     "move the tables of a company to another worker of Citus",
		ArgsUsage: "<name> <host:port>",
		Description: "Requests are served meanwhile. At the end writes have to wait, and the command reports for how long. If it is\n" +
			"interrupted, repeat it. kontor company list shows the worker of each company.",
		Flags: c.ConnectionFlags(),
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
