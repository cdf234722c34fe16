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

// An attempt to connect that nobody answers goes on when its request has gone. It
// must end by itself, or a few of them keep everybody out for good.
func TestAttemptsToConnectThatHangGiveTheirPlacesBack(t *testing.T) {
	d := startDistant(t)
	way, err := url.Parse(d.URL)
	if err != nil {
		t.Fatal(err)
	}
	behind := way.Host
	var speaks atomic.Bool
	gate, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { gate.Close() })
	go func() {
		for {
			near, err := gate.Accept()
			if err != nil {
				return // it was closed
			}
			t.Cleanup(func() { near.Close() })
			if !speaks.Load() {
				continue // and says nothing, for good
			}
			if far, err := net.Dial("tcp", behind); err == nil {
				go func() { _, _ = io.Copy(far, near) }()
				go func() { _, _ = io.Copy(near, far) }()
			}
		}
	}()
	way.Host = gate.Addr().String()
	d.url = testserver.On(t, way.String(), func(c *bootstrap.Config) {
		c.MaxConnections, c.RequestTimeout, c.StatementTimeout = 2, time.Second, 500*time.Millisecond
	}).URL
	for range 3 {
		if a, err := d.ask(t.Context(), http.MethodGet, "/rest/client", ""); err != nil || a.status != http.StatusServiceUnavailable {
			t.Fatalf("without a database: %v, %+v", err, a)
		}
	}
	speaks.Store(true)
	for spoken := time.Now(); ; {
		a, err := d.ask(t.Context(), http.MethodGet, "/rest/client", "")
		if err == nil && a.status == http.StatusOK {
			t.Logf("served after seconds: %.2f", time.Since(spoken).Seconds())
			return
		}
		if time.Since(spoken) > recovery {
			t.Fatalf("%s after the database speaks: %v, %+v", recovery, err, a)
		}
	}
}
