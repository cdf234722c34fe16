//go:build full

package chaos_test

import (
	"context"
	"net/http"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/test/chaos"
	"github.com/kontor-crm/kontor/test/rest"
)

// Tokens that send twice as many requests as they may get as many as if there were one
// instance, give or take a tenth.
//
// contract 5.18
func TestRateLimitHoldsBehindProxyThatRoutesByToken(t *testing.T) {
	haproxy, err := exec.LookPath("haproxy")
	if err != nil {
		t.Skip("haproxy is missing: install the package haproxy")
	}
	const limit, seconds, tokens = 20, 10, 6
	s := open(t, nil)
	settings := []string{"KONTOR_RATE_LIMIT=20", "KONTOR_LOG_LEVEL=error"}
	a, b := startInstance(t, s, settings...), startInstance(t, s, settings...)
	proxy, err := chaos.HAProxyByToken(context.WithoutCancel(t.Context()), haproxy, "../../docs/operations.md", t.TempDir(), a.Address, b.Address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = proxy.Close() })
	awaitBackends(t, proxy, true)
	var callers sync.WaitGroup
	instances := sync.Map{}
	for range tokens {
		token, err := s.FurtherToken(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		callers.Go(func() {
			admitted := 0
			for end := time.Now().Add(seconds * time.Second); time.Now().Before(end); time.Sleep(time.Second / (2 * limit)) {
				response, err := rest.Client{URL: "http://" + proxy.Address, Token: token}.Send(t.Context(), http.MethodGet, "/rest/client/0", nil)
				if err != nil {
					t.Error(err)
					return
				}
				instances.Store(response.Header.Get("X-Served-By"), true)
				if response.Status != http.StatusTooManyRequests {
					admitted++
				}
			}
			const want = limit * (seconds + 1) // and a burst
			t.Logf("%d requests were admitted", admitted)
			if admitted < want*9/10 || admitted > want*11/10 {
				t.Errorf("%d requests were admitted, want %d", admitted, want)
			}
		})
	}
	callers.Wait()
	for _, name := range []string{"a", "b"} {
		if _, ok := instances.Load(name); !ok {
			t.Errorf("instance %s served no request", name)
		}
	}
}
