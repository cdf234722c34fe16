//go:build full

package chaos_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/test/chaos"
)

// mostMemory is the promised memory limit in megabytes: docs/limits.md.
const mostMemory = 300

// slowClients runs that many clients of each kind.
func slowClients(t *testing.T, s *chaos.Site, each int) chaos.SlowReport {
	t.Helper()
	if err := chaos.AddWideClients(t.Context(), s, 500, 30_000); err != nil {
		t.Fatal(err)
	}
	// It resets the peak, and all requests have one token.
	if err := s.Restart(t.Context(), "KONTOR_CALLER_SHARE=100"); err != nil {
		t.Fatal(err)
	}
	c, err := chaos.SlowClients{
		Readers: each, Writers: each, Openers: each, Body: 1 << 20, Page: "/rest/client?per_page=500",
		Lasts: 30 * time.Second,
	}.Run(t.Context(), s)
	t.Logf("\n%s", c)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestMemoryUnderSlowClientsIsBounded(t *testing.T) { // contract 3.33
	if wrong := slowClients(t, open(t, nil), 1000).Wrong(mostMemory); len(wrong) > 0 {
		t.Error(strings.Join(wrong, "\n"))
	}
}

// Without a budget, the clients determine the memory.
func TestMissingMemoryBudgetIsDetected(t *testing.T) {
	broken := buildBroken(t, noMemoryBudget)
	wrong := strings.Join(slowClients(t, openProgram(t, broken, nil), 40).Wrong(mostMemory), "\n")
	if t.Log(wrong); !strings.Contains(wrong, "it held") {
		t.Error("it is not")
	}
}
