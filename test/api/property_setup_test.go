package api_test

import (
	"flag"
	"os"
	"testing"

	"pgregory.net/rapid"
)

// The tests whose names begin with TestAny draw what they send, and look at what
// holds whatever was drawn. They make sixty draws each, with sequences of a dozen
// commands, which is a matter of seconds. To look for longer:
//
//	go test ./test/api -run TestAny -rapid.checks=5000 -rapid.steps=60 -timeout=1h
//
// A draw that fails is made smaller before it is told, and is kept under
// testdata/rapid, to be tried first in the next run; a run that passes leaves
// nothing there.
func init() {
	for _, setting := range []struct{ name, variable, value string }{
		{"rapid.checks", "RAPID_CHECKS", "60"},
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
