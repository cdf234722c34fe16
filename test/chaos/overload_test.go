package chaos_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/test/chaos"
)

// distantSite is a service whose way to its database takes time, so that what it
// can serve does not depend on the machine.
func distantSite(t *testing.T) (s *chaos.Site, url string) {
	t.Helper()
	s = open(t, nil)
	way, err := chaos.Between(context.WithoutCancel(t.Context()), toxiproxy, s.DatabaseURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := way.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := way.Disturb(t.Context(), chaos.Disturbance{Type: "latency", Attributes: map[string]any{"latency": 10}}); err != nil {
		t.Fatal(err)
	}
	return s, way.URL
}

// inside is how many requests are worked on at once where that is limited.
const inside = 40

func overload(t *testing.T, s *chaos.Site, o chaos.Overload, settings ...string) chaos.Rush {
	t.Helper()
	if err := s.Restart(t.Context(), settings...); err != nil {
		t.Fatal(err)
	}
	r, err := o.Run(t.Context(), s, inside)
	t.Logf("\n%s", r)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func limitedTo(requests int) string { return fmt.Sprintf("KONTOR_MAX_REQUESTS=%d", requests) }

func TestThreeTimesWhatItCanServeIsPartlyRefusedAndTheRestServedInTime(t *testing.T) { // contract 3.32
	s, url := distantSite(t)
	o := chaos.Overload{Path: "/rest/status", Times: 3, Lasts: time.Duration(times(t, "KONTOR_FAULT_OVERLOAD_SECONDS", 3)) * time.Second}
	r := overload(t, s, o, "KONTOR_DATABASE_URL="+url, "KONTOR_MAX_CONNECTIONS=2", limitedTo(inside))
	if wrong := append(r.Wrong(), r.Late()...); len(wrong) > 0 {
		t.Error(strings.Join(wrong, "\n"))
	}
	// Without a limit, all wait behind each other, and ever longer.
	o.Lasts = 2 * time.Second
	r = overload(t, s, o, "KONTOR_DATABASE_URL="+url, "KONTOR_MAX_CONNECTIONS=2", limitedTo(1_000_000))
	wrong := strings.Join(append(r.Wrong(), r.Late()...), "\n")
	if t.Log(wrong); !strings.Contains(wrong, "nothing was refused") || !strings.Contains(wrong, "served requests took up to") {
		t.Error("without a limit it is no worse")
	}
}

// How long requests take then, the machine says: it has the callers to see to, too.
func TestThreeTimesWhatTheProcessorCanDoIsPartlyRefused(t *testing.T) { // contract 3.32
	s := open(t, nil)
	if err := chaos.Widen(t.Context(), s, 500, 500); err != nil {
		t.Fatal(err)
	}
	o := chaos.Overload{Path: "/rest/client?per_page=500", Times: 3, Lasts: time.Duration(times(t, "KONTOR_FAULT_OVERLOAD_SECONDS", 3)) * time.Second}
	if wrong := overload(t, s, o, limitedTo(inside)).Wrong(); len(wrong) > 0 {
		t.Error(strings.Join(wrong, "\n"))
	}
}
