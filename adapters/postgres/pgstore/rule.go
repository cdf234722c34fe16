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
var selectRuleSet = `
select s.version, r.*
from rule_set s
left join (
` + rules.selects + `) r on true
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
		var state ruledef.State
		targets := append([]any{&set.Version}, rules.targets(&state)...)
		isRule := rows.RawValues()[1] != nil // else there are none
		if !isRule {
			clear(targets[1:])
		}
		if err := rows.Scan(targets...); err != nil {
			return set, postgres.Fault(err, postgres.Storing)
		}
		if isRule {
			set.Rules = append(set.Rules, state)
		}
	}
	return set, postgres.Fault(rows.Err(), postgres.Storing)
}

var rules = kept("rules", table[ruledef.ID, *ruledef.Rule, ruledef.State]{
	what: "rule", restore: ruledef.Restore, same: ruledef.Same,
	key: func(s *ruledef.State) (*ruledef.ID, *int64) { return &s.ID, &s.Version },
	removing: func(u *unit, s ruledef.State) {
		u.Remove("delete from rule_violations where rule_id = $1", s.ID)
		u.Remove("delete from rule_counts where rule_id = $1", s.ID)
	},
}, func(c *columns, s *ruledef.State) {
	value(c, "name", &s.Name)
	value(c, "resource", &s.Resource)
	value(c, "operations", &s.On)
	if c.stored("variables", "%s", &s.Variables) {
		c.values = append(c.values, toVariables(s.Variables))
	}
	text(c, "expression", &s.Expression)
	text(c, "message", &s.Message)
	text(c, "field", &s.Field)
	value(c, "forbidden", &s.Forbidden)
	spelled(c, "mode", &s.Mode, known(ruledef.ParseMode))
	spelled(c, "source", &s.Source, known(ruledef.ParseSource))
	value(c, "created_at", &s.CreatedAt)
	value(c, "updated_at", &s.UpdatedAt)
})

// known parses a name. An unknown one, of a later program, is the zero value.
func known[T any](parse func(string) (T, bool)) func(string) (T, error) {
	return func(name string) (T, error) {
		v, _ := parse(name)
		return v, nil
	}
}

// ruleStore has the rules as a unit of work sees and changes them.
type ruleStore struct {
	*records[ruledef.ID, *ruledef.Rule, ruledef.State]
}

func (r ruleStore) Set() repository.RuleSet { return r.ruleSet }

// AddViolations implements repository.Rules. It waits for a transaction that is deleting the rule.
func (r ruleStore) AddViolations(violations ...repository.Violation) {
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

func (r ruleStore) SetReaction(reaction string) { r.reaction = reaction }

// Lock refuses a rule with a mode or source of a later program, which a save would overwrite.
func (r ruleStore) Lock(ctx context.Context, id ruledef.ID) (*ruledef.Rule, error) {
	rule, err := r.records.Lock(ctx, id)
	if err != nil {
		return nil, err
	}
	if s := rule.State(); s.Mode == 0 || s.Source == 0 {
		return nil, fmt.Errorf("rule %d has a mode or a source that this program does not know", id)
	}
	return rule, nil
}

func (r ruleStore) Add(ctx context.Context, rule *ruledef.Rule) (ruledef.ID, error) {
	r.grow()
	return r.records.Add(ctx, rule)
}

func (r ruleStore) Save(ctx context.Context, rule *ruledef.Rule) error {
	if s := rule.State(); !ruledef.Same(r.before[s.ID], s) {
		r.grow()
	}
	return r.records.Save(ctx, rule)
}

func (r ruleStore) Remove(ctx context.Context, rule *ruledef.Rule) error {
	r.grow()
	return r.records.Remove(ctx, rule)
}

// Register implements repository.Rules. If two programs register the same rules at once, the
// second one waits for the first and finds them stored.
func (r ruleStore) Register(_ context.Context, added ...*ruledef.Rule) error {
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
func (r ruleStore) RemoveViolations(_ context.Context, rule *ruledef.Rule) error {
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

// toVariables returns nil, which is stored as null, if there are none.
func toVariables(variables []ruledef.Variable) (stored []variable) {
	for _, v := range variables {
		stored = append(stored, variable(v))
	}
	return stored
}

// grow makes all later writes read the rules again.
func (r ruleStore) grow() {
	r.Store("update rule_set set version = version + $1::bigint", ruleSetStep())
}
