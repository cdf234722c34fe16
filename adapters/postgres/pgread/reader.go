package pgread

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/gate"
	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Querier is a pool, a connection or a transaction.
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	Begin(ctx context.Context) (pgx.Tx, error)
}

// Gated is db with two gates: slow queries of its readers wait at the first one, and whole lists at the other one, because these
// end only when their clients have received them.
func Gated(db Querier, queries, exports *gate.Gate) Querier { return gated{db, queries, exports} }

type gated struct {
	Querier
	gate, exports *gate.Gate
}

type reader[F any] struct {
	db      Querier
	gate    *gate.Gate
	exports *gate.Gate
	mapping *mapping
	filters []filter[F]
	totals  []listdef.Total // of the list; none if it is short
}

// newReader makes a reader.
func newReader[F any](db Querier, m *mapping, filters ...filter[F]) *reader[F] {
	r := &reader[F]{db: db, mapping: m, filters: filters}
	if m.list != nil {
		r.totals = m.list.Totals()
	}
	if g, ok := db.(gated); ok {
		r.db, r.gate, r.exports = g.Querier, g.gate, g.exports
	}
	return r
}

// List reads a page with its total. A cursor of another list or order is a fault.Malformed.
func (r *reader[F]) List(ctx context.Context, q readmodel.Query[F]) (*readmodel.Rows, error) {
	l, err := r.list(q)
	if err != nil {
		return nil, err
	}
	p := page{list: l, rows: readmodel.NewRows(len(q.Select.Paths)), hasNext: l.position != after}
	err = r.admit(ctx, l, func() error { return run(ctx, r.db, l.statement(), p.add) })
	if err != nil {
		return nil, err
	}
	p.setCursors()
	return p.rows, nil
}

// list is one call of List.
type list struct {
	*mapping
	conditions
	orders    []readmodel.Order
	selection *readmodel.Selection
	page      readmodel.Page
	position  position
	cursor    cursor
	totals    []listdef.Total // all of the list
	total     *listdef.Total  // the one for the conditions; nil if the matches are counted
	traits    traits
	path      path
}

// list works out what the query asks for.
func (r *reader[F]) list(q readmodel.Query[F]) (*list, error) {
	l := &list{
		mapping: r.mapping, conditions: conditionsOf(r.filters, q.Filter), orders: q.Sort, selection: q.Select, page: q.Page, totals: r.totals,
	}
	if err := l.locate(); err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(r.totals, l.areCountedIn); i >= 0 {
		l.total = &r.totals[i]
	}
	l.traits = l.findTraits()
	l.path = l.traits.path()
	return l, nil
}

func (l *list) locate() (err error) {
	switch page := l.page; {
	case page.Size == 0:
		l.position = whole
	case page.Cursor != "":
		if l.cursor, err = l.decode(page.Cursor, l.orders); err != nil {
			return err
		}
		l.position = after
		if l.cursor.before {
			l.position = before
		}
	case page.Number > 1:
		l.position = numbered
	default:
		l.position = first
	}
	return nil
}

// maxOffset does not overflow 64 bits when statements add to it or multiply it,
// and is behind the end of every list.
const maxOffset = 1 << 61

// offset is how many rows are before a numbered page.
func (l *list) offset() int64 { return min((l.page.Number-1)*int64(l.page.Size), maxOffset) }

func (l *list) findTraits() traits {
	first := l.orders[0].Attribute
	is := func(trait func(condition) bool) bool { return l.find(trait) != nil }
	t := traits{
		isLong: l.list != nil || l.isLong,
		counts: slices.ContainsFunc(l.selection.Paths, l.isCounted), hasTotal: l.total != nil, position: l.position,
		conditions: len(l.conditions),
		search:     l.search() != nil,
		runs:       is(func(c condition) bool { return c.runs != nil }),
		values:     l.listedValues(),
		inOrder:    len(l.conditions) == 1 && slices.Contains(l.conditions[0].sorts, first),
		selective:  is(func(c condition) bool { return c.selective }),
		unindexed:  is(func(c condition) bool { return c.unindexed }),
	}
	if l.position == numbered {
		t.offset = l.offset()
	}
	if l.list != nil && l.isSeekable(l.orders) {
		t.byCreation = first == l.list.CreatedAt || l.list.CreatedAt == "" && first == "id"
		t.indexed = t.byCreation || first == "id" || slices.Contains(l.indexed, first)
	}
	return t
}

// listedValues returns how many values the first condition that is for runs lists.
func (l *list) listedValues() int {
	if c := l.find(func(c condition) bool { return c.runs != nil }); c != nil && c.runs.values == listed {
		return len(c.args[0].([]int64))
	}
	return 0
}

func (l *list) isCounted(path string) bool { return slices.Contains(l.mapping.counted, path) }

func (r *reader[F]) Read(ctx context.Context, id int64, s *readmodel.Selection) (*readmodel.Rows, error) {
	return readRecord(ctx, r.db, r.mapping, id, s)
}
