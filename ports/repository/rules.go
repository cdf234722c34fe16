package repository

import (
	"context"
	"time"

	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/domain/user"
)

// RuleSet is all stored rules, ordered by name. Its version grows with each change of one.
type RuleSet struct {
	Version int64
	Rules   []ruledef.State
}

// What is kept of violations: for how long, and the latest of each rule.
const (
	ViolationLife = 30 * 24 * time.Hour
	MaxViolations = 10_000
)

// Violation is a change that a rule in the modes shadow or warn would have refused.
type Violation struct {
	RuleID   ruledef.ID
	Resource string
	RecordID int64
	UserID   user.ID // zero: an operator at the command line
	At       time.Time
	Message  string // at most ruledef.MaxMessage characters
}

// Rules keeps stored rules. A name is unique: another one like it is a fault.Invalid
// naming the field name.
type Rules interface {
	// Set is the rules that judge this unit of work: all that were committed before its
	// first statement.
	Set() RuleSet
	// Violate stores violations with the changes of this unit of work. Those of a rule that
	// was deleted meanwhile are left out.
	Violate(v ...Violation)
	// Because names the reaction that makes the next changes; empty: none.
	Because(reaction string)

	Lock(ctx context.Context, id ruledef.ID) (*ruledef.Rule, error)
	Add(ctx context.Context, r *ruledef.Rule) (ruledef.ID, error)
	Save(ctx context.Context, r *ruledef.Rule) error
	// Remove deletes a rule and its counts; one with violations is a fault.Conflict.
	Remove(ctx context.Context, r *ruledef.Rule) error
	// Register adds those of the rules whose names no rule has.
	Register(ctx context.Context, rules ...*ruledef.Rule) error
	// RemoveViolations deletes the violations of a rule. They stay in its count of changes
	// that it would have refused.
	RemoveViolations(ctx context.Context, r *ruledef.Rule) error
}
