package readmodel

import (
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/ruledef"
)

// RuleFilter filters a list of rules. Absent criteria match every rule.
type RuleFilter struct {
	Name     string // substring of the name
	Resource string
	Mode     domain.Optional[ruledef.Mode]
	Source   domain.Optional[ruledef.Source]
}

// Rules has the attributes of stored rules.
var Rules = &Resource{
	Name:        "rule",
	DefaultSort: "name",
	PerPage:     20,
	Attributes: []Attribute{
		{Name: "id", Kind: ID, Sort: Ascending},
		{Name: "name", Kind: Text, Sort: Ascending},
		{Name: "resource", Kind: Text, Sort: Ascending},
		{Name: "on", Kind: Texts},
		{Name: "variables", Kind: List, Of: RuleVariables, As: "RuleVariable"},
		{Name: "expression", Kind: Text, Optional: true},
		{Name: "message", Kind: Text, Optional: true},
		{Name: "field", Kind: Text, Optional: true},
		{Name: "forbidden", Kind: Bool},
		{Name: "mode", Kind: Text, Sort: Ascending},
		{Name: "source", Kind: Text, Sort: Ascending},
		{Name: "would_refuse", Kind: Integer},
		{Name: "created_at", Kind: Time, Sort: Ascending},
		{Name: "updated_at", Kind: Time, Sort: Ascending},
	},
}

// RuleVariables has the attributes of the variables of a rule.
var RuleVariables = []Attribute{
	{Name: "name", Kind: Text},
	{Name: "expression", Kind: Text},
}

// RuleViolationFilter filters a list of violations by rule.
type RuleViolationFilter struct {
	RuleID ruledef.ID
}

// RuleViolations has the attributes of violations.
var RuleViolations = &Resource{
	Name:        "violation",
	DefaultSort: "-id",
	PerPage:     20,
	Attributes: []Attribute{
		{Name: "id", Kind: ID, Sort: Ascending},
		{Name: "record_id", Kind: ID, Optional: true},
		{Name: "user_id", Kind: ID, Refers: "user", Optional: true},
		{Name: "at", Kind: Time},
		{Name: "message", Kind: Text},
	},
}

// RuleTrials has the attributes of a trial. It is not stored, and so has no id.
var RuleTrials = &Resource{
	Name: "trial",
	Attributes: []Attribute{
		{Name: "name", Kind: Text},
		{Name: "resource", Kind: Text},
		{Name: "on", Kind: Texts},
		{Name: "forbidden", Kind: Bool},
		{Name: "as", Kind: Text},
		{Name: "passed", Kind: Integer},
		{Name: "refused", Kind: Integer},
		{Name: "failed", Kind: Integer},
		{Name: "refusals", Kind: List, Of: ruleFinding, As: "RuleFinding"},
		{Name: "failures", Kind: List, Of: ruleFinding, As: "RuleFinding"},
	},
}

// ruleFinding is a record that a rule did not let pass in a trial.
var ruleFinding = []Attribute{
	{Name: "record_id", Kind: ID},
	{Name: "message", Kind: Text},
}
