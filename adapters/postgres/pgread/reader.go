package pgread

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres/admission"
	"github.com/kontor-crm/kontor/adapters/postgres/cache"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Querier is a pool, a connection or a transaction.
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// Gated is db with the gate at which slow queries of the readers that are made of it wait.
func Gated(db Querier, g *admission.Gate) Querier { return gated{db, g} }

type gated struct {
	Querier
	gate *admission.Gate
}

type reader[F any] struct {
	db      Querier
	gate    *admission.Gate
	mapping *mapping
	filters []filter[F]
	names   parameterNames
	one     recordReader

	predicates sync.Map // *predicates[F] by filterSet
	lists      statements[statementKey]
	counts     statements[statementKey]
	matches    cache.Bounded[string, matches] // of searches by searchKey
	flights    flights
	// totals of long lists by searchKey: a page by its number is near the end of a list only if
	// its total is known.
	totals  cache.Bounded[string, int64]
	backoff backoff
}

// newReader makes a reader. An attribute without SQL, or a filter whose SQL and
// parameters do not match, is a programming error.
func newReader[F any](db Querier, m *mapping, filters ...filter[F]) *reader[F] {
	resolved := *m
	resolved.resolve()
	names := slices.Clone(commonNames[:])
	for i := range filters {
		f := &filters[i]
		f.resolve(resolved.list, len(names))
		for _, name := range f.params {
			if slices.Contains(names, name) {
				panic(fmt.Sprintf("two parameters of %s are named %s", m.resource.Name, name))
			}
			names = append(names, name)
		}
	}
	r := &reader[F]{
		db: db, mapping: &resolved, filters: filters, names: names, one: recordReader{mapping: m}, backoff: backoff{start: time.Now()},
	}
	if g, ok := db.(gated); ok {
		r.db, r.gate = g.Querier, g.gate
	}
	return r
}

var errNotReady = errors.New("the read models are not ready")

func (r *reader[F]) List(ctx context.Context, q readmodel.Query[F]) (*readmodel.Rows, error) {
	if r.backoff.isOver() {
		rows, err := r.list(ctx, q, readModels)
		if !errors.Is(err, errNotReady) {
			return rows, err
		}
		r.backoff.begin()
	}
	return r.list(ctx, q, records)
}

func (r *reader[F]) list(ctx context.Context, q readmodel.Query[F], from source) (*readmodel.Rows, error) {
	l, err := r.listing(q, from)
	if err != nil {
		return nil, err
	}
	if l.request.isSearch() {
		return r.search(ctx, &l)
	}
	p, err := r.fetch(ctx, &l)
	if err != nil {
		return nil, err
	}
	if p.rows.Total > fewRows {
		r.totals.Put(searchKey(l.key.set, l.values), p.rows.Total)
	}
	return p.rows, nil
}

// A listing is one call of List, with what its plan and its statement depend on.
type listing[F any] struct {
	db         Querier // where its page is read
	isAdmitted bool    // it has passed the gate
	query      readmodel.Query[F]
	request    request
	key        statementKey
	predicates *predicates[F]
	values     params
}

// listing works out what the query asks for. A cursor of another list or order is a
// fault.Malformed.
func (r *reader[F]) listing(q readmodel.Query[F], from source) (l listing[F], err error) {
	l = listing[F]{db: r.db, query: q, values: make(params, len(r.names))}
	l.key = statementKey{
		source: from, set: filtersIn(r.filters, q.Filter, l.values), size: q.Page.Size, sort: sortName(q.Sort), selection: q.Select.Key(),
	}
	if err := r.locate(&l); err != nil {
		return l, err
	}
	l.predicates = r.predicatesOf(l.key.set)
	l.request = request{
		readModels: from == readModels, hasTotals: r.mapping.list != nil, filters: l.predicates.traits, sort: r.mapping.sortTraits(q.Sort),
		position: l.key.position, size: int64(q.Page.Size),
	}
	l.request.filters.inOrder = l.predicates.inOrder(q.Sort)
	if l.key.position == numbered {
		l.request.offset = offset(q.Page)
		if l.request.offset > fewRows {
			l.request.total, _ = r.totals.Get(searchKey(l.key.set, l.values))
		}
	}
	l.key.shortPattern = l.request.isSearch() && l.predicates.hasShortPatterns(l.values)
	l.request.shortPattern = l.key.shortPattern
	return l, nil
}

// maxOffset does not overflow 64 bits when statements add to it or multiply it,
// and is behind the end of every list.
const maxOffset = 1 << 61

func offset(p readmodel.Page) int64 { return min((p.Number-1)*int64(p.Size), maxOffset) }

func (r *reader[F]) locate(l *listing[F]) error {
	switch page := l.query.Page; {
	case page.Size == 0:
		l.key.position = whole
	case page.Cursor != "":
		c, err := r.mapping.decode(page.Cursor, l.query.Sort)
		if err != nil {
			return err
		}
		l.key.position, l.key.nullKey = after, c.isNull
		if c.before {
			l.key.position = before
		}
		l.values[paramCursorKey], l.values[paramCursorID] = c.key, c.id
	case page.Number > 1:
		l.key.position = numbered
		l.values[paramOffset] = offset(page)
	default:
		l.key.position = first
	}
	return nil
}

func (r *reader[F]) predicatesOf(set filterSet) *predicates[F] {
	if cached, ok := r.predicates.Load(set); ok {
		return cached.(*predicates[F])
	}
	p := predicatesOf(r.mapping, r.filters, set)
	r.predicates.Store(set, p)
	return p
}

func (r *reader[F]) Read(ctx context.Context, id int64, s *readmodel.Selection) (*readmodel.Rows, error) {
	return r.one.readFrom(ctx, r.db, id, s)
}

// backoff is how long a reader does not ask the read models after it found that they
// cannot be read, measured by the monotonic clock.
type backoff struct {
	start time.Time
	until atomic.Int64 // in nanoseconds since the start
}

const backoffTime = time.Second

func (b *backoff) isOver() bool { return int64(time.Since(b.start)) >= b.until.Load() }

func (b *backoff) begin() { b.until.Store(int64(time.Since(b.start) + backoffTime)) }
