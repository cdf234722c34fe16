package replicas_test

import (
	"testing"
	"time"

	"github.com/kontor-crm/kontor/test/replicas"
)

func wrote(caller, value int, start, end time.Duration) replicas.Operation { //nolint:unparam // as in saw
	return replicas.Operation{Caller: caller, Start: start, End: end, IsWrite: true, Register: "r", Value: value, Most: value}
}

func saw(caller, value int, start, end time.Duration) replicas.Operation {
	return replicas.Operation{Caller: caller, Start: start, End: end, Register: "r", Value: value}
}

// contract 13.4
func TestCheckFindsWhatCallersMustNotSee(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		history    []replicas.Operation
		violations int
	}{
		"nothing":                          {nil, 0},
		"own write":                        {[]replicas.Operation{wrote(1, 1, 0, 1), saw(1, 1, 2, 3)}, 0},
		"own write is missing":             {[]replicas.Operation{wrote(1, 1, 0, 1), saw(1, 0, 1, 2)}, 1},
		"own write during the read":        {[]replicas.Operation{wrote(1, 1, 0, 2), saw(1, 0, 1, 3)}, 0},
		"another's write is missing":       {[]replicas.Operation{wrote(1, 1, 0, 1), saw(2, 0, 2, 3)}, 0},
		"back in time":                     {[]replicas.Operation{wrote(1, 1, 0, 1), saw(2, 1, 2, 3), saw(2, 0, 4, 5)}, 1},
		"back in time, recorded late":      {[]replicas.Operation{saw(2, 0, 4, 5), wrote(1, 1, 0, 1), saw(2, 1, 2, 3)}, 1},
		"concurrent reads":                 {[]replicas.Operation{wrote(1, 1, 0, 1), saw(2, 1, 2, 4), saw(2, 0, 3, 5)}, 0},
		"callers see different states":     {[]replicas.Operation{wrote(1, 1, 0, 1), saw(2, 1, 2, 3), saw(3, 0, 4, 5)}, 0},
		"back behind a long read":          {[]replicas.Operation{wrote(1, 2, 0, 1), saw(2, 2, 2, 3), saw(2, 1, 2, 9), saw(2, 1, 4, 5)}, 1},
		"nobody has written it":            {[]replicas.Operation{wrote(1, 1, 0, 1), saw(2, 2, 2, 3)}, 1},
		"the write has not begun":          {[]replicas.Operation{saw(2, 1, 0, 1), wrote(1, 1, 1, 2)}, 1},
		"the write has begun":              {[]replicas.Operation{saw(2, 1, 0, 2), wrote(1, 1, 1, 3)}, 0},
		"own write of a later value stays": {[]replicas.Operation{wrote(1, 1, 0, 1), wrote(1, 2, 2, 3), saw(1, 1, 4, 5), saw(1, 2, 6, 7)}, 1},
	} {
		if got := replicas.Check(c.history); len(got) != c.violations {
			t.Errorf("%s: %q", name, got)
		}
	}
}
