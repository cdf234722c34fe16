package api_test

import (
	"flag"
	"os"
	"testing"

	"pgregory.net/rapid"
)

// The tests named TestProperty… draw their requests at random and check invariants. By
// default each makes 15 draws, with the tag full 40, with sequences of a dozen commands.
// More draws:
//
//	go test ./test/api -run TestProperty -rapid.checks=5000 -rapid.steps=60 -timeout=1h
//
// A failing draw is minimized before it is reported, and stored under testdata/rapid,
// from where the next run repeats it. A run that passes stores nothing.
func init() {
	for _, setting := range []struct{ name, variable, value string }{
		{"rapid.checks", "RAPID_CHECKS", draws},
		{"rapid.steps", "RAPID_STEPS", "12"},
	} {
		if _, given := os.LookupEnv(setting.variable); given {
			continue
		}
		if err := flag.Set(setting.name, setting.value); err != nil {
			panic(err)
		}
	}
}

// drawn is the test within one draw: a failure fails the draw, and what only a whole
// test has comes from the outer test. It is embedded more deeply, so that its methods
// are used only where rapid.T has none.
type drawn struct {
	*rapid.T
	outermost
}

type (
	outermost struct{ outer }
	outer     struct{ testing.TB }
)

// within returns the service for one draw, which then fails in place of the test.
func (s *service) within(t *rapid.T) *service {
	inner := *s
	inner.t = drawn{T: t, outermost: outermost{outer{s.t}}}
	return &inner
}
