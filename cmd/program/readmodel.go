package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/kontor-crm/kontor/adapters/postgres/pgsummary"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

func readmodelCommand() *cli.Command {
	return &cli.Command{
		Name:     "readmodel",
		Usage:    "verify or rebuild the read models, from which lists and totals are read",
		Commands: []*cli.Command{readmodelVerifyCommand(), readmodelRebuildCommand()},
	}
}

var errDisagree = errors.New("the read models differ from the records: run kontor readmodel rebuild")

func readmodelVerifyCommand() *cli.Command {
	var c bootstrap.Config
	var out output
	return &cli.Command{
		Name:        "verify",
		Usage:       "compare the read models with the records, and list the differences; the service may run",
		Description: "The exit code is 1 if there are differences.",
		Flags:       append(c.RecordFlags(), out.flag()),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			return withRecords(ctx, &c, func(ctx context.Context, c bootstrap.Config) error {
				db, closeDB, err := bootstrap.OpenDB(ctx, c)
				if err != nil {
					return err
				}
				defer closeDB()
				list, err := pgsummary.Verify(ctx, db)
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
		Name:  "rebuild",
		Usage: "rebuild the read models from the records; the service may run",
		Flags: c.RecordFlags(),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			return withRecords(ctx, &c, func(ctx context.Context, c bootstrap.Config) error {
				db, closeDB, err := bootstrap.OpenDB(ctx, c)
				if err != nil {
					return err
				}
				defer closeDB()
				started := time.Now()
				if err := pgsummary.Rebuild(ctx, db); err != nil {
					return err
				}
				_, err = fmt.Fprintf(cmd.Root().Writer, "The read models were rebuilt in %s.\n", time.Since(started).Round(time.Millisecond))
				return err
			})
		},
	}
}

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
	t := newTable(w, "MODEL", "KEY", "STORED", "EXPECTED")
	for _, d := range list {
		t.row(d.Model, d.Key, d.Stored, d.Expected)
	}
	return t.flush()
}

type difference struct {
	Model    string `json:"model"`
	Key      string `json:"key"`
	Stored   string `json:"stored"`
	Expected string `json:"expected"`
}
