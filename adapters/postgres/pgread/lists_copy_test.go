package pgread_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/test/pgtest"
)

// A database that a process is moved to may lack what the one before had: it is a
// standby that lagged when it was promoted, a restored backup, or a replica.
//
// contract 4.43, 4.45, 4.94
func TestSearchIsExactWhenTheDatabaseIsReplacedByACopy(t *testing.T) {
	t.Parallel()
	pgtest.SkipOnCitus(t, "a database in which Citus runs cannot be copied")
	c := newCompany(t)
	w := c.Writer(81)
	w.Steps(60)
	few := c.addClient("Quendel 0", time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC))
	newest := c.addClient("Quendel 1", time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC))
	c.Fold()
	var through snapshots
	through.Querier = c.Pool
	checks := c.listChecks(&through)
	clients := checks[0]
	reads := func(when string, of company) {
		t.Helper()
		through.Querier = of.Pool
		for _, b := range checks {
			if err := b.containing(t.Context(), of.Pool, "süd", 5); err != nil {
				t.Fatalf("%s: %v", when, err)
			}
		}
		if err := clients.containing(t.Context(), of.Pool, "quendel", 5); err != nil {
			t.Fatalf("%s: %v", when, err)
		}
	}
	reads("counted", c)
	behind := company{c.Copy()}
	position := func(of company) int64 { return of.Number("select oldest_open_batch from read_model_state") }

	clients = c.listChecks(&through)[0] // with an empty cache
	c.rename(few, "Thyme")
	c.rename(newest, "Thyme")
	reads("with open changes", c)
	reads("without them", behind)
	reads("with them again", c)

	w.Steps(10)
	for range 3 {
		w.Steps(2)
		c.Fold()
		reads("folded", c)
	}
	reads("behind", behind)
	reads("ahead again", c)
	ahead := position(c)
	other := behind.Writer(82)
	for n := 0; position(behind) < ahead+3; n++ {
		other.Steps(2)
		behind.addClient("Quendel "+strconv.Itoa(2+n), time.Date(2030, 1, n, 0, 0, 0, 0, time.UTC))
		behind.Fold()
		if n%2 == 0 || position(behind) >= ahead {
			reads("at position "+strconv.FormatInt(position(behind), 10)+" of the copy", behind)
			reads("at position "+strconv.FormatInt(ahead, 10), c)
		}
	}
}

// contract 4.43
func TestCachedMatchCountIsNotUsedAfterARebuild(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"insert into client_search (id, text_key) values (1 << 30, 'süd')", "delete from client_search where text_key like '%süd%'"} {
		c := newCompany(t)
		c.Writer(83).Steps(60)
		c.Fold()
		clients := c.listChecks(c.Pool)[0]
		c.Execute(what)
		if err := clients.containing(t.Context(), c.Pool, "süd", 5); err == nil {
			t.Fatal("a search in wrong texts is right")
		}
		c.Rebuild()
		if err := clients.containing(t.Context(), c.Pool, "süd", 5); err != nil {
			t.Errorf("rebuilt: %v", err)
		}
	}
}

// A program of before the tokens moves the position without one.
//
// contract 4.43, 4.45
func TestSearchIsExactWhileAnOlderProgramFolds(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	w := c.Writer(84)
	w.Steps(60)
	checks := c.listChecks(c.Pool)
	reads := func(when string) {
		t.Helper()
		for _, b := range checks {
			if err := b.containing(t.Context(), c.Pool, "süd", 5); err != nil {
				t.Fatalf("%s: %v", when, err)
			}
		}
	}
	const forget = "delete from read_model_positions where batch_id = (select oldest_open_batch from read_model_state)"
	c.Fold()
	c.Execute(forget)
	reads("for the first time, without a token")
	w.Steps(3)
	c.Fold()
	reads("with a token")
	for range 3 {
		w.Steps(3)
		c.Fold()
		c.Execute(forget)
		reads("without a token")
		w.Steps(3)
		reads("with open changes")
	}
}
