package pgread

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	sq "github.com/Masterminds/squirrel"
	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Querier is a pool, a connection or a transaction.
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// reader is a readmodel.Reader on PostgreSQL.
type reader[F any] struct {
	recordReader
	db         Querier
	conditions []condition[F]

	narrowings sync.Map // of the sets of conditions that were asked for
	lists      statements[shape]
	counts     statements[shape]
	anchors    anchors
	// plainUntil is when the read models are tried again after they could not be
	// read, in nanoseconds since begun: no setting of the clock puts that off.
	plainUntil atomic.Int64
	begun      time.Time
}

// newReader makes a reader. A path of the resource's table without SQL is a
// mistake of the program, found at its start.
func newReader[F any](db Querier, m *model, conditions ...condition[F]) *reader[F] {
	m.check()
	return &reader[F]{recordReader: recordReader{model: m}, db: db, conditions: conditions, begun: time.Now()}
}

// narrowing is the conditions of the set.
func (r *reader[F]) narrowing(made set) narrowing[F] {
	if known, ok := r.narrowings.Load(made); ok {
		return known.(narrowing[F])
	}
	n := conditionsIn(r.conditions, made)
	r.narrowings.Store(made, n)
	return n
}

// errNotReady says that the read models cannot be read at the moment.
var errNotReady = errors.New("the read models are not ready")

// retryModels is how long a reader that found the models not ready does without
// asking them.
const retryModels = time.Second

// List is as readmodel.Reader promises.
func (r *reader[F]) List(ctx context.Context, q readmodel.Query[F]) (*readmodel.Rows, error) {
	if int64(time.Since(r.begun)) >= r.plainUntil.Load() {
		rows, err := r.list(ctx, q, models)
		if !errors.Is(err, errNotReady) {
			return rows, err
		}
		r.plainUntil.Store(int64(time.Since(r.begun) + retryModels))
	}
	return r.list(ctx, q, records)
}

// list fetches the page from the source.
func (r *reader[F]) list(ctx context.Context, q readmodel.Query[F], from source) (*readmodel.Rows, error) {
	var v values
	s := shape{
		made:     narrow(r.conditions, q.Filter, &v),
		from:     from,
		steps:    q.Page.Size > 0 && r.model.steps(q.Sort),
		size:     q.Page.Size,
		order:    r.model.nameOf(q.Sort),
		selected: q.Select.Key(),
	}
	made := r.narrowing(s.made)
	s.how = countingOf(r.model, made, from)
	if err := r.locate(q, &s, &v); err != nil {
		return nil, err
	}
	s.way = r.wayTo(q, made, &s)
	if s.way != matched {
		rows, _, err := r.page(ctx, q, s, &v)
		return rows, err
	}
	s.short = isShort(&v)
	return r.search(ctx, q, s, &v)
}

// maxOffset is before the end of 64 bits by more than statements add to it or take
// it times, and behind the end of every list.
const maxOffset = 1 << 61

// locate finds out where the page lies.
func (r *reader[F]) locate(q readmodel.Query[F], s *shape, v *values) error {
	switch {
	case q.Page.Size == 0:
		s.at = whole
	case q.Page.Cursor != "":
		c, err := r.model.decode(q.Page.Cursor, q.Sort)
		if err != nil {
			return err
		}
		s.at, s.isNull = after, c.isNull
		if c.before {
			s.at = before
		}
		v[slotKey], v[slotID] = c.key, c.id
	case q.Page.Number > 1:
		s.at = numbered
		v[slotOffset] = min((q.Page.Number-1)*int64(q.Page.Size), maxOffset)
	default:
		s.at = first
	}
	return nil
}

// wayTo is how the page is found, where this does not depend on how many rows
// match.
func (r *reader[F]) wayTo(q readmodel.Query[F], made narrowing[F], s *shape) way {
	byCreation := r.model.byCreation(q.Sort)
	switch {
	case s.at == whole || s.from == records:
		return straight
	case s.at == numbered && byCreation && s.how == tallied && len(made) == 0:
		return placed
	case made.find(isSearch[F]) != nil:
		return matched
	case byCreation && made.find(hasRuns[F]) != nil:
		return inRuns
	case s.at == numbered || byCreation || len(made) == 0 || made.serve(q.Sort) || s.how != tallied && s.how != ofClient:
		return straight
	}
	return weighed
}

// search fetches a page of what has a substring. Where the total is carried, the
// matches are counted once, and from then on the count is carried on by what has
// changed. Elsewhere the count of the last time only helps to choose the way.
func (r *reader[F]) search(ctx context.Context, q readmodel.Query[F], s shape, v *values) (*readmodel.Rows, error) {
	key := named(s.made, v)
	known, ok := r.anchors.get(key)
	for {
		var err error
		if !ok && s.how == carried {
			if known, ok, err = r.countMatches(ctx, s, v); err != nil {
				return nil, err
			}
			if !ok {
				return nil, errNotReady
			}
			r.anchors.put(key, known)
		}
		rows, err := r.found(ctx, q, s, v, key, known)
		if !errors.Is(err, errNotReady) || s.how != carried {
			return rows, err
		}
		// The changes since that count are no longer kept.
		known, ok = anchor{}, false
	}
}

// anyTime is later than any record was created.
const anyTime = "infinity"

// found fetches a page of matches and remembers their number.
func (r *reader[F]) found(ctx context.Context, q readmodel.Query[F], s shape, v *values, key string, known anchor) (*readmodel.Rows, error) {
	v[slotCount], v[slotBatch], v[slotWalk], v[slotNewest] = known.count, known.batch, known.walk(), cmp.Or(known.newest, anyTime)
	s.way, s.listed = matched, known.ids != ""
	v[slotIDs] = string(known.ids)
	size, offset := int64(s.size), int64(0)
	if s.at == numbered {
		offset = v[slotOffset].(int64)
	}
	if !s.listed && known.isWorthWalking(min(offset, max(known.count-offset, 0))+size) && r.canWalk(q, s) {
		s.way = walked
	}
	rows, next, err := r.page(ctx, q, s, v)
	bunched := known.bunched
	if err == nil && s.way == walked && int64(rows.Len()) < min(size, rows.Total-offset) {
		// If the newest match was not known, it is from now on, and the next walk
		// begins there.
		learns := known.newest == "" && s.beginsWithNewest(r.model, q.Sort)
		bunched = bunched || s.at == first && !learns
		s.way = matched
		rows, next, err = r.page(ctx, q, s, v)
	}
	if err != nil {
		return nil, err
	}
	next.bunched = bunched
	if s.how == carried {
		next.size = known.size
	}
	if s.listed {
		next.ids = known.ids.with(next.ids)
	}
	r.anchors.put(key, next)
	return rows, nil
}

// canWalk tells whether an index has the list in its order.
func (r *reader[F]) canWalk(q readmodel.Query[F], s shape) bool {
	if r.model.byCreation(q.Sort) {
		return true
	}
	return r.model.steps(q.Sort) && r.narrowing(s.made).all(isSearch[F])
}

// page runs the statement of a page: its rows, with the cursors to the pages
// beside it, and what a carried count goes on from.
func (r *reader[F]) page(ctx context.Context, q readmodel.Query[F], s shape, v *values) (rows *readmodel.Rows, next anchor, err error) {
	stmt, err := r.lists.get(s, func() sq.Sqlizer {
		return (&builder[F]{shape: s, model: r.model, made: r.narrowing(s.made), orders: q.Sort, shown: q.Select}).list()
	})
	if err != nil {
		return nil, next, err
	}
	lead := s.lead()
	isReady := s.from == records
	rows = readmodel.NewRows(len(q.Select.Paths))
	var opening, closing edge
	another := s.at != after
	err = stmt.run(ctx, r.db, v, func(cells [][]byte) error {
		isReady = true
		if err := numbers(cells, &rows.Total); err != nil {
			return err
		}
		next.count = rows.Total
		switch s.how {
		case carried:
			err = numbers(cells[1:], &next.count, &next.batch)
			if rows.Len() == 0 && cells[3] == nil && v[slotNewest] != anyTime { // nothing that matches has changed
				next.newest, _ = v[slotNewest].(string)
			}
		case ofNames:
			err = numbers(cells[1:], &next.size)
		}
		if err != nil {
			return err
		}
		if s.listed && rows.Len() == 0 {
			next.ids = idArray(cells[4])
		}
		// Every record has a version: without one the total stands alone.
		if cells[lead+q.Select.Version] == nil {
			return nil
		}
		if s.at == after && rows.Len() == s.size {
			another = true
			return nil
		}
		if s.steps {
			closing.at(cells[lead-2 : lead])
			if rows.Len() == 0 {
				opening.at(cells[lead-2 : lead])
				if s.beginsWithNewest(r.model, q.Sort) {
					next.newest = string(opening.key)
				}
			}
		}
		return appendRow(rows, q.Select, cells[lead:])
	})
	if err == nil && !isReady {
		err = errNotReady
	}
	if err == nil && s.steps && rows.Len() > 0 {
		rows.Prev = r.model.encode(opening.cursor(before), q.Sort)
		if another {
			rows.Next = r.model.encode(closing.cursor(after), q.Sort)
		}
	}
	return rows, next, err
}

// edge is the first or the last record of a page: what it is sorted by and its
// id.
type edge struct {
	isNull  bool
	key, id []byte
}

// at moves the edge to the record with these cells, which are good for this
// moment only.
func (e *edge) at(cells [][]byte) {
	e.isNull, e.key, e.id = cells[0] == nil, append(e.key[:0], cells[0]...), append(e.id[:0], cells[1]...)
}

func (e *edge) cursor(side position) cursor {
	return cursor{before: side == before, isNull: e.isNull, key: string(e.key), id: string(e.id)}
}

// Read is as readmodel.Reader promises.
func (r *reader[F]) Read(ctx context.Context, id int64, s *readmodel.Selection) (*readmodel.Rows, error) {
	return r.read(ctx, r.db, id, s)
}

func (r *recordReader) read(ctx context.Context, db Querier, id int64, s *readmodel.Selection) (*readmodel.Rows, error) {
	from := records
	if r.model.usesTallies(s) {
		from = models
	}
	rows, err := r.record(ctx, db, id, s, from)
	if err == nil && rows.Len() == 0 && from == models {
		// There is no such record, or the counts cannot be read.
		rows, err = r.record(ctx, db, id, s, records)
	}
	if err == nil && rows.Len() == 0 {
		err = fault.New(fault.NotFound, "there is no such %s", r.model.resource.Name)
	}
	return rows, err
}

func (r *recordReader) record(ctx context.Context, db Querier, id int64, s *readmodel.Selection, from source) (*readmodel.Rows, error) {
	stmt, err := r.records.get(shape{from: from, selected: s.Key()}, func() sq.Sqlizer {
		one := sq.Select(r.model.expressions(s, from)...).From(r.model.table + " r")
		for _, join := range r.model.joined(s, from) {
			one = one.JoinClause(join)
		}
		if one = one.Where("r.id = ?", slotID); from == models {
			one = one.Where("exists (select from read_model_state m where m.id = 1 and m.lists_ready)")
		}
		return one
	})
	if err != nil {
		return nil, err
	}
	rows := readmodel.NewRows(len(s.Paths))
	rows.Total = 1
	var v values
	v[slotID] = id
	err = stmt.run(ctx, db, &v, func(cells [][]byte) error {
		return appendRow(rows, s, cells)
	})
	return rows, err
}

// nameOf writes an order down.
func (m *model) nameOf(orders []readmodel.Order) string {
	var b strings.Builder
	for _, o := range orders {
		if o.Descending {
			b.WriteByte('-')
		}
		b.WriteString(o.Attribute)
		b.WriteByte(',')
	}
	return b.String()
}
