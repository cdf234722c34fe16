package pgread

import (
	"slices"
	"strconv"
	"strings"

	sq "github.com/Masterminds/squirrel"

	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
)

// A list is read by one statement, whose total and rows are of one snapshot. If a rollup has
// the total, it is
//
//	select counted.total, <sort key>, r.id, <columns>
//	from (select <sum of the rollup> + <sum of the changes that are not folded> as total from read_model_state m) counted
//	left join lateral (select r.* from clients r where <filters> order by <order> limit 10) r on true
//	<joins of the columns>
//	order by <order>
//
// if the page is one scan of an index, else with the ids of the page, and the rows of these ids:
//
//	left join lateral (<ids>) page on true
//	left join clients r on r.id = page.id
//
// and otherwise the matches are counted and sorted:
//
//	with matches as materialized (select r.id, <sort keys as k0, k1, ...> from clients r where <filters>)
//	select counted.total, <sort key>, r.id, <columns>
//	from (select count(*) as total from matches) counted
//	left join lateral (select m.id from matches m order by m.k0, m.id limit 10) page on true
//	... as above
//
// A list without records is one row with a total and nulls. Each piece of SQL has a ? for each
// of its arguments, and is put together with them; testdata has whole statements.
func (l *list) statement() sq.Sqlizer {
	columns := append([]string{"counted.total", l.cursorKey(), "r.id"}, l.expressions(l.selection)...)
	return sq.Expr("?select "+strings.Join(columns, ", ")+" from (?) counted left join lateral ?"+
		l.joined(l.selection)+" order by "+commas(l.orderBy(front)), l.matches(), l.counted(), l.rows())
}

// rows selects the rows of the page.
func (l *list) rows() sq.Sqlizer {
	if scanned := l.scanned(); scanned != nil {
		return sq.Expr("(select r.* from "+l.table+" r? order by "+commas(l.orderBy(l.end()))+l.limit()+") r on true", where(scanned))
	}
	return sq.Expr("(select u.id from (?) u"+l.limit()+") page on true left join "+l.table+" r on r.id = page.id", l.pageIDs())
}

// scanned are the predicates of a page that is one scan of an index in its order; nil if it is not.
func (l *list) scanned() []sq.Sqlizer {
	if l.total == nil || l.path != inOrder || !l.traits.indexed {
		return nil
	}
	switch l.position {
	case whole, first:
		return append([]sq.Sqlizer{}, l.filters()...)
	case after, before:
		if here, rest := l.beyond(l.sortKey(l.orders[0].Attribute), "r.id"); rest == nil {
			return with(l.filters(), here)
		}
	}
	return nil
}

// fence keeps the planner from merging a subselect into the query around it, which might then
// execute it for every row.
const fence = " offset 0"

// cursorKey is the sort key that cursors have.
func (l *list) cursorKey() string {
	if l.hasCursors() {
		return l.sortKey(l.orders[0].Attribute)
	}
	return "null"
}

func (l *list) hasCursors() bool { return l.position != whole && l.isSeekable(l.orders) }

// size is how many rows are read: after a cursor one more than a page has, which shows whether
// another page follows.
func (l *list) size() string {
	if l.position == after {
		return strconv.Itoa(l.page.Size + 1)
	}
	return strconv.Itoa(l.page.Size)
}

func (l *list) limit() string {
	if l.position == whole {
		return ""
	}
	return " limit " + l.size()
}

// counted selects one row: total, and for byCost list_size.
func (l *list) counted() sq.Sqlizer {
	if l.total == nil {
		return sq.Expr("select count(*) as total from matches")
	}
	size := sq.Expr("")
	if l.path == byCost {
		size = sq.Expr(", (?) as list_size", rollupSum(l.totals[0], nil))
	}
	changes := "select coalesce(sum(" + l.total.Delta + "), 0) from " + l.total.Changes + " t?"
	return sq.Expr("select ((?) + ("+changes+"))::bigint as total? from read_model_state m"+fence,
		rollupSum(*l.total, l.conditions), where(append(l.countedBy(), sq.Expr("t.batch_id >= m.oldest_open_batch"))), size)
}

// rollupSum selects the sum of a rollup for the conditions.
func rollupSum(t listdef.Total, conditions conditions) sq.Sqlizer {
	predicates := conditions.countedBy()
	for _, key := range t.Keys {
		if key.Any && !conditions.have(key.Name) {
			predicates = append(predicates, sq.Expr("t."+key.Name+" = 0"))
		}
	}
	return sq.Expr("select coalesce(sum(t."+t.Value+"), 0) from "+t.Table+" t?", where(predicates))
}

// matches is the clause with all matches, by their ids and sort keys.
func (l *list) matches() sq.Sqlizer {
	if l.total != nil {
		return sq.Expr("")
	}
	return sq.Expr("with matches as materialized (?) ", l.matching())
}

// matching selects the ids and sort keys of all matches. Those of a search are found in the
// search table, which also has the keys of most orders; the planner cannot know how many match,
// so each is to be looked up.
func (l *list) matching() sq.Sqlizer {
	s := l.search()
	if s == nil {
		return sq.Expr("select "+commas(l.matchColumns("r"))+" from "+l.table+" r?", where(l.filters()))
	}
	found, rest := l.searchedIn(s.table)
	if columns := l.searchColumns(); len(rest) == 0 && columns != nil {
		return sq.Expr("select "+commas(columns)+" from "+s.table+" s?", where(found))
	}
	row := sq.Expr("select "+commas(l.matchColumns("r"))+" from "+l.table+" r?"+fence, where(append(rest, sq.Expr("r."+s.ref+" = f.id"))))
	return sq.Expr("select m.* from (select s.id from "+s.table+" s?"+fence+") f cross join lateral (?) m", where(found), row)
}

// matchColumns are the id and the sort keys of a record.
func (l *list) matchColumns(alias string) []string {
	columns := []string{alias + ".id"}
	for i, o := range l.orders {
		columns = append(columns, l.sortKey(o.Attribute)+" as k"+strconv.Itoa(i))
	}
	return columns
}

// searchColumns are the same of the search table of the list; nil if it lacks one.
func (l *list) searchColumns() []string {
	if l.list == nil || l.search().table != l.list.Search {
		return nil
	}
	names := map[string]string{"r.id": "s.id", "r." + l.list.CreatedAt: "s.created_at"}
	columns := []string{"s.id"}
	for i, o := range l.orders {
		column, ok := names[l.sortKey(o.Attribute)]
		if !ok {
			return nil
		}
		columns = append(columns, column+" as k"+strconv.Itoa(i))
	}
	return columns
}

// pageIDs selects the ids of the page.
func (l *list) pageIDs() sq.Sqlizer {
	switch {
	case l.total == nil:
		return l.pageOfMatches()
	case l.position == numbered:
		return l.fromNearerEnd()
	case l.position == after || l.position == before:
		return l.besideCursor()
	}
	return l.ids(l.filters(), l.wholePage(), front)
}

func (l *list) pageOfMatches() sq.Sqlizer {
	order := make([]string, len(l.orders))
	for i, o := range l.orders {
		order[i] = "m.k" + strconv.Itoa(i) + string(l.end().direction(o))
	}
	beyond, offset := where(nil), sq.Expr("")
	switch l.position {
	case numbered:
		offset = sq.Expr(" offset ?::bigint", l.offset())
	case after, before:
		here, rest := l.beyond("m.k0", "m.id")
		if beyond = where([]sq.Sqlizer{here}); rest != nil {
			beyond = sq.Expr(" where (? or ?)", here, rest)
		}
	}
	return sq.Expr("select m.id from matches m? order by "+commas(order)+l.limit()+"?", beyond, offset)
}

// span is the part of an order that is read.
type span struct {
	limit  sq.Sqlizer // limit and offset
	length sq.Sqlizer // both together; of runs that are merged
}

func (l *list) wholePage() span { return span{limit: sq.Expr(l.limit()), length: sq.Expr(l.size())} }

// ids selects the ids of rows, as id with their sort key as key, in the order of the
// list read from the end.
func (l *list) ids(predicates []sq.Sqlizer, s span, from end) sq.Sqlizer {
	columns := "r.id, " + l.sortKey(l.orders[0].Attribute) + " as key"
	order := " order by " + commas(l.orderBy(from))
	switch l.path {
	case byRun:
		return l.mergedRuns(columns, order, s, from)(predicates)
	case byCost:
		return l.sortOrScan(columns, predicates, order, s)
	}
	return sq.Expr("select "+columns+" from "+l.table+" r?"+order+"?", where(predicates), s.limit)
}

// sortOrScan selects rows whose total is known to the statement. If there are few, it sorts
// all of them; otherwise it scans the list in order until it has enough. If they are spread
// evenly, either reads at most about √(list size × page size) rows.
func (l *list) sortOrScan(columns string, predicates []sq.Sqlizer, order string, s span) sq.Sqlizer {
	many := "counted.total::numeric * counted.total > counted.list_size * " + l.size()
	few := sq.Expr("select r.* from "+l.table+" r?"+fence, where(with(predicates, sq.Expr("not ("+many+")"))))
	return either(
		sq.Expr("select "+columns+" from (?) r"+order+"?", few, s.limit),
		sq.Expr("select "+columns+" from "+l.table+" r?"+order+"?", where(with(predicates, sq.Expr(many))), s.limit),
	)
}

// either returns the select of the rows of both selects.
func either(a, b sq.Sqlizer) sq.Sqlizer { return sq.Expr("(?) union all (?)", a, b) }

// fromNearerEnd finds a page by its number, from the front or from the back.
func (l *list) fromNearerEnd() sq.Sqlizer {
	size, offset := l.size(), l.offset()
	ahead := l.ids(with(l.filters(), sq.Expr("counted.total >= 2 * ?::bigint", offset)), span{
		limit:  sq.Expr(" limit "+size+" offset ?::bigint", offset),
		length: sq.Expr("(?::bigint + "+size+")", offset),
	}, front)
	behind := l.ids(with(l.filters(), sq.Expr("counted.total < 2 * ?::bigint", offset)), span{
		limit: sq.Expr(" limit least("+size+", greatest(counted.total - ?::bigint, 0)) offset greatest(counted.total - ?::bigint - "+size+", 0)",
			offset, offset),
		length: sq.Expr("greatest(counted.total - ?::bigint, 0)", offset),
	}, back)
	return either(ahead, behind)
}

// besideCursor finds the page at a cursor, by a comparison that an index can answer. Rows
// without a value to sort by are a range of their own.
func (l *list) besideCursor() sq.Sqlizer {
	key := l.sortKey(l.orders[0].Attribute)
	here, rest := l.beyond(key, "r.id")
	ids := l.ids(with(l.filters(), here), l.wholePage(), l.end())
	if rest == nil {
		return ids
	}
	direction := string(l.end().direction(l.orders[0]))
	return sq.Expr("select a.id from (?) a order by a.key"+direction+", a.id"+direction+l.limit(),
		either(ids, l.ids(with(l.filters(), rest), l.wholePage(), l.end())))
}

// beyond returns the two ranges of rows beyond the cursor: those with a value to sort by and those
// without, which are at the end of an ascending order and at the beginning of a descending one; nil
// if there are none.
func (l *list) beyond(key, id string) (here, rest sq.Sqlizer) {
	first := l.orders[0]
	direction := l.end().direction(first)
	sign := direction.beyond()
	switch {
	case len(l.orders) == 1:
		return sq.Expr(id+" "+sign+" ?::bigint", l.cursor.id), nil
	case l.cursor.isNull:
		here, rest = sq.Expr("("+key+" is null and "+id+" "+sign+" ?::bigint)", l.cursor.id), sq.Expr(key+" is not null")
	default:
		here = sq.Expr("("+key+", "+id+") "+sign+" (?"+keyType(l.kindOf(first.Attribute))+", ?::bigint)", l.cursor.key, l.cursor.id)
		rest = sq.Expr(key + " is null")
	}
	if !l.attribute(first.Attribute).Optional || l.cursor.isNull != (direction == descending) {
		return here, nil
	}
	return here, rest
}

// end returns the end from which the rows are read: those before a cursor from the back.
func (l *list) end() end {
	if l.position == before {
		return back
	}
	return front
}

// where returns the clause with the predicates.
func where(predicates []sq.Sqlizer) sq.Sqlizer {
	if len(predicates) == 0 {
		return sq.Expr("")
	}
	parts := make([]any, len(predicates))
	for i, p := range predicates {
		parts[i] = p
	}
	return sq.Expr(" where ?"+strings.Repeat(" and ?", len(predicates)-1), parts...)
}

func with(predicates []sq.Sqlizer, further sq.Sqlizer) []sq.Sqlizer {
	return append(slices.Clip(predicates), further)
}

func commas(items []string) string { return strings.Join(items, ", ") }

// orderBy returns the order in which the list is read from the end.
func (l *list) orderBy(from end) []string { return l.mapping.orderBy(l.orders, from) }

// prepare returns the text of a statement, and its arguments.
func prepare(stmt sq.Sqlizer) (sql string, args []any, err error) {
	if sql, args, err = stmt.ToSql(); err != nil {
		return "", nil, err
	}
	sql, err = sq.Dollar.ReplacePlaceholders(sql)
	return sql, args, err
}
