package api_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// contract 1.19, 3.22, 3.32
func TestInFlightLimitRejectsExcessRequest(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "the limit of all requests in flight")
	s := start(t, func(c *bootstrap.Config) { c.MaxRequests, c.CallerShare = 2, 100 })
	s.as("viewer").get("/rest/client").wants(http.StatusOK) // caches the token
	pool, release := s.holdLock("lock table clients in access exclusive mode")
	responses := make(chan *reply, 2)
	for range 2 {
		go func() { responses <- s.as("viewer").get("/rest/client") }()
	}
	for pgtest.LockWaits(t, pool) < 2 {
		time.Sleep(time.Millisecond)
	}
	for _, c := range []*caller{s.as("viewer"), s.nobody()} {
		for _, rejected := range []*reply{c.get("/rest/status"), c.post("/rest/client", fields{"name": "a", "type": 1}), c.get("/rest/nowhere")} {
			rejected.rejected(http.StatusServiceUnavailable)
			if rejected.header.Get("Retry-After") != "1" {
				t.Errorf("%s: Retry-After is %q", rejected.what, rejected.header.Get("Retry-After"))
			}
		}
	}
	s.nobody().get("/healthz").wants(http.StatusOK)
	release()
	for range 2 {
		(<-responses).wants(http.StatusOK)
	}
	s.as("viewer").get("/rest/status").wants(http.StatusOK)
	s.nobody().get("/rest/nowhere").rejected(http.StatusUnauthorized)
}

// contract 3.32
func TestInFlightLimitIgnoresRequestsWaitingForClient(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *bootstrap.Config) { c.MaxRequests = 1 })
	body := `{"name":"Slow","type":1}`
	slow := s.dial(t)
	slow.send("POST /rest/client HTTP/1.1\r\nHost: kontor\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n"+
		"Expect: 100-continue\r\n\r\n", s.tokens["manager"], len(body))
	slow.wants(http.StatusContinue) // the service waits for the body
	slow.send("%s", body[:10])
	s.longTexts(200) // more than the buffers of a connection
	unread := s.dial(t)
	unread.send("GET /rest/client?per_page=200 HTTP/1.1\r\nHost: kontor\r\nAuthorization: Bearer %s\r\n\r\n", s.tokens["viewer"])
	if _, err := unread.responses.Peek(1); err != nil { // the response has started
		t.Fatal(err)
	}
	for range 20 {
		s.as("viewer").get("/rest/client/1").wants(http.StatusOK)
	}
	slow.send("%s", body[10:])
	slow.wants(http.StatusOK)
}

// contract 2.39
func TestMemoryBudgetBoundsSlowUploads(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "the memory of all requests")
	const size, many = 1 << 20, 70
	const fit = 64 << 20 / (size - 1 - 32<<10) // contract 2.39
	s := start(t, func(c *bootstrap.Config) { c.CallerShare = 100 })
	slow := make([]*connection, many)
	for i := range slow {
		slow[i] = s.dial(t)
		slow[i].send("POST /rest/client HTTP/1.1\r\nHost: kontor\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
			s.tokens["manager"], size)
		slow[i].trySend(strings.Repeat(" ", size-1))
	}
	for deadline := time.Now().Add(time.Minute); len(slow) > fit; {
		if time.Now().After(deadline) {
			t.Fatalf("%d bodies are being received, and the budget has room for %d", len(slow), fit)
		}
		slow = slices.DeleteFunc(slow, func(l *connection) bool {
			if !l.hasResponse() {
				return false
			}
			response, err := http.ReadResponse(l.responses, nil)
			if err != nil || response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") == "" {
				t.Errorf("the response to a body beyond the budget is %+v, %v", response, err)
			}
			return true
		})
	}
	if len(slow) < many/2 {
		t.Errorf("%d bodies are being received, and the budget has room for %d", len(slow), fit)
	}
	create := func(text int) *reply {
		return s.as("manager").post("/rest/client", fields{"type": 1, "name": "Acme", "bank_details": strings.Repeat("x", text)})
	}
	create(3500).wants(http.StatusOK)
	for _, l := range slow {
		l.close()
	}
	for deadline := time.Now().Add(time.Minute); create(60_000).status != http.StatusOK; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the memory is not released")
		}
	}
}

// contract 2.39
func TestMemoryBudgetBoundsSlowDownloads(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "the memory of all requests")
	s := start(t, func(c *bootstrap.Config) { c.CallerShare = 100 })
	s.longTexts(250) // 15 MB
	rejected := 0
	for range 10 {
		l := s.dial(t)
		l.send("GET /rest/client?per_page=500 HTTP/1.1\r\nHost: kontor\r\nAuthorization: Bearer %s\r\n\r\n", s.tokens["viewer"])
		if status := l.status(); status == http.StatusServiceUnavailable {
			rejected++
		} else if status != http.StatusOK {
			t.Fatalf("status %d", status)
		}
	}
	if rejected < 5 || rejected == 10 {
		t.Errorf("%d of 10 were rejected", rejected)
	}
	s.as("viewer").get("/rest/client?per_page=500").rejected(http.StatusServiceUnavailable)
	s.as("viewer").get("/rest/client?fields=id,name").wants(http.StatusOK)
}

// contract 2.39
func TestResponseTooLargeSuggestsSmallerPage(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.longTexts(300) // 18 MB
	if said := s.as("viewer").get("/rest/client?per_page=500").rejected(http.StatusBadRequest).Detail; !strings.Contains(said, "per_page") {
		t.Errorf("the detail is %q", said)
	}
	for path, want := range map[string]int{"?per_page=250": 250, "?per_page=250&page=2": 50, "?per_page=500&fields=id,name": 300} {
		if got := len(s.as("viewer").get("/rest/client" + path).wants(http.StatusOK).items()); got != want {
			t.Errorf("%s has %d, want %d", path, got, want)
		}
	}
}

// longTexts stores clients, each with a text of 60,000 letters.
func (s *service) longTexts(clients int) {
	const letters = 60_000
	s.t.Helper()
	id := s.as("admin").post("/rest/client", fields{"type": 1, "name": "Long"}).wants(http.StatusOK).record()["id"]
	s.alter(`
insert into clients (type, name, name_key, user_id, bank_details, created_at, updated_at)
select type, name, name_key, user_id, repeat('x', $1), created_at, updated_at
from clients, generate_series(2, $2::int)
where clients.id = $3::bigint`, letters, clients, id)
	s.execute("update clients set bank_details = repeat('x', $1)", letters)
}

// connection is a connection on which bytes are sent and read one by one.
type connection struct {
	t         *testing.T
	conn      net.Conn
	responses *bufio.Reader
}

// dial opens a connection with a small receive buffer to the service until the test
// ends.
func (s *service) dial(t *testing.T) *connection {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.(*net.TCPConn).SetReadBuffer(4096); err != nil {
		t.Fatal(err)
	}
	l := &connection{t: t, conn: conn, responses: bufio.NewReaderSize(conn, 4096)}
	t.Cleanup(l.close)
	return l
}

func (l *connection) close() { _ = l.conn.Close() }

func (l *connection) send(format string, args ...any) {
	l.t.Helper()
	if _, err := fmt.Fprintf(l.conn, format, args...); err != nil {
		l.t.Fatal(err)
	}
}

// trySend sends the text, unless the service closes the connection before.
func (l *connection) trySend(text string) { _, _ = io.WriteString(l.conn, text) }

// hasResponse reports whether the response has started. One to a body that the service
// did not read to its end may be lost in a reset of the connection.
func (l *connection) hasResponse() bool {
	_ = l.conn.SetReadDeadline(time.Now().Add(2 * time.Millisecond))
	defer func() { _ = l.conn.SetReadDeadline(time.Time{}) }()
	_, err := l.responses.Peek(1)
	return !errors.Is(err, os.ErrDeadlineExceeded)
}

// response reads the status and the header of the response, not its body.
func (l *connection) response() *http.Response {
	l.t.Helper()
	response, err := http.ReadResponse(l.responses, nil)
	if err != nil {
		l.t.Fatal(err)
	}
	return response
}

func (l *connection) status() int {
	l.t.Helper()
	return l.response().StatusCode
}

func (l *connection) wants(status int) {
	l.t.Helper()
	if got := l.status(); got != status {
		l.t.Errorf("status %d, want %d", got, status)
	}
}

// contract 2.39
func TestWritesWithLargeBodiesAreInWorkTwoAtATime(t *testing.T) {
	t.Parallel()
	s := start(t, withPatience, func(c *bootstrap.Config) { c.CallerShare = 100 })
	s.as("manager").post("/rest/client", fields{"name": "Acme", "type": 1}).wants(http.StatusOK)
	pool, release := s.holdLock("select from clients where id = 1 for update")
	const large = 3
	responses := make(chan *reply, large)
	patch := func() {
		responses <- s.as("manager").patch("/rest/client/1", fields{"description": strings.Repeat("x", 40_000)})
	}
	wait := func(writes int) {
		t.Helper()
		for start := time.Now(); pgtest.LockWaits(t, pool) != writes; time.Sleep(time.Millisecond) {
			if time.Since(start) > 20*time.Second {
				t.Fatalf("%d writes wait for the lock, want %d", pgtest.LockWaits(t, pool), writes)
			}
		}
	}
	for range large {
		go patch()
	}
	wait(large - 1)
	s.as("manager").dry().post("/rest/client", fields{"name": "Small", "type": 1}).wants(http.StatusOK)
	s.as("other").dry().post("/rest/client", fields{"name": "Large", "type": 1, "description": strings.Repeat("x", 40_000)}).wants(http.StatusOK)
	wait(large - 1)
	release()
	for range large {
		(<-responses).wants(http.StatusOK)
	}
}
