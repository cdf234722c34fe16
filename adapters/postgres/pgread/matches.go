package pgread

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// matches is what is cached of the matches of a search. The zero value says nothing.
type matches struct {
	// count is how many there were, and batch is the first batch of changes that it
	// does not include: its position, which has the token. Without a token it is used
	// only in the snapshot that it was counted in.
	count, batch int64
	token        string
	size         int64 // of the whole list
	clustered    bool  // a scan ended before it had all rows of its page
	// newest is not before the newest match was created, as the database writes it; ""
	// if it is not known.
	newest string
	// ids include those of all matches, and of what matches in any snapshot that has
	// the position, if these are few; "" if they are not known.
	ids idArray
}

// idArray is ids as the database writes an array of them.
type idArray string

const noIDs idArray = "{}"

// maxMatchIDs is of how many matches the ids are cached.
const maxMatchIDs = 100

// with returns the ids and those of since, which are others; "" if they are too many.
func (ids idArray) with(since idArray) idArray {
	switch {
	case since == "":
	case ids == noIDs:
		ids = since
	default:
		ids = ids[:len(ids)-1] + "," + since[1:]
	}
	if strings.Count(string(ids), ",") >= maxMatchIDs {
		return ""
	}
	return ids
}

// If matches are clustered, a scan may read many rows before it has found enough. It
// stops after a few thousand rows or, if there are many matches, when looking up each
// match would have taken about as long.
const (
	minScan      = 10_000
	scanPerMatch = 4
)

func (m matches) scanLimit() int64 { return max(minScan, scanPerMatch*m.count) }

// anyTime is later than any record was created.
const anyTime = "infinity"

func (m matches) into(values params) {
	values[paramMatchCount], values[paramMatchBatch] = m.count, m.batch
	values[paramMatchToken] = nil
	if m.token != "" {
		values[paramMatchToken] = m.token
	}
	values[paramNewestMatch] = anyTime
	if m.newest != "" {
		values[paramNewestMatch] = m.newest
	}
	values[paramMatchIDs] = string(m.ids)
	values[paramScanLimit] = m.scanLimit()
}

// search fetches a page of what contains a substring. Where the total is a cached
// match count and the changes since, the matches are counted once; elsewhere what the
// last page said of them only helps to choose the path.
func (r *reader[F]) search(ctx context.Context, l *listing[F]) (rows *readmodel.Rows, err error) {
	key := searchKey(l.key.set, l.values)
	known, isCached := r.matches.Get(key)
	isCounted := choose(l.request).total == cachedCount
	var p page[F]
	if isCached || !isCounted {
		p, err = r.fetchMatches(ctx, l, known)
	}
	if isCounted && (!isCached || errors.Is(err, errNotReady)) {
		// Not counted yet, or the changes since that count are not retained any more.
		r.matches.Remove(key, known)
		p, err = r.firstSearch(ctx, l, key)
	}
	if err != nil {
		return nil, err
	}
	if !isCounted || p.matches.token != "" {
		r.matches.Put(key, p.matches)
	}
	return p.rows, nil
}

// firstSearch counts the matches and fetches the page. Of identical searches one
// counts, and reads its page in the snapshot of the count, so that no change makes the
// count useless, however long it takes. The others add the changes since to it.
func (r *reader[F]) firstSearch(ctx context.Context, l *listing[F], key string) (p page[F], err error) {
	known, isCached := r.matches.Get(key)
	if !isCached {
		f, leads, leave := r.flights.join(ctx, key)
		defer leave()
		if leads {
			in, known, err := r.lead(f, l, key)
			if err != nil {
				return p, err
			}
			return r.fetchIn(ctx, in, l, known)
		}
		if known, err = f.wait(ctx); err != nil {
			return p, err
		}
	}
	if known.token != "" {
		if p, err = r.fetchMatches(ctx, l, known); !errors.Is(err, errNotReady) {
			return p, err
		}
	}
	in, known, err := r.countInSnapshot(ctx, l, key)
	if err != nil {
		return p, err
	}
	return r.fetchIn(ctx, in, l, known)
}

// lead counts for all searches that wait for the flight.
func (r *reader[F]) lead(f *flight, l *listing[F], key string) (in snapshot, m matches, err error) {
	err = errNotReady // for the others, if this panics
	defer func() { r.flights.end(key, f, m, err) }()
	in, m, err = r.countInSnapshot(f.ctx, l, key)
	return in, m, err
}

// countInSnapshot counts the matches in a new snapshot, which the caller ends. As its
// connection is one of those for slow statements, all statements in it are admitted.
func (r *reader[F]) countInSnapshot(ctx context.Context, l *listing[F], key string) (in snapshot, m matches, err error) {
	leave, err := r.gate.Enter(ctx)
	if err != nil {
		return in, m, err
	}
	if in, err = beginSnapshot(ctx, r.db); err != nil {
		leave()
		return in, m, err
	}
	end := in.end
	in.end = func() {
		end()
		leave()
	}
	l.isAdmitted = true
	if m, err = r.countMatches(ctx, in, l, key); err != nil {
		in.end()
	}
	return in, m, err
}

// fetchIn fetches the page in the snapshot, and ends it.
func (r *reader[F]) fetchIn(ctx context.Context, in snapshot, l *listing[F], known matches) (page[F], error) {
	defer in.end()
	l.db = in
	return r.fetchMatches(ctx, l, known)
}

// fetchMatches fetches the page with the plan for what is known of the matches. If a
// scan finds too few, the matches are sorted.
func (r *reader[F]) fetchMatches(ctx context.Context, l *listing[F], known matches) (p page[F], err error) {
	l.request.matches = known
	known.into(l.values)
	p, err = r.fetch(ctx, l)
	if err == nil && p.isCutShort() {
		// The scan that did not know where the newest match is does next time.
		learns := known.newest == "" && l.key.plan.fromNewest
		known.clustered = known.clustered || l.request.position == first && !learns
		l.request.matches.clustered = true
		p, err = r.fetch(ctx, l)
	}
	if err != nil {
		return p, err
	}
	p.matches.clustered = known.clustered
	if l.key.plan.total == cachedCount {
		p.matches.size = known.size
	}
	if l.key.plan.path == sortKnownMatches {
		p.matches.ids = known.ids.with(p.matches.ids)
	}
	return p, nil
}

// isCutShort reports whether the page is a scan's that ended before it had all rows.
func (p *page[F]) isCutShort() bool {
	return p.key.plan.path == scanAndFilter && int64(p.rows.Len()) < min(p.request.size, p.rows.Total-p.request.offset)
}

// countMatches counts the matches and caches the count. The error is errNotReady if
// the read models cannot be read.
func (r *reader[F]) countMatches(ctx context.Context, db Querier, l *listing[F], search string) (m matches, err error) {
	stmt, err := r.countStatement(l)
	if err != nil {
		return m, err
	}
	err = errNotReady
	count := func(cells [][]byte) error {
		var open int64
		err = numbers(cells, &m.count, &m.batch, &open, &m.size)
		if err != nil {
			return err
		}
		m.ids = noIDs.with(idArray(cells[4]))
		m.token = string(cells[5])
		m.count -= open // the changes are added to it
		return nil
	}
	failed := r.admit(ctx, readsMatches, l, func() error { return stmt.run(ctx, db, l.values, count) })
	if failed != nil {
		return m, failed
	}
	if err != nil {
		return m, err
	}
	if m.token != "" {
		r.matches.Put(search, m)
	}
	return m, nil
}

func (r *reader[F]) countStatement(l *listing[F]) (*statement, error) {
	key := statementKey{plan: plan{path: sortMatches, total: cachedCount}, set: l.key.set, shortPattern: l.key.shortPattern}
	return r.counts.prepared(key, func() (*statement, error) {
		return prepare(r.names, r.builder(l, key).countStatement(), layout{})
	})
}

func searchKey(set filterSet, values params) string {
	var b strings.Builder
	b.WriteString(strconv.FormatUint(uint64(set), 36))
	for _, value := range values[commonParams:] {
		b.WriteByte(0) // which no text contains
		switch value := value.(type) {
		case nil:
		case string:
			b.WriteString(value)
		case int64:
			b.WriteString(strconv.FormatInt(value, 36))
		default:
			fmt.Fprint(&b, value)
		}
	}
	return b.String()
}
