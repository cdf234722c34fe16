package repository

import (
	"context"
	"time"

	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/domain/user"
)

// RuleSet has all stored rules, ordered by name. Each change of a rule increases its
// version.
type RuleSet struct {
	Version int64
	Rules   []ruledef.State
}

// How long, and how many, violations of a rule are kept, the latest ones.
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

// Rules stores stored rules. Names are unique: a duplicate is a fault.Invalid for the field
// name. Remove also deletes the violations of a rule.
type Rules interface {
	Store[ruledef.ID, *ruledef.Rule]
	// Set returns the rules that judge this unit of work: all that were committed before
	// its first statement.
	Set() RuleSet
	// AddViolations stores violations at the commit of this unit of work, except for those of
	// rules that have been deleted meanwhile.
	AddViolations(v ...Violation)
	// SetReaction sets the name of the reaction that makes the next changes; empty if no
	// reaction does.
	SetReaction(reaction string)
	// Register adds the rules whose names are not stored yet.
	Register(ctx context.Context, rules ...*ruledef.Rule) error
	// RemoveViolations deletes the violations of a rule. They still count in its
	// would_refuse.
	RemoveViolations(ctx context.Context, r *ruledef.Rule) error
}
