package pgread

import (
	"slices"
	"unicode"

	sq "github.com/Masterminds/squirrel"

	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
	"github.com/kontor-crm/kontor/adapters/textkey"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// A filter is what a list may be filtered by: a condition, and its arguments.
type filter[F any] struct {
	condition
	// arguments returns one for each ? of the condition; nil if the filter is not set.
	arguments func(f F) []any
}

// A condition is a filter on records.
type condition struct {
	name  string // of its parameter
	where string // on a record r
	// column is the column that it is for, in the change table and the rollup;
	// "" if these have none.
	column  string
	counted string // the condition on a row t of these
	// search is set if it looks for a substring.
	search *search
	// runs is set if the records are runs in the default order.
	runs *runs
	// sorts are further attributes by which an index sorts the records with one value. One
	// sorts them by the default order.
	sorts []string
	// selective conditions leave few records of a long list.
	selective bool
	// several is the condition on several values; nil if it has one value.
	several *condition
	// unindexed conditions are tested on each record.
	unindexed bool

	args []any // if it is set
}

// search is where a substring is looked for.
type search struct {
	table string // with the columns id, created_at and text_key
	ref   string // the column of r that refers to its id
}

func equal[F any, T ~int64 | ~uint8](column string, value func(F) domain.Optional[T]) filter[F] {
	return filter[F]{comparison(column, " = ?"), func(f F) []any { return number(value(f)) }}
}

// anyOf returns the filter for the records that have one of the values in the column. An index has
// those of each value in the default order.
func anyOf[F any, T ~int64 | ~uint8](column string, values func(F) []T) filter[F] {
	one, several := comparison(column, " = ?"), comparison(column, " = any(?)")
	several.runs = &runs{column: column}
	one.several = &several
	return filter[F]{one, func(f F) []any { return numbers(values(f)) }}
}

func comparison(column, with string) condition {
	return condition{name: column, where: "r." + column + with, column: column, counted: "t." + column + with}
}

// withID returns the filter for the records with one of the ids.
func withID[F any, T ~int64](ids func(F) []T) filter[F] {
	return filter[F]{
		condition{name: "id", where: "r.id = any(?::bigint[])", selective: true},
		func(f F) []any { return numberList(ids(f)) },
	}
}

// few marks a filter that leaves few records.
func (f filter[F]) few() filter[F] {
	f.selective = true
	if f.several != nil {
		f.several.selective = true
	}
	return f
}

// sortedBy adds orders in which an index has the records of one value.
func (f filter[F]) sortedBy(attributes ...string) filter[F] {
	f.sorts = attributes
	return f
}

// number is the value as an argument, if it is set.
func number[T ~int64 | ~uint8 | ~int](value domain.Optional[T]) []any {
	v, ok := value.Get()
	if !ok {
		return nil
	}
	return []any{int64(v)}
}

// numbers is the one value, or the list of several, as an argument.
func numbers[T ~int64 | ~uint8](values []T) []any {
	if len(values) == 1 {
		return []any{int64(values[0])}
	}
	return numberList(values)
}

// numberList is the values as an argument.
func numberList[T ~int64 | ~uint8](values []T) []any {
	if len(values) == 0 {
		return nil
	}
	numbers := make([]int64, len(values))
	for i, v := range values {
		numbers[i] = int64(v)
	}
	return []any{numbers}
}

// containing returns the filter for the records of the list whose search key contains
// the text.
func containing[F any](list *listdef.List, param string, text func(F) string) filter[F] {
	return filter[F]{
		condition{name: param, search: &search{table: list.Search, ref: "id"}},
		func(f F) []any { return pattern(text(f)) },
	}
}

func pattern(text string) []any {
	if text == "" {
		return nil
	}
	return []any{textkey.Containing(text)}
}

func key(text string) []any {
	if text == "" {
		return nil
	}
	return []any{textkey.Of(text)}
}

func text(value string) []any {
	if value == "" {
		return nil
	}
	return []any{value}
}

// updatedSince returns the filter for the records whose last change, in that column, was at the instant or later.
func updatedSince[F any](column string, since func(F) readmodel.Instant) filter[F] {
	return filter[F]{
		condition{name: "updated_since", where: "r." + column + " >= ?::text::timestamptz"},
		func(f F) []any { return text(string(since(f))) },
	}
}

// flagged returns the filter that is set or not, for the records that meet the condition with the argument.
func flagged[F any](param, where string, arg any, isSet func(F) bool) filter[F] {
	return filter[F]{condition{name: param, where: where}, func(f F) []any {
		if !isSet(f) {
			return nil
		}
		return []any{arg}
	}}
}

// withRef returns the filter for the one record with the ref.
func withRef[F any](ref func(F) string) filter[F] {
	return filter[F]{
		condition{name: "ref", where: "r.ref = ?", selective: true},
		func(f F) []any { return text(ref(f)) },
	}
}

// conditions are those of one list.
type conditions []condition

func conditionsOf[F any](filters []filter[F], asked F) (all conditions) {
	for _, f := range filters {
		args := f.arguments(asked)
		if args == nil {
			continue
		}
		c := f.condition
		if _, ok := args[0].([]int64); ok && c.several != nil {
			c = *c.several
		}
		c.args = args
		all = append(all, c)
	}
	return all
}

// filters returns the conditions on a record r.
func (all conditions) filters() []sq.Sqlizer {
	predicates := make([]sq.Sqlizer, len(all))
	for i, c := range all {
		predicates[i] = c.predicate()
	}
	return predicates
}

// predicate is the condition on a record r. A text is looked up by the id.
func (c condition) predicate() sq.Sqlizer {
	if c.search == nil {
		return sq.Expr(c.where, c.args...)
	}
	return sq.Expr("exists (select from "+c.search.table+" s where s.id = r."+c.search.ref+" and s.text_key like ?)", c.args...)
}

// countedBy returns the conditions on rows t of the rollup or the change table.
func (all conditions) countedBy() []sq.Sqlizer {
	predicates := make([]sq.Sqlizer, len(all))
	for i, c := range all {
		predicates[i] = sq.Expr(c.counted, c.args...)
	}
	return predicates
}

// search returns where a substring is looked for; nil if none is.
func (all conditions) search() *search {
	if c := all.find(func(c condition) bool { return c.search != nil }); c != nil {
		return c.search
	}
	return nil
}

// searchedIn returns the conditions on rows s of the search table, and the others on a record r.
func (all conditions) searchedIn(table string) (found, rest []sq.Sqlizer) {
	for _, c := range all {
		if c.search == nil || c.search.table != table {
			rest = append(rest, c.predicate())
			continue
		}
		text := "s.text_key"
		if !hasTrigram(c.args[0].(string)) {
			text += " || ''" // so that the index of trigrams is not read whole
		}
		found = append(found, sq.Expr(text+" like ?", c.args...))
	}
	return found, rest
}

// hasTrigram reports whether the pattern has three letters or digits in a row.
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

func (all conditions) find(is func(condition) bool) *condition {
	if at := slices.IndexFunc(all, is); at >= 0 {
		return &all[at]
	}
	return nil
}

func (all conditions) have(columns ...string) bool {
	return all.find(func(c condition) bool { return slices.Contains(columns, c.column) }) != nil
}

// areCountedIn reports whether the rollup has sums by all of the conditions at once.
func (all conditions) areCountedIn(t listdef.Total) bool {
	some := 0
	for _, c := range all {
		at := slices.IndexFunc(t.Keys, func(k listdef.Key) bool { return c.column != "" && k.Name == c.column })
		if at < 0 {
			return false
		}
		if t.Keys[at].Any {
			some++
		}
	}
	return t.MaxKeys == 0 || some <= t.MaxKeys
}
