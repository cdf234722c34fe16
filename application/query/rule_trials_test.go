package query_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/application/trial"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/ports/repository"
)

// storedTrials has the trial 7.
type storedTrials struct {
	repository.Trials
	ruledef.Trial
}

func (s storedTrials) Read(_ context.Context, id ruledef.TrialID) (ruledef.Trial, error) {
	if id != 7 {
		return ruledef.Trial{}, fault.New(fault.NotFound, "there is no such trial")
	}
	return s.Trial, nil
}

func readTrial(ctx context.Context, t *testing.T, id int64, stored ruledef.Trial) (map[string]string, error) {
	t.Helper()
	s, err := query.Select(readmodel.RuleTrials, query.Parameters{Record: true})
	if err != nil {
		t.Fatal(err)
	}
	trials := trial.NewTrials(nil, storedTrials{Trial: stored}, trial.Limits{}, nil)
	rows, err := query.NewRuleTrials(trials, time.FixedZone("", 3600)).Read(ctx, id, s)
	if err != nil {
		return nil, err
	}
	return texts(rows, s), nil
}

func TestRuleTrialShowsWhatItHas(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	of := ruledef.State{Name: "it", Resource: "deal", On: ruledef.Of(ruledef.Create, ruledef.Delete), Expression: "true", Message: "no"}
	unfinished := ruledef.Trial{Rule: of, UserID: 5, State: ruledef.TrialRunning, StartedAt: at}
	want := map[string]string{
		"version": "1", "name": "it", "resource": "deal", "on": "create,delete", "expression": "true", "message": "no", "user_id": "5",
		"state": "running", "percent": "0", "passed": "0", "refused": "0", "failed": "0", "refusals": "", "failures": "", "started_at": "2026-03-01 13:00:00",
	}
	got, err := readTrial(t.Context(), t, 7, unfinished)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v: -want +got\n%s", err, diff)
	}

	ended := unfinished
	ended.ID, ended.Rule.ID, ended.Rule.Field, ended.Error, ended.EndedAt = 7, 3, "name", "an internal error", at
	maps.Copy(want, map[string]string{"id": "7", "rule_id": "3", "field": "name", "error": "an internal error", "ended_at": "2026-03-01 13:00:00"})
	got, err = readTrial(t.Context(), t, 7, ended)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v: -want +got\n%s", err, diff)
	}
	if _, err := readTrial(t.Context(), t, 8, ended); !fault.Is(err, fault.NotFound) {
		t.Errorf("another trial: %v", err)
	}
}

func TestRuleTrialLimitsTheSizeOfItsFindings(t *testing.T) {
	half := []ruledef.Finding{{Message: strings.Repeat("x", readmodel.MaxBytes/2)}}
	if _, err := readTrial(t.Context(), t, 7, ruledef.Trial{Findings: ruledef.Findings{Refusals: half, Failures: half}}); !errors.Is(err, readmodel.ErrTooLarge) {
		t.Errorf("the error is %v", err)
	}
}
