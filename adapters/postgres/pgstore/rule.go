package pgstore

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/ports/repository"
)

// ruleSets has the rules that were read last. Each unit of work begins by comparing their version
// with the stored one, and reads the rules again if they differ.
//
// Chose: a version of the rules, read by each write, over reading the rules at intervals. Because:
// a change of a rule then applies to each write that begins after its response, on every instance.
// Costs: a statement that reads one row in each write.
type ruleSets struct {
	last atomic.Pointer[repository.RuleSet] // nil: has to be read
}

// ruleSetStep is what a change adds to the version. It is random, so that after a restore under
// a running process other rules do not get a version that the process knows.
func ruleSetStep() int64 { return 1 + rand.Int64N(1e9) } //nolint:gosec // not a secret

// The version and the rules are read in one statement, so that they belong together.
const selectRuleSet = `
select s.version, r.id, r.version, r.name, r.resource, r.operations, r.variables, coalesce(r.expression, ''), coalesce(r.message, ''),
    coalesce(r.field, ''), r.forbidden, r.mode, r.source, r.created_at, r.updated_at
from rule_set s
left join rules r on true
order by r.name`

// load returns the rules that the unit of work begins with; version is the stored one.
func (s *ruleSets) load(ctx context.Context, tx pgx.Tx, version int64) (set repository.RuleSet, err error) {
	if last := s.last.Load(); last != nil && last.Version == version {
		return *last, nil
	}
	if set, err = ReadRules(ctx, tx); err == nil {
		s.last.Store(&set)
	}
	return set, err
}

// Querier is a transaction or a connection.
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// ReadRules returns the stored rules in the order of their names.
func ReadRules(ctx context.Context, db Querier) (set repository.RuleSet, err error) {
	rows, err := db.Query(ctx, selectRuleSet)
	if err != nil {
		return set, postgres.Fault(err, postgres.Storing)
	}
	defer rows.Close()
	for rows.Next() {
		var id, version *int64
		var name, resource, expression, message, field, mode, source *string
		var forbidden *bool
		var operations *int16
		var variables []variable
		var createdAt, updatedAt nullTime
		err := rows.Scan(&set.Version, &id, &version, &name, &resource, &operations, &variables, &expression, &message,
			&field, &forbidden, &mode, &source, &createdAt, &updatedAt)
		if err != nil {
			return set, postgres.Fault(err, postgres.Storing)
		}
		if id == nil { // there are no rules
			continue
		}
		state := ruledef.State{
			ID: ruledef.ID(*id), Version: *version, Name: *name, Resource: *resource, On: ruledef.Operations(*operations),
			Variables: variablesFrom(variables), Expression: *expression, Message: *message, Field: *field, Forbidden: *forbidden,
			CreatedAt: createdAt.Time, UpdatedAt: updatedAt.Time,
		}
		state.Mode, _ = ruledef.ParseMode(*mode)
		state.Source, _ = ruledef.ParseSource(*source)
		set.Rules = append(set.Rules, state)
	}
	return set, postgres.Fault(rows.Err(), postgres.Storing)
}

// rules are the rules as a unit of work sees and changes them.
type rules struct {
	tracker[ruledef.ID, ruledef.State]
	changes []repository.Change[ruledef.State]
}

func trackedRules(u *unit) *rules {
	r := &rules{}
	r.tracker = tracked(u, &r.changes, func(s ruledef.State) ruledef.ID { return s.ID }, ruledef.Same)
	return r
}

func (r *rules) Set() repository.RuleSet { return r.ruleSet }

// AddViolations implements repository.Rules. It waits for a transaction that is deleting the rule.
func (r *rules) AddViolations(violations ...repository.Violation) {
	for _, v := range violations {
		r.Store(`
insert into rule_violations (id, rule_id, record_id, user_id, at, message)
select coalesce($6, nextval('rule_violations_id_seq')), r.id, $2::bigint, $3::bigint, $4::timestamptz, $5::text
from (
    select id
    from rules
    where id = $1
    for key share
) r`, v.RuleID, reference(v.RecordID), reference(v.UserID), v.At, v.Message, r.newID())
	}
}

func (r *rules) SetReaction(reaction string) { r.reaction = reaction }

func (r *rules) Lock(ctx context.Context, id ruledef.ID) (*ruledef.Rule, error) {
	var s ruledef.State
	var variables []variable
	var mode, source string
	err := r.existing(ctx, "rule", []any{
		&s.ID, &s.Version, &s.Name, &s.Resource, &s.On, &variables, &s.Expression, &s.Message, &s.Field, &s.Forbidden, &mode, &source,
		&s.CreatedAt, &s.UpdatedAt,
	}, `
select id, version, name, resource, operations, variables, coalesce(expression, ''), coalesce(message, ''), coalesce(field, ''),
    forbidden, mode, source, created_at, updated_at
from rules
where id = $1
for no key update`, id)
	if err != nil {
		return nil, err
	}
	var isMode, isSource bool
	s.Mode, isMode = ruledef.ParseMode(mode)
	s.Source, isSource = ruledef.ParseSource(source)
	if !isMode || !isSource {
		return nil, fmt.Errorf("rule %d has the mode %q and the source %q", s.ID, mode, source)
	}
	s.Variables = variablesFrom(variables)
	r.locked(s)
	return ruledef.Restore(s), nil
}

func (r *rules) Add(ctx context.Context, rule *ruledef.Rule) (ruledef.ID, error) {
	s := rule.State()
	r.grow()
	_, err := r.one(ctx, []any{&s.ID}, `
insert into rules (id, name, resource, operations, expression, message, field, mode, source, created_at, updated_at, variables, forbidden)
values (coalesce($11, nextval('rules_id_seq')), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $12, $13)
returning id`, s.Name, s.Resource, s.On, missing(s.Expression), missing(s.Message), missing(s.Field),
		s.Mode.String(), s.Source.String(), s.CreatedAt, s.UpdatedAt, r.newID(), toVariables(s.Variables), s.Forbidden)
	if err != nil {
		return 0, err
	}
	r.added(s)
	return s.ID, nil
}

func (r *rules) Save(_ context.Context, rule *ruledef.Rule) error {
	s := rule.State()
	if r.saved(s) {
		r.grow()
		r.Store(`
update rules
set version = version + 1, name = $2, resource = $3, operations = $4, expression = $5, message = $6, field = $7, mode = $8, updated_at = $9,
    variables = $10, forbidden = $11
where id = $1`, s.ID, s.Name, s.Resource, s.On, missing(s.Expression), missing(s.Message), missing(s.Field), s.Mode.String(), s.UpdatedAt,
			toVariables(s.Variables), s.Forbidden)
	}
	return nil
}

func (r *rules) Remove(_ context.Context, rule *ruledef.Rule) error {
	s := rule.State()
	r.removed(s)
	r.grow()
	r.Writer.Remove("delete from rule_violations where rule_id = $1", s.ID)
	r.Writer.Remove("delete from rule_counts where rule_id = $1", s.ID)
	r.Writer.Remove("delete from rules where id = $1", s.ID)
	return nil
}

// Register implements repository.Rules. If two programs register the same rules at once, the
// second one waits for the first and finds them stored.
func (r *rules) Register(_ context.Context, added ...*ruledef.Rule) error {
	byName := func(a, b *ruledef.Rule) int { return cmp.Compare(a.State().Name, b.State().Name) }
	for _, rule := range slices.SortedFunc(slices.Values(added), byName) {
		s := rule.State()
		r.Store(`
with added as (
    insert into rules (id, name, resource, operations, mode, source, created_at, updated_at)
    values (coalesce($8, nextval('rules_id_seq')), $1, $2, $3, $4, $5, $6, $6)
    on conflict (name) do nothing
    returning id)
update rule_set set version = version + $7::bigint
where exists (select from added)`, s.Name, s.Resource, s.On, s.Mode.String(), s.Source.String(), s.CreatedAt, ruleSetStep(), r.newID())
	}
	return nil
}

// RemoveViolations implements repository.Rules. A violation that another transaction deletes at
// the same time is counted by one of the two.
func (r *rules) RemoveViolations(_ context.Context, rule *ruledef.Rule) error {
	r.Store(`
with removed as (
    delete from rule_violations
    where rule_id = $1
    returning id)
insert into rule_counts as c (rule_id, would_refuse)
select $1, count(*)
from removed
having count(*) > 0
on conflict (rule_id) do update
set would_refuse = c.would_refuse + excluded.would_refuse`, rule.State().ID)
	return nil
}

// variable is a variable in the column variables, a JSON list.
type variable struct {
	Name       string `json:"name"`
	Expression string `json:"expression"`
}

func variablesFrom(stored []variable) (variables []ruledef.Variable) {
	for _, v := range stored {
		variables = append(variables, ruledef.Variable(v))
	}
	return variables
}

// toVariables returns nil, which is stored as null, if there are none.
func toVariables(variables []ruledef.Variable) (stored []variable) {
	for _, v := range variables {
		stored = append(stored, variable(v))
	}
	return stored
}

// grow makes all later writes read the rules again.
func (r *rules) grow() {
	r.Store("update rule_set set version = version + $1::bigint", ruleSetStep())
}
