package pgread

import "github.com/kontor-crm/kontor/ports/readmodel"

// NewRules returns the reader of stored rules.
func NewRules(db Querier) readmodel.Reader[readmodel.RuleFilter] {
	type asked = readmodel.RuleFilter
	return newReader(db, rules,
		filter[asked]{condition{where: "r.name like ?"}, func(f asked) []any { return pattern(f.Name) }},
		filter[asked]{condition{where: "r.resource = ?"}, func(f asked) []any { return text(f.Resource) }},
		filter[asked]{condition{where: "r.mode = ?"}, func(f asked) []any {
			mode, _ := f.Mode.Get()
			return text(mode.String())
		}},
		filter[asked]{condition{where: "r.source = ?"}, func(f asked) []any {
			source, _ := f.Source.Get()
			return text(source.String())
		}},
	)
}

var rules = mapped(mapping{
	resource: readmodel.Rules,
	table:    "rules",
	counted:  []string{"would_refuse"},
	columns: map[string]string{
		"on": operations,
		"would_refuse": "coalesce((select c.would_refuse from rule_counts c where c.rule_id = r.id), 0)" +
			" + (select count(*) from rule_violations v where v.rule_id = r.id)",
	},
	keys: map[string]string{"name": "r.name", "resource": "r.resource", "mode": "r.mode", "source": "r.source"},
	nested: map[string]nested{"variables": {
		from: "rows from (jsonb_to_recordset(coalesce(r.variables, '[]')) as (name text, expression text)) " +
			"with ordinality v (name, expression, position)",
		alias: "v",
		order: "v.position",
	}},
})

// operations are the names in the bit set.
const operations = "concat_ws(',', case when r.operations & 1 > 0 then 'create' end, case when r.operations & 2 > 0 then 'update' end, " +
	"case when r.operations & 4 > 0 then 'delete' end)"

// NewRuleViolations returns the reader of the violations of rules.
func NewRuleViolations(db Querier) readmodel.Reader[readmodel.RuleViolationFilter] {
	return newReader(db, ruleViolations, filter[readmodel.RuleViolationFilter]{
		condition{where: "r.rule_id = ?"},
		func(f readmodel.RuleViolationFilter) []any { return []any{int64(f.RuleID)} },
	})
}

var ruleViolations = mapped(mapping{
	resource: readmodel.RuleViolations,
	table:    "rule_violations",
	columns:  map[string]string{"version": "r.id"}, // a violation has no version of its own
})
