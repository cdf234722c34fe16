package pgreplica

import (
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/ports/position"
)

// contract 13.10, 13.11
func TestReplicaIsUnfit(t *testing.T) {
	t.Parallel()
	at := func(system int64, timeline uint32, wal uint64) position.Position {
		return position.Position{System: system, Timeline: timeline, WAL: wal}
	}
	known := &primary{elapse: func() time.Duration { return 0 }, newest: at(1, 2, 100)}
	fit := observation{isReplica: true, at: at(1, 2, 100), version: postgres.Version}
	for name, c := range map[string]struct {
		change func(o *observation, r *replica)
		lag    time.Duration
		why    string
	}{
		"it has everything":              {func(*observation, *replica) {}, 0, ""},
		"of a newer schema":              {func(o *observation, _ *replica) { o.version++ }, 0, ""},
		"as late as allowed":             {func(*observation, *replica) {}, time.Second, ""},
		"late":                           {func(*observation, *replica) {}, time.Second + 1, "it lags more than 1s"},
		"promoted":                       {func(o *observation, _ *replica) { o.isReplica = false }, 0, "it is not a replica"},
		"before the primary has replied": {func(_ *observation, r *replica) { r.primary = &primary{} }, 0, "the primary has not responded"},
		"of another cluster":             {func(o *observation, _ *replica) { o.at.System = 7 }, 0, "another cluster"},
		"without a migration":            {func(o *observation, _ *replica) { o.version-- }, 0, "not replayed migration"},
		"on the timeline before":         {func(o *observation, _ *replica) { o.at.Timeline-- }, 0, "it is on timeline 1, and the primary on 2"},
		"on the timeline after":          {func(o *observation, _ *replica) { o.at.Timeline++ }, 0, "it is on timeline 3, and the primary on 2"},
		"connected again, and behind":    {func(_ *observation, r *replica) { r.fence = at(1, 2, 101) }, 0, "not caught up"},
		"in use, and behind":             {func(_ *observation, r *replica) { r.fence, r.session = at(1, 2, 101), &session{} }, 0, ""},
	} {
		o, r := fit, &replica{primary: known, maxLag: time.Second, fence: at(1, 2, 100)}
		c.change(&o, r)
		if got := r.unfit(o, c.lag); (got == "") != (c.why == "") || !strings.Contains(got, c.why) {
			t.Errorf("%s: %q, want %q", name, got, c.why)
		}
	}
}
