package pgtrial_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/adapters/postgres/pgtrial"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/pgtest"
)

func TestTrialIsStoredWithItsProgressAndEnd(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t, pgtest.URL(t))
	trials := pgtrial.NewTrials(pool)
	trial := ruledef.Trial{
		Rule:   ruledef.State{ID: 3, Name: "x", Resource: "deal", On: ruledef.Of(ruledef.Update), Expression: "true", Message: "no", Field: "name"},
		UserID: 4, State: ruledef.TrialRunning, StartedAt: fixture.At,
	}
	var err error
	if trial.ID, err = trials.Start(t.Context(), trial); err != nil {
		t.Fatal(err)
	}
	trial.Findings = ruledef.Findings{Passed: 1, Refused: 2, Failed: 3, Refusals: []ruledef.Finding{{RecordID: 5, Message: "no"}}, Failures: []ruledef.Finding{}, Done: 0.5}
	if isRunning, err := trials.Progress(t.Context(), trial.ID, trial.Findings); err != nil || !isRunning {
		t.Errorf("it runs: %v, %v", isRunning, err)
	}
	trial.State, trial.Error, trial.EndedAt = ruledef.TrialFailed, "stopped", fixture.At
	if err := trials.End(t.Context(), trial); err != nil {
		t.Fatal(err)
	}
	if isRunning, err := trials.Progress(t.Context(), trial.ID, ruledef.Findings{}); err != nil || isRunning {
		t.Errorf("it runs after its end: %v, %v", isRunning, err)
	}
	got, err := trials.Read(t.Context(), trial.ID)
	if diff := cmp.Diff(trial, got); err != nil || diff != "" {
		t.Errorf("%v: -stored +read\n%s", err, diff)
	}
	if err := trials.Remove(t.Context(), trial.ID); err != nil {
		t.Error(err)
	}
	if err := trials.Remove(t.Context(), trial.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("removed twice: %v", err)
	}
	if _, err := trials.Read(t.Context(), trial.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("read after its removal: %v", err)
	}
}

func TestTrialOfAnInstanceThatIsGoneHasFailed(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t, pgtest.URL(t))
	trials := pgtrial.NewTrials(pool)
	trial := ruledef.Trial{Rule: ruledef.State{ID: 3, Name: "x", Resource: "deal", On: 1, Expression: "true", Message: "no"}, StartedAt: fixture.At}
	id, err := trials.Start(t.Context(), trial)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pool.Exec(t.Context(), "update rule_trials set seen_at = now() - interval '1 minute'"); err != nil {
		t.Fatal(err)
	}
	if got, err := trials.Read(t.Context(), id); err != nil || got.State != ruledef.TrialFailed || got.Error == "" {
		t.Errorf("it is %+v, %v", got, err)
	}
	if _, err := trials.Start(t.Context(), trial); err != nil {
		t.Error(err)
	}
	if _, err := pool.Exec(t.Context(), "update rule_trials set seen_at = now()"); err != nil {
		t.Fatal(err)
	}
	if isRunning, err := trials.Progress(t.Context(), id, ruledef.Findings{}); err != nil || isRunning {
		t.Errorf("it goes on: %v, %v", isRunning, err)
	}
}
