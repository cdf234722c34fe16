package postgres_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/workload"
)

// expiring is a company in which records expire.
type expiring struct{ workload.Company }

// purgeTime is the time of all purges but where a test says otherwise.
var purgeTime = fixture.At.AddDate(1, 0, 0)

// claim stores that many responses, a millisecond apart, of which the newest is that old.
func (c expiring) claim(n int, path string, age time.Duration) {
	c.T.Helper()
	_, err := c.Pool.Exec(c.T.Context(), `
insert into idempotency_keys (user_id, path, key, fingerprint, claimed_at, response)
select $1, $2, 'key ' || n, sha256(''), $3::timestamptz - n * interval '1 ms', 'x'
from generate_series(0, $4::int - 1) n`, c.Office.Manager, path, purgeTime.Add(-age), n)
	if err != nil {
		c.T.Fatal(err)
	}
}

func (c expiring) purge(at time.Time) {
	c.T.Helper()
	if err := postgres.Purge(c.T.Context(), c.Pool, at, 400*24*time.Hour); err != nil {
		c.T.Fatal(err)
	}
}

func (c expiring) paths() string {
	c.T.Helper()
	return c.Text("select coalesce(string_agg(distinct path, ' ' order by path), '') from idempotency_keys")
}

// contract 4.92
func TestPurgeDeletesResponsesThatHaveExpired(t *testing.T) {
	t.Parallel()
	c := expiring{workload.NewCompany(t)}
	const kept = 25 * time.Hour
	c.claim(2003, "/expired", kept) // more than one statement deletes
	c.claim(1, "/almost", kept-time.Second)
	c.claim(1, "/valid", repository.ResponseLife-time.Second)
	c.purge(purgeTime)
	if got := c.paths(); got != "/almost /valid" {
		t.Errorf("left are %s", got)
	}
	c.purge(purgeTime.Add(time.Second))
	if got := c.paths(); got != "/valid" {
		t.Errorf("a second later, left are %s", got)
	}
}

// contract 4.196
func TestPurgeDeletesChangesThatAreTooOld(t *testing.T) {
	t.Parallel()
	c := expiring{workload.NewCompany(t)}
	if _, err := c.Pool.Exec(t.Context(), `
insert into record_changes (resource, record_id, action, attributes, at)
select 'client', days, 'update', '[]', $1::timestamptz - days * interval '24 hours'
from unnest(array[399, 400, 401]) days`, purgeTime); err != nil {
		t.Fatal(err)
	}
	c.purge(purgeTime)
	if got := c.Text("select string_agg(record_id::text, ' ') from record_changes where record_id > 300"); got != "399" {
		t.Errorf("left are those of %s days ago", got)
	}
}

// contract 4.92
func TestPurgeSkipsWhatAnotherInstanceDeletes(t *testing.T) {
	t.Parallel()
	c := expiring{workload.NewCompany(t)}
	c.claim(1, "/taken", 48*time.Hour)
	c.claim(1, "/free", 48*time.Hour)
	other, err := c.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	execute(t, other, "select from idempotency_keys where path = '/taken' for update")
	c.purge(purgeTime)
	if got := c.paths(); got != "/taken" {
		t.Errorf("left are %s", got)
	}
	if err := other.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.purge(purgeTime)
	if got := c.paths(); got != "" {
		t.Errorf("left are %s", got)
	}
}

// contract 5.8
func TestPurgeDeletesTokensThatEndedLongAgo(t *testing.T) {
	t.Parallel()
	c := expiring{workload.NewCompany(t)}
	add := func(publicID string, ttl, revokedAfter time.Duration) {
		t.Helper()
		issued := purgeTime.AddDate(-1, 0, 0)
		tok := fixture.Must(token.New(c.Office.Manager, publicID, token.Hash{}, ttl, issued))
		fixture.Do(t, c.Tx, c.Office.Manager, func(ctx context.Context, s repository.Stores) error {
			_, err := s.Tokens.Add(ctx, tok)
			if err != nil || revokedAfter == 0 {
				return err
			}
			locked, err := s.Tokens.LockByPublicID(ctx, publicID)
			if err != nil {
				return err
			}
			locked.Revoke(issued.Add(revokedAfter))
			return s.Tokens.Save(ctx, locked)
		})
	}
	const day = 24 * time.Hour
	year := purgeTime.Sub(purgeTime.AddDate(-1, 0, 0))
	add("expired long ago", year-90*day, 0)
	add("expired recently", year-90*day+time.Second, 0)
	add("revoked long ago", 0, year-90*day)
	add("revoked recently", 0, year-90*day+time.Second)
	add("revoked long ago and not yet expired", 2*year, year-100*day)
	add("valid", 2*year, 0)
	add("valid for ever", 0, 0)
	c.purge(purgeTime)
	const want = "expired recently, revoked recently, valid, valid for ever"
	if got := c.Text("select string_agg(public_id, ', ' order by public_id) from tokens"); got != want {
		t.Errorf("left are %s, want %s", got, want)
	}
}

// violate stores that many violations of the rule, a millisecond apart, of which the newest is
// that old. The rule is created if it is new.
func (c expiring) violate(n int, rule string, age time.Duration) {
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
order by n desc`, rule, purgeTime.Add(-age), n)
	if err != nil {
		c.T.Fatal(err)
	}
}

// violations are those that are stored and those that were purged, by rule.
func (c expiring) violations() string {
	c.T.Helper()
	return c.Text(`
select coalesce(string_agg(format('%s: %s + %s', r.name, (select count(*) from rule_violations where rule_id = r.id), coalesce(c.would_refuse, 0)), ', ' order by r.name), '')
from rules r
left join rule_counts c on c.rule_id = r.id`)
}

func TestPurgeCountsTheViolationsThatItDeletes(t *testing.T) {
	t.Parallel()
	c := expiring{workload.NewCompany(t)}
	c.violate(1003, "old", repository.ViolationLife)
	c.violate(2, "old", repository.ViolationLife-time.Second)
	c.violate(1, "older", 2*repository.ViolationLife)
	c.violate(1, "recent", 0)
	c.purge(purgeTime)
	if got, want := c.violations(), "old: 2 + 1003, older: 0 + 1, recent: 1 + 0"; got != want {
		t.Errorf("stored and purged are %s, want %s", got, want)
	}
	c.purge(purgeTime.Add(time.Second))
	if got, want := c.violations(), "old: 0 + 1005, older: 0 + 1, recent: 1 + 0"; got != want {
		t.Errorf("a second later, stored and purged are %s, want %s", got, want)
	}
}

func TestPurgeKeepsTheLatestViolationsOfEachRule(t *testing.T) {
	t.Parallel()
	c := expiring{workload.NewCompany(t)}
	const excess = 1002
	c.violate(repository.MaxViolations+excess, "frequent", time.Hour)
	c.violate(repository.MaxViolations, "full", time.Hour)
	const frequent = " from rule_violations where rule_id = (select id from rules where name = 'frequent')"
	latest := c.Text("select max(id)::text" + frequent)
	c.purge(purgeTime)
	if got, want := c.violations(), fmt.Sprintf("frequent: %d + %d, full: %d + 0", repository.MaxViolations, excess, repository.MaxViolations); got != want {
		t.Errorf("stored and purged are %s, want %s", got, want)
	}
	if last := c.Text(fmt.Sprintf("select (min(id) + %d)::text", repository.MaxViolations-1) + frequent); last != latest {
		t.Errorf("the latest are not kept: the last is %s, want %s", last, latest)
	}
}
