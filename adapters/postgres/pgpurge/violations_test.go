package pgpurge

import (
	"fmt"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/ports/repository"
)

// violate stores that many violations of the rule, a millisecond apart, of which the newest is
// that old. The rule is created if it is new.
func (c testCompany) violate(n int, rule string, age time.Duration) {
	c.T.Helper()
	c.Execute(fmt.Sprintf(`
insert into rules (name, resource, operations, mode, source, created_at, updated_at)
values ('%s', 'deal', 7, 'shadow', 'program', now(), now())
on conflict do nothing`, rule))
	_, err := c.Pool.Exec(c.T.Context(), `
insert into rule_violations (rule_id, at, message)
select r.id, $2::timestamptz - n * interval '1 ms', 'no'
from rules r, generate_series($3::int - 1, 0, -1) n
where r.name = $1
order by n desc`, rule, now.Add(-age), n)
	if err != nil {
		c.T.Fatal(err)
	}
}

// violations are those that are stored and those that were purged, by rule.
func (c testCompany) violations() string {
	c.T.Helper()
	return c.Text(`
select coalesce(string_agg(format('%s: %s + %s', r.name, (select count(*) from rule_violations where rule_id = r.id), coalesce(c.would_refuse, 0)), ', ' order by r.name), '')
from rules r
left join rule_counts c on c.rule_id = r.id`)
}

// contract 12.43
func TestPurgeCountsTheViolationsThatItDeletes(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.violate(batchSize+3, "old", repository.ViolationLife)
	c.violate(2, "old", repository.ViolationLife-time.Second)
	c.violate(1, "older", 2*repository.ViolationLife)
	c.violate(1, "recent", 0)
	if n := c.purge(now); n != batchSize+4 {
		t.Errorf("%d violations were purged, want %d", n, batchSize+4)
	}
	if got, want := c.violations(), fmt.Sprintf("old: 2 + %d, older: 0 + 1, recent: 1 + 0", batchSize+3); got != want {
		t.Errorf("stored and purged are %s, want %s", got, want)
	}
	c.purge(now.Add(time.Second))
	if got, want := c.violations(), fmt.Sprintf("old: 0 + %d, older: 0 + 1, recent: 1 + 0", batchSize+5); got != want {
		t.Errorf("a second later, stored and purged are %s, want %s", got, want)
	}
}

// contract 12.43
func TestPurgeKeepsTheLatestViolationsOfEachRule(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.violate(repository.MaxViolations+batchSize+2, "frequent", time.Hour)
	c.violate(repository.MaxViolations, "full", time.Hour)
	latest := c.Text("select max(id) from rule_violations where rule_id = (select id from rules where name = 'frequent')")
	if n := c.purge(now); n != batchSize+2 {
		t.Errorf("%d violations were purged, want %d", n, batchSize+2)
	}
	if got, want := c.violations(), fmt.Sprintf("frequent: %d + %d, full: %d + 0", repository.MaxViolations, batchSize+2, repository.MaxViolations); got != want {
		t.Errorf("stored and purged are %s, want %s", got, want)
	}
	oldest := c.Text("select min(id) + " + fmt.Sprint(repository.MaxViolations-1) + " from rule_violations where rule_id = (select id from rules where name = 'frequent')")
	if oldest != latest {
		t.Errorf("the latest are not kept: the last is %s, want %s", oldest, latest)
	}
}
