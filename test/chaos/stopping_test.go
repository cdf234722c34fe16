package chaos_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/test/chaos"
)

// contract 1.17, 1.18, 1.35, 1.63, 1.71
func TestStoppedServiceServesDuringDrainDelay(t *testing.T) {
	s := openOnPgtest(t)
	adminAddress := unused(t)
	i := startInstance(t, s, "KONTOR_DRAIN_DELAY=1h", "KONTOR_ADMIN_LISTEN="+adminAddress)
	persistent := &http.Client{Transport: &http.Transport{}}
	before := get(t, persistent, s, i.Address, "/rest/client")
	if before.StatusCode != http.StatusOK || before.Close {
		t.Errorf("before the signal, the response is %d, closing: %v", before.StatusCode, before.Close)
	}
	if err := i.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is not ready", func() bool {
		return get(t, persistent, s, i.Address, "/readyz").StatusCode == http.StatusServiceUnavailable
	})
	for _, of := range []struct {
		address, path string
		want          int
	}{
		{i.Address, "/readyz", 503}, {i.Address, "/healthz", 200}, {i.Address, "/rest/client", 200}, {i.Address, "/nowhere", 404},
		{adminAddress, "/readyz", 503}, {adminAddress, "/healthz", 200},
	} {
		if got := get(t, persistent, s, of.address, of.path); got.StatusCode != of.want || !got.Close {
			t.Errorf("%s%s returns %d, closing: %v; want %d", of.address, of.path, got.StatusCode, got.Close, of.want)
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

// contract 1.35, 1.51
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
				*http.Response

				body string
				err  error
			}
			responses := make(chan response, 1)
			go func() {
				r, err := send(t.Context(), &http.Client{Timeout: 2 * time.Minute}, s, i.Address, http.MethodPost, "/rest/client", `{"type":1,"name":"`+of.name+`"}`)
				if err != nil {
					responses <- response{err: err}
					return
				}
				defer r.Body.Close()
				body, err := io.ReadAll(r.Body)
				responses <- response{r, string(body), err}
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
			if a.err != nil || a.StatusCode != of.status || !json.Valid([]byte(a.body)) {
				t.Fatalf("%v, %+v", a.err, a)
			}
			if message := "the service is stopping; try again"; of.status == 503 && (a.Header.Get("Retry-After") == "" || !strings.Contains(a.body, message)) {
				t.Errorf("an aborted request gets %v and %s", a.Header, a.body)
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

// get returns the response, whose body was read.
func get(t *testing.T, client *http.Client, s *chaos.Site, address, path string) *http.Response {
	t.Helper()
	response, err := send(t.Context(), client, s, address, http.MethodGet, path, "")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		t.Fatal(err)
	}
	return response
}
