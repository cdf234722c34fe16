//go:build full

package chaos_test

import (
	"io"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/test/testserver"
)

// An attempt to connect to an unresponsive server outlives its request. It must end
// without help, or a few of them exhaust the pool.
func TestHangingConnectionAttemptsAreAbandoned(t *testing.T) {
	d := startRemote(t)
	target, err := url.Parse(d.URL)
	if err != nil {
		t.Fatal(err)
	}
	upstream := target.Host
	var responds atomic.Bool
	gate, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { gate.Close() })
	go func() {
		for {
			near, err := gate.Accept()
			if err != nil {
				return // closed
			}
			t.Cleanup(func() { near.Close() })
			if !responds.Load() {
				continue // without a response, for good
			}
			if far, err := net.Dial("tcp", upstream); err == nil {
				go func() { _, _ = io.Copy(far, near) }()
				go func() { _, _ = io.Copy(near, far) }()
			}
		}
	}()
	target.Host = gate.Addr().String()
	d.url = testserver.On(t, target.String(), func(c *bootstrap.Config) {
		c.MaxConnections, c.RequestTimeout, c.StatementTimeout = 4, time.Second, 500*time.Millisecond
	}).URL
	for range 3 {
		if a, err := d.send(t.Context(), http.MethodGet, "/rest/client", ""); err != nil || a.Status != http.StatusServiceUnavailable {
			t.Fatalf("without a database: %v, %+v", err, a)
		}
	}
	responds.Store(true)
	for since := time.Now(); ; {
		a, err := d.send(t.Context(), http.MethodGet, "/rest/client", "")
		if err == nil && a.Status == http.StatusOK {
			t.Logf("served after seconds: %.2f", time.Since(since).Seconds())
			return
		}
		if time.Since(since) > recovery {
			t.Fatalf("%s after the database responds: %v, %+v", recovery, err, a)
		}
	}
}
