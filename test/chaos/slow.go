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

// Slow are callers who take their time: each holds a connection for as long as it
// can.
type Slow struct {
	Readers int           // ask for Page and take next to nothing of the answer
	Writers int           // send a body that is as long as it may be, but for its end
	Openers int           // send a header that does not end
	Body    int           // bytes
	Page    string        // the widest list
	Lasts   time.Duration // for how long
}

// Crawl is what became of them, and of others meanwhile.
type Crawl struct {
	Connections, Refused int64
	Memory               float64 // megabytes at most
	Others               int
	OthersRefused        int     // with a 503
	OthersFailed         int     // with anything else than a 200
	OthersMost           float64 // ms, of 99 in 100
}

// String is the figures, one in a line.
func (c Crawl) String() string {
	return fmt.Sprintf(`slow connections: %d
slow requests refused: %d
memory at most in MB: %.0f
other requests: %d
other requests refused: %d
other requests that failed: %d
99 of 100 other requests in ms: %.0f
`, c.Connections, c.Refused, c.Memory, c.Others, c.OthersRefused, c.OthersFailed, c.OthersMost)
}

// Widen stores so many clients with a text of so many letters.
func Widen(ctx context.Context, s *Site, clients, letters int) error {
	w := newWriter(s, newBook(), "wide", lists{}, 1)
	text := strings.Repeat("x", letters)
	for n := range clients {
		name := fmt.Sprintf("wide-%d", n)
		if _, err := w.create(ctx, "client", name, fields{"type": 1, "name": name, "bank_details": text}); err != nil {
			return err
		}
	}
	return nil
}

// Run lets them come all at once, and asks for something small beside them.
func (o Slow) Run(ctx context.Context, s *Site) (c Crawl, err error) {
	ctx, cancel := context.WithTimeout(ctx, o.Lasts)
	defer cancel()
	var all sync.WaitGroup
	var connections, refused atomic.Int64
	come := func(many int, what func(context.Context, net.Conn) bool) {
		for range many {
			all.Go(func() {
				for ctx.Err() == nil { // who is sent away comes again
					conn, err := new(net.Dialer).DialContext(ctx, "tcp", s.Address)
					if err != nil {
						continue
					}
					connections.Add(1)
					if what(ctx, conn) {
						refused.Add(1)
						wait(ctx, 10*time.Second) // much longer than Retry-After says: these are slow, not many
					}
					_ = conn.Close() // it may be closed already
				}
			})
		}
	}
	come(o.Writers, o.write(s))
	come(o.Readers, o.read(s))
	come(o.Openers, o.open)
	others := o.others(ctx, s)
	all.Wait()
	c.Connections, c.Refused = connections.Load(), refused.Load()
	var took []float64
	for _, a := range others {
		switch {
		case a.err == nil && a.status == http.StatusServiceUnavailable:
			c.OthersRefused++
		case a.err != nil || a.status != http.StatusOK:
			c.OthersFailed++
		}
		took = append(took, float64(a.took.Milliseconds()))
	}
	c.Others, c.OthersMost = len(others), share(took, 0.99)
	c.Memory, err = s.PeakMemory()
	return c, err
}

func wait(ctx context.Context, long time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(long):
	}
}

// others ask for something small until the time is over.
func (o Slow) others(ctx context.Context, s *Site) (all []reply) {
	caller := &http.Client{Timeout: time.Minute, Transport: &http.Transport{}}
	defer caller.CloseIdleConnections()
	for ctx.Err() == nil {
		all = append(all, s.ask(context.WithoutCancel(ctx), caller, "/rest/status"))
		time.Sleep(20 * time.Millisecond)
	}
	return all
}

// write sends all of a body but its last byte, and is true if it is refused.
func (o Slow) write(s *Site) func(context.Context, net.Conn) bool {
	head := fmt.Sprintf("POST /rest/client HTTP/1.1\r\nHost: kontor\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", s.Token, o.Body)
	body := []byte(head + strings.Repeat(" ", o.Body-1))
	return func(ctx context.Context, conn net.Conn) bool {
		_, _ = conn.Write(body) // it may be refused before its end
		return isRefused(ctx, conn)
	}
}

// read asks for the widest list, and takes some bytes a second of it.
func (o Slow) read(s *Site) func(context.Context, net.Conn) bool {
	head := fmt.Sprintf("GET %s HTTP/1.1\r\nHost: kontor\r\nAuthorization: Bearer %s\r\n\r\n", o.Page, s.Token)
	return func(ctx context.Context, conn net.Conn) bool {
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetReadBuffer(4096) // it is slow enough with more
		}
		_, _ = conn.Write([]byte(head))
		if isRefused(ctx, conn) {
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
func (o Slow) open(ctx context.Context, conn net.Conn) bool {
	_, err := conn.Write([]byte("GET /rest/status HTTP/1.1\r\nHost: kontor\r\n"))
	for line := []byte("X-Slow: " + strings.Repeat("x", 4000) + "\r\n"); err == nil && ctx.Err() == nil; time.Sleep(200 * time.Millisecond) {
		_, err = conn.Write(line)
	}
	return false
}

// isRefused waits for the beginning of an answer, and tells whether it is a 503.
func isRefused(ctx context.Context, conn net.Conn) bool {
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

// Wrong is what slow callers should not have come to. most is how many megabytes
// the service may hold.
func (c Crawl) Wrong(most float64) (wrong Findings) {
	wrong.add(c.Refused == 0, "nothing was refused")
	wrong.add(c.Memory > most, "it held %.0f MB, want at most %.0f", c.Memory, most)
	wrong.add(c.OthersFailed > 0 || c.OthersRefused > c.Others/10 || c.Others < 3,
		"of %d other requests %d were refused, and %d failed", c.Others, c.OthersRefused, c.OthersFailed)
	wrong.add(c.OthersMost > 15_000, "other requests took up to %.0f ms", c.OthersMost)
	return wrong
}
