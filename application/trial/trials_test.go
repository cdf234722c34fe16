package trial_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/application/trial"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/repository"
)

// store keeps trials in memory.
type store struct {
	mu       sync.Mutex
	all      map[ruledef.TrialID]ruledef.Trial
	last     ruledef.TrialID
	reported chan ruledef.Findings // of one Progress
	ended    chan ruledef.Trial
	fails    error // of the next Progress
}

func newStore() *store {
	return &store{all: map[ruledef.TrialID]ruledef.Trial{}, reported: make(chan ruledef.Findings, 1), ended: make(chan ruledef.Trial, 10)}
}

func (s *store) Start(_ context.Context, t ruledef.Trial) (ruledef.TrialID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	t.ID = s.last
	s.all[t.ID] = t
	return t.ID, nil
}

func (s *store) Progress(_ context.Context, id ruledef.TrialID, f ruledef.Findings) (bool, error) {
	select {
	case s.reported <- f:
	default:
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.fails; err != nil {
		s.fails = nil
		return false, err
	}
	_, isRunning := s.all[id]
	return isRunning, nil
}

func (s *store) End(ctx context.Context, t ruledef.Trial) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.all[t.ID]; ok {
		s.all[t.ID] = t
	}
	s.ended <- t
	return nil
}

func (s *store) Read(_ context.Context, id ruledef.TrialID) (ruledef.Trial, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.all[id]
	if !ok {
		return t, fault.New(fault.NotFound, "there is no such trial")
	}
	return t, nil
}

func (s *store) Remove(_ context.Context, id ruledef.TrialID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, id)
	return nil
}

// received is what comes next.
func received[T any](t *testing.T, from <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-from:
	case <-time.After(3 * time.Second):
		t.Fatal("nothing comes")
	}
	return v
}

const (
	endless = 1 << 60 // records
	locked  = -1      // the snapshot is never taken
)

func passes(rule.Input) rule.Judgement { return rule.Judgement{Passes: true} }

// inBackground runs trials on that many records until the test ends; failed receives internal
// errors.
func inBackground(t *testing.T, s *store, n int64, l trial.Limits, failed func(error)) *trial.Trials {
	t.Helper()
	e := expression(passes)
	registry, err := rule.NewRegistry(e, nil)
	if err != nil {
		t.Fatal(err)
	}
	l.Slots = make(trial.Slots, 1)
	all := trial.NewTrials(trial.NewRunner(e, fresh{n}, registry, clock{}), s, l, failed)
	t.Cleanup(all.Stop)
	return all
}

// fresh takes a new snapshot for each trial; one without records cannot be taken.
type fresh struct{ n int64 }

func (f fresh) Take(ctx context.Context, resource string, attributes []string) (repository.Snapshot, error) {
	switch f.n {
	case 0:
		return nil, errors.New("out of order")
	case locked:
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return (&records{n: f.n, size: 1}).Take(ctx, resource, attributes)
}

var (
	patient   = trial.Limits{Wait: time.Hour, Pulse: time.Hour}
	impatient = trial.Limits{Wait: 0, Pulse: time.Millisecond}
	asked     = command.Request{Actor: someone}
)

var attributes = ruledef.Attributes{
	Name: optional.Some("x"), Resource: optional.Some("client"), On: optional.Some([]string{"update"}), Expression: optional.Some("true"), Message: optional.Some("no"),
}

func none(error) {}

// contract 12.77
func TestTrialThatEndsInTimeIsInTheResponse(t *testing.T) {
	s := newStore()
	all := inBackground(t, s, 5, patient, none)
	got, err := all.TryNew(t.Context(), asked, attributes)
	if err != nil || got.State != ruledef.TrialDone || got.Findings.Passed != 5 || got.UserID != someone.UserID || !got.EndedAt.Equal(at) {
		t.Errorf("it is %+v, %v", got, err)
	}
	stored, err := all.Read(t.Context(), got.ID)
	if diff := cmp.Diff(got, stored); err != nil || diff != "" {
		t.Errorf("%v: -responded +stored\n%s", err, diff)
	}
}

// contract 12.77, 12.78
func TestTrialThatTakesLongGoesOnAndReportsItsProgress(t *testing.T) {
	s := newStore()
	s.fails = errors.New("the database is down") // once, which ends nothing
	all := inBackground(t, s, endless, trial.Limits{Wait: time.Millisecond, Pulse: time.Millisecond}, none)
	got, err := all.TryNew(t.Context(), asked, attributes)
	if err != nil || got.State != ruledef.TrialRunning || !got.EndedAt.IsZero() {
		t.Fatalf("it is %+v, %v", got, err)
	}
	for reports, passed := 0, int64(0); reports < 3 || passed == 0; reports++ {
		passed = received(t, s.reported).Passed
	}
}

// contract 12.80
func TestTrialEndsWhenItIsRemoved(t *testing.T) {
	for name, remove := range map[string]func(ctx context.Context, s *store, all *trial.Trials, id ruledef.TrialID) error{
		"here": func(ctx context.Context, _ *store, all *trial.Trials, id ruledef.TrialID) error {
			return all.Remove(ctx, asked, id)
		},
		"by another instance": func(ctx context.Context, s *store, _ *trial.Trials, id ruledef.TrialID) error {
			return s.Remove(ctx, id)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore()
			limits := trial.Limits{Wait: time.Millisecond, Pulse: time.Hour}
			if name != "here" {
				limits.Pulse = time.Millisecond
			}
			all := inBackground(t, s, endless, limits, func(err error) { t.Error(err) })
			got, err := all.TryNew(t.Context(), asked, attributes)
			if err != nil {
				t.Fatal(err)
			}
			if err := remove(t.Context(), s, all, got.ID); err != nil {
				t.Fatal(err)
			}
			received(t, s.ended)
			if _, err := all.Read(t.Context(), got.ID); !fault.Is(err, fault.NotFound) {
				t.Errorf("after its removal it can be read: %v", err)
			}
		})
	}
}

// contract 12.81
func TestTrialFailsWhenItsServiceStops(t *testing.T) {
	for _, n := range []int64{endless, locked} {
		all := inBackground(t, newStore(), n, trial.Limits{Wait: time.Millisecond, Pulse: time.Hour}, func(err error) { t.Error(err) })
		got, err := all.TryNew(t.Context(), asked, attributes)
		if err != nil {
			t.Fatal(err)
		}
		all.Stop()
		if stored, err := all.Read(t.Context(), got.ID); err != nil || stored.State != ruledef.TrialFailed || stored.Error != "the service was stopped" {
			t.Errorf("it is %+v, %v", stored, err)
		}
	}
}

func TestTrialHidesAnInternalErrorAndReportsIt(t *testing.T) {
	var told error
	got, err := inBackground(t, newStore(), 0, patient, func(err error) { told = err }).TryNew(t.Context(), asked, attributes)
	if err != nil || got.State != ruledef.TrialFailed || got.Error != "an internal error" {
		t.Errorf("it is %+v, %v", got, err)
	}
	if told == nil || told.Error() != "out of order" {
		t.Errorf("the error is %v", told)
	}
}

// contract 12.82
func TestTrialsRunOneAtATime(t *testing.T) {
	all := inBackground(t, newStore(), endless, impatient, none)
	if _, err := all.TryNew(t.Context(), asked, attributes); err != nil {
		t.Fatal(err)
	}
	if _, err := all.TryNew(t.Context(), asked, attributes); !fault.Is(err, fault.Unavailable) {
		t.Errorf("the second: %v", err)
	}
}

// contract 12.83
func TestTrialInADryRunStoresNothing(t *testing.T) {
	s := newStore()
	all := inBackground(t, s, endless, trial.Limits{Wait: time.Millisecond, Pulse: time.Millisecond}, none)
	dry := asked
	dry.DryRun = true
	for range 2 { // the second finds the first one ended
		got, err := all.TryNew(t.Context(), dry, attributes)
		if err != nil || got.ID != 0 || got.State != ruledef.TrialRunning {
			t.Errorf("it is %+v, %v", got, err)
		}
	}
	if len(s.all) != 0 || s.last != 0 || len(s.reported)+len(s.ended) != 0 {
		t.Errorf("stored: %+v", s.all)
	}
}

// contract 12.79
func TestTrialIsStartedAndRemovedByAdminsOnly(t *testing.T) {
	s := newStore()
	all := inBackground(t, s, 1, patient, none)
	stored, err := all.TryNew(t.Context(), asked, attributes)
	if err != nil {
		t.Fatal(err)
	}
	for _, role := range []user.Role{user.Manager, user.Viewer} {
		r := command.Request{Actor: access.Actor{UserID: 2, Role: role}}
		_, inNew := all.TryNew(t.Context(), r, attributes)
		_, inStored := all.TryStored(t.Context(), r, 1, ruledef.Attributes{})
		for _, err := range []error{inNew, inStored, all.Remove(t.Context(), r, stored.ID)} {
			if !fault.Is(err, fault.Forbidden) {
				t.Errorf("a %s: %v", role, err)
			}
		}
	}
	stale := asked
	stale.Expect = []int64{7}
	if err := all.Remove(t.Context(), stale, stored.ID); !fault.Is(err, fault.Stale) {
		t.Errorf("another version: %v", err)
	}
}

func TestTrialNamesEveryWrongField(t *testing.T) {
	all := inBackground(t, newStore(), 1, patient, none)
	wrong := asked
	wrong.Wrong = []fault.Field{{Name: "on", Message: "must be a list of texts"}}
	_, err := all.TryNew(t.Context(), wrong, ruledef.Attributes{Name: optional.Some("No Name")})
	got := map[string]bool{}
	for _, f := range fault.As(err).Fields {
		got[f.Name] = true
	}
	if want := map[string]bool{"on": true, "name": true, "resource": true, "expression": true, "message": true}; !cmp.Equal(got, want) {
		t.Errorf("the wrong fields are %v", got)
	}
}
