package pgread

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode"

	sq "github.com/Masterminds/squirrel"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Where matches are bunched, a walk may have to look at many rows before it has
// found enough. It gives up after some thousand, or if there are many matches
// when to look each of them up would have been about as long.
const (
	walkedRows     = 10_000
	walkedForMatch = 4
)

// anchor is a count of matches, made once and carried on from since: what it
// does not know of are the changes from the batch on.
type anchor struct {
	count, batch int64
	size         int64 // of the whole list, when the matches were counted
	bunched      bool  // walking has not found what there was
	// newest is when the newest match was created, as the database writes it: a
	// walk begins there, or at what has changed since. "" if it is not known.
	newest string
	// ids are those of all matches, if these are few, and may be those of others:
	// with them nothing has to be searched. "" if they are not known.
	ids idArray
}

// idArray is ids as the database writes an array of them.
type idArray string

const noIDs idArray = "{}"

// fewMatches is of how many matches the ids are remembered.
const fewMatches = 100

// with is the ids and those that have come since, which are others; "" if they are
// too many.
func (ids idArray) with(since idArray) idArray {
	switch {
	case since == "":
	case ids == noIDs:
		ids = since
	default:
		ids = ids[:len(ids)-1] + "," + since[1:]
	}
	if strings.Count(string(ids), ",") >= fewMatches {
		return ""
	}
	return ids
}

// walk is how many rows a walk looks at.
func (a anchor) walk() int64 { return max(walkedRows, walkedForMatch*a.count) }

// anchors remembers counts, by what was counted. That one of them is forgotten
// costs only that the matches are counted anew.
type anchors struct {
	mu    sync.Mutex
	known map[string]anchor
}

func (a *anchors) get(key string) (anchor, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	known, ok := a.known[key]
	return known, ok
}

func (a *anchors) put(key string, known anchor) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.known == nil || len(a.known) >= maxKnown {
		a.known = map[string]anchor{}
	}
	a.known[key] = known
}

// isWorthWalking tells whether the first rows that match are found sooner by
// looking at all rows in order than by sorting all matches. If the matches are
// spread evenly, either looks at about the root of rows times size at most.
func (a anchor) isWorthWalking(rows int64) bool {
	return !a.bunched && a.count > 0 && a.count*a.count > rows*a.size
}

// beginsWithNewest tells whether the page begins with the newest of all matches:
// a walk for it can begin where that is known to be.
func (s *shape) beginsWithNewest(m *model, orders []readmodel.Order) bool {
	return s.how == carried && s.at == first && m.byCreation(orders) && orders[0].Descending
}

// named is by what the count for these conditions is remembered.
func named(made set, v *values) string {
	var b strings.Builder
	b.WriteString(strconv.FormatUint(uint64(made), 36))
	for _, value := range v[slotFilter:] {
		if value == nil {
			break
		}
		b.WriteByte(0)
		switch value := value.(type) {
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

// counts is the statement that counts what matches, and says how long the list
// is, and of a few matches the ids; it has no row if the read models cannot be
// read.
func (b *builder[F]) counts() sq.Sqlizer {
	matching := sq.Select("f.id").FromSelect(b.matches(), "f")
	if rest := b.where(); len(rest) > 0 {
		matching = matching.Join(b.model.table + " r on r." + b.made.find(isSearch[F]).search.ref + " = f.id").Where(rest)
	}
	return sq.Select().
		PrefixExpr(sq.Expr("with matching as materialized (?)", matching)).
		Column("(select count(*) from matching)").
		Column("m.oldest_open_batch").
		Column(sq.ConcatExpr(open(b.model.total, b.made.tallies(), "t.delta"))).
		Column(listSize(b.model)).
		Column("array(select id from matching limit " + strconv.Itoa(fewMatches+1) + ")").
		From("read_model_state m").Where("m.id = 1 and m.lists_ready and m.search_ready")
}

// countMatches counts what matches. It is false if the read models cannot be read.
func (r *reader[F]) countMatches(ctx context.Context, s shape, v *values) (a anchor, ready bool, err error) {
	stmt, err := r.counts.get(shape{made: s.made, short: s.short}, func() sq.Sqlizer {
		return (&builder[F]{shape: shape{made: s.made, short: s.short, way: matched}, model: r.model, made: r.narrowing(s.made)}).counts()
	})
	if err != nil {
		return a, false, err
	}
	err = stmt.run(ctx, r.db, v, func(cells [][]byte) error {
		ready = true
		var open int64
		if err := numbers(cells, &a.count, &a.batch, &open, &a.size); err != nil {
			return err
		}
		if a.count <= fewMatches {
			a.ids = idArray(cells[4])
		}
		a.count -= open // they are added from the changes
		return nil
	})
	return a, ready, err
}

// matches is the ids of what has the substrings. The database is to look for
// them first.
func (b *builder[F]) matches() sq.SelectBuilder {
	if b.listed {
		return sq.Select().Column("unnest(?::bigint[] || counted.changed) as id", slotIDs).Suffix(apart)
	}
	found := sq.Select("s.id").From(b.made.find(isSearch[F]).search.table + " s").Suffix(apart)
	for _, c := range b.made {
		if b.isMatched(c) {
			found = found.Where(sq.Expr(b.textKey()+" like ?", c.slots...))
		}
	}
	return found
}

// isMatched tells whether the condition is one of those that matches looks
// after: a search in the first table that any is in.
func (b *builder[F]) isMatched(c *narrowed[F]) bool {
	return c.search != nil && c.search.table == b.made.find(isSearch[F]).search.table
}

// textKey is the text that is searched. Without three letters or digits in a row
// the index would be read whole, so it must not serve.
func (b *builder[F]) textKey() string {
	if b.short {
		return "s.text_key || ''"
	}
	return "s.text_key"
}

// hasText is the condition on rows r of having the substrings.
func (b *builder[F]) hasText() sq.Sqlizer {
	and := sq.And{}
	for _, c := range b.made {
		switch {
		case c.search == nil:
		case c.search.key == "":
			and = append(and, sq.Expr("(select s.text_key like ? from "+c.search.table+" s where s.id = r."+c.search.ref+")", c.slots...))
		default:
			and = append(and, sq.Expr("r."+c.search.key+" like ?", c.slots...))
		}
	}
	return and
}

// isShort tells whether none of the patterns has three letters or digits in a
// row.
func isShort(v *values) bool {
	for _, value := range v[slotFilter:] {
		text, ok := value.(string)
		if !ok {
			continue
		}
		run := 0
		for _, c := range text {
			if run++; !unicode.IsLetter(c) && !unicode.IsDigit(c) {
				run = 0
			}
			if run == 3 {
				return false
			}
		}
	}
	return true
}

// numbers reads the cells as whole numbers.
func numbers(cells [][]byte, into ...*int64) (err error) {
	for i := range into {
		if *into[i], err = strconv.ParseInt(string(cells[i]), 10, 64); err != nil {
			return fmt.Errorf("read a count: %w", err)
		}
	}
	return nil
}
