package program

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v3"

	"github.com/kontor-crm/kontor/adapters/postgres/pgstore"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

func seriesCommand() *cli.Command {
	return &cli.Command{
		Name:     "series",
		Usage:    "verify the documents of issued invoices and credit notes",
		Commands: []*cli.Command{seriesVerifyCommand()},
	}
}

var errChanged = errors.New("documents are not as they were issued")

func seriesVerifyCommand() *cli.Command {
	var c bootstrap.Config
	var out output
	return &cli.Command{
		Name:  "verify",
		Usage: "recompute the chains of issued documents, and list those that were changed or deleted; the service may run",
		Description: "Each document is stored with a SHA-256 of itself and of its predecessor in the series. The exit code is 1 if a\n" +
			"document is not as it was issued.",
		Flags: append(c.RecordFlags(), out.flag()),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			return withRecords(ctx, &c, func(ctx context.Context, c bootstrap.Config) error {
				db, closeDB, err := bootstrap.OpenDB(ctx, c)
				if err != nil {
					return err
				}
				defer closeDB()
				read, broken, err := pgstore.VerifySeries(ctx, db)
				if err != nil {
					return err
				}
				if err := out.brokenDocuments(cmd.Root().Writer, read, broken); err != nil || len(broken) == 0 {
					return err
				}
				return errChanged
			})
		},
	}
}

func (o output) brokenDocuments(w io.Writer, read int64, broken []pgstore.BrokenDocument) error {
	if o.isJSON() {
		rows := make([]brokenDocument, len(broken))
		for i, b := range broken {
			rows[i] = brokenDocument{int64(b.Series.Performer), b.Series.Kind.String(), b.Series.Year, int64(b.Invoice), b.Number, b.Problem}
		}
		return writeJSON(w, rows)
	}
	if len(broken) == 0 {
		_, err := fmt.Fprintf(w, "All %d documents are as they were issued.\n", read)
		return err
	}
	t := newTable(w, "PERFORMER", "SERIES", "YEAR", "INVOICE", "NUMBER", "PROBLEM")
	for _, b := range broken {
		t.row(fmt.Sprint(b.Series.Performer), b.Series.Kind.String(), fmt.Sprint(b.Series.Year), fmt.Sprint(b.Invoice), b.Number, b.Problem)
	}
	return t.flush()
}

type brokenDocument struct {
	PerformerID int64  `json:"performer_id"`
	Kind        string `json:"kind"`
	Year        int    `json:"year"`
	InvoiceID   int64  `json:"invoice_id"`
	Number      string `json:"number"`
	Problem     string `json:"problem"`
}
