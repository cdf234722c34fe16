//go:build full

package chaos_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/kontor-crm/kontor/test/chaos"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/testprogram"
)

func TestDeadlockVictimIsRetried(t *testing.T) { // contract 6.15, 10.46
	url := pgtest.URL(t)
	_, err := pgtest.Pool(t, url).Exec(t.Context(), fmt.Sprintf("do $$ begin execute format('alter database %%I set deadlock_timeout = %d', current_database()); end $$",
		chaos.DeadlockTimeout.Milliseconds()))
	if err != nil {
		t.Skipf("the user of the test server may not set deadlock_timeout: %v", err)
	}
	s, err := chaos.OpenOn(t.Context(), testprogram.Path(t), url)
	closeAtEnd(t, s, err)
	r, err := chaos.ForceDeadlock(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if r.Deadlocks == 0 {
		t.Error("there was no deadlock")
	}
	if r.Invoice.Status != http.StatusOK || r.Status.Status != http.StatusConflict {
		t.Errorf("the invoice gets %s, and the deletion of the status in use %s; want 200 and 409", r.Invoice, r.Status)
	}
}
