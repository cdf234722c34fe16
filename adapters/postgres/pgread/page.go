package pgread

import (
	"context"
	"fmt"
	"strconv"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

type page[F any] struct {
	*listing[F]
	layout layout

	rows *readmodel.Rows
	// matches is what the statement says of the matches of a search.
	matches matches

	hasTotal        bool // the statement had a row
	hasNext         bool
	opening, ending edge
}

// edge is the first or the last record of a page: its sort key and its id.
type edge struct {
	isNull bool
	key    int    // the length of the sort key, which is
	text   []byte // before the id
}

// fetch runs the statement of the page. The error is errNotReady if it reads read
// models that cannot be read.
func (r *reader[F]) fetch(ctx context.Context, l *listing[F]) (p page[F], err error) {
	stmt, err := r.pageStatement(l)
	if err != nil {
		return p, err
	}
	p = page[F]{
		listing: l, layout: stmt.layout, rows: readmodel.NewRows(len(l.query.Select.Paths)),
		hasNext: l.key.position != after,
	}
	err = r.admit(ctx, l.request.slowness(l.key.plan), l, func() error { return stmt.run(ctx, l.db, l.values, p.add) })
	if err != nil {
		return p, err
	}
	if !p.hasTotal {
		return p, errNotReady
	}
	p.setCursors(r.mapping)
	return p, nil
}

func (r *reader[F]) pageStatement(l *listing[F]) (*statement, error) {
	l.key.plan = choose(l.request)
	return r.lists.prepared(l.key, func() (*statement, error) {
		stmt, at := r.builder(l, l.key).pageStatement()
		return prepare(r.names, stmt, at)
	})
}

func (r *reader[F]) builder(l *listing[F], key statementKey) *builder[F] {
	return &builder[F]{statementKey: key, mapping: r.mapping, predicates: l.predicates, orders: l.query.Sort, selection: l.query.Select}
}

// add adds a row of the statement. Each has the total; one has a record unless the
// page is empty.
func (p *page[F]) add(cells [][]byte) error {
	if !p.hasTotal {
		if err := p.setTotal(cells); err != nil {
			return err
		}
	}
	// Every record has a version (rowColumn).
	if cells[p.layout.selection+p.query.Select.Version] == nil {
		return nil
	}
	if p.key.position == after && p.rows.Len() == p.key.size {
		p.hasNext = true
		return nil
	}
	if at := p.layout.cursor; at > 0 {
		p.ending.set(cells[at], cells[at+1])
		if p.rows.Len() == 0 {
			p.opening.set(cells[at], cells[at+1])
		}
	}
	return appendRow(p.rows, p.query.Select, cells[p.layout.selection:])
}

// setTotal reads the total and what else is known of the matches.
func (p *page[F]) setTotal(cells [][]byte) error {
	p.hasTotal = true
	if err := numbers(cells, &p.rows.Total); err != nil {
		return err
	}
	p.matches.count = p.rows.Total
	if at := p.layout.changedIDs; at > 0 {
		p.matches.ids = idArray(cells[at])
	}
	if at := p.layout.listSize; at > 0 {
		return numbers(cells[at:], &p.matches.size)
	}
	if at := p.layout.matchCount; at > 0 {
		p.matches.token = string(cells[at+2])
		if cells[at+3] == nil { // nothing that matches has changed
			p.matches.newest = p.request.matches.newest
		}
		if at := p.layout.newest; at > 0 && cells[at] != nil {
			p.matches.newest = string(cells[at])
		}
		return numbers(cells[at:], &p.matches.count, &p.matches.batch)
	}
	return nil
}

func (p *page[F]) setCursors(m *mapping) {
	if p.layout.cursor == 0 || p.rows.Len() == 0 {
		return
	}
	p.rows.Prev = m.encode(p.opening.cursor(before), p.query.Sort)
	if p.hasNext {
		p.rows.Next = m.encode(p.ending.cursor(after), p.query.Sort)
	}
}

// set moves the edge to the record with these cells, which are valid only now.
func (e *edge) set(key, id []byte) {
	if e.text == nil {
		e.text = make([]byte, 0, 64) // enough for most
	}
	e.isNull, e.key = key == nil, len(key)
	e.text = append(append(e.text[:0], key...), id...)
}

func (e *edge) cursor(side position) cursor {
	return cursor{before: side == before, isNull: e.isNull, key: string(e.text[:e.key]), id: string(e.text[e.key:])}
}

func numbers(cells [][]byte, into ...*int64) (err error) {
	for i := range into {
		if *into[i], err = strconv.ParseInt(string(cells[i]), 10, 64); err != nil {
			return fmt.Errorf("read a count: %w", err)
		}
	}
	return nil
}
