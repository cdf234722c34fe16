//go:build full

package chaos_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/test/chaos"
)

func TestAcknowledgedWritesSurviveCrashes(t *testing.T) { // contract 1.9
	s := open(t, nil)
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
	for what, found := range map[string][]string{"lost": r.Lost, "duplicated": r.Duplicated, "broken": r.Inconsistent} {
		if len(found) > 0 {
			t.Errorf("%d are %s:\n%s", len(found), what, strings.Join(found[:min(len(found), 10)], "\n"))
		}
	}
}

// PostgreSQL loses commits that it has not written to disk, and the comparison
// detects that.
func TestResponseBeforeDurableCommitIsDetected(t *testing.T) {
	s := open(t, map[string]string{"synchronous_commit": "off", "wal_writer_delay": "10s"})
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
	s := open(t, nil)
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

// Each violation is caused by statements that bypass the service.
func TestComparisonDetectsEachViolation(t *testing.T) {
	s := open(t, nil)
	c := chaos.Crashes{Writers: 4, Seed: 5}
	log, err := c.During(t.Context(), s, func() error {
		time.Sleep(time.Second)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var last chaos.Report
	if err := chaos.Compare(t.Context(), s, log, &last); err != nil || len(last.Lost)+len(last.Duplicated)+len(last.Inconsistent) > 0 {
		t.Fatalf("%v, %+v", err, last)
	}
	db, err := s.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(context.WithoutCancel(t.Context()))
	const some = "(select id from invoices order by id offset 3 limit 1)"
	for _, of := range []struct {
		sql  string
		want string
	}{
		{"update clients set name = 'other' where id = (select client_id from invoices where id = " + some + ")", "client w"},
		{"update clients set name = (select name from clients order by id desc limit 1) where name = 'other'", "client w"},
		{"update invoices set status = 1, paid_on = null, paid_month = null where id = " + some, "the payment of invoice w"},
		{"update invoice_lines set count = count + 1, total_price = price * (count + 1) where id = (select min(id) from invoice_lines where invoice_id = " + some + ")", "has other totals than its lines"},
		{"update invoice_lines set name = 'other' where id = (select max(id) from invoice_lines where invoice_id = " + some + ")", "line w"},
		{"delete from deal_history where invoice_id = " + some, "is not in its deal's history"},
		{"delete from invoice_lines where invoice_id = " + some, "has no lines"},
		{"delete from invoices where id = " + some, "invoice w"},
		{"delete from client_totals", "read models"},
	} {
		before := last
		if _, err := db.Exec(t.Context(), of.sql); err != nil {
			t.Fatalf("%s: %v", of.sql, err)
		}
		last = chaos.Report{}
		if err := chaos.Compare(t.Context(), s, log, &last); err != nil {
			t.Fatal(err)
		}
		added := newViolations(before, last)
		if !strings.Contains(added, of.want) {
			t.Errorf("after %s there is no violation %q, but:\n%s", of.sql, of.want, added)
		}
	}
}

// newViolations are those of the second report that the first does not have.
func newViolations(before, after chaos.Report) string {
	known := map[string]bool{}
	for _, r := range [][]string{before.Lost, before.Duplicated, before.Inconsistent} {
		for _, what := range r {
			known[what] = true
		}
	}
	var added []string
	for _, r := range [][]string{after.Lost, after.Duplicated, after.Inconsistent} {
		for _, what := range r {
			if !known[what] {
				added = append(added, what)
			}
		}
	}
	return strings.Join(added, "\n")
}
