package doctor

import (
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/rest"
)

// contract 15.8, 15.12
func TestWorkersAreConnectedToDirectly(t *testing.T) {
	t.Parallel()
	free := rest.Free(t)
	e := &Examination{settings: Settings{DatabaseURL: pgtest.URL(t), CitusDirect: true}}
	here, err := pgx.ParseConfig(e.settings.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	good := &worker{address: net.JoinHostPort(here.Host, strconv.Itoa(int(here.Port))), answers: true}
	closed := &worker{address: free, answers: true}
	down := &worker{address: free} // the coordinator cannot reach it either
	e.connect(t.Context(), []*worker{good, closed, down})
	if good.unreached != "" || !strings.Contains(closed.unreached, "refused") || down.unreached != "" {
		t.Errorf("got %q, %q and %q", good.unreached, closed.unreached, down.unreached)
	}
}

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
		"not reached directly":       {func(w *worker) { w.unreached = "timeout" }, Warn, "b:1 with bakery (timeout)", "--citus-direct=false"},
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
