package api_test

import (
	"bytes"
	"io"
	"net"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// gate stands between a service and its database, and can keep the news of a
// commit back.
type gate struct {
	url              string // of the database, through the gate
	network, address string // where the database is

	// onCommit, once set, is called when the database has committed, before the
	// service is told; if it returns true, the connection is cut instead.
	onCommit atomic.Pointer[func() bool]
}

// openGate opens a gate before the database until the test ends.
func openGate(t testing.TB, database string) *gate {
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
	g := &gate{url: through(t, database, config, listener.Addr().String())}
	g.network, g.address = pgconn.NetworkAddress(config.Host, config.Port)
	go func() {
		for {
			service, err := listener.Accept()
			if err != nil {
				return
			}
			go g.carry(service)
		}
	}()
	return g
}

// through is the URL of the database with another address, which is no socket
// and speaks in the clear.
func through(t testing.TB, database string, config *pgx.ConnConfig, address string) string {
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

// carry carries what both sides say, until one of them ends or the gate cuts.
func (g *gate) carry(service net.Conn) {
	defer service.Close()
	database, err := net.Dial(g.network, g.address)
	if err != nil {
		return
	}
	defer database.Close()
	go func() {
		_, _ = io.Copy(database, service)
		_ = database.Close()
	}()
	buffer := make([]byte, 64<<10)
	for {
		n, err := database.Read(buffer)
		// The server's CommandComplete: its tag is a text that ends with NUL.
		if f := g.onCommit.Load(); f != nil && bytes.Contains(buffer[:n], []byte("COMMIT\x00")) && (*f)() {
			return
		}
		if _, failed := service.Write(buffer[:n]); err != nil || failed != nil {
			return
		}
	}
}
