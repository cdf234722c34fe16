package postgres

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

func positionAt(timeline uint32, wal uint64) readmodel.Position {
	return readmodel.Position{System: 1, Timeline: timeline, WAL: wal}
}

// contract 13.11
func TestReplicaIsUnfit(t *testing.T) {
	t.Parallel()
	now := time.Now()
	newest := &primarySample{positionAt(2, 100), now}
	fit := replicaProgress{isReplica: true, at: positionAt(2, 100), version: Version}
	for name, c := range map[string]struct {
		change func(o *replicaProgress, r *replica)
		why    string
	}{
		"it has everything":      {func(*replicaProgress, *replica) {}, ""},
		"of a newer schema":      {func(o *replicaProgress, _ *replica) { o.version++ }, ""},
		"promoted":               {func(o *replicaProgress, _ *replica) { o.isReplica = false }, "it is not a replica"},
		"of another cluster":     {func(o *replicaProgress, _ *replica) { o.at.System = 7 }, "another cluster"},
		"without a migration":    {func(o *replicaProgress, _ *replica) { o.version-- }, "not replayed migration"},
		"on the timeline before": {func(o *replicaProgress, _ *replica) { o.at.Timeline-- }, "it is on timeline 1, and the primary on 2"},
		"on the timeline after":  {func(o *replicaProgress, _ *replica) { o.at.Timeline++ }, "it is on timeline 3, and the primary on 2"},
		"restarted, and behind":  {func(_ *replicaProgress, r *replica) { r.highest = positionAt(2, 101) }, "that it has had"},
		"after a promotion":      {func(_ *replicaProgress, r *replica) { r.highest = positionAt(1, 99) }, ""},
		"behind from the start":  {func(o *replicaProgress, _ *replica) { o.at.WAL = 99 }, "it lags"},
	} {
		o, r := fit, &replica{maxLag: time.Second}
		c.change(&o, r)
		if got := r.assess(o, newest, now); (got == "") != (c.why == "") || !strings.Contains(got, c.why) {
			t.Errorf("%s: %q, want %q", name, got, c.why)
		}
	}
	if got := (&replica{}).assess(fit, nil, now); !strings.Contains(got, "has not responded") {
		t.Errorf("before the primary has responded: %q", got)
	}
}

// contract 13.10
func TestLagIsSinceSampleOfPrimaryThatReplicaHas(t *testing.T) {
	t.Parallel()
	began := time.Now()
	r := &replica{maxLag: 3 * time.Second}
	for _, step := range []struct {
		seconds          int
		written, reached uint64
		lag              time.Duration
		isUsed           bool
	}{
		{0, 100, 100, 0, true},
		{1, 100, 100, 0, true}, // idle
		{2, 200, 100, time.Second, true},
		{3, 300, 199, 2 * time.Second, true},
		{4, 400, 200, 2 * time.Second, true}, // it has what was written after 2 s
		{5, 500, 300, 3 * time.Second, true},
		{6, 600, 399, 4 * time.Second, false},
		{7, 600, 600, 0, true},
	} {
		now := began.Add(time.Duration(step.seconds) * time.Second)
		why := r.assess(replicaProgress{isReplica: true, at: positionAt(1, step.reached), version: Version}, &primarySample{positionAt(1, step.written), now}, now)
		if (why == "") != step.isUsed || r.lag != step.lag {
			t.Errorf("after %d s: it lags %s instead of %s, %q", step.seconds, r.lag, step.lag, why)
		}
	}
}

// contract 13.13
func TestFailureOfReplicaIsNoneOfTheRequest(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err    error
		isRead bool
	}{
		"a read":              {nil, true},
		"no such record":      {fault.New(fault.NotFound, "none"), true},
		"a statement timeout": {Fault(&pgconn.PgError{Code: "57014"}, Storing), true},
		"a broken connection": {Fault(io.ErrUnexpectedEOF, Storing), false},
		"a conflict":          {Fault(&pgconn.PgError{Code: "40001"}, Storing), false},
		"a missing column":    {&pgconn.PgError{Code: "42703"}, false},
		"an ended session":    {context.Canceled, false},
		"a slow query":        {fault.New(fault.TooSlow, "too slow"), true},
	} {
		if got := !isReplicaFailure(t.Context(), c.err); got != c.isRead {
			t.Errorf("%s: %t", name, got)
		}
	}
}
