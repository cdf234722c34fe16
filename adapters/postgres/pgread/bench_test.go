package pgread_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/kontor-crm/kontor/adapters/postgres/pgread"
	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// instant is a database that has the rows of every statement ready: a row of the same
// cells, ten times.
type instant struct {
	cells [][]byte
	left  int
}

func (i *instant) Query(context.Context, string, ...any) (pgx.Rows, error) {
	i.left = 10
	return i, nil
}

func (i *instant) Next() bool                                 { i.left--; return i.left >= 0 }
func (i *instant) RawValues() [][]byte                        { return i.cells }
func (*instant) Close()                                       {}
func (*instant) Err() error                                   { return nil }
func (*instant) Conn() *pgx.Conn                              { return nil }
func (*instant) CommandTag() pgconn.CommandTag                { return pgconn.CommandTag{} }
func (*instant) FieldDescriptions() []pgconn.FieldDescription { return nil }
func (*instant) TypeMap() *pgtype.Map                         { return nil }
func (*instant) Scan(...any) error                            { return nil }
func (*instant) Values() ([]any, error)                       { return nil, nil }

// BenchmarkList is what a list takes in this package: all but the database.
func BenchmarkList(b *testing.B) {
	for _, c := range []struct {
		name   string
		cells  []string // before those of the selection
		sort   string
		filter readmodel.ClientFilter
		page   int64
	}{
		{"first page", []string{"3000", "2024-03-09 16:05:00", "17"}, "", readmodel.ClientFilter{}, 1},
		{"page by number", []string{"3000", "2024-03-09 16:05:00", "17"}, "", readmodel.ClientFilter{}, 17},
		{"filtered and sorted", []string{"3000", "text", "17"}, "name", readmodel.ClientFilter{UserID: optional.Some(user.ID(7)), Type: optional.Some(client.Person)}, 1},
		{"search", []string{"900000", "2024-03-09 16:05:00", "17"}, "", readmodel.ClientFilter{Name: "Nord"}, 1},
	} {
		b.Run(c.name, func(b *testing.B) {
			shown, err := query.Select(readmodel.Clients, query.Parameters{})
			if err != nil {
				b.Fatal(err)
			}
			orders, err := query.SortBy(readmodel.Clients, c.sort)
			if err != nil {
				b.Fatal(err)
			}
			db := &instant{}
			for _, cell := range c.cells {
				db.cells = append(db.cells, []byte(cell))
			}
			for range shown.Paths {
				db.cells = append(db.cells, []byte("12345"))
			}
			list := pgread.NewClients(db)
			q := readmodel.Query[readmodel.ClientFilter]{Filter: c.filter, Select: shown, Sort: orders, Page: readmodel.Page{Number: c.page, Size: 10}}
			b.ReportAllocs()
			for b.Loop() {
				rows, err := list.List(b.Context(), q)
				if err != nil {
					b.Fatal(err)
				}
				rows.Release()
			}
		})
	}
}
