package program

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/kontor-crm/kontor/adapters/httpapi/encode"
	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// output is the format in which a command prints its result: a table for people,
// JSON for scripts.
type output struct {
	format string
}

func (o *output) flag() cli.Flag {
	return &cli.StringFlag{
		Name: "output", Destination: &o.format, Value: "table", Usage: "output `format`: table or json",
		Validator: func(s string) error {
			if s != "table" && s != "json" {
				return errors.New("must be table or json")
			}
			return nil
		},
	}
}

func (o output) isJSON() bool { return o.format == "json" }

func writeJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

type table struct{ w *tabwriter.Writer }

func newTable(w io.Writer, head ...string) table {
	t := table{tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
	if len(head) > 0 {
		t.row(head...)
	}
	return t
}

// row adds a row. Tabs and line ends in a cell become spaces.
func (t table) row(cells ...string) {
	line := make([]string, len(cells))
	for i, cell := range cells {
		line[i] = strings.Join(strings.Fields(cell), " ")
	}
	fmt.Fprintln(t.w, strings.Join(line, "\t"))
}

func (t table) flush() error { return t.w.Flush() }

// list prints the attributes of a list, or those that fields names, comma-separated.
func list[F any](
	ctx context.Context, cmd *cli.Command, out output,
	resource *readmodel.Resource, reader readmodel.Reader[F], filter F, fields domain.Optional[string],
) error {
	selection, err := query.Select(resource, query.Parameters{Fields: fields})
	if err != nil {
		return err
	}
	sort, err := query.SortBy(resource, "")
	if err != nil {
		return err
	}
	rows, err := reader.List(ctx, readmodel.Query[F]{Filter: filter, Select: selection, Sort: sort})
	if err != nil {
		return err
	}
	if out.isJSON() {
		_, err = fmt.Fprintf(cmd.Root().Writer, "%s\n", encode.Items(rows, selection))
		return err
	}
	return writeTable(cmd.Root().Writer, rows, selection)
}

func (o output) record(w io.Writer, rows *readmodel.Rows, selection *readmodel.Selection) error {
	if !o.isJSON() {
		return writeTable(w, rows, selection)
	}
	_, err := fmt.Fprintf(w, "%s\n", encode.Item(rows, selection))
	return err
}

func (o output) token(w io.Writer, token string, expires time.Time) error {
	var until *string
	end := "never expires"
	if !expires.IsZero() {
		text := expires.Format(time.RFC3339)
		until, end = &text, "expires at "+text
	}
	if o.isJSON() {
		return writeJSON(w, struct {
			Token     string  `json:"token"`
			ExpiresAt *string `json:"expires_at"`
		}{token, until})
	}
	_, err := fmt.Fprintf(w, "%s\n(%s; it is not shown again)\n", token, end)
	return err
}

func writeTable(w io.Writer, rows *readmodel.Rows, selection *readmodel.Selection) error {
	cells := make([]string, len(selection.Nodes))
	for i, n := range selection.Nodes {
		cells[i] = strings.ToUpper(n.Name)
	}
	t := newTable(w, cells...)
	for row := range rows.Len() {
		for i, n := range selection.Nodes {
			cells[i] = cellText(rows, row, n)
		}
		t.row(cells...)
	}
	return t.flush()
}

func cellText(rows *readmodel.Rows, row int, n readmodel.Node) string {
	cell, ok := rows.Cell(row, n.Column)
	text := string(cell)
	switch {
	case !ok:
		return ""
	case n.Kind == readmodel.Bool && text == "t":
		return "yes"
	case n.Kind == readmodel.Bool:
		return "no"
	case n.Kind == readmodel.Time:
		return text[:min(len(text), len(time.DateTime))]
	}
	return text
}
