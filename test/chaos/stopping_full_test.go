//go:build full

package chaos_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/test/chaos"
	"github.com/kontor-crm/kontor/test/rest"
)

// contract 1.17, 1.18, 1.35, 1.19
func TestStoppedServiceServesDuringDrainDelay(t *testing.T) {
	s := openOnPgtest(t)
	adminAddress := rest.Free(t)
	i := startInstance(t, s, "KONTOR_DRAIN_DELAY=1h", "KONTOR_ADMIN_LISTEN="+adminAddress)
	persistent := &http.Client{Transport: &http.Transport{}}
	before := get(t, persistent, s, i.Address, "/rest/client")
	if before.Status != http.StatusOK || before.Close {
		t.Errorf("before the signal, the response is %d, closing: %v", before.Status, before.Close)
	}
	if err := i.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is not ready", func() bool {
		return get(t, persistent, s, i.Address, "/readyz").Status == http.StatusServiceUnavailable
	})
	for _, of := range []struct {
		address, path string
		want          int
	}{
		{i.Address, "/readyz", 503}, {i.Address, "/healthz", 200}, {i.Address, "/rest/client", 200}, {i.Address, "/nowhere", 404},
		{adminAddress, "/readyz", 503}, {adminAddress, "/healthz", 200},
	} {
		if got := get(t, persistent, s, of.address, of.path); got.Status != of.want || !got.Close {
			t.Errorf("%s%s returns %d, closing: %v; want %d", of.address, of.path, got.Status, got.Close, of.want)
		}
	}
	// A second signal ends the delay.
	if err := i.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if code := exitCode(t, i); code != 0 {
		t.Errorf("it exits with %d", code)
	}
}

// contract 1.35, 1.19
func TestShutdownFinishesOrAbortsLongRequests(t *testing.T) {
	s := openOnPgtest(t)
	for _, of := range []struct {
		name, timeout string
		signalled     bool // a second time
		finishes      bool // the request, once the service accepts no others
		status, code  int
	}{
		{"finished in time", "1h", false, true, 200, 0},
		{"aborted at the timeout", "1s", false, false, 503, 1},
		{"aborted at the second signal", "1h", true, false, 503, 1},
	} {
		t.Run(of.name, func(t *testing.T) {
			i := startInstance(t, s, "KONTOR_SHUTDOWN_TIMEOUT="+of.timeout, "KONTOR_DRAIN_DELAY=1ms",
				"KONTOR_REQUEST_TIMEOUT=10m", "KONTOR_STATEMENT_TIMEOUT=9m", "KONTOR_LOCK_TIMEOUT=9m")
			db, held := connect(t, s), connect(t, s)
			lock, err := held.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := lock.Exec(t.Context(), "select from users for update"); err != nil { // which every write references
				t.Fatal(err)
			}
			type response struct {
				rest.Response

				err error
			}
			responses := make(chan response, 1)
			go func() {
				r, err := rest.Client{URL: "http://" + i.Address, Token: s.Token}.Send(t.Context(), http.MethodPost, "/rest/client", map[string]any{"type": 1, "name": of.name})
				responses <- response{r, err}
			}()
			eventually(t, "the request waits", func() bool {
				return count(t, db, "pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()") == 1
			})
			if err := i.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the service accepts no more requests", func() bool { return !listens(i.Address) })
			if of.signalled {
				err = i.Signal(syscall.SIGINT)
			}
			if of.finishes {
				err = lock.Rollback(t.Context())
			}
			if err != nil {
				t.Fatal(err)
			}
			a := <-responses
			if a.err != nil || a.Status != of.status || !json.Valid(a.Body) {
				t.Fatalf("%v, %+v", a.err, a)
			}
			if message := "the service is stopping; try again"; of.status == 503 && (a.Header.Get("Retry-After") == "" || !strings.Contains(string(a.Body), message)) {
				t.Errorf("an aborted request gets %v and %s", a.Header, a.Body)
			}
			if code := exitCode(t, i); code != of.code {
				t.Errorf("the service exits with %d, want %d", code, of.code)
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

func startInstance(t *testing.T, s *chaos.Site, settings ...string) *chaos.Instance {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	i, err := s.StartInstance(ctx, settings...)
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

// exitCode waits for the exit code.
func exitCode(t *testing.T, i *chaos.Instance) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	code, err := i.AwaitExit(ctx)
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
			t.Fatalf("timed out waiting until %s", what)
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

func get(t *testing.T, client *http.Client, s *chaos.Site, address, path string) rest.Response {
	t.Helper()
	response, err := rest.Client{URL: "http://" + address, Token: s.Token, HTTP: client}.Send(t.Context(), http.MethodGet, path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return response
}
