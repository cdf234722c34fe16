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

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/testserver"
)

// commitProxy is a proxy between a service and its database that can intercept the
// confirmation of a commit.
type commitProxy struct {
	url              string // of the database, through the proxy
	network, address string // where the database is

	// onCommit, once set, is called when the database has committed, before the
	// confirmation is forwarded; if it returns true, the connection is cut instead.
	onCommit atomic.Pointer[func() bool]
}

// serveThroughProxy runs the service behind a proxy to the database, or to the pooler if
// the tests use one.
func serveThroughProxy(t testing.TB) (*service, *commitProxy) {
	t.Helper()
	database := pgtest.URL(t)
	pooler := pgtest.SharedPooler(t)
	if pooler == nil {
		g := openCommitProxy(t, database)
		return serve(t, g.url), g
	}
	g := openCommitProxy(t, pooler.URL(database))
	return serve(t, database, func(c *bootstrap.Config) {
		testserver.UsePooler(t, c, pooler)
		c.PoolerURL = g.url
	}), g
}

// openCommitProxy starts a proxy for the database until the test ends.
func openCommitProxy(t testing.TB, database string) *commitProxy {
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
	p := &commitProxy{url: proxyURL(t, database, config, listener.Addr().String())}
	p.network, p.address = pgconn.NetworkAddress(config.Host, config.Port)
	go func() {
		for {
			service, err := listener.Accept()
			if err != nil {
				return
			}
			go p.forward(service)
		}
	}()
	return p
}

// proxyURL returns the URL of the database with another TCP address, without TLS.
func proxyURL(t testing.TB, database string, config *pgx.ConnConfig, address string) string {
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

// forward forwards data in both directions until one side closes or onCommit cuts the
// connection.
func (p *commitProxy) forward(service net.Conn) {
	defer service.Close()
	database, err := net.Dial(p.network, p.address)
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
		if f := p.onCommit.Load(); f != nil && bytes.Contains(buffer[:n], []byte("COMMIT\x00")) && (*f)() {
			return
		}
		if _, failed := service.Write(buffer[:n]); err != nil || failed != nil {
			return
		}
	}
}
