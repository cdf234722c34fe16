package chaos_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/test/chaos"
)

// soon has PostgreSQL look for deadlocks soon, so that many can be had.
var soon = map[string]string{"deadlock_timeout": chaos.Looked.String()}

func TestNoDeadlockSurfaces(t *testing.T) {
	r, err := chaos.Tangle{Rounds: times(t, "KONTOR_FAULT_TANGLES", 10), Seed: uint64(time.Now().UnixNano())}.Run(t.Context(), open(t, soon))
	t.Logf("\n%s%v", r, r.Answers)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Failed) > 0 {
		t.Errorf("%d failed:\n%s", len(r.Failed), strings.Join(r.Failed[:min(len(r.Failed), 10)], "\n"))
	}
	if r.Answers[http.StatusOK] < r.Knots || r.Answers[http.StatusConflict] == 0 {
		t.Errorf("the answers are %v: that shows nothing", r.Answers)
	}
	if r.Broken != "" {
		t.Error(r.Broken)
	}
}

func TestWhoLosesADeadlockIsAnsweredAsIfThereWereNone(t *testing.T) { // contract 6.16, 10.46
	r, err := chaos.TieForSure(t.Context(), open(t, soon))
	t.Logf("\n%s", r)
	if err != nil {
		t.Fatal(err)
	}
	if r.Deadlocks == 0 {
		t.Error("there was no deadlock")
	}
	if r.Answers[http.StatusOK] != 1 || r.Answers[http.StatusConflict] != 1 || len(r.Failed) > 0 {
		t.Errorf("the answers are %v, want one 200 for the invoice and one 409 for the status in use: %s", r.Answers, r.Failed)
	}
}

// A program that tries each transaction once tells its callers of deadlocks.
func TestADeadlockThatSurfacesIsFoundOut(t *testing.T) {
	whole := program
	defer func() { program = whole }()
	program = sabotaged(t, "adapters/postgres/transaction.go", "const maxAttempts = 5", "const maxAttempts = 1")
	r, err := chaos.TieForSure(t.Context(), open(t, soon))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s%s", r, strings.Join(r.Failed, "\n"))
	if r.Answers[http.StatusServiceUnavailable] != 1 || len(r.Failed) != 1 {
		t.Errorf("it is not: the answers are %v", r.Answers)
	}
}
