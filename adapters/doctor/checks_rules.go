package doctor

import (
	"context"
	"slices"
	"strings"

	"github.com/kontor-crm/kontor/application/rule"
)

func (e *Examination) rules(ctx context.Context) (Finding, error) {
	var compiled, typed []string
	err := e.query(ctx, `
select
    coalesce(array_agg(name order by name) filter (where source = 'program'), '{}'),
    coalesce(array_agg(name order by name) filter (where source = 'typed'), '{}')
from rules`, &compiled, &typed)
	if err != nil {
		return Finding{}, err
	}
	f := fine("%d typed, %d compiled", len(typed), len(compiled))
	clashes := slices.DeleteFunc(typed, func(name string) bool { return !e.settings.Rules.Has(name) })
	missing := slices.DeleteFunc(compiled, func(name string) bool {
		return slices.ContainsFunc(e.settings.Rules.Compiled(), func(c rule.Compiled) bool { return c.Name == name })
	})
	switch {
	case len(clashes) > 0:
		return fine("typed rules have the names of compiled rules or reactions: %s", strings.Join(clashes, ", ")).
			hint(Fail, "rename them with PATCH /rest/rule/<id>; kontor rule list shows their ids"), nil
	case len(missing) > 0:
		return fine("this program does not contain all stored rules, and does not apply those it lacks: %s", strings.Join(missing, ", ")).
			hint(Warn, "start a program that contains them, or delete them with DELETE /rest/rule/<id>; kontor rule list shows their ids"), nil
	}
	return f, nil
}
