//go:build full

package chaos_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/test/chaos"
)

// remoteSite is a service whose connection to the database has a latency, so that
// its capacity does not depend on the machine.
func remoteSite(t *testing.T) (s *chaos.Site, url string) {
	t.Helper()
	s = open(t, nil)
	network, err := chaos.NewNetwork(context.WithoutCancel(t.Context()), toxiproxy(t), s.DatabaseURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := network.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := network.AddToxic(t.Context(), chaos.Toxic{Type: "latency", Attributes: map[string]any{"latency": 10}}); err != nil {
		t.Fatal(err)
	}
	return s, network.URL
}

// inFlight is the in-flight limit.
const inFlight = 40

func overload(t *testing.T, s *chaos.Site, o chaos.Overload, settings ...string) chaos.OverloadReport {
	t.Helper()
	// All requests have one token.
	if err := s.Restart(t.Context(), append(settings, "KONTOR_CALLER_SHARE=100")...); err != nil {
		t.Fatal(err)
	}
	r, err := o.Run(t.Context(), s, inFlight)
	t.Logf("\n%s", r)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func limitedTo(requests int) string { return fmt.Sprintf("KONTOR_MAX_REQUESTS=%d", requests) }

func TestOverloadIsPartlyRejectedAndTheRestServedInTime(t *testing.T) { // contract 3.32
	s, url := remoteSite(t)
	o := chaos.Overload{Path: "/rest/status", Times: 3, Lasts: 20 * time.Second}
	r := overload(t, s, o, "KONTOR_DATABASE_URL="+url, "KONTOR_MAX_CONNECTIONS=4", limitedTo(inFlight))
	if wrong := append(r.Wrong(), r.Late()...); len(wrong) > 0 {
		t.Error(strings.Join(wrong, "\n"))
	}
	// Without a limit, requests queue for ever longer.
	o.Lasts = 2 * time.Second
	r = overload(t, s, o, "KONTOR_DATABASE_URL="+url, "KONTOR_MAX_CONNECTIONS=4", limitedTo(1_000_000))
	wrong := strings.Join(append(r.Wrong(), r.Late()...), "\n")
	if t.Log(wrong); !strings.Contains(wrong, "nothing was rejected") || !strings.Contains(wrong, "served requests took up to") {
		t.Error("the missing limit is not detected")
	}
}

// Durations are not checked: the clients use the same processor.
func TestProcessorOverloadIsPartlyRejected(t *testing.T) { // contract 3.32
	s := open(t, nil)
	if err := chaos.AddWideClients(t.Context(), s, 500, 500); err != nil {
		t.Fatal(err)
	}
	o := chaos.Overload{Path: "/rest/client?per_page=500", Times: 3, Lasts: 20 * time.Second}
	if wrong := overload(t, s, o, limitedTo(inFlight)).Wrong(); len(wrong) > 0 {
		t.Error(strings.Join(wrong, "\n"))
	}
}
