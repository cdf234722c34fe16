package pgreplica

import (
	"testing"
	"time"

	"github.com/kontor-crm/kontor/ports/position"
)

// contract 13.10
func TestPrimaryLagIsSinceWhenReplicaLacksWhatWasWritten(t *testing.T) {
	t.Parallel()
	var now time.Duration
	p := &primary{keep: 10 * time.Second, elapse: func() time.Duration { return now }}
	write := func(at time.Duration, timeline uint32, wal uint64) {
		now = at
		p.add(position.Position{System: 1, Timeline: timeline, WAL: wal}, at)
	}
	lags := func(wal uint64, want time.Duration) {
		t.Helper()
		if got := p.lag(wal); got != want {
			t.Errorf("at %s, %d lags %s, not %s", now, wal, got, want)
		}
	}
	lags(0, 0) // nothing is known
	write(0, 1, 100)
	write(time.Second, 1, 200)
	write(2*time.Second, 1, 200) // idle
	write(3*time.Second, 1, 300)
	now = 4 * time.Second
	lags(300, 0)
	lags(299, time.Second)
	lags(200, time.Second)
	lags(199, 3*time.Second)
	lags(100, 3*time.Second)
	lags(99, 4*time.Second)
	now = time.Hour // idle: what has everything does not lag
	lags(300, 0)
	for n := range 100 {
		write(time.Hour+time.Duration(n)*time.Second, 1, 400+uint64(n))
	}
	if len(p.samples) > 13 {
		t.Errorf("%d samples are kept", len(p.samples))
	}
	if p.lag(300) <= p.keep {
		t.Error("the lag of what is too far behind is forgotten")
	}
	write(2*time.Hour, 2, 350)
	lags(350, 0)
	lags(349, 0)
	now += time.Second
	lags(349, time.Second)
}
