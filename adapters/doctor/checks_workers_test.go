package doctor

import (
	"strings"
	"testing"
	"time"
)

// contract 15.8
func TestWorkerProblemIsFoundWithAHint(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil       func(*worker)
		state       State
		found, hint string
	}{
		"none":                       {func(*worker) {}, OK, "Citus 13, all 2 are active", ""},
		"not active, with a company": {func(w *worker) { w.isActive, w.answers = false, false }, Fail, "b:1 with bakery", "citus_activate_node"},
		"not active, without one":    {func(w *worker) { w.isActive, w.answers, w.companies = false, false, nil }, Warn, "get no companies: b:1", "citus_remove_node"},
		"not reached":                {func(w *worker) { w.answers, w.failure = false, "refused" }, Fail, "b:1 with bakery (refused)", "citus_update_node"},
		"without prepared":           {func(w *worker) { w.prepared = 0 }, Fail, "prepared transactions: b:1", "max_prepared_transactions"},
		"with a shorter timeout":     {func(w *worker) { w.statementTimeout = time.Second }, Warn, "shorter statement timeout", "reset statement_timeout"},
		"with a longer timeout":      {func(w *worker) { w.statementTimeout = time.Minute }, OK, "active", ""},
		"without metadata":           {func(w *worker) { w.isSynced = false }, Warn, "lack the metadata", "start_metadata_sync_to_all_nodes"},
		"without a logical log":      {func(w *worker) { w.walLevel = "replica" }, Warn, "cannot be moved", "wal_level"},
	} {
		all := []*worker{
			{address: "a:1", isActive: true, isSynced: true, answers: true, walLevel: "logical", prepared: 200},
			{address: "b:1", isActive: true, isSynced: true, answers: true, walLevel: "logical", prepared: 200, companies: []string{"bakery"}},
		}
		c.spoil(all[1])
		f := judgeWorkers(all, 13, 10*time.Second)
		if f.State != c.state || !strings.Contains(f.Found, c.found) || !strings.Contains(f.Hint, c.hint) || (f.Hint == "") != (c.state == OK) {
			t.Errorf("%s: %v", name, f)
		}
	}
	if f := suitableCitus(12); f.State != Fail || !strings.Contains(f.Hint, "13 or later") {
		t.Errorf("version 12: %v", f)
	}
}
