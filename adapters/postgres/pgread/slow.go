package pgread

import (
	"context"
	"strings"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/domain/fault"
)

// admit runs the statement of the list. One that is slow waits at the gate before it
// takes a connection. Its statement timeout is a fault.TooSlow that says what would be
// faster.
func (r *reader[F]) admit(ctx context.Context, l *list, run func() error) error {
	why := l.traits.slowness()
	if why == notSlow {
		return run()
	}
	leave, err := r.gate.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	err = run()
	if ctx.Err() != nil || !postgres.IsStatementTimeout(err) {
		return err
	}
	return fault.New(fault.TooSlow, "the database did not finish this in time, and repeating it will not help: %s", r.advice(why, l)).
		WithCause(err)
}

func (r *reader[F]) advice(why slowness, l *list) string {
	switch why {
	case searchesRows:
		return "add " + strings.Join(r.selectiveFilters(l), " or ")
	case sortsRows:
		advice := "leave out sort, or sort by " + strings.Join(append([]string{"id"}, r.mapping.indexed...), ", ") + " alone"
		if filter := r.unsetFilter(l); filter != "" {
			advice += ", or add a filter, such as " + filter
		}
		return advice
	case skipsRows:
		return "follow the links to the next page, or read the list from its other end"
	case readsMatches:
		for _, c := range l.conditions {
			if c.search != nil && !hasTrigram(c.args[0].(string)) {
				return "search for a text with at least three letters or digits in a row"
			}
		}
		return "search for a longer text"
	case countsValues:
		return "leave out " + strings.Join(l.mapping.counted, " and ") + " (fields), or request fewer records (per_page)"
	}
	return "use fewer filters"
}

func (r *reader[F]) selectiveFilters(l *list) (names []string) {
	for _, f := range r.filters {
		if isSet := l.find(func(c condition) bool { return c.name == f.name }) != nil; f.selective && !isSet {
			names = append(names, f.name)
		}
	}
	return names
}

func (r *reader[F]) unsetFilter(l *list) string {
	for _, f := range r.filters {
		isSet := l.find(func(c condition) bool { return c.name == f.name }) != nil
		if !isSet && f.search == nil && f.runs == nil && !f.unindexed {
			return f.name
		}
	}
	return ""
}
