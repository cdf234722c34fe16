package pgread

import (
	sq "github.com/Masterminds/squirrel"

	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
)

// totalSelect selects one row: total, and what else the strategy gives, as the
// layout of the page says. Where the read models cannot be read it has no row.
func (b *builder[F]) totalSelect() sq.SelectBuilder {
	switch b.plan.total {
	case sumRollup:
		return b.sum(sq.ConcatExpr("(", b.rollupSum(), ") + ", b.openChanges(b.total.Delta, b.recorded()...)))
	case clientCount:
		count := sq.Select("coalesce(sum(k." + b.list.ClientCount + "), 0)").From(listdef.ClientCounts + " k").
			Where("k.client_id = :" + b.filters[0].params[0])
		return b.sum(sq.ConcatExpr("(", count, ") + ", b.openChanges("t.delta", b.recorded()...)))
	case clientNameCounts:
		return b.sum(b.clientNameCounts()).Where("m.search_ready")
	case cachedCount:
		return b.cachedCount()
	}
	return b.countRows()
}

// state selects from the state of the read models; it has no row if they cannot be
// read.
func state() sq.SelectBuilder {
	return sq.Select().From("read_model_state m").Where("m.id = 1 and m.lists_ready").Suffix(fence)
}

// sum selects the sum as the total. A path that weighs costs asks for the list's
// size too, and so does the cache of matches.
func (b *builder[F]) sum(expr sq.Sqlizer) sq.SelectBuilder {
	stmt := state().Column(sq.Expr("(?)::bigint as total", expr)).Column("m.oldest_open_batch")
	if b.plan.path == byCost || b.plan.total == clientNameCounts {
		stmt = stmt.Column(b.listSize() + " as list_size")
	}
	return stmt
}

func (b *builder[F]) rollupSum() sq.Sqlizer {
	sum := where(sq.Select("coalesce(sum(t."+b.total.Value+"), 0)").From(b.total.Table+" t"), b.recorded()...)
	if b.total.Where != "" {
		sum = sum.Where(b.total.Where)
	}
	for _, key := range b.total.AnyKeys {
		if b.find(func(f *filter[F]) bool { return f.column == key }) == nil {
			sum = sum.Where("t." + key + " = 0")
		}
	}
	return sum
}

// openChanges returns the sum of the changes that are not folded.
func (b *builder[F]) openChanges(delta string, predicates ...string) sq.Sqlizer {
	changes := sq.Select("coalesce(sum(" + delta + "), 0)").From(b.total.Changes + " t").Where("t.batch_id >= m.oldest_open_batch")
	sum := where(changes, predicates...)
	return sq.ConcatExpr("(", sum, ")")
}

// clientNameCounts returns the sum of the counts of the clients whose names match.
func (b *builder[F]) clientNameCounts() sq.Sqlizer {
	f := b.filters[0]
	matching := "from " + f.search.table + " s where " + b.textKey() + " like :" + f.params[0]
	counts := "(select coalesce(sum((select k." + b.list.ClientCount + " from " + listdef.ClientCounts + " k where k.client_id = s.id)), 0) " + matching + ")"
	return sq.ConcatExpr(counts+" + ", b.openChanges("t.delta", "t."+f.search.ref+" in (select s.id "+matching+")"))
}

// cachedCount adds what has changed since to the cached match count. It selects the
// count of the batches that are folded by now, to be cached, the newest record that
// has changed, and where the ids of the matches are cached, the other ids that have
// changed. It has no row if the changes are not retained that long, or if the database
// does not have the position with its token: it is another one by now, or behind.
// Without a token the position must be the present one.
func (b *builder[F]) cachedCount() sq.SelectBuilder {
	changes := sq.Select(
		"coalesce(sum(t.delta), 0) as all_changes", "coalesce(sum(t.delta) filter (where t.batch_id < m.oldest_open_batch), 0) as folded",
		"max(t.created_at) as newest_change",
	).From(b.total.Changes + " t").Where("t.batch_id >= :match_batch")
	changes = where(changes, b.recorded()...)
	stmt := state()
	if b.plan.path == sortKnownMatches {
		changes = changes.Column("array_agg(distinct t.id) filter (where t.id <> all (:match_ids::bigint[])) as changed_ids")
		stmt = stmt.Column("c.changed_ids")
	}
	return stmt.
		Column("(:match_count::bigint + c.all_changes)::bigint as total").
		Column("(:match_count::bigint + c.folded)::bigint as match_count").
		Columns("m.oldest_open_batch", "c.newest_change").Column(positionToken + " as position_token").
		JoinClause(sq.Expr("cross join lateral (?) c", changes)).
		Where("m.search_ready").Where("m.oldest_retained_batch <= :match_batch").
		Where("(exists (select from read_model_positions p where p.batch_id = :match_batch and p.token = :match_token::uuid)" +
			" or :match_token::uuid is null and m.oldest_open_batch = :match_batch)")
}

// positionToken is the token of the position of the sums; null if a program that does
// not know tokens has folded last.
const positionToken = "(select p.token from read_model_positions p where p.batch_id = m.oldest_open_batch)"

// countRows counts the rows that match. If the statement reads read models, it has no
// row while these cannot be read.
func (b *builder[F]) countRows() sq.SelectBuilder {
	count := b.rows("count(*) as total", b.matching(none)...)
	if b.source == readModels && (b.hasSums(b.selection) || b.find((*filter[F]).isSearch) != nil) {
		count = count.Having("(select m.lists_ready and m.search_ready from read_model_state m where m.id = 1)")
	}
	return count
}

// listSize returns the length of the list without the changes that are not folded.
func (b *builder[F]) listSize() string {
	return "(select coalesce(sum(l." + listdef.RecordCount + "), 0) from " + listdef.PageIndex + " l where l.list = '" + b.table + "')"
}
