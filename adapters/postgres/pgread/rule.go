package pgread

import (
	"fmt"

	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/ports/repository"
)

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

var rules = &mapping{
	resource: readmodel.Rules,
	table:    "rules",
	columns: merge(own(
		"id", "version", "name", "resource", "expression", "message", "field", "mode", "source", "created_at", "updated_at",
	), map[string]string{
		"on":           operations,
		"evaluated":    ruleCount("evaluated"),
		"refused":      ruleCount("refused"),
		"would_refuse": ruleCount("would_refuse") + " + (select count(*) from rule_violations v where v.rule_id = r.id)",
	}),
}

// operations are the names in the bit set.
const operations = "concat_ws(',', case when r.operations & 1 > 0 then 'create' end, case when r.operations & 2 > 0 then 'update' end, " +
	"case when r.operations & 4 > 0 then 'delete' end)"

// ruleCount returns a counter of the rule, which has none until it is first
// counted.
func ruleCount(column string) string {
	return "coalesce((select c." + column + " from rule_counts c where c.rule_id = r.id), 0)"
}

// NewRuleViolations returns the reader of the violations of rules.
func NewRuleViolations(db Querier) readmodel.Reader[readmodel.RuleViolationFilter] {
	return newReader(db, ruleViolations, filter[readmodel.RuleViolationFilter]{
		condition{where: "r.rule_id = ?"},
		func(f readmodel.RuleViolationFilter) []any { return []any{int64(f.RuleID)} },
	})
}

var ruleViolations = &mapping{
	resource: readmodel.RuleViolations,
	table:    "rule_violations",
	columns: merge(own("id", "record_id", "user_id", "at", "message"), map[string]string{
		"version": "r.id", // a violation has no version of its own
	}),
}

// NewRuleTrials returns the reader of the list of trials.
func NewRuleTrials(db Querier) readmodel.Reader[readmodel.RuleTrialFilter] {
	return newReader(db, ruleTrials, filter[readmodel.RuleTrialFilter]{
		condition{where: "r.rule_id = ?"},
		func(f readmodel.RuleTrialFilter) []any { return number(f.RuleID) },
	})
}

// isInterrupted is whether the instance that runs the trial has not been heard of.
var isInterrupted = fmt.Sprintf("r.state = 'running' and r.seen_at < now() - interval '%d seconds'", int(repository.TrialLife.Seconds()))

var ruleTrials = &mapping{
	resource: readmodel.RuleTrialList,
	table:    "rule_trials",
	columns: merge(own(
		"id", "rule_id", "name", "resource", "field", "user_id", "passed", "refused", "failed", "started_at", "ended_at",
	), map[string]string{
		"version":    "r.id", // a trial has no version of its own
		"on":         operations,
		"expression": "nullif(r.expression, '')",
		"message":    "nullif(r.message, '')",
		"state":      "case when " + isInterrupted + " then 'failed' else r.state end",
		"error":      "case when " + isInterrupted + " then '" + repository.TrialInterrupted + "' else r.error end",
		"percent":    "case when r.state = 'done' then 100 else least(trunc(r.done * 100), 99)::bigint end",
	}),
}
