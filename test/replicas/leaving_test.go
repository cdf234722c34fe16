package replicas_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/postgres/pgreplica"
	"github.com/kontor-crm/kontor/ports/position"
	"github.com/kontor-crm/kontor/test/replicas"
)

// measureLostTime measures for how long this process could not run, as on a busy machine, until the
// function is called.
func measureLostTime(t *testing.T) (lost func() time.Duration) {
	t.Helper()
	const step, noise = 5 * time.Millisecond, 15 * time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	total := make(chan time.Duration, 1)
	go func() {
		var sum time.Duration
		for ctx.Err() == nil {
			began := time.Now()
			time.Sleep(step)
			if late := time.Since(began) - step; late > noise {
				sum += late
			}
		}
		total <- sum
	}()
	return func() time.Duration {
		cancel()
		return <-total
	}
}

// keepAsking reads, each time as another request, until stop is called. It returns the start of the last read
// that the replica has answered. The end says less: the answer to a read that is canceled meanwhile may be
// returned a tenth of a second later.
func keepAsking(t *testing.T, reads *pgreplica.Reads) (stop func() time.Time) {
	t.Helper()
	if isReplica, err := read(request(t, &position.Request{}), reads, where); err != nil || !isReplica {
		t.Fatalf("before the fault, the replica is used: %t, %v", isReplica, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	answered := make(chan time.Time, 1)
	go func() {
		last := time.Now()
		for ; ctx.Err() == nil; time.Sleep(time.Millisecond) {
			began := time.Now()
			isReplica, err := read(request(t, &position.Request{}), reads, where)
			switch {
			case err != nil && !errors.Is(err, position.ErrServerFailed):
				t.Error(err)
			case err == nil && isReplica:
				last = began
			}
		}
		answered <- last
	}()
	return func() time.Time {
		cancel()
		return <-answered
	}
}

// Whether a replica is used is what its reads go by, and they are checked to do so.
//
// contract 13.8, 13.11
func TestReplicaIsLeftOutWithinASecond(t *testing.T) {
	t.Parallel()
	const maxLag = 400 * time.Millisecond
	primary := replicas.NewPrimary(t)
	replica := primary.NewReplica("one")
	reads, isUsed := direct(t, primary, replica, maxLag)
	for _, of := range []struct {
		name     string
		from, to time.Duration        // in which it is left out
		prepare  func() (undo func()) // nil: nothing
		fault    func() (undo func())
	}{
		{"that lags", maxLag / 2, maxLag + time.Second, func() func() { return pause(replica) }, func() func() {
			primary.Exec("kontor", "create table written ()")
			return func() { primary.Exec("kontor", "drop table written") }
		}},
		{"that does not respond", 0, time.Second, nil, replica.Freeze},
		{"that crashes", 0, time.Second, nil, func() func() { replica.Crash(); return replica.Start }},
	} {
		var undo []func()
		if of.prepare != nil {
			undo = append(undo, of.prepare())
		}
		stop := keepAsking(t, reads)
		lost, began := measureLostTime(t), time.Now()
		undo = append(undo, of.fault())
		for isUsed(t.Context()) && time.Since(began) < time.Minute {
			time.Sleep(time.Millisecond)
		}
		took, late := time.Since(began), lost()
		time.Sleep(100 * time.Millisecond)
		last := stop().Sub(began)
		t.Logf("a replica %s has answered the last read, which began after %s, and is left out after %s, of which %s were lost", of.name, last, took, late)
		if took < of.from || took-late > of.to || last > took+10*time.Millisecond+late {
			t.Errorf("a replica %s has answered reads for %s, and is left out after %s, of which %s were lost, instead of %s to %s", of.name, last, took, late, of.from, of.to)
		}
		for _, u := range undo {
			u()
		}
		replica.Await("the replica is used again", isUsed)
	}
}
