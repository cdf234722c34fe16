package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// output is how a command shows what it found: a table for people, JSON for
// scripts.
type output struct {
	format string
}

func (o *output) flag() cli.Flag {
	return &cli.StringFlag{
		Name: "output", Destination: &o.format, Value: "table", Usage: "`table` or json",
		Validator: func(s string) error {
			if s != "table" && s != "json" {
				return errors.New("must be table or json")
			}
			return nil
		},
	}
}

// list shows all rows of a reader.
func list[F any](ctx context.Context, cmd *cli.Command, out output, table *readmodel.Resource, reader readmodel.Reader[F], filter F) error {
	shape, err := table.Select(readmodel.Asking{})
	if err != nil {
		return err
	}
	sort, err := table.SortBy("")
	if err != nil {
		return err
	}
	rows, err := reader.List(ctx, readmodel.Query[F]{Filter: filter, Select: shape, Sort: sort})
	if err != nil {
		return err
	}
	if out.format == "table" {
		return writeTable(cmd.Root().Writer, rows, shape)
	}
	var b bytes.Buffer
	for row := range rows.Len() {
		b.WriteString(map[bool]string{true: "[\n", false: ",\n"}[row == 0])
		b.Write(jsonRecord(rows, row, shape))
	}
	if rows.Len() == 0 {
		b.WriteByte('[')
	}
	b.WriteString("]\n")
	_, err = cmd.Root().Writer.Write(b.Bytes())
	return err
}

// record shows the one row.
func (o output) record(w io.Writer, rows *readmodel.Rows, shape *readmodel.Selection) error {
	if o.format == "table" {
		return writeTable(w, rows, shape)
	}
	_, err := fmt.Fprintf(w, "%s\n", jsonRecord(rows, 0, shape))
	return err
}

// token shows a new token.
func (o output) token(w io.Writer, token string, expires time.Time) error {
	var until *string
	if !expires.IsZero() {
		text := expires.Format(time.RFC3339)
		until = &text
	}
	if o.format == "json" {
		return json.NewEncoder(w).Encode(struct {
			Token     string  `json:"token"`
			ExpiresAt *string `json:"expires_at"`
		}{token, until})
	}
	end := "never expires"
	if until != nil {
		end = "expires at " + *until
	}
	_, err := fmt.Fprintf(w, "%s\n(%s; it is not shown again)\n", token, end)
	return err
}

func writeTable(w io.Writer, rows *readmodel.Rows, shape *readmodel.Selection) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, n := range shape.Nodes {
		fmt.Fprint(t, strings.ToUpper(n.Name), "\t")
	}
	fmt.Fprintln(t)
	for row := range rows.Len() {
		for _, n := range shape.Nodes {
			fmt.Fprint(t, cellText(rows, row, n), "\t")
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}

// jsonRecord is a row as a JSON object, its attributes in their order.
func jsonRecord(rows *readmodel.Rows, row int, shape *readmodel.Selection) []byte {
	b := []byte{'{'}
	for i, n := range shape.Nodes {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendQuote(b, n.Name)
		b = append(b, ':')
		b = append(b, jsonValue(rows, row, n)...)
	}
	return append(b, '}')
}

func jsonValue(rows *readmodel.Rows, row int, n readmodel.Node) []byte {
	_, ok := rows.Cell(row, n.Column)
	text := cellText(rows, row, n)
	switch {
	case !ok:
		return []byte("null")
	case n.Kind == readmodel.ID || n.Kind == readmodel.Integer:
		return []byte(text)
	case n.Kind == readmodel.Bool:
		return strconv.AppendBool(nil, text == "yes")
	}
	quoted, _ := json.Marshal(text) // a string can always be marshalled
	return quoted
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
