package pgcount

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/workload"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

// newCompany has the rules 1 and 2.
func newCompany(t *testing.T) (workload.Company, *Counter) {
	t.Helper()
	c := workload.NewCompany(t)
	c.Execute(`
insert into rules (name, resource, operations, mode, source, created_at, updated_at)
values ('one', 'deal', 7, 'enforce', 'program', now(), now()), ('two', 'deal', 7, 'shadow', 'program', now(), now())`)
	return c, New(c.Pool)
}

func verdict(id ruledef.ID, m ruledef.Mode, o rule.Outcome) rule.Verdict {
	return rule.Verdict{ID: id, Mode: m, Outcome: o}
}

func wantCounts(t *testing.T, c workload.Company, want string) {
	t.Helper()
	const counts = "select coalesce(string_agg(format('%s: %s %s %s', rule_id, evaluated, refused, would_refuse), ', ' order by rule_id), '') from rule_counts"
	if got := c.Text(counts); got != want {
		t.Errorf("the counts are %q, want %q", got, want)
	}
}

func flush(t *testing.T, c *Counter) {
	t.Helper()
	if err := c.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// contract 12.40
func TestCounterAddsUpVerdictsOfStoredRules(t *testing.T) {
	t.Parallel()
	c, counter := newCompany(t)
	writes := [][]rule.Verdict{
		{verdict(1, ruledef.Enforce, rule.Passed), verdict(2, ruledef.Shadow, rule.Refused)},
		{verdict(1, ruledef.Enforce, rule.Refused), verdict(0, ruledef.Enforce, rule.Refused)},
		{verdict(1, ruledef.Enforce, rule.Failed), verdict(2, ruledef.Warn, rule.Failed)},
	}
	for range 2 {
		for _, verdicts := range writes {
			counter.Observe(verdicts)
		}
		flush(t, counter)
		flush(t, counter)
	}
	wantCounts(t, c, "1: 6 4 0, 2: 4 0 0")
}

func TestCounterIgnoresRulesWithoutARecord(t *testing.T) {
	counter := New(nil)
	counter.store = func(context.Context, map[ruledef.ID]count) error {
		t.Error("counts of no rule are stored")
		return nil
	}
	counter.Observe([]rule.Verdict{verdict(0, ruledef.Enforce, rule.Refused)})
	flush(t, counter)
}

// contract 12.42
func TestCounterLeavesOutADeletedRule(t *testing.T) {
	t.Parallel()
	c, counter := newCompany(t)
	counter.Observe([]rule.Verdict{verdict(1, ruledef.Enforce, rule.Passed), verdict(2, ruledef.Shadow, rule.Passed)})
	deletion, err := c.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := deletion.Exec(t.Context(), "delete from rules where id = 1"); err != nil {
		t.Fatal(err)
	}
	flushed := make(chan error, 1)
	go func() { flushed <- counter.Flush(context.WithoutCancel(t.Context())) }()
	for pgtest.LockWaits(t, c.Pool) == 0 {
		time.Sleep(time.Millisecond)
	}
	if err := deletion.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-flushed; err != nil {
		t.Fatal(err)
	}
	wantCounts(t, c, "2: 1 0 0")
}

// contract 12.41
func TestCounterKeepsWhatIsNotStored(t *testing.T) {
	for name, c := range map[string]struct {
		failure error
		want    int64
	}{
		"an outage":                  {fault.New(fault.Unavailable, "no database"), 2},
		"a commit of unknown result": {fault.New(fault.OutcomeUnknown, "no response"), 1},
	} {
		t.Run(name, func(t *testing.T) {
			counter := New(nil)
			failure, stored := c.failure, int64(0)
			counter.store = func(_ context.Context, counts map[ruledef.ID]count) error {
				if err := failure; err != nil {
					failure = nil
					return err
				}
				stored += counts[1].evaluated
				return nil
			}
			passed := []rule.Verdict{verdict(1, ruledef.Enforce, rule.Passed)}
			counter.Observe(passed)
			if err := counter.Flush(t.Context()); err == nil {
				t.Error("the failure is not reported")
			}
			counter.Observe(passed)
			flush(t, counter)
			if stored != c.want {
				t.Errorf("%d evaluations are stored, want %d", stored, c.want)
			}
		})
	}
}
