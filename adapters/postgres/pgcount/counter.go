// Package pgcount counts the verdicts of rules.
//
// Chose: counts are accumulated in memory and stored by background work, instead of with each
// write. Because: a row that every write updates would serialize all writes. Costs: stored
// counts are half a second behind, or longer if many companies write, and a process that is killed, or
// loses the connection while it stores counts, loses those; counts are never too high.
// Violations, whose number is would_refuse, are stored with the write itself.
package pgcount

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/ruledef"
)

// timeout is how long storing may take, at the end of the process too.
const timeout = 5 * time.Second

// Counter counts verdicts by rule. It ignores rules without a stored record.
type Counter struct {
	store func(ctx context.Context, counts map[ruledef.ID]count) error

	mu     sync.Mutex
	counts map[ruledef.ID]count // not stored yet
}

var _ rule.Observer = (*Counter)(nil)

type count struct{ evaluated, refused int64 }

// New returns a counter. The caller has to call Flush, now and then and at the end.
func New(db *pgxpool.Pool) *Counter {
	return &Counter{store: storeIn(db), counts: map[ruledef.ID]count{}}
}

// Observe implements rule.Observer.
func (c *Counter) Observe(verdicts []rule.Verdict) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, v := range verdicts {
		if v.ID == 0 {
			continue
		}
		n := count{evaluated: 1}
		if v.Mode == ruledef.Enforce && v.Outcome != rule.Passed {
			n.refused = 1
		}
		c.add(v.ID, n)
	}
}

func (c *Counter) add(id ruledef.ID, n count) {
	sum := c.counts[id]
	c.counts[id] = count{sum.evaluated + n.evaluated, sum.refused + n.refused}
}

// Flush stores the counts. After an error they are kept for the next call, unless the
// database may have stored them.
func (c *Counter) Flush(ctx context.Context) error {
	counted := c.take()
	if len(counted) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := c.store(ctx, counted)
	if err != nil && !fault.Is(err, fault.OutcomeUnknown) {
		c.putBack(counted)
	}
	return err
}

func (c *Counter) take() map[ruledef.ID]count {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.counts) == 0 {
		return nil
	}
	taken := c.counts
	c.counts = make(map[ruledef.ID]count, len(taken))
	return taken
}

func (c *Counter) putBack(counted map[ruledef.ID]count) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, n := range counted {
		c.add(id, n)
	}
}

// addCounts adds the counts $2 and $3 to those of the rules $1. A rule that was deleted
// meanwhile is left out; one that is being deleted is waited for.
const addCounts = `
insert into rule_counts as c (rule_id, evaluated, refused)
select r.id, n.evaluated, n.refused
from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as n (rule_id, evaluated, refused)
join rules r on r.id = n.rule_id
order by r.id
for key share of r
on conflict (rule_id) do update
set evaluated = c.evaluated + excluded.evaluated, refused = c.refused + excluded.refused`

func storeIn(db *pgxpool.Pool) func(ctx context.Context, counts map[ruledef.ID]count) error {
	return func(ctx context.Context, counts map[ruledef.ID]count) error {
		ids := slices.Sorted(maps.Keys(counts))
		evaluated, refused := make([]int64, len(ids)), make([]int64, len(ids))
		for i, id := range ids {
			evaluated[i], refused[i] = counts[id].evaluated, counts[id].refused
		}
		return postgres.InTransaction(ctx, db, func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, addCounts, ids, evaluated, refused)
			return err
		})
	}
}
