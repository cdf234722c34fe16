//go:build full

package chaos_test

import (
	"context"
	"math/rand/v2"
	"os/exec"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/test/bench/data"
	"github.com/kontor-crm/kontor/test/chaos"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/testprogram"
)

// Slow queries of some tokens take no instance out, and fail no request of the others. An
// unreachable database takes them all out.
//
// contract 1.79, 1.80, 3.36
func TestProxyRemovesInstancesWithoutDatabaseAndNotBusyOnes(t *testing.T) {
	haproxy, err := exec.LookPath("haproxy")
	if err != nil {
		t.Skip("haproxy is missing: install the package haproxy")
	}
	url := pgtest.EmptyURL(t)
	options := data.Options{Clients: 10_000, Seed: 1, Variant: data.Spread}
	if err := data.Fill(t.Context(), url, options, 2, func(string, int) func(int) { return func(int) {} }); err != nil {
		t.Fatal(err)
	}
	s, err := chaos.OpenOn(t.Context(), testprogram.Path(t), url)
	closeAtEnd(t, s, err)
	network, err := chaos.NewNetwork(context.WithoutCancel(t.Context()), toxiproxy(t), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = network.Close() })
	settings := []string{"KONTOR_DATABASE_URL=" + network.URL, "KONTOR_LOG_LEVEL=error"}
	a, b := startInstance(t, s, settings...), startInstance(t, s, settings...)
	proxy, err := chaos.HAProxy(context.WithoutCancel(t.Context()), haproxy, "../../docs/operations.md", t.TempDir(), a.Address, b.Address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = proxy.Close() })
	awaitBackends(t, proxy, true)
	before := backends(t, proxy)

	tokens := make([]string, 17)
	for i := range tokens {
		if tokens[i], err = s.FurtherToken(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	load := chaos.Greed{Address: proxy.Address, Greedy: tokens[:8], Modest: tokens[8:], Connections: 64, Lasts: time.Minute}
	r := load.Run(t.Context())
	t.Logf("\n%s", r)
	if len(r.Failed) > 0 || r.Requests == 0 {
		t.Errorf("of %d modest requests %d failed, such as %v", r.Requests, len(r.Failed), r.Failed[:min(len(r.Failed), 3)])
	}
	for i, now := range backends(t, proxy) {
		t.Logf("instance %s: %d failed health checks under load", now.Name, now.Failed-before[i].Failed)
		if now.Downs != before[i].Downs {
			t.Errorf("instance %s was taken out %d times", now.Name, now.Downs-before[i].Downs)
		}
	}

	for name, fail := range map[string]func() error{
		"is cut off": func() error { return network.Cut(t.Context()) },
		"does not respond": func() error {
			return network.AddToxic(t.Context(), chaos.Toxic{Type: "timeout", Attributes: map[string]any{"timeout": 0}})
		},
	} {
		for range 5 {
			time.Sleep(time.Duration(rand.IntN(1000)) * time.Millisecond) // another phase of the health checks
			since := time.Now()
			if err := fail(); err != nil {
				t.Fatal(err)
			}
			awaitBackends(t, proxy, false)
			took := time.Since(since)
			t.Logf("the database %s: both instances were out after %.2f s", name, took.Seconds())
			if took > 3*time.Second {
				t.Errorf("the database %s: both instances were out after %s, want 3 s", name, took)
			}
			if err := network.Heal(t.Context()); err != nil {
				t.Fatal(err)
			}
			awaitBackends(t, proxy, true)
		}
	}
}

func backends(t *testing.T, p chaos.Proxy) []chaos.Backend {
	t.Helper()
	all, err := p.Backends(t.Context())
	if err != nil || len(all) != 2 {
		t.Fatalf("haproxy knows %v: %v", all, err)
	}
	return all
}

// awaitBackends waits until all are up, or all down.
func awaitBackends(t *testing.T, p chaos.Proxy, up bool) {
	t.Helper()
	eventually(t, "haproxy notices", func() bool {
		all := backends(t, p)
		return all[0].IsUp == up && all[1].IsUp == up
	})
}
