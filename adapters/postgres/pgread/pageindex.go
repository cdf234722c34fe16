package pgread

import (
	"strconv"

	sq "github.com/Masterminds/squirrel"

	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
)

// near is how far from an end of a list a page is read from there, without the page
// index.
const near = "1000"

// fromPageIndex finds a page of a list in the order of creation, wherever it is: from
// an end if that is near, else from a place in the page index, which is looked up
// from the nearer end. The page is the rows from low up to high, counted from the
// oldest.
func (b *builder[F]) fromPageIndex() sq.Sqlizer {
	size := strconv.Itoa(b.size)
	page := sq.Select(
		"least(:offset::bigint, counted.total) as low",
		"least(:offset::bigint + "+size+", counted.total) as high",
	)
	if b.orders[0].Descending {
		page = sq.Select(
			"greatest(counted.total - :offset::bigint - "+size+", 0) as low",
			"greatest(counted.total - :offset::bigint, 0) as high",
		)
	}
	ends := b.fromNearerEnd(
		":offset::bigint <= "+near,
		":offset::bigint > "+near+" and counted.total - :offset::bigint <= "+near,
	)
	between := sq.Select("found.id").FromSelect(page, "page").
		JoinClause(sq.Expr("cross join lateral (?) found", either(b.beforePlace(), b.behindPlace()))).
		Where(":offset::bigint > " + near + " and counted.total - :offset::bigint > " + near)
	return sq.ConcatExpr("select e.id from (", ends, ") e union all ", between)
}

// beforePlace reads back from the first place that is certainly behind the page:
// deletions may at most bring it nearer.
func (b *builder[F]) beforePlace() sq.Sqlizer {
	place := b.place("", "sum(l."+listdef.RecordCount+") over (order by l.created_at, l.id) - l."+listdef.RecordCount, "<", "page.high")
	rows := b.rows("r.id",
		b.compare("<", "coalesce(place.created_at, 'infinity')", "coalesce(place.id, 9223372036854775807)")).
		OrderBy(b.byAge(" desc")...).
		Suffix("limit page.high - page.low offset coalesce(place.rows, counted.total) - page.high")
	return b.fromPlace(place, rows, "2 * page.high <= counted.total")
}

// behindPlace reads on from the last place that is certainly before the page.
func (b *builder[F]) behindPlace() sq.Sqlizer {
	place := b.place(" desc", "sum(l."+listdef.RecordCount+") over (order by l.created_at desc, l.id desc)", ">=", "counted.total - page.low")
	rows := b.rows("r.id",
		b.compare(">=", "coalesce(place.created_at, '-infinity')", "coalesce(place.id, 0)")).
		OrderBy(b.byAge("")...).
		Suffix("limit page.high - page.low offset coalesce(place.rows, counted.total) - (counted.total - page.low)")
	return b.fromPlace(place, rows, "2 * page.high > counted.total")
}

// place selects the first place in the direction that has the wanted number of rows on
// its far side. place.rows is their exact number, including the changes that are not
// folded into the page index.
func (b *builder[F]) place(direction, rows, side, wanted string) sq.SelectBuilder {
	changes := b.list.Places() + " c where c.batch_id >= counted.oldest_open_batch"
	places := sq.Select("l.created_at", "l.id", rows+" as rows").From(listdef.PageIndex + " l").Where("l.list = '" + b.table + "'")
	return sq.Select("p.created_at", "p.id").
		Column("(p.rows + (select coalesce(sum(c.delta), 0) from "+changes+" and (c.created_at, c.id) "+side+" (p.created_at, p.id)))::bigint as rows").
		FromSelect(places, "p").
		Where("p.rows >= "+wanted+" + (select count(*) from "+changes+" and c.delta < 0)").
		OrderBy("p.created_at"+direction, "p.id"+direction).Suffix("limit 1")
}

func (m *mapping) compare(side, createdAt, id string) string {
	if m.createdAt == "id" {
		return "r.id " + side + " " + id
	}
	return "(r." + m.createdAt + ", r.id) " + side + " (" + createdAt + ", " + id + ")"
}

func (m *mapping) byAge(direction string) []string {
	if m.createdAt == "id" {
		return []string{"r.id" + direction}
	}
	return []string{"r." + m.createdAt + direction, "r.id" + direction}
}

func (b *builder[F]) fromPlace(place, rows sq.SelectBuilder, condition string) sq.Sqlizer {
	return sq.Expr("select r.id from (select where "+condition+") taken left join lateral (?) place on true cross join lateral (?) r", place, rows)
}
