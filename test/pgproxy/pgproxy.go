// Package pgproxy is a TCP proxy between a service and its database, for tests that disturb the connections, or
// intercept what is sent.
package pgproxy

import (
	"bytes"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Proxy forwards connections to a database.
type Proxy struct {
	URL string // of the database through the proxy, without TLS

	// Once set, they are called with what either side sends.
	FromClient, FromServer atomic.Pointer[Intercept]

	network, address string // of the database

	mu    sync.Mutex
	fault Fault
	open  map[net.Conn]bool // of the clients
}

// Intercept gets what was sent, before it is forwarded, and returns whether it is to be forwarded. It may write to the
// connections, or close them.
type Intercept func(server, client net.Conn, sent []byte) (isForwarded bool)

// Fault is a disturbance of all connections, present and future.
type Fault struct {
	Delay  time.Duration // of what either side sends
	Rate   int           // in bytes per second; 0: any
	Silent bool          // what is sent is lost, but the connections stay open
	Cut    bool          // the connections are closed
	Reset  bool          // the connections are reset
}

// Open starts a proxy for the database until the test ends.
func Open(t testing.TB, database string) *Proxy {
	t.Helper()
	config, err := pgx.ParseConfig(database)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{URL: urlOf(t, database, config, listener.Addr().String()), open: map[net.Conn]bool{}}
	p.network, p.address = pgconn.NetworkAddress(config.Host, config.Port)
	t.Cleanup(func() {
		_ = listener.Close()
		p.Set(Fault{Cut: true})
	})
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go p.serve(client)
		}
	}()
	return p
}

// urlOf is the URL of the database with another address.
func urlOf(t testing.TB, database string, config *pgx.ConnConfig, address string) string {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Del("host")
	query.Del("port")
	query.Set("sslmode", "disable")
	u.User, u.Host, u.RawQuery = url.UserPassword(config.User, config.Password), address, query.Encode()
	return u.String()
}

// Set replaces the fault; without any, everything is forwarded again.
func (p *Proxy) Set(f Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault = f
	if f.Cut || f.Reset {
		for client := range p.open {
			end(client, f)
		}
	}
}

// CutAfterCommit has the function called when the database has committed, before the confirmation is forwarded; if it
// returns true, the connection is cut instead.
func (p *Proxy) CutAfterCommit(cuts func() bool) {
	intercept := Intercept(func(server, client net.Conn, sent []byte) bool {
		// The server's CommandComplete: its tag is a text that ends with NUL.
		if !bytes.Contains(sent, []byte("COMMIT\x00")) || !cuts() {
			return true
		}
		_ = server.Close()
		_ = client.Close()
		return false
	})
	p.FromServer.Store(&intercept)
}

// end closes a connection, or has the kernel reset it.
func end(client net.Conn, f Fault) {
	if tcp, ok := client.(*net.TCPConn); ok && f.Reset {
		_ = tcp.SetLinger(0)
	}
	_ = client.Close()
}

// serve forwards in both directions until one side closes.
func (p *Proxy) serve(client net.Conn) {
	p.mu.Lock()
	fault := p.fault
	p.open[client] = true
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		delete(p.open, client)
		p.mu.Unlock()
		_ = client.Close()
	}()
	if fault.Cut || fault.Reset {
		end(client, fault)
		return
	}
	server, err := net.Dial(p.network, p.address)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	go func() {
		p.forward(server, client, func(sent []byte) bool { return isForwarded(&p.FromClient, server, client, sent) })
		_ = server.Close()
	}()
	p.forward(client, server, func(sent []byte) bool { return isForwarded(&p.FromServer, server, client, sent) })
}

func isForwarded(by *atomic.Pointer[Intercept], server, client net.Conn, sent []byte) bool {
	intercept := by.Load()
	return intercept == nil || (*intercept)(server, client, sent)
}

// forward copies until either side closes.
func (p *Proxy) forward(to, from net.Conn, isForwarded func(sent []byte) bool) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 && isForwarded(buffer[:n]) && p.passes(n) {
			if _, failed := to.Write(buffer[:n]); failed != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// passes waits as long as the fault has so many bytes wait, and reports whether they are not lost.
func (p *Proxy) passes(sent int) bool {
	p.mu.Lock()
	fault := p.fault
	p.mu.Unlock()
	if fault.Rate > 0 {
		fault.Delay += time.Duration(sent) * time.Second / time.Duration(fault.Rate)
	}
	time.Sleep(fault.Delay)
	return !fault.Silent
}
