package pgread

import (
	"strconv"

	sq "github.com/Masterminds/squirrel"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// position is where in a list a page lies.
type position int

const (
	whole    position = iota // the list has no pages
	first                    // the first page
	numbered                 // a later one, by its number
	after                    // behind a cursor
	before                   // before a cursor
)

// way is how the rows of a page are found.
type way int

const (
	straight way = iota // in the order of the list, or as the database thinks best
	placed              // from a milestone on
	inRuns              // out of runs, each of which is in the order of the list
	walked              // in the order of the list, looking for a substring
	weighed             // in the order of the list or by sorting what matches, as that is less
	matched             // all that have a substring, sorted
)

// shape is what a statement depends on, beside the values of the request.
type shape struct {
	made     set
	from     source
	short    bool // no pattern has the three letters that an index needs
	listed   bool // what matched when it was counted is known
	how      counting
	at       position
	way      way
	isNull   bool // the cursor's key is null
	steps    bool // pages can be reached by cursors
	size     int
	order    string
	selected string
}

// builder puts the statement of one shape together.
type builder[F any] struct {
	shape

	model  *model
	made   narrowing[F]
	orders []readmodel.Order
	shown  *readmodel.Selection
}

// lead is how many cells stand before those of the selection: the total, what
// helps to find the next page of a search, and what cursors are made of.
func (s *shape) lead() (n int) {
	n = 1
	switch s.how {
	case carried:
		n += 3
	case ofNames:
		n++
	}
	if s.listed {
		n++
	}
	if s.steps {
		n += 2
	}
	return n
}

// list is the statement of a page with its total.
func (b *builder[F]) list() sq.Sqlizer {
	stmt := sq.Select("counted.total").FromSelect(b.total(), "counted")
	switch b.how {
	case carried:
		stmt = stmt.Columns("counted.carried", "counted.oldest_open_batch", "counted.newest")
	case ofNames:
		stmt = stmt.Column("counted.size")
	}
	if b.listed {
		stmt = stmt.Column("counted.changed")
	}
	if b.steps {
		stmt = stmt.Columns(b.model.sortKey(b.orders[0].Attribute), "r.id")
	}
	stmt = stmt.Columns(b.model.expressions(b.shown, b.from)...)
	for _, join := range append(b.page(), b.model.joined(b.shown, b.from)...) {
		stmt = stmt.JoinClause(join)
	}
	return stmt.OrderBy(b.model.orderBy(b.orders, front)...)
}

// page joins the rows of the page, as r. Where the rows are not simply those at
// the beginning of an order, their ids are found first, so that what lies before
// them is passed over in an index and not read.
func (b *builder[F]) page() []any {
	limit := b.limit()
	if b.way == straight && (b.at == whole || b.at == first || b.isAheadOfCursor()) {
		rows := sq.Select("r.*").From(b.model.table + " r").Where(b.where())
		if b.at != whole {
			rows = rows.OrderBy(b.model.orderBy(b.orders, b.end())...).Suffix("limit " + limit)
		}
		return []any{sq.Expr("left join lateral (?) r on true", rows)}
	}
	var ids sq.Sqlizer
	switch {
	case b.way == placed:
		ids = b.fromMilestone()
	case b.at == numbered:
		ids = b.fromEitherEnd(
			sq.Expr("counted.total >= 2 * ?::bigint", slotOffset),
			sq.Expr("counted.total < 2 * ?::bigint", slotOffset),
		)
	case b.at == after || b.at == before:
		ids = b.fromCursor()
	default:
		ids = b.ids(b.where(), span{limit: sq.Expr(limit), reach: sq.Expr(limit)}, front)
	}
	// The limit is said once more, as a number: it tells the planner how few rows
	// these are.
	return []any{
		sq.Expr("left join lateral (select u.id from (?) u limit "+limit+") page on true", ids),
		"left join " + b.model.table + " r on r.id = page.id",
	}
}

// limit is how many rows are looked for: behind a cursor one more than a page
// has, which tells whether another page follows.
func (b *builder[F]) limit() string {
	if b.at == after {
		return strconv.Itoa(b.size + 1)
	}
	return strconv.Itoa(b.size)
}

// where is the conditions on the rows, but for those that the way sees to by
// itself, and at a cursor that of lying beyond it.
func (b *builder[F]) where() sq.And {
	and := b.conditions(func(c *narrowed[F]) bool {
		return b.way == matched && b.isMatched(c) || (b.way == walked || b.listed) && isSearch(c) || b.way == inRuns && hasRuns(c)
	})
	if b.listed { // not all of them may still match
		and = append(and, b.hasText())
	}
	if b.isAheadOfCursor() {
		and = append(and, b.beyond())
	}
	return and
}

// conditions is the filter's conditions on the rows, but for some. Without read
// models a substring is looked for in the records themselves.
func (b *builder[F]) conditions(but func(*narrowed[F]) bool) sq.And {
	and := sq.And{}
	for _, c := range b.made {
		where := c.where
		if c.search != nil && b.from == models {
			where = "r." + c.search.ref + " in (select s.id from " + c.search.table + " s where " + b.textKey() + " like ?)"
		}
		if but == nil || !but(c) {
			and = append(and, sq.Expr(where, c.slots...))
		}
	}
	return and
}

// span is the part of the rows in some order that is wanted.
type span struct {
	limit  sq.Sqlizer // how many
	offset sq.Sqlizer // behind how many; nil: none
	reach  sq.Sqlizer // both together
}

// ids selects the ids of the rows in the order of the list, read from the end.
func (b *builder[F]) ids(where sq.And, s span, from end) sq.Sqlizer {
	order := b.model.orderBy(b.orders, from)
	suffix := sq.ConcatExpr("limit ", s.limit)
	if s.offset != nil {
		suffix = sq.ConcatExpr("limit ", s.limit, " offset ", s.offset)
	}
	rows := sq.Select("r.id", b.model.sortKey(b.orders[0].Attribute)+" as key")
	switch b.way {
	case inRuns:
		arm := rows.From(b.model.table + " r").Where(where).OrderBy(order...)
		return b.merged(arm.SuffixExpr(sq.ConcatExpr("limit ", s.reach)), from).SuffixExpr(suffix)
	case matched:
		c := b.made.find(isSearch[F])
		// The database cannot know how many match: it is to look each of them up.
		found := sq.Select("r.*").From(b.model.table + " r").Where("r." + c.search.ref + " = f.id").Where(where).Suffix(apart)
		return rows.FromSelect(b.matches(), "f").JoinClause(sq.Expr("cross join lateral (?) r", found)).
			OrderBy(order...).SuffixExpr(suffix)
	case weighed:
		return b.inEitherWay(rows, where, order, suffix)
	case walked:
		walk := sq.Select("r.*").From(b.model.table+" r").Where(where).OrderBy(order...).Suffix("limit ?::bigint", slotWalk)
		if b.beginsWithNewest(b.model, b.orders) {
			walk = walk.Where("r."+b.model.created+" <= greatest(?::timestamptz, counted.newest)", slotNewest)
		}
		return rows.FromSelect(walk, "r").Where(b.hasText()).OrderBy(order...).SuffixExpr(suffix)
	}
	return rows.From(b.model.table + " r").Where(where).OrderBy(order...).SuffixExpr(suffix)
}

// inEitherWay selects rows whose total is known to be narrow or wide: if the
// matches are few, all of them are sorted; else the list is gone through in its
// order until enough of them are found, which if they are spread evenly is the
// sooner the more there are. Either looks at about the root of the list's size
// times the page's at most.
func (b *builder[F]) inEitherWay(rows sq.SelectBuilder, where sq.And, order []string, suffix sq.Sqlizer) sq.Sqlizer {
	wide := "counted.total::numeric * counted.total > counted.size * " + b.limit()
	found := sq.Select("r.*").From(b.model.table + " r").Where(sq.And{where, sq.Expr("not (" + wide + ")")}).Suffix(apart)
	sorted := rows.FromSelect(found, "r").OrderBy(order...).SuffixExpr(suffix)
	walk := rows.From(b.model.table + " r").Where(sq.And{where, sq.Expr(wide)}).OrderBy(order...).SuffixExpr(suffix)
	return sq.ConcatExpr("(", sorted, ") union all (", walk, ")")
}

// fromEitherEnd finds a page by its number, counted from the front or from the
// back, whichever of the conditions holds.
func (b *builder[F]) fromEitherEnd(isFront, isBack sq.Sqlizer) sq.Sqlizer {
	size := b.size
	ahead := b.ids(append(b.where(), isFront), span{
		limit:  sq.Expr(strconv.Itoa(size)),
		offset: sq.Expr("?::bigint", slotOffset),
		reach:  sq.Expr("(?::bigint + "+strconv.Itoa(size)+")", slotOffset),
	}, front)
	behind := b.ids(append(b.where(), isBack), span{
		limit:  sq.Expr("least("+strconv.Itoa(size)+", greatest(counted.total - ?::bigint, 0))", slotOffset),
		offset: sq.Expr("greatest(counted.total - ?::bigint - "+strconv.Itoa(size)+", 0)", slotOffset),
		reach:  sq.Expr("greatest(counted.total - ?::bigint, 0)", slotOffset),
	}, back)
	return sq.ConcatExpr("(", ahead, ") union all (", behind, ")")
}

// fromCursor finds the page at a cursor. Rows without a value to sort by lie at
// the end of an ascending order and at the beginning of a descending one, so
// they are found apart from the others.
func (b *builder[F]) fromCursor() sq.Sqlizer {
	limit := span{limit: sq.Expr(b.limit()), reach: sq.Expr(b.limit())}
	if b.isAheadOfCursor() {
		return b.ids(b.where(), limit, b.end())
	}
	key := b.model.sortKey(b.orders[0].Attribute)
	direction := b.end().of(b.orders[0])
	here := sq.And{b.beyond()}
	rest := sq.And{sq.Expr(key + " is null")}
	if b.isNull {
		here = sq.And{sq.Expr(key + " is null"), sq.Expr("r.id "+direction.beyond()+" ?::bigint", slotID)}
		rest = sq.And{sq.Expr(key + " is not null")}
	}
	arms := sq.ConcatExpr("(", b.ids(append(b.where(), here...), limit, b.end()), ")")
	if b.isNull == (direction == descending) {
		arms = sq.ConcatExpr(arms, " union all (", b.ids(append(b.where(), rest...), limit, b.end()), ")")
	}
	return sq.Expr("select a.id from (?) a order by a.key"+string(direction)+", a.id"+string(direction)+" limit "+b.limit(), arms)
}

// end is from where the rows at a cursor are read: those before it from the end
// of the list.
func (b *builder[F]) end() end {
	if b.at == before {
		return back
	}
	return front
}

// isAheadOfCursor tells whether one comparison says which rows lie beyond the
// cursor: it does if all rows have a value to sort by.
func (b *builder[F]) isAheadOfCursor() bool {
	if b.at != after && b.at != before {
		return false
	}
	return len(b.orders) == 1 || !b.model.attribute(b.orders[0].Attribute).Optional
}

// beyond is the condition of lying beyond the cursor.
func (b *builder[F]) beyond() sq.Sqlizer {
	sign := b.end().of(b.orders[0]).beyond()
	if len(b.orders) == 1 {
		return sq.Expr("r.id "+sign+" ?::bigint", slotID)
	}
	attribute := b.orders[0].Attribute
	return sq.Expr("("+b.model.sortKey(attribute)+", r.id) "+sign+" (?"+keyType(b.model.kindOf(attribute))+", ?::bigint)", slotKey, slotID)
}
