package query

import (
	"context"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// RuleViolations lists the violations of a rule.
type RuleViolations struct {
	readmodel.Reader[readmodel.RuleViolationFilter]
	rules Records
}

var _ readmodel.Reader[readmodel.RuleViolationFilter] = (*RuleViolations)(nil)

// NewRuleViolations wraps the reader of violations.
func NewRuleViolations(violations readmodel.Reader[readmodel.RuleViolationFilter], rules Records) *RuleViolations {
	return &RuleViolations{Reader: violations, rules: rules}
}

// List returns a page; fault.NotFound if the rule does not exist.
func (v *RuleViolations) List(ctx context.Context, q readmodel.Query[readmodel.RuleViolationFilter]) (*readmodel.Rows, error) {
	rows, err := v.Reader.List(ctx, q)
	if err != nil || rows.Total > 0 {
		return rows, err
	}
	return rows, checkExists(ctx, v.rules, int64(q.Filter.RuleID))
}
