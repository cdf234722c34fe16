package chaos_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/test/chaos"
)

// handover is one behind the proxy that KONTOR_FAULT_PROXY names, a file of haproxy,
// or else behind one of the test's own, with how long that takes to notice that an
// instance is not ready.
func handover(t *testing.T) chaos.Handover {
	t.Helper()
	h := chaos.Handover{Clients: 6, Restarts: times(t, "KONTOR_FAULT_RESTARTS", 2)}
	name := os.Getenv("KONTOR_FAULT_PROXY")
	if name == "" {
		h.Drain = 2 * time.Second
		h.Proxy = func(ctx context.Context, a, b string) (chaos.Proxy, error) {
			return chaos.Forward(ctx, 100*time.Millisecond, a, b), nil
		}
		return h
	}
	file, err := exec.LookPath(name)
	if err != nil {
		t.Fatal("haproxy is missing: on Debian the package haproxy has it")
	}
	folder := t.TempDir()
	h.Drain = 5 * time.Second
	h.Proxy = func(ctx context.Context, a, b string) (chaos.Proxy, error) {
		return chaos.HAProxy(ctx, file, "../../docs/operations.md", folder, a, b)
	}
	return h
}

// contract 1.18, 1.35, 1.71
func TestARollingRestartBehindAProxyLosesNoRequest(t *testing.T) {
	s := open(t, nil)
	v, err := handover(t).Run(t.Context(), s)
	t.Logf("\n%s", v)
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Failed) > 0 {
		t.Errorf("%d failed, such as\n%s", len(v.Failed), strings.Join(v.Failed[:min(len(v.Failed), 10)], "\n"))
	}
	if v.Requests < 100*v.Restarts {
		t.Errorf("there were %d requests in %d restarts: that shows nothing", v.Requests, v.Restarts)
	}
	db := connect(t, s)
	var stored int
	if err := db.QueryRow(t.Context(), "select count(*) from clients").Scan(&stored); err != nil || stored != len(v.Created) {
		t.Errorf("%v; of %d records %d are stored", err, len(v.Created), stored)
	}
}

// Without a delay a proxy goes on to send requests to an instance that has gone, until
// it asks again, and the count sees it.
func TestARestartWithoutADrainDelayIsFoundOut(t *testing.T) {
	s := open(t, nil)
	h := handover(t)
	h.Drain, h.Restarts = 0, 1
	for range 5 {
		v, err := h.Run(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if len(v.Failed) > 0 {
			t.Logf("failed: %d, such as %s", len(v.Failed), v.Failed[0])
			return
		}
	}
	t.Error("nothing failed")
}

// contract 1.17, 1.18, 1.35, 1.63, 1.71
func TestAServiceThatIsStoppedServesOnUntilProxiesHaveNoticed(t *testing.T) {
	s := open(t, nil)
	operators := unused(t)
	i := begin(t, s, "KONTOR_DRAIN_DELAY=1h", "KONTOR_ADMIN_LISTEN="+operators)
	kept := &http.Client{Transport: &http.Transport{}}
	before := asked(t, kept, s, i.Address, "/rest/client")
	if before.StatusCode != http.StatusOK || before.Close {
		t.Errorf("before, the answer is %d, closing: %v", before.StatusCode, before.Close)
	}
	if err := i.Tell(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is not ready", func() bool {
		return asked(t, kept, s, i.Address, "/readyz").StatusCode == http.StatusServiceUnavailable
	})
	for _, of := range []struct {
		address, path string
		want          int
	}{
		{i.Address, "/readyz", 503}, {i.Address, "/healthz", 200}, {i.Address, "/rest/client", 200}, {i.Address, "/nowhere", 404},
		{operators, "/readyz", 503}, {operators, "/healthz", 200},
	} {
		if got := asked(t, kept, s, of.address, of.path); got.StatusCode != of.want || !got.Close {
			t.Errorf("%s%s answers %d, closing: %v; want %d", of.address, of.path, got.StatusCode, got.Close, of.want)
		}
	}
	// The second signal of somebody who does not want to wait.
	if err := i.Tell(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if code := end(t, i); code != 0 {
		t.Errorf("it ends with %d", code)
	}
}

// contract 1.35, 1.51
func TestALongRequestIsFinishedOrCutOffWithAWholeError(t *testing.T) {
	s := open(t, nil)
	for _, of := range []struct {
		name, timeout string
		impatient     bool // a second signal is sent
		finishes      bool // the request, once the service takes no others
		status, code  int
	}{
		{"that finishes in time", "1h", false, true, 200, 0},
		{"that does not", "1s", false, false, 503, 1},
		{"at the second signal", "1h", true, false, 503, 1},
	} {
		t.Run(of.name, func(t *testing.T) {
			i := begin(t, s, "KONTOR_SHUTDOWN_TIMEOUT="+of.timeout, "KONTOR_DRAIN_DELAY=1ms",
				"KONTOR_REQUEST_TIMEOUT=10m", "KONTOR_STATEMENT_TIMEOUT=9m", "KONTOR_LOCK_TIMEOUT=9m")
			db, held := connect(t, s), connect(t, s)
			lock, err := held.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := lock.Exec(t.Context(), "select from users for update"); err != nil { // that whoever writes refers to
				t.Fatal(err)
			}
			type whole struct {
				*http.Response

				body string
				err  error
			}
			answers := make(chan whole, 1)
			go func() {
				r, err := send(t.Context(), &http.Client{Timeout: 2 * time.Minute}, s, i.Address, http.MethodPost, "/rest/client", `{"type":1,"name":"`+of.name+`"}`)
				if err != nil {
					answers <- whole{err: err}
					return
				}
				defer r.Body.Close()
				body, err := io.ReadAll(r.Body)
				answers <- whole{r, string(body), err}
			}()
			eventually(t, "the request waits", func() bool { return count(t, db, "pg_stat_activity where wait_event_type = 'Lock'") == 1 })
			if err := i.Tell(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the service takes no more requests", func() bool { return !listens(i.Address) })
			if of.impatient {
				err = i.Tell(syscall.SIGINT)
			}
			if of.finishes {
				err = lock.Rollback(t.Context())
			}
			if err != nil {
				t.Fatal(err)
			}
			a := <-answers
			if a.err != nil || a.StatusCode != of.status || !json.Valid([]byte(a.body)) {
				t.Fatalf("%v, %+v", a.err, a)
			}
			if said := "the service is stopping; try again"; of.status == 503 && (a.Header.Get("Retry-After") == "" || !strings.Contains(a.body, said)) {
				t.Errorf("a request that is cut off gets %v and %s", a.Header, a.body)
			}
			if code := end(t, i); code != of.code {
				t.Errorf("the service ends with %d, want %d", code, of.code)
			}
			if err := lock.Rollback(t.Context()); err != nil && !errors.Is(err, pgx.ErrTxClosed) {
				t.Fatal(err)
			}
			stored := 0
			if of.finishes {
				stored = 1
			}
			if n := count(t, db, "clients where name = '"+of.name+"'"); n != stored {
				t.Errorf("%d records are stored", n)
			}
		})
	}
}

func begin(t *testing.T, s *chaos.Site, settings ...string) *chaos.Instance {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	i, err := s.Begin(ctx, settings...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := i.Close(); err != nil {
			t.Error(err)
		}
	})
	return i
}

// end is the exit code with which it ends, as it was told to.
func end(t *testing.T, i *chaos.Instance) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	code, err := i.AwaitEnd(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

func connect(t *testing.T, s *chaos.Site) *pgx.Conn {
	t.Helper()
	db, err := s.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close(context.WithoutCancel(t.Context())) })
	return db
}

func count(t *testing.T, db *pgx.Conn, what string) (n int) {
	t.Helper()
	if err := db.QueryRow(t.Context(), "select count(*) from "+what).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not yet: %s", what)
		}
	}
}

func listens(address string) bool {
	conn, err := net.Dial("tcp", address)
	if err == nil {
		conn.Close()
	}
	return err == nil
}

func unused(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func send(ctx context.Context, client *http.Client, s *chaos.Site, address, method, path, body string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://"+address+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+s.Token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	return client.Do(r)
}

// asked is the answer without its body, which was read.
func asked(t *testing.T, client *http.Client, s *chaos.Site, address, path string) *http.Response {
	t.Helper()
	answer, err := send(t.Context(), client, s, address, http.MethodGet, path, "")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		t.Fatal(err)
	}
	return answer
}
