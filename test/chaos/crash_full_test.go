//go:build full

package chaos_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/test/chaos"
)

func TestAcknowledgedWritesSurviveCrashes(t *testing.T) { // contract 1.2
	s := open(t)
	c := chaos.Crashes{
		ServiceKills: 100, DatabaseKills: 20, Writers: 8, Seed: uint64(time.Now().UnixNano()),
	}
	t.Logf("seed %d", c.Seed)
	r, err := c.Run(t.Context(), s)
	t.Logf("\n%s", r)
	if err != nil {
		t.Fatal(err)
	}
	if r.Acknowledged < 100 || r.Unknown == 0 {
		t.Errorf("%d writes were acknowledged and %d of unknown outcome: too few to show anything", r.Acknowledged, r.Unknown)
	}
	expectNothing(t, r)
}

// expectNothing fails for what is lost, duplicated or broken.
func expectNothing(t *testing.T, r chaos.Report) {
	t.Helper()
	for what, found := range map[string][]string{"lost": r.Lost, "duplicated": r.Duplicated, "broken": r.Inconsistent} {
		if len(found) > 0 {
			t.Errorf("%d are %s:\n%s", len(found), what, strings.Join(found[:min(len(found), 10)], "\n"))
		}
	}
}

// PostgreSQL loses commits that it has not written to disk, and the comparison
// detects that.
func TestResponseBeforeDurableCommitIsDetected(t *testing.T) {
	s := open(t, "synchronous_commit=off", "wal_writer_delay=10s")
	for try := range 5 {
		r, err := chaos.Crashes{DatabaseKills: 3, Writers: 8, Seed: uint64(try)}.Run(t.Context(), s)
		if len(r.Lost) > 0 {
			t.Logf("lost: %d, such as %s", len(r.Lost), r.Lost[0])
			return
		}
		if err != nil { // such as a 404 for an acknowledged record
			t.Log(err)
		}
	}
	t.Error("nothing was lost")
}

// A creation without a key is repeated although it was committed, if its response
// was lost.
func TestRepetitionWithoutKeyIsDetected(t *testing.T) {
	s := open(t)
	for try := range 5 {
		r, err := chaos.Crashes{ServiceKills: 6, Writers: 8, Seed: uint64(try), WithoutKeys: true}.Run(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Duplicated) > 0 {
			t.Logf("duplicated: %d, such as %s", len(r.Duplicated), r.Duplicated[0])
			return
		}
	}
	t.Error("nothing was duplicated")
}

// contract 16.50, 16.52, 16.57, 16.65
func TestSeriesHasNoGapsAfterCrashes(t *testing.T) {
	t.Setenv("KONTOR_CALLER_SHARE", "100") // the writers share a token
	s := open(t, "track_commit_timestamp=on")
	c := chaos.Crashes{ServiceKills: 10, DatabaseKills: 10, Writers: 100, Seed: uint64(time.Now().UnixNano())}
	t.Logf("seed %d", c.Seed)
	r, err := c.RunIssuing(t.Context(), s)
	t.Logf("\n%s", r)
	if err != nil {
		t.Fatal(err)
	}
	if r.Issued < 500 || r.Credited < 100 || r.Unknown == 0 {
		t.Errorf("%d invoices and %d credit notes were issued, and %d writes of unknown outcome: too few to show anything",
			r.Issued, r.Credited, r.Unknown)
	}
	expectNothing(t, r)
}
