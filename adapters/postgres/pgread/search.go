package pgread

import (
	"strconv"
	"unicode"

	sq "github.com/Masterminds/squirrel"
)

func (b *builder[F]) searched() *search { return b.find((*filter[F]).isSearch).search }

// isInSearchTable reports whether the filter is applied in the search table that is
// read.
func (b *builder[F]) isInSearchTable(f *filter[F]) bool {
	return f.isSearch() && f.search.table == b.searched().table
}

// matchingIDs selects the ids of the matches. They are found before anything else.
func (b *builder[F]) matchingIDs() sq.SelectBuilder {
	if b.plan.path == sortKnownMatches {
		return sq.Select("unnest(:match_ids::bigint[] || counted.changed_ids) as id").Suffix(fence)
	}
	ids := sq.Select("s.id").From(b.searched().table + " s").Suffix(fence)
	for _, f := range b.filters {
		if b.isInSearchTable(f) {
			ids = ids.Where(b.textKey() + " like :" + f.params[0])
		}
	}
	return ids
}

// textKey returns the text that is searched. A pattern without three letters or digits
// in a row would have the trigram index read whole, so it must not be used.
func (b *builder[F]) textKey() string {
	if b.shortPattern {
		return "s.text_key || ''"
	}
	return "s.text_key"
}

// scan reads a part of the list in its order. A page that begins with the newest match
// begins where that is, or with what has changed since.
func (b *builder[F]) scan(predicates, order []string) sq.SelectBuilder {
	scan := b.rows("r.*", predicates...).OrderBy(order...).Suffix("limit :scan_limit::bigint")
	if b.plan.fromNewest {
		scan = scan.Where("r." + b.createdAt + " <= greatest(:newest_match::timestamptz, counted.newest_change)")
	}
	return scan
}

func (b *builder[F]) containsText() (predicates []string) {
	for _, f := range b.filters {
		switch {
		case !f.isSearch():
		case f.search.key == "":
			predicates = append(predicates, "(select s.text_key like :"+f.params[0]+" from "+f.search.table+" s where s.id = r."+f.search.ref+")")
		default:
			predicates = append(predicates, "r."+f.search.key+" like :"+f.params[0])
		}
	}
	return predicates
}

// countStatement counts the matches and reads the size of the list, the ids of the
// matches if these are few, with those that match without the open changes, and the
// token of the position. It has no row if the read models cannot be read.
func (b *builder[F]) countStatement() sq.Sqlizer {
	matching := sq.Select("f.id").FromSelect(b.matchingIDs(), "f")
	if rest := b.where(); len(rest) > 0 {
		matching = where(matching.Join(b.table+" r on r."+b.searched().ref+" = f.id"), rest...)
	}
	few := strconv.Itoa(maxMatchIDs + 1)
	changed := where(sq.Select("t.id").From(b.total.Changes+" t").Where("t.batch_id >= m.oldest_open_batch"), b.recorded()...)
	return sq.Select().
		PrefixExpr(sq.Expr("with matching as materialized (?)", matching)).
		Column("(select count(*) from matching)").
		Column("m.oldest_open_batch").
		Column(b.openChanges("t.delta", b.recorded()...)).
		Column(b.listSize()).
		Column(sq.Expr("array((select id from matching limit "+few+") union (?))", changed.Suffix("limit "+few))).
		Column(positionToken).
		From("read_model_state m").Where("m.id = 1 and m.lists_ready and m.search_ready")
}

// hasShortPatterns reports whether none of the patterns has three letters or digits
// in a row.
func (p *predicates[F]) hasShortPatterns(values params) bool {
	return p.all(func(f *filter[F]) bool {
		return !f.isSearch() || !hasTrigram(values[f.first].(string))
	})
}

func hasTrigram(pattern string) bool {
	run := 0
	for _, c := range pattern {
		if run++; !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			run = 0
		}
		if run == 3 {
			return true
		}
	}
	return false
}
