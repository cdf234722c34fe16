package pgread

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	sq "github.com/Masterminds/squirrel"
	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Querier is a pool, a connection or a transaction.
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// model is how a resource is read: where its rows come from, and the SQL of
// each path of its table.
type model struct {
	resource *readmodel.Resource
	// table is the table of the rows, whose alias is always r.
	table string
	// columns are the expressions by path.
	columns map[string]string
	// joins are the tables that the paths before a dot come from.
	joins map[string]string
	// keys are the expressions to sort by where they are not the column's.
	keys map[string]string
	// lists are the records inside a record, by path.
	lists map[string]list
}

// list is how the records inside a record are read: an aggregate over a table.
type list struct {
	from    string // the tables, and how they belong to the row r
	order   string
	columns map[string]string
}

// reader is a readmodel.Reader on PostgreSQL.
type reader[F any] struct {
	db    Querier
	model *model
	where func(F) sq.And
}

// newReader makes a reader. A path of the resource's table without SQL is a
// mistake of the program, found at its start.
func newReader[F any](db Querier, m *model, where func(F) sq.And) *reader[F] {
	m.check()
	return &reader[F]{db: db, model: m, where: where}
}

func (m *model) check() {
	for _, path := range append(m.resource.Paths(), "version") {
		if _, ok := m.columns[path]; !ok && m.lists[path].from == "" {
			panic(fmt.Sprintf("the attribute %s of %s has no SQL", path, m.resource.Name))
		}
	}
}

// List is as readmodel.Reader promises.
func (r *reader[F]) List(ctx context.Context, q readmodel.Query[F]) (*readmodel.Rows, error) {
	where := r.where(q.Filter)
	order := r.model.orderBy(q.Sort)
	total := sq.Select("count(*) as total").From(r.model.table + " r").Where(where)
	stmt := sq.Select("counted.total").Columns(r.model.expressions(q.Select)...).FromSelect(total, "counted")
	for _, join := range append(r.model.page(where, order, q.Page), r.model.joined(q.Select)...) {
		stmt = stmt.JoinClause(join)
	}
	rows := readmodel.NewRows(len(q.Select.Paths))
	err := fetch(ctx, r.db, stmt.OrderBy(order...), func(cells [][]byte) error {
		var err error
		if rows.Total, err = strconv.ParseInt(string(cells[0]), 10, 64); err != nil {
			return err
		}
		// Every record has a version: without one the total stands alone.
		if cells[1+q.Select.Version] == nil {
			return nil
		}
		return appendRow(rows, q.Select, cells[1:])
	})
	return rows, err
}

// page joins the rows of the page, as r. On a later page their ids are found
// first, so that what lies before it is passed over in an index and not read.
func (m *model) page(where sq.And, order []string, page readmodel.Page) []any {
	selected := func(what string) sq.SelectBuilder { return sq.Select(what).From(m.table + " r").Where(where) }
	// The limit is a literal: as a parameter it would hide from the planner that
	// a page is short.
	limit := "limit " + strconv.Itoa(page.Size)
	switch {
	case page.Size == 0:
		return []any{sq.Expr("left join lateral (?) r on true", selected("r.*"))}
	case page.Number == 1:
		return []any{sq.Expr("left join lateral (?) r on true", selected("r.*").OrderBy(order...).Suffix(limit))}
	}
	ids := selected("r.id").OrderBy(order...).Suffix(limit+" offset ?", (page.Number-1)*int64(page.Size))
	return []any{sq.Expr("left join lateral (?) page on true", ids), "left join " + m.table + " r on r.id = page.id"}
}

// Read is as readmodel.Reader promises.
func (r *reader[F]) Read(ctx context.Context, id int64, s *readmodel.Selection) (*readmodel.Rows, error) {
	return r.read(ctx, r.db, id, s)
}

// ReadWithin is as readmodel.Reader promises; the unit of work is one of pgstore.
func (r *reader[F]) ReadWithin(ctx context.Context, work readmodel.Source, id int64, s *readmodel.Selection) (*readmodel.Rows, error) {
	return r.read(ctx, work.(Querier), id, s)
}

func (r *reader[F]) read(ctx context.Context, db Querier, id int64, s *readmodel.Selection) (*readmodel.Rows, error) {
	stmt := sq.Select(r.model.expressions(s)...).From(r.model.table + " r")
	for _, join := range r.model.joined(s) {
		stmt = stmt.JoinClause(join)
	}
	rows := readmodel.NewRows(len(s.Paths))
	rows.Total = 1
	err := fetch(ctx, db, stmt.Where("r.id = ?", id), func(cells [][]byte) error {
		return appendRow(rows, s, cells)
	})
	if err == nil && rows.Len() == 0 {
		err = fault.New(fault.NotFound, "there is no such %s", r.model.resource.Name)
	}
	return rows, err
}

// fetch runs the statement and hands over the text of each row's cells.
func fetch(ctx context.Context, db Querier, stmt sq.SelectBuilder, each func(cells [][]byte) error) error {
	sql, args, err := stmt.PlaceholderFormat(sq.Dollar).ToSql()
	if err != nil {
		return fmt.Errorf("put the statement together: %w", err)
	}
	rows, err := db.Query(ctx, sql, append([]any{pgx.QueryResultFormats{pgx.TextFormatCode}}, args...)...)
	if err != nil {
		return postgres.Fault(err, postgres.Storing)
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows.RawValues()); err != nil {
			return err
		}
	}
	return postgres.Fault(rows.Err(), postgres.Storing)
}

func (m *model) expressions(s *readmodel.Selection) []string {
	exprs := make([]string, len(s.Paths))
	for i, path := range s.Paths {
		if l, ok := m.lists[path]; ok {
			exprs[i] = l.expression(s.Lists[i])
			continue
		}
		exprs[i] = m.columns[path]
	}
	return exprs
}

// expression gathers the inner rows as a JSON array of arrays of texts.
func (l list) expression(inner *readmodel.Selection) string {
	exprs := make([]string, len(inner.Paths))
	for i, path := range inner.Paths {
		exprs[i] = "(" + l.columns[path] + ")::text"
	}
	return "(select json_agg(json_build_array(" + strings.Join(exprs, ", ") + ") order by " + l.order + ") from " + l.from + ")"
}

// joined are the joins that the selection's paths need, each once.
func (m *model) joined(s *readmodel.Selection) []any {
	var joins []any
	seen := map[string]bool{}
	for _, path := range s.Paths {
		table, _, dotted := strings.Cut(path, ".")
		if dotted && !seen[table] {
			seen[table] = true
			joins = append(joins, m.joins[table])
		}
	}
	return joins
}

func (m *model) orderBy(orders []readmodel.Order) []string {
	exprs := make([]string, len(orders))
	for i, o := range orders {
		expr, ok := m.keys[o.Attribute]
		if !ok {
			expr = m.columns[o.Attribute]
		}
		if o.Descending {
			expr += " desc"
		}
		exprs[i] = expr
	}
	return exprs
}

func appendRow(rows *readmodel.Rows, s *readmodel.Selection, cells [][]byte) error {
	for i, cell := range cells {
		inner, ok := s.Lists[i]
		if !ok {
			rows.Append(cell)
			continue
		}
		list, err := innerRows(inner, cell)
		if err != nil {
			return err
		}
		rows.AppendList(list)
	}
	return nil
}

func innerRows(s *readmodel.Selection, cell []byte) (*readmodel.Rows, error) {
	var records [][]*string
	if cell != nil {
		if err := json.Unmarshal(cell, &records); err != nil {
			return nil, fmt.Errorf("read the inner rows: %w", err)
		}
	}
	rows := readmodel.NewRows(len(s.Paths))
	rows.Total = int64(len(records))
	for _, record := range records {
		for _, text := range record {
			if text == nil {
				rows.Append(nil)
				continue
			}
			rows.Append([]byte(*text))
		}
	}
	return rows, nil
}
