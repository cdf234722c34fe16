package chaos_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/test/chaos"
)

// mostMemory is what the service may hold whatever its callers do, in megabytes:
// docs/limits.md.
const mostMemory = 300

// slow are callers of each kind.
func slow(t *testing.T, s *chaos.Site, each int) chaos.Crawl {
	t.Helper()
	if err := chaos.Widen(t.Context(), s, 500, 30_000); err != nil {
		t.Fatal(err)
	}
	if err := s.Restart(t.Context()); err != nil { // the memory of before does not count
		t.Fatal(err)
	}
	c, err := chaos.Slow{
		Readers: each, Writers: each, Openers: each, Body: 1 << 20, Page: "/rest/client?per_page=500",
		Lasts: time.Duration(times(t, "KONTOR_FAULT_SLOW_SECONDS", 10)) * time.Second,
	}.Run(t.Context(), s)
	t.Logf("\n%s", c)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestSlowCallersTakeABoundedPartOfTheMemory(t *testing.T) { // contract 3.33
	if wrong := slow(t, open(t, nil), times(t, "KONTOR_FAULT_SLOW_CALLERS", 150)).Wrong(mostMemory); len(wrong) > 0 {
		t.Error(strings.Join(wrong, "\n"))
	}
}

// A program that counts nothing holds as much as its callers want.
func TestMemoryWithoutABoundIsFoundOut(t *testing.T) {
	whole := program
	defer func() { program = whole }()
	program = sabotaged(t, "ports/membudget/room.go", "Most = 64 << 20", "Most = 64 << 40")
	wrong := strings.Join(slow(t, open(t, nil), 40).Wrong(mostMemory), "\n")
	if t.Log(wrong); !strings.Contains(wrong, "it held") {
		t.Error("it is not")
	}
}
