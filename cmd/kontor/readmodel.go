package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/kontor-crm/kontor/adapters/localpg"
	"github.com/kontor-crm/kontor/adapters/postgres/pgsummary"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

func readmodelCommand() *cli.Command {
	return &cli.Command{
		Name:     "readmodel",
		Category: ofData,
		Metadata: examples("kontor readmodel verify", "kontor readmodel rebuild"),
		Usage:    "check or renew what lists and totals are read from, all of which follows from the records",
		Commands: []*cli.Command{readmodelVerifyCommand(), readmodelRebuildCommand()},
	}
}

// errDisagree is how a verification ends that found something.
var errDisagree = errors.New("the read models do not agree with the records: kontor readmodel rebuild makes them anew")

func readmodelVerifyCommand() *cli.Command {
	var c bootstrap.Config
	var out output
	return &cli.Command{
		Name:        "verify",
		Usage:       "hold the read models against the records, and list where they differ; the service may run",
		Description: "The exit code is 1 if something differs, and the table, or the JSON, says what.",
		Metadata:    examples("kontor readmodel verify", "kontor readmodel verify --output json"),
		Flags:       append(c.DatabaseFlags(), out.flag()),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			return withReadModels(ctx, &c, func(ctx context.Context, models *bootstrap.ReadModels) error {
				list, err := models.Verify(ctx)
				if err != nil {
					return err
				}
				if err := out.differences(cmd.Root().Writer, list); err != nil || len(list) == 0 {
					return err
				}
				return errDisagree
			})
		},
	}
}

func readmodelRebuildCommand() *cli.Command {
	var c bootstrap.Config
	return &cli.Command{
		Name:     "rebuild",
		Usage:    "make the read models anew from the records; the service may run",
		Metadata: examples("kontor readmodel rebuild"),
		Flags:    c.DatabaseFlags(),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			return withReadModels(ctx, &c, func(ctx context.Context, models *bootstrap.ReadModels) error {
				started := time.Now()
				if err := models.Rebuild(ctx); err != nil {
					return err
				}
				_, err := fmt.Fprintf(cmd.Root().Writer, "The read models are made anew, in %s.\n", time.Since(started).Round(time.Millisecond))
				return err
			})
		},
	}
}

// withReadModels uses the read models of a migrated database.
func withReadModels(ctx context.Context, c *bootstrap.Config, use func(context.Context, *bootstrap.ReadModels) error) error {
	if err := validate(c); err != nil {
		return err
	}
	return withDatabase(ctx, *c, slog.New(slog.DiscardHandler), localpg.Attach, func(ctx context.Context, c bootstrap.Config) error {
		if err := bootstrap.Migrate(ctx, c); err != nil {
			return err
		}
		models, closeAll, err := bootstrap.NewReadModels(ctx, c)
		if err != nil {
			return err
		}
		defer closeAll()
		return use(ctx, models)
	})
}

// differences shows where models differ from the records, if they do.
func (o output) differences(w io.Writer, list []pgsummary.Difference) error {
	if o.isJSON() {
		rows := make([]difference, len(list))
		for i, d := range list {
			rows[i] = difference(d)
		}
		return writeJSON(w, rows)
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(w, "The read models agree with the records.")
		return err
	}
	t := newTable(w, "MODEL", "KEY", "SAYS", "IS")
	for _, d := range list {
		t.row(d.Model, d.Key, d.Says, d.Is)
	}
	return t.flush()
}

// difference is a pgsummary.Difference as scripts read it.
type difference struct {
	Model string `json:"model"`
	Key   string `json:"key"`
	Says  string `json:"says"`
	Is    string `json:"is"`
}
