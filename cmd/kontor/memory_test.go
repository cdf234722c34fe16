package main

import (
	"runtime/debug"
	"testing"
)

func TestTheServiceCollectsSeldomUnlessItsOperatorSaysHowOften(t *testing.T) {
	for _, of := range []struct {
		name, gogc, limit string
		wantPercent       int
		wantLimit         int64
	}{
		{"by default", "", "", garbage, softSize},
		{"with GOGC", "150", "", 150, softSize},
		{"with GOMEMLIMIT", "", "1GiB", garbage, 1 << 30},
		{"with both", "off", "1GiB", -1, 1 << 30},
	} {
		t.Run(of.name, func(t *testing.T) {
			t.Setenv("GOGC", of.gogc)
			t.Setenv("GOMEMLIMIT", of.limit)
			// What the runtime makes of the variables when a process starts.
			percent, limit := 100, int64(1<<40)
			if of.gogc != "" {
				percent = of.wantPercent
			}
			if of.limit != "" {
				limit = of.wantLimit
			}
			wasPercent, wasLimit := debug.SetGCPercent(percent), debug.SetMemoryLimit(limit)
			collectSeldom()
			gotPercent, gotLimit := debug.SetGCPercent(wasPercent), debug.SetMemoryLimit(wasLimit)
			if gotPercent != of.wantPercent || gotLimit != of.wantLimit {
				t.Errorf("garbage is collected at %d %% and %d bytes, want %d %% and %d", gotPercent, gotLimit, of.wantPercent, of.wantLimit)
			}
		})
	}
}
