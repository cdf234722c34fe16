package pgpurge

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/workload"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

// now is the time of all purges but where a test says otherwise.
var now = fixture.At.AddDate(1, 0, 0)

type testCompany struct{ workload.Company }

func newCompany(t *testing.T) testCompany {
	t.Helper()
	return testCompany{workload.NewCompany(t)}
}

// claim stores that many responses, a millisecond apart, of which the newest is that old.
func (c testCompany) claim(n int, path string, age time.Duration) {
	c.T.Helper()
	_, err := c.Pool.Exec(c.T.Context(), `
insert into idempotency_keys (user_id, path, key, fingerprint, claimed_at, response)
select $1, $2, 'key ' || n, sha256(''), $3::timestamptz - n * interval '1 ms', 'x'
from generate_series(0, $4::int - 1) n`, c.Office.Manager, path, now.Add(-age), n)
	if err != nil {
		c.T.Fatal(err)
	}
}

func (c testCompany) purge(at time.Time) int64 {
	c.T.Helper()
	purged, err := Purge(c.T.Context(), c.Pool, at)
	if err != nil {
		c.T.Fatal(err)
	}
	return purged
}

func (c testCompany) paths() string {
	c.T.Helper()
	return c.Text("select coalesce(string_agg(distinct path, ' ' order by path), '') from idempotency_keys")
}

// contract 4.92
func TestPurgeDeletesResponsesThatHaveExpired(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.claim(2*batchSize+3, "/expired", repository.ResponseLife+tolerance)
	c.claim(1, "/almost", repository.ResponseLife+tolerance-time.Second)
	c.claim(1, "/valid", repository.ResponseLife-time.Second)
	if n := c.purge(now); n != 2*batchSize+3 {
		t.Errorf("%d responses were purged, want %d", n, 2*batchSize+3)
	}
	if got := c.paths(); got != "/almost /valid" {
		t.Errorf("left are %s", got)
	}
	c.purge(now.Add(time.Second))
	if got := c.paths(); got != "/valid" {
		t.Errorf("a second later, left are %s", got)
	}
}

func TestPurgeDeletesResponsesOfOneInstantTogether(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.claim(batchSize+5, "/expired", 48*time.Hour)
	c.Execute("update idempotency_keys set claimed_at = (select min(claimed_at) from idempotency_keys)")
	c.purge(now)
	if got := c.paths(); got != "" {
		t.Errorf("left are %s", got)
	}
}

// contract 4.92
func TestPurgeContinuesAfterTheClockIsSetBack(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.claim(1, "/of the future", -300*24*time.Hour)
	c.purge(now.AddDate(1, 0, 0))
	c.claim(1, "/expired", 48*time.Hour)
	c.purge(now)
	if got := c.paths(); got != "" {
		t.Errorf("left are %s", got)
	}
}

// contract 4.92, 12.43
func TestPurgeLeavesTheRoundToAProcessThatIsPurging(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.claim(1, "/expired", 48*time.Hour)
	c.violate(repository.MaxViolations+1, "frequent", time.Hour)
	other, err := c.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Exec(t.Context(), "select from purges for update"); err != nil {
		t.Fatal(err)
	}
	if n := c.purge(now); n != 0 {
		t.Errorf("%d rows were purged beside another process", n)
	}
	if err := other.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := c.purge(now); n != 2 {
		t.Errorf("%d rows were purged afterwards, want a response and a violation", n)
	}
}

// An open snapshot keeps the deleted rows and their index entries, which a purge must not
// read again.
//
// contract 4.92
func TestPurgeCostDoesNotGrowWithDeletedRows(t *testing.T) {
	t.Parallel()
	var read []int
	for _, deleted := range []int{batchSize, 20 * batchSize} {
		c := newCompany(t)
		snapshot, err := c.Pool.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: pgx.RepeatableRead})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := snapshot.Exec(t.Context(), "select 1"); err != nil {
			t.Fatal(err)
		}
		c.claim(deleted, "/deleted", 72*time.Hour)
		c.Execute("analyze idempotency_keys")
		c.purge(now)
		c.claim(10, "/expired", 48*time.Hour)
		read = append(read, c.pagesRead())
		if err := snapshot.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("pages read by a purge after %d and %d deletions: %v", batchSize, 20*batchSize, read)
	if read[1] > read[0]+50 {
		t.Errorf("after more deletions, a purge reads %d pages instead of %d", read[1], read[0])
	}
}

// pagesRead is the number of pages that the next batch reads; it is then rolled back.
func (c testCompany) pagesRead() int {
	c.T.Helper()
	e := all[0]
	var from time.Time
	var plan string
	err := pgx.BeginFunc(c.T.Context(), c.Pool, func(tx pgx.Tx) error {
		if err := tx.QueryRow(c.T.Context(), "select purged_until from purges where name = $1", e.name).Scan(&from); err != nil {
			return err
		}
		err := tx.QueryRow(c.T.Context(), "explain (analyze, buffers, format json)"+e.deleteBatch(), from, now.Add(-e.keep), batchSize).Scan(&plan)
		if err != nil {
			return err
		}
		return pgx.ErrTxCommitRollback
	})
	if err != nil && !strings.Contains(err.Error(), pgx.ErrTxCommitRollback.Error()) {
		c.T.Fatal(err)
	}
	var explained []struct {
		Plan struct {
			Hit  int `json:"Shared Hit Blocks"`
			Read int `json:"Shared Read Blocks"`
		}
	}
	if err := json.Unmarshal([]byte(plan), &explained); err != nil {
		c.T.Fatal(err)
	}
	return explained[0].Plan.Hit + explained[0].Plan.Read
}

// contract 5.24
func TestPurgeDeletesTokensThatEndedLongAgo(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	add := func(publicID string, ttl, revokedAfter time.Duration) {
		t.Helper()
		issued := now.AddDate(-1, 0, 0)
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
	year := now.Sub(now.AddDate(-1, 0, 0))
	add("expired long ago", year-90*day, 0)
	add("expired recently", year-90*day+time.Second, 0)
	add("revoked long ago", 0, year-90*day)
	add("revoked recently", 0, year-90*day+time.Second)
	add("revoked long ago and not yet expired", 2*year, year-100*day)
	add("valid", 2*year, 0)
	add("valid for ever", 0, 0)
	if n := c.purge(now); n != 3 {
		t.Errorf("%d tokens were purged, want 3", n)
	}
	const want = "expired recently, revoked recently, valid, valid for ever"
	if got := c.Text("select string_agg(public_id, ', ' order by public_id) from tokens"); got != want {
		t.Errorf("left are %s, want %s", got, want)
	}
}

type fixedClock struct{}

func (fixedClock) Now() time.Time         { return now }
func (fixedClock) Elapsed() time.Duration { return 0 }

// contract 4.92
func TestPurgeWorkerNeedsNoRequests(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.claim(1, "/expired", 48*time.Hour)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		NewWorker(c.Pool, fixedClock{}, slog.New(slog.DiscardHandler)).Run(ctx)
	}()
	for end := time.Now().Add(15 * time.Second); c.paths() != "" && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	cancel()
	<-ended
	if got := c.paths(); got != "" {
		t.Errorf("left are %s", got)
	}
}
