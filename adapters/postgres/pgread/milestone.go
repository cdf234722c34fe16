package pgread

import (
	"strconv"

	sq "github.com/Masterminds/squirrel"
)

// near is how far from an end of a list a page is reached from there without
// looking for a milestone.
const near = "1000"

// fromMilestone finds a page of a list in the order of creation, wherever it
// lies: from an end if that is near, else from a milestone, which is looked for
// from the nearer end. The page is what lies from low up to high, counted from
// the oldest.
func (b *builder[F]) fromMilestone() sq.Sqlizer {
	size := strconv.Itoa(b.size)
	page := sq.Select().
		Column(sq.Expr("least(?::bigint, counted.total) as low", slotOffset)).
		Column(sq.Expr("least(?::bigint + "+size+", counted.total) as high", slotOffset))
	if b.orders[0].Descending {
		page = sq.Select().
			Column(sq.Expr("greatest(counted.total - ?::bigint - "+size+", 0) as low", slotOffset)).
			Column(sq.Expr("greatest(counted.total - ?::bigint, 0) as high", slotOffset))
	}
	ends := b.fromEitherEnd(
		sq.Expr("?::bigint <= "+near, slotOffset),
		sq.Expr("?::bigint > "+near+" and counted.total - ?::bigint <= "+near, slotOffset, slotOffset),
	)
	arms := sq.ConcatExpr("(", b.beforeMilestone(), ") union all (", b.behindMilestone(), ")")
	between := sq.Select("found.id").FromSelect(page, "page").JoinClause(sq.Expr("cross join lateral (?) found", arms)).
		Where("?::bigint > "+near+" and counted.total - ?::bigint > "+near, slotOffset, slotOffset)
	return sq.ConcatExpr("select e.id from (", ends, ") e union all ", between)
}

// beforeMilestone reads back from the first milestone that by all accounts lies
// behind the page: what changes take away may at most bring it nearer.
func (b *builder[F]) beforeMilestone() sq.Sqlizer {
	place := b.milestone("", "sum(l.record_count) over (order by l.created_at, l.id) - l.record_count", "<", "page.high")
	rows := sq.Select("r.id").From(b.model.table + " r").
		Where(b.model.lies("<", "coalesce(place.created_at, 'infinity')", "coalesce(place.id, 9223372036854775807)")).
		OrderBy(b.model.fromOldest(" desc")...).
		Suffix("limit page.high - page.low offset coalesce(place.rows, counted.total) - page.high")
	return b.arm(place, rows, "2 * page.high <= counted.total")
}

// behindMilestone reads on from the last milestone that by all accounts lies
// before the page.
func (b *builder[F]) behindMilestone() sq.Sqlizer {
	place := b.milestone(" desc", "sum(l.record_count) over (order by l.created_at desc, l.id desc)", ">=", "counted.total - page.low")
	rows := sq.Select("r.id").From(b.model.table + " r").
		Where(b.model.lies(">=", "coalesce(place.created_at, '-infinity')", "coalesce(place.id, 0)")).
		OrderBy(b.model.fromOldest("")...).
		Suffix("limit page.high - page.low offset coalesce(place.rows, counted.total) - (counted.total - page.low)")
	return b.arm(place, rows, "2 * page.high > counted.total")
}

// milestone selects the first one in the direction that so many rows lie on the
// far side of. As place.rows it has how many really do, the changes included
// that the milestones do not know of yet.
func (b *builder[F]) milestone(direction, rows, side, wanted string) sq.SelectBuilder {
	changes := b.model.total.moves + " c where c.batch_id >= counted.oldest_open_batch"
	pieces := sq.Select("l.created_at", "l.id", rows+" as rows").From("page_index l").Where("l.list = '" + b.model.table + "'")
	return sq.Select("p.created_at", "p.id").
		Column("(p.rows + (select coalesce(sum(c.delta), 0) from "+changes+" and (c.created_at, c.id) "+side+" (p.created_at, p.id)))::bigint as rows").
		FromSelect(pieces, "p").
		Where("p.rows >= "+wanted+" + (select count(*) from "+changes+" and c.delta < 0)").
		OrderBy("p.created_at"+direction, "p.id"+direction).Suffix("limit 1")
}

// lies is the condition on which side of a place a row r lies.
func (m *model) lies(side, created, id string) string {
	if m.created == "id" {
		return "r.id " + side + " " + id
	}
	return "(r." + m.created + ", r.id) " + side + " (" + created + ", " + id + ")"
}

// fromOldest is the order of creation, or with desc its reverse.
func (m *model) fromOldest(direction string) []string {
	if m.created == "id" {
		return []string{"r.id" + direction}
	}
	return []string{"r." + m.created + direction, "r.id" + direction}
}

// arm is one of two ways to the page, taken if the condition holds.
func (b *builder[F]) arm(place, rows sq.SelectBuilder, condition string) sq.Sqlizer {
	return sq.Expr("select r.id from (select where "+condition+") taken left join lateral (?) place on true cross join lateral (?) r", place, rows)
}
