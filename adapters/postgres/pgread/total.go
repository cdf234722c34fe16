package pgread

import (
	sq "github.com/Masterminds/squirrel"
)

// total is where the read models say how many rows a list has: a table in which
// rows of one sort are added up, and one of what is not yet added to it.
type total struct {
	table   string   // of the totals, as t
	measure string   // what is added up of it
	fixed   string   // which of its rows belong to the list, if not all do
	cubes   []string // its columns in which a zero stands for all values
	atOnce  int      // of how many of these it has totals at once; 0: of all
	changes string   // the table of changes, as t
	weight  string   // what a change adds
	moves   string   // the changes again: with n at each place, as created and id
}

// counting is how a statement comes by its total.
type counting int

const (
	counted  counting = iota // it counts the rows
	tallied                  // from the totals
	ofClient                 // from the counts of the one client
	ofNames                  // from the counts of the clients with such names
	carried                  // from an earlier count and what has changed since
)

// countingOf is how the total of a list that is narrowed so is known best.
func countingOf[F any](m *model, n narrowing[F], from source) counting {
	byClient := func(c *narrowed[F]) bool { return c.counted != "" && c.search == nil }
	byName := func(c *narrowed[F]) bool { return c.search != nil && c.search.key == "" }
	switch {
	case from == records || m.total == nil:
		return counted
	case n.all(func(c *narrowed[F]) bool { return isTallied(c) && c.search == nil && c.counted == "" }) && n.areAtOnce(m.total):
		return tallied
	case len(n) == 1 && byClient(n[0]):
		return ofClient
	case len(n) == 1 && byName(n[0]):
		return ofNames
	case n.find(isSearch) != nil && n.all(isTallied):
		return carried
	}
	return counted
}

// areAtOnce tells whether there are totals of all these conditions at once.
func (n narrowing[F]) areAtOnce(l *total) bool {
	cubes := 0
	for _, c := range n {
		if c.cube != "" {
			cubes++
		}
	}
	return l.atOnce == 0 || cubes <= l.atOnce
}

// totalOf is a select of one row t: total, and where read models are asked the
// first batch that is not folded, as oldest_open_batch. If they cannot be read it has
// no row. A carried total has the count to carry on from, too, as carried, and
// the newest record that has changed since; where the ids of matches are known, those
// of others that have changed, as changed. One of names, and one that is weighed,
// has the size of the list, as size.
func (b *builder[F]) total() sq.SelectBuilder {
	m, n := b.model, b.made
	known := sq.Select().From("read_model_state m").Where("m.id = 1 and m.lists_ready").Suffix(apart)
	added := func(expr sq.Sqlizer) sq.SelectBuilder {
		return known.Column(sq.Expr("(?)::bigint as total", expr)).Column("m.oldest_open_batch")
	}
	switch b.how {
	case tallied:
		return b.sized(added(sq.ConcatExpr(base(m.total, n), " + ", open(m.total, n.tallies(), m.total.weight))))
	case ofClient:
		k := sq.Select("coalesce(sum(k." + n[0].counted + "), 0)").From("client_counts k").Where(sq.Expr("k.client_id = ?", n[0].slots...))
		return b.sized(added(sq.ConcatExpr("(", k, ") + ", open(m.total, n.tallies(), "t.delta"))))
	case ofNames:
		return added(ofClientsNamed(m, n[0], b.textKey())).Column(listSize(m) + " as size").Where("m.search_ready")
	case carried:
		changes := sq.Select("coalesce(sum(t.delta), 0) as delta", "coalesce(sum(t.delta) filter (where t.batch_id < m.oldest_open_batch), 0) as folded", "max(t.created_at) as newest").
			From(m.total.changes+" t").Where("t.batch_id >= ?", slotBatch).Where(n.tallies())
		if b.listed {
			changes = changes.Column("array_agg(distinct t.id) filter (where t.id <> all (?::bigint[])) as changed", slotIDs)
			known = known.Column("c.changed")
		}
		return known.
			Column(sq.Expr("(?::bigint + c.delta)::bigint as total", slotCount)).
			Column(sq.Expr("(?::bigint + c.folded)::bigint as carried", slotCount)).
			Columns("m.oldest_open_batch", "c.newest").
			JoinClause(sq.Expr("cross join lateral (?) c", changes)).
			Where("m.search_ready").Where("m.oldest_retained_batch <= ?", slotBatch)
	}
	rows := sq.Select("count(*) as total").From(m.table + " r").Where(b.conditions(nil))
	if b.from == models && (b.model.usesTallies(b.shown) || n.find(isSearch) != nil) {
		rows = rows.Having("(select m.lists_ready and m.search_ready from read_model_state m where m.id = 1)")
	}
	return rows
}

// sized adds the size of the list where the way asks for it.
func (b *builder[F]) sized(stmt sq.SelectBuilder) sq.SelectBuilder {
	if b.way == weighed {
		return stmt.Column(listSize(b.model) + " as size")
	}
	return stmt
}

// apart keeps a subselect one of its own: mixed into the rest, it might be
// carried out for every row.
const apart = "offset 0"

// base is what the totals say.
func base[F any](l *total, n narrowing[F]) sq.Sqlizer {
	sum := sq.Select("coalesce(sum(" + l.measure + "), 0)").From(l.table + " t").Where(n.tallies())
	if l.fixed != "" {
		sum = sum.Where(l.fixed)
	}
	for _, cube := range l.cubes {
		if n.find(func(c *narrowed[F]) bool { return c.cube == cube }) == nil {
			sum = sum.Where("t." + cube + " = 0")
		}
	}
	return sq.ConcatExpr("(", sum, ")")
}

// open is what changes that are not folded add.
func open(l *total, where sq.Sqlizer, weight string) sq.Sqlizer {
	sum := sq.Select("coalesce(sum(" + weight + "), 0)").From(l.changes + " t").Where("t.batch_id >= m.oldest_open_batch").Where(where)
	return sq.ConcatExpr("(", sum, ")")
}

// ofClientsNamed adds up what the clients have whose names hold the text.
func ofClientsNamed[F any](m *model, c *narrowed[F], textKey string) sq.Sqlizer {
	named := sq.Expr("from "+c.search.table+" s where "+textKey+" like ?", c.slots...)
	k := sq.Expr("(select coalesce(sum((select k."+c.counted+" from client_counts k where k.client_id = s.id)), 0) ?)", named)
	return sq.ConcatExpr(k, " + ", open(m.total, sq.Expr("t."+c.search.ref+" in (select s.id ?)", named), "t.delta"))
}

// listSize is how long a list is, roughly: not all changes are folded.
func listSize(m *model) string {
	return "(select coalesce(sum(l.record_count), 0) from page_index l where l.list = '" + m.table + "')"
}
