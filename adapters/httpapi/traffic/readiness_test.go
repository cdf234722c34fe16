package traffic

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var errUnreachable = errors.New("unreachable")

// database is checked by a Readiness.
type database struct {
	mu     sync.Mutex
	fails  bool
	hangs  bool // when it fails
	checks []time.Time
}

func (d *database) check(ctx context.Context) error {
	d.mu.Lock()
	d.checks = append(d.checks, time.Now())
	fails, hangs := d.fails, d.hangs
	d.mu.Unlock()
	if fails && hangs {
		<-ctx.Done()
	}
	if fails {
		return errUnreachable
	}
	return nil
}

// checked is when the database was checked.
func (d *database) checked() []time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.checks)
}

func (d *database) fail(now, hanging bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fails, d.hangs = now, hanging
}

// inFakeTime runs the test, and waits until the checks have ended.
func inFakeTime(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		defer time.Sleep(time.Minute)
		test(t)
	})
}

// contract 1.18, 1.79
func TestReadinessChecksAtMostOnceASecond(t *testing.T) {
	inFakeTime(t, func(t *testing.T) { //nolint:thelper // the test itself
		d := &database{}
		r := NewReadiness(d.check, nil, slog.New(slog.DiscardHandler))
		for range 40 {
			for range 1000 {
				go func() {
					if err := r.Err(t.Context()); err != nil {
						t.Error(err)
					}
				}()
			}
			time.Sleep(130 * time.Millisecond)
		}
		checks := d.checked()
		for i := 1; i < len(checks); i++ {
			if pause := checks[i].Sub(checks[i-1]); pause < time.Second {
				t.Errorf("check %d is %s after the one before", i+1, pause)
			}
		}
		asked := len(checks)
		time.Sleep(time.Hour)
		if idle := len(d.checked()) - asked; asked != 6 || idle > 2 {
			t.Errorf("%d checks in 5.2 s, and %d after the last probe", asked, idle)
		}
	})
}

// A load balancer probes each second, with a timeout of one, and removes an instance after
// two failures. Whenever the database fails, that takes less than 3 s.
//
// contract 1.18, 1.79
func TestReadinessFailsTwoProbesWithinThreeSecondsOfAFailure(t *testing.T) {
	for name, hanging := range map[string]bool{"rejects": false, "hangs": true} {
		t.Run(name, func(t *testing.T) {
			for phase := 5 * time.Millisecond; phase < time.Second; phase += 10 * time.Millisecond {
				for between := range 10 { // another prober, in all phases
					inFakeTime(t, func(t *testing.T) { //nolint:thelper // the test itself
						d := &database{}
						r := NewReadiness(d.check, nil, slog.New(slog.DiscardHandler))
						go func() {
							for range 10 {
								_ = r.Err(t.Context())
								time.Sleep(time.Second)
							}
						}()
						time.Sleep(time.Duration(between) * 100 * time.Millisecond)
						failed := time.Now().Add(3*time.Second + phase)
						time.AfterFunc(time.Until(failed), func() { d.fail(true, hanging) })
						for failures := 0; failures < 2; {
							begun := time.Now()
							if r.Err(t.Context()) != nil {
								failures++
							}
							if took := time.Since(begun); took >= 900*time.Millisecond {
								t.Fatalf("a probe took %s", took)
							}
							if failures < 2 {
								time.Sleep(time.Second)
							}
						}
						if took := time.Since(failed); took <= 0 || took >= 3*time.Second {
							t.Errorf("phases %s and 0.%d s: two probes had failed after %s", phase, between, took)
						}
					})
				}
			}
		})
	}
}

func TestReadinessLogsEachChangeOnce(t *testing.T) {
	inFakeTime(t, func(t *testing.T) { //nolint:thelper // the test itself
		d, log := &database{}, &strings.Builder{}
		r := NewReadiness(d.check, nil, slog.New(slog.NewTextHandler(log, nil)))
		for _, fails := range []bool{false, true, false} {
			d.fail(fails, false)
			time.Sleep(time.Second)
			for range 50 {
				if err := r.Err(t.Context()); (err != nil) != fails {
					t.Fatalf("failing %t: %v", fails, err)
				}
				time.Sleep(100 * time.Millisecond)
			}
		}
		warned, back := strings.Count(log.String(), `msg="not ready" error=unreachable`), strings.Count(log.String(), `msg="ready again"`)
		if warned != 1 || back != 1 || strings.Count(log.String(), "\n") != 2 {
			t.Errorf("after one failure and its end the log is\n%s", log)
		}
	})
}

// contract 1.18, 1.35
func TestReadinessEndsWithTheShutdown(t *testing.T) {
	inFakeTime(t, func(t *testing.T) { //nolint:thelper // the test itself
		d, s, log := &database{}, &Shutdown{}, &strings.Builder{}
		r := NewReadiness(d.check, s, slog.New(slog.NewTextHandler(log, nil)))
		if err := r.Err(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.Begin()
		d.fail(true, false)
		if err := r.Err(t.Context()); !errors.Is(err, ErrShutdown) {
			t.Errorf("during the shutdown: %v", err)
		}
		if time.Sleep(time.Minute); log.Len() > 0 {
			t.Errorf("the closed database is logged: %s", log)
		}
	})
}

func TestReadinessLetsGoOfACallerThatLeaves(t *testing.T) {
	inFakeTime(t, func(t *testing.T) { //nolint:thelper // the test itself
		d := &database{}
		d.fail(true, true)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Millisecond, cancel)
		begun := time.Now()
		if err := NewReadiness(d.check, nil, slog.New(slog.DiscardHandler)).Err(ctx); !errors.Is(err, context.Canceled) || time.Since(begun) > time.Millisecond {
			t.Errorf("%v after %s", err, time.Since(begun))
		}
	})
}
