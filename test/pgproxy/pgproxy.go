// Package pgproxy is a TCP proxy between a service and its database, for tests that intercept what they send.
// Package chaos has a proxy of its own, which resets connections and knows no messages.
package pgproxy

import (
	"net"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Proxy forwards connections to a database.
type Proxy struct {
	URL string // of the database through the proxy, without TLS

	// Once set, they are called with what either side sends.
	FromClient, FromServer atomic.Pointer[Intercept]

	network, address string // of the database
}

// Intercept gets what was sent, before it is forwarded, and returns whether it is to be forwarded. It may write to the
// connections, or close them.
type Intercept func(server, client net.Conn, sent []byte) (isForwarded bool)

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
	t.Cleanup(func() { _ = listener.Close() })
	p := &Proxy{URL: urlOf(t, database, config, listener.Addr().String())}
	p.network, p.address = pgconn.NetworkAddress(config.Host, config.Port)
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

// serve forwards in both directions until one side closes.
func (p *Proxy) serve(client net.Conn) {
	defer func() { _ = client.Close() }()
	server, err := net.Dial(p.network, p.address)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	go func() {
		forward(server, client, func(sent []byte) bool { return isForwarded(&p.FromClient, server, client, sent) })
		_ = server.Close()
	}()
	forward(client, server, func(sent []byte) bool { return isForwarded(&p.FromServer, server, client, sent) })
}

func isForwarded(by *atomic.Pointer[Intercept], server, client net.Conn, sent []byte) bool {
	intercept := by.Load()
	return intercept == nil || (*intercept)(server, client, sent)
}

// forward copies until either side closes.
func forward(to, from net.Conn, isForwarded func(sent []byte) bool) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 && isForwarded(buffer[:n]) {
			if _, failed := to.Write(buffer[:n]); failed != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
