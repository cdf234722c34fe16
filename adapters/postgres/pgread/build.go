package pgread

import (
	"strconv"

	sq "github.com/Masterminds/squirrel"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

type source uint8

const (
	readModels source = iota // the read models, where there are some
	records                  // the records alone
)

// statementKey is what a statement depends on, beside the values of its parameters.
type statementKey struct {
	plan         plan
	source       source
	set          filterSet
	position     position
	nullKey      bool // the cursor's key is null
	shortPattern bool // no pattern has the three letters that a trigram index needs
	size         int
	sort         string
	selection    string
}

type builder[F any] struct {
	statementKey
	*mapping
	*predicates[F]

	orders    []readmodel.Order
	selection *readmodel.Selection
}

// layout is where in a row the columns are that are not the selection's; 0 if there
// are none.
type layout struct {
	matchCount int // with it the oldest open batch, its token and the newest change
	newest     int // not before the newest match was created
	listSize   int
	changedIDs int
	cursor     int // the sort key and the id
	selection  int // where those of the selection begin
}

// fence prevents that a subselect is merged into the query around it, where it might be
// executed for every row.
const fence = "offset 0"

func (b *builder[F]) pageStatement() (sq.Sqlizer, layout) {
	columns, at := []string{"counted.total"}, layout{}
	add := func(at *int, names ...string) {
		*at = len(columns)
		columns = append(columns, names...)
	}
	switch b.plan.total {
	case cachedCount:
		add(&at.matchCount, "counted.match_count", "counted.oldest_open_batch", "counted.position_token", "counted.newest_change")
	case clientNameCounts:
		add(&at.listSize, "counted.list_size")
	}
	if b.plan.fromNewest {
		add(&at.newest, "greatest(r."+b.createdAt+", counted.newest_change)")
	}
	if b.plan.path == sortKnownMatches {
		add(&at.changedIDs, "counted.changed_ids")
	}
	if b.hasCursors() {
		add(&at.cursor, b.sortKey(b.orders[0].Attribute), "r.id")
	}
	add(&at.selection, b.expressions(b.selection, b.source)...)
	stmt := sq.Select(columns...).FromSelect(b.totalSelect(), "counted")
	for _, join := range append(b.page(), b.joined(b.selection, b.source)...) {
		stmt = stmt.JoinClause(join)
	}
	return stmt.OrderBy(b.orderBy(b.orders, front)...), at
}

func (b *builder[F]) hasCursors() bool { return b.position != whole && b.isSeekable(b.orders) }

// page joins the rows of the page, as r. Where they are not just the beginning of an
// order, their ids are found first, so that the rows before them are skipped in an
// index and not read.
func (b *builder[F]) page() []any {
	limit := b.limit()
	if b.plan.path == scanInOrder && (b.position == whole || b.position == first || b.isOneRange()) {
		rows := b.rows("r.*", b.where()...)
		if b.position != whole {
			rows = rows.OrderBy(b.orderBy(b.orders, b.end())...).Suffix("limit " + limit)
		}
		return []any{sq.Expr("left join lateral (?) r on true", rows)}
	}
	// The limit is repeated as a number: the planner then knows how few rows there are.
	return []any{
		sq.Expr("left join lateral (select u.id from (?) u limit "+limit+") page on true", b.pageIDs()),
		"left join " + b.table + " r on r.id = page.id",
	}
}

func (b *builder[F]) pageIDs() sq.Sqlizer {
	switch {
	case b.plan.path == seekPageIndex:
		return b.fromPageIndex()
	case b.position == numbered:
		return b.fromNearerEnd("counted.total >= 2 * :offset::bigint", "counted.total < 2 * :offset::bigint")
	case b.position == after || b.position == before:
		return b.fromCursor()
	}
	return b.ids(b.where(), span{limit: b.limit(), reach: b.limit()}, front)
}

// rows selects from the rows of the list to which the predicates apply.
func (b *builder[F]) rows(columns string, predicates ...string) sq.SelectBuilder {
	return where(sq.Select(columns).From(b.table+" r"), predicates...)
}

func where(stmt sq.SelectBuilder, predicates ...string) sq.SelectBuilder {
	for _, predicate := range predicates {
		stmt = stmt.Where(predicate)
	}
	return stmt
}

// limit returns the number of rows to read: after a cursor one more than a page has, which
// shows whether another page follows.
func (b *builder[F]) limit() string {
	if b.position == after {
		return strconv.Itoa(b.size + 1)
	}
	return strconv.Itoa(b.size)
}

// where returns the predicates on the page's rows, without the filters that the path
// applies already; at a cursor they include the range beyond.
func (b *builder[F]) where() []string {
	predicates := b.matching(func(f *filter[F]) bool {
		switch b.plan.path {
		case mergeMonths:
			return f.hasMonths()
		case sortMatches:
			return b.isInSearchTable(f)
		case scanAndFilter, sortKnownMatches:
			return f.isSearch()
		}
		return false
	})
	if b.plan.path == sortKnownMatches { // some may not match any more
		predicates = append(predicates, b.containsText()...)
	}
	if b.isOneRange() {
		predicates = append(predicates, b.beyondCursor())
	}
	return predicates
}

// matching returns the predicates of the filters on a row r, without some of them. The
// records themselves are searched without read models only.
func (b *builder[F]) matching(without func(*filter[F]) bool) (predicates []string) {
	for _, f := range b.filters {
		where := f.where
		if f.isSearch() && b.source == readModels {
			where = "r." + f.search.ref + " in (select s.id from " + f.search.table + " s where " + b.textKey() + " like :" + f.params[0] + ")"
		}
		if !without(f) {
			predicates = append(predicates, where)
		}
	}
	return predicates
}

func none[F any](*filter[F]) bool { return false }

// span is the part of an order that is read, in SQL.
type span struct {
	limit  string
	offset string // "": none
	reach  string // both together
}

func (s span) clause() string {
	if s.offset == "" {
		return "limit " + s.limit
	}
	return "limit " + s.limit + " offset " + s.offset
}

// ids selects the ids of rows, as id with their sort key as key, in the order of the
// list read from the end.
func (b *builder[F]) ids(predicates []string, s span, from end) sq.Sqlizer {
	order := b.orderBy(b.orders, from)
	columns := "r.id, " + b.sortKey(b.orders[0].Attribute) + " as key"
	ids := sq.Select(columns)
	switch b.plan.path {
	case mergeMonths:
		run := b.rows(columns, predicates...).OrderBy(order...).Suffix("limit " + s.reach)
		return b.mergedRuns(run, from).Suffix(s.clause())
	case sortMatches, sortKnownMatches:
		// The planner cannot know how many match: each is to be looked up.
		row := where(b.rows("r.*", "r."+b.searched().ref+" = f.id"), predicates...).Suffix(fence)
		ids = ids.FromSelect(b.matchingIDs(), "f").JoinClause(sq.Expr("cross join lateral (?) r", row))
	case scanAndFilter:
		ids = where(ids.FromSelect(b.scan(predicates, order), "r"), b.containsText()...)
	case byCost:
		return b.sortOrScan(columns, predicates, order, s)
	default:
		ids = b.rows(columns, predicates...)
	}
	return ids.OrderBy(order...).Suffix(s.clause())
}

// sortOrScan selects rows whose total is known to the statement. If there are few, it sorts
// all of them; otherwise it scans the list in order until it has enough. If they are spread
// evenly, either reads at most about √(list size × page size) rows.
func (b *builder[F]) sortOrScan(columns string, predicates, order []string, s span) sq.Sqlizer {
	many := "counted.total::numeric * counted.total > counted.list_size * " + b.limit()
	few := b.rows("r.*", predicates...).Where("not (" + many + ")").Suffix(fence)
	sorted := sq.Select(columns).FromSelect(few, "r").OrderBy(order...).Suffix(s.clause())
	scanned := b.rows(columns, predicates...).Where(many).OrderBy(order...).Suffix(s.clause())
	return either(sorted, scanned)
}

// either returns the select of the rows of both selects, of which at most one has any.
func either(a, b sq.Sqlizer) sq.Sqlizer {
	return sq.ConcatExpr("(", a, ") union all (", b, ")")
}

// fromNearerEnd finds a page by its number, from the front or from the back,
// whichever of the conditions holds.
func (b *builder[F]) fromNearerEnd(isFront, isBack string) sq.Sqlizer {
	size := strconv.Itoa(b.size)
	ahead := b.ids(append(b.where(), isFront), span{
		limit:  size,
		offset: ":offset::bigint",
		reach:  "(:offset::bigint + " + size + ")",
	}, front)
	behind := b.ids(append(b.where(), isBack), span{
		limit:  "least(" + size + ", greatest(counted.total - :offset::bigint, 0))",
		offset: "greatest(counted.total - :offset::bigint - " + size + ", 0)",
		reach:  "greatest(counted.total - :offset::bigint, 0)",
	}, back)
	return either(ahead, behind)
}

// fromCursor finds the page at a cursor. Rows without a value to sort by are at the
// end of an ascending order and at the beginning of a descending one, so they are a
// range of their own.
func (b *builder[F]) fromCursor() sq.Sqlizer {
	limit := span{limit: b.limit(), reach: b.limit()}
	if b.isOneRange() {
		return b.ids(b.where(), limit, b.end())
	}
	key := b.sortKey(b.orders[0].Attribute)
	direction := b.end().of(b.orders[0])
	here, rest := []string{b.beyondCursor()}, key+" is null"
	if b.nullKey {
		here = []string{key + " is null", "r.id " + direction.beyond() + " :cursor_id::bigint"}
		rest = key + " is not null"
	}
	ranges := sq.ConcatExpr("(", b.ids(append(b.where(), here...), limit, b.end()), ")")
	if b.nullKey == (direction == descending) {
		ranges = sq.ConcatExpr(ranges, " union all (", b.ids(append(b.where(), rest), limit, b.end()), ")")
	}
	return sq.Expr("select a.id from (?) a order by a.key"+string(direction)+", a.id"+string(direction)+" limit "+b.limit(), ranges)
}

// end returns the end from which the rows at a cursor are read: those before it from the back.
func (b *builder[F]) end() end {
	if b.position == before {
		return back
	}
	return front
}

// isOneRange reports whether one comparison selects the rows beyond the cursor: it
// does if all rows have a value to sort by.
func (b *builder[F]) isOneRange() bool {
	if b.position != after && b.position != before {
		return false
	}
	return len(b.orders) == 1 || !b.attribute(b.orders[0].Attribute).Optional
}

func (b *builder[F]) beyondCursor() string {
	sign := b.end().of(b.orders[0]).beyond()
	if len(b.orders) == 1 {
		return "r.id " + sign + " :cursor_id::bigint"
	}
	attribute := b.orders[0].Attribute
	return "(" + b.sortKey(attribute) + ", r.id) " + sign + " (:cursor_key" + keyType(b.kindOf(attribute)) + ", :cursor_id::bigint)"
}
