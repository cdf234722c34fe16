package program

import (
	"runtime/debug"
	"testing"
)

func TestGarbageCollectorSettingsYieldToTheOperators(t *testing.T) {
	for _, of := range []struct {
		name, gogc, limit string
		wantPercent       int
		wantLimit         int64
	}{
		{"by default", "", "", gcPercent, memoryLimit},
		{"with GOGC", "150", "", 150, memoryLimit},
		{"with GOMEMLIMIT", "", "1GiB", gcPercent, 1 << 30},
		{"with both", "off", "1GiB", -1, 1 << 30},
	} {
		t.Run(of.name, func(t *testing.T) {
			t.Setenv("GOGC", of.gogc)
			t.Setenv("GOMEMLIMIT", of.limit)
			// What the runtime sets from the variables when a process starts.
			percent, limit := 100, int64(1<<40)
			if of.gogc != "" {
				percent = of.wantPercent
			}
			if of.limit != "" {
				limit = of.wantLimit
			}
			wasPercent, wasLimit := debug.SetGCPercent(percent), debug.SetMemoryLimit(limit)
			tuneGarbageCollector()
			gotPercent, gotLimit := debug.SetGCPercent(wasPercent), debug.SetMemoryLimit(wasLimit)
			if gotPercent != of.wantPercent || gotLimit != of.wantLimit {
				t.Errorf("gcPercent is collected at %d %% and %d bytes, want %d %% and %d", gotPercent, gotLimit, of.wantPercent, of.wantLimit)
			}
		})
	}
}
