package chaos

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// SlowClients each hold a connection for as long as they can.
type SlowClients struct {
	Readers int           // request Page and read a few bytes per second
	Writers int           // send a body except for its last byte
	Openers int           // send an endless header
	Body    int           // bytes
	Page    string        // the widest list
	Lasts   time.Duration // duration
}

// SlowReport is the result of slow clients, and of other requests meanwhile.
type SlowReport struct {
	Connections, Rejected int64
	Memory                float64 // megabytes at most
	Others                int
	OthersRejected        int     // 503
	OthersFailed          int     // neither 200 nor 503
	OthersP99             float64 // ms, 99th percentile
}

// String lists the figures, one per line.
func (c SlowReport) String() string {
	return fmt.Sprintf(`slow connections: %d
slow requests rejected: %d
memory at most in MB: %.0f
other requests: %d
other requests rejected: %d
other requests that failed: %d
99 of 100 other requests in ms: %.0f
`, c.Connections, c.Rejected, c.Memory, c.Others, c.OthersRejected, c.OthersFailed, c.OthersP99)
}

// AddWideClients stores clients with a text of that length.
func AddWideClients(ctx context.Context, s *Site, clients, letters int) error {
	w := newWriter(s, newWriteLog(), "wide", references{}, 1)
	text := strings.Repeat("x", letters)
	for n := range clients {
		name := fmt.Sprintf("wide-%d", n)
		if _, err := w.create(ctx, "client", name, fields{"type": 1, "name": name, "bank_details": text}); err != nil {
			return err
		}
	}
	return nil
}

// Run starts them all at once, and sends small requests meanwhile.
func (o SlowClients) Run(ctx context.Context, s *Site) (c SlowReport, err error) {
	ctx, cancel := context.WithTimeout(ctx, o.Lasts)
	defer cancel()
	var all sync.WaitGroup
	var connections, rejected atomic.Int64
	start := func(many int, what func(context.Context, net.Conn) bool) {
		for range many {
			all.Go(func() {
				for ctx.Err() == nil { // reconnect after a rejection
					conn, err := new(net.Dialer).DialContext(ctx, "tcp", s.Address)
					if err != nil {
						continue
					}
					connections.Add(1)
					if what(ctx, conn) {
						rejected.Add(1)
						wait(ctx, 10*time.Second) // much longer than Retry-After: slow, not frequent
					}
					_ = conn.Close() // it may be closed
				}
			})
		}
	}
	start(o.Writers, o.write(s))
	start(o.Readers, o.read(s))
	start(o.Openers, o.open)
	others := o.others(ctx, s)
	all.Wait()
	c.Connections, c.Rejected = connections.Load(), rejected.Load()
	var took []float64
	for _, a := range others {
		switch {
		case a.err == nil && a.Status == http.StatusServiceUnavailable:
			c.OthersRejected++
		case a.err != nil || a.Status != http.StatusOK:
			c.OthersFailed++
		}
		took = append(took, float64(a.Took.Milliseconds()))
	}
	c.Others, c.OthersP99 = len(others), quantile(took, 0.99)
	c.Memory, err = s.PeakMemory()
	return c, err
}

func wait(ctx context.Context, long time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(long):
	}
}

// others sends small requests until the context ends.
func (o SlowClients) others(ctx context.Context, s *Site) (all []reply) {
	caller := &http.Client{Timeout: time.Minute, Transport: &http.Transport{}}
	defer caller.CloseIdleConnections()
	for ctx.Err() == nil {
		all = append(all, get(context.WithoutCancel(ctx), s.client(caller), "/rest/status"))
		time.Sleep(20 * time.Millisecond)
	}
	return all
}

// write sends all of a body but its last byte and reports whether it is rejected.
func (o SlowClients) write(s *Site) func(context.Context, net.Conn) bool {
	head := fmt.Sprintf("POST /rest/client HTTP/1.1\r\nHost: kontor\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", s.Token, o.Body)
	body := []byte(head + strings.Repeat(" ", o.Body-1))
	return func(ctx context.Context, conn net.Conn) bool {
		_, _ = conn.Write(body) // it may be rejected early
		return isRejected(ctx, conn)
	}
}

// read requests the widest list and reads some bytes per second.
func (o SlowClients) read(s *Site) func(context.Context, net.Conn) bool {
	head := fmt.Sprintf("GET %s HTTP/1.1\r\nHost: kontor\r\nAuthorization: Bearer %s\r\n\r\n", o.Page, s.Token)
	return func(ctx context.Context, conn net.Conn) bool {
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetReadBuffer(4096) // larger buffers work too
		}
		_, _ = conn.Write([]byte(head))
		if isRejected(ctx, conn) {
			return true
		}
		for some := make([]byte, 16); ctx.Err() == nil; time.Sleep(time.Second) {
			if _, err := conn.Read(some); err != nil {
				return false
			}
		}
		return false
	}
}

// open sends a header line by line.
func (o SlowClients) open(ctx context.Context, conn net.Conn) bool {
	_, err := conn.Write([]byte("GET /rest/status HTTP/1.1\r\nHost: kontor\r\n"))
	for line := []byte("X-SlowClients: " + strings.Repeat("x", 4000) + "\r\n"); err == nil && ctx.Err() == nil; time.Sleep(200 * time.Millisecond) {
		_, err = conn.Write(line)
	}
	return false
}

// isRejected waits for the status line and reports whether it is a 503.
func isRejected(ctx context.Context, conn net.Conn) bool {
	stop := context.AfterFunc(ctx, func() { _ = conn.SetReadDeadline(time.Now()) })
	defer stop()
	begin := make([]byte, len("HTTP/1.1 503"))
	for n := 0; n < len(begin); {
		more, err := conn.Read(begin[n:])
		if err != nil {
			return false
		}
		n += more
	}
	return strings.HasSuffix(string(begin), "503")
}

// Wrong returns the violations. most is the memory limit in megabytes.
func (c SlowReport) Wrong(most float64) (wrong Findings) {
	wrong.add(c.Rejected == 0, "nothing was rejected")
	wrong.add(c.Memory > most, "it held %.0f MB, want at most %.0f", c.Memory, most)
	wrong.add(c.OthersFailed > 0 || c.OthersRejected > c.Others/10 || c.Others < 3,
		"of %d other requests %d were rejected, and %d failed", c.Others, c.OthersRejected, c.OthersFailed)
	wrong.add(c.OthersP99 > 15_000, "other requests took up to %.0f ms", c.OthersP99)
	return wrong
}
