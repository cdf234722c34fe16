package pooler

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/rest"
	"github.com/kontor-crm/kontor/test/testserver"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

// servers is how many connections to the database PgBouncer has.
const servers = 3

// service is a service behind a pooler of its own.
type service struct {
	t        *testing.T
	database string
	config   bootstrap.Config
	url      string
	token    string
}

func start(t *testing.T, options ...func(*bootstrap.Config)) *service {
	t.Helper()
	s := &service{t: t, database: pgtest.URL(t)}
	pooler := pgtest.StartPooler(t, fmt.Sprintf("default_pool_size = %d", servers))
	running := testserver.On(t, s.database, append(options, func(c *bootstrap.Config) {
		testserver.UsePooler(t, c, pooler)
		s.config = *c
	})...)
	s.url, s.token = running.URL, testserver.Token(t, running.Service, "mira", user.Manager)
	return s
}

// send sends a request and returns the status and the body.
func (s *service) send(ctx context.Context, method, path, body string, headers ...string) (int, string, error) {
	got, err := rest.Client{URL: s.url, Token: s.token}.Send(ctx, method, path, body, headers...)
	return got.Status, got.Header.Get("X-Pagination-Total-Count") + " " + string(got.Body), err
}

// gets sends a request that must succeed, and returns the total and the body.
func (s *service) gets(method, path, body string) string {
	s.t.Helper()
	status, text, err := s.send(s.t.Context(), method, path, body)
	if err != nil || status != http.StatusOK {
		s.t.Fatalf("%s %s: %d, %v: %s", method, path, status, err, text)
	}
	return text
}

func (s *service) totals(path string, want int) {
	s.t.Helper()
	if got, _, _ := strings.Cut(s.gets(http.MethodGet, path, ""), " "); got != fmt.Sprint(want) {
		s.t.Errorf("the total of %s is %q, want %d", path, got, want)
	}
}

// contract 1.83, 1.85
func TestPoolerServesMoreRequestsThanItHasConnections(t *testing.T) {
	t.Parallel()
	s := start(t)
	stop, err := bootstrap.StartWorkers(t.Context(), s.config, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	const writers, each = 8 * servers, 5
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := range each {
				body := fmt.Sprintf(`{"name":"Client %d of %d","type":2}`, i, w)
				key := fmt.Sprintf("%d-%d", w, i)
				var ids []string
				for range 2 { // the second response is the stored one
					status, text, err := s.send(t.Context(), http.MethodPost, "/rest/client", body, "Idempotency-Key", key)
					if err != nil || status != http.StatusOK {
						t.Errorf("a write: %d, %v: %s", status, err, text)
						return
					}
					ids = append(ids, text)
				}
				if ids[0] != ids[1] {
					t.Errorf("one key has two responses, %s and %s", ids[0], ids[1])
				}
				if status, text, err := s.send(t.Context(), http.MethodGet, "/rest/client?sort=name&per_page=50&page=2", ""); err != nil || status != http.StatusOK {
					t.Errorf("a list: %d, %v: %s", status, err, text)
				}
			}
		})
	}
	all.Wait()
	s.totals("/rest/client", writers*each)
	s.totals("/rest/client?name=Client%201", writers)
	s.totals("/rest/client?name=of%2011", each)
	s.awaitFolded()
	s.totals("/rest/client?type=2", writers*each)
	var listed struct {
		Response struct {
			Items []struct {
				CreatedAt string `json:"created_at"`
			}
		}
	}
	_, text, _ := strings.Cut(s.gets(http.MethodGet, "/rest/client?per_page=1", ""), " ")
	if err := json.Unmarshal([]byte(text), &listed); err != nil || len(listed.Response.Items) != 1 {
		t.Fatalf("%v in %s", err, text)
	}
	if _, err := time.Parse(time.DateTime, listed.Response.Items[0].CreatedAt); err != nil {
		t.Error(err)
	}
}

// awaitFolded returns when the worker, which uses the database itself, has folded all.
func (s *service) awaitFolded() {
	s.t.Helper()
	pool := pgtest.Pool(s.t, s.database)
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		var open int
		err := pool.QueryRow(s.t.Context(), "select count(*) from client_changes, read_model_state where batch_id >= oldest_open_batch").Scan(&open)
		if err != nil {
			s.t.Fatal(err)
		}
		if open == 0 {
			return
		}
	}
	s.t.Fatal("the changes are not folded")
}

// contract 1.83, 1.85
func TestPoolerConnectionIsFreeWhenItsRequestEnds(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *bootstrap.Config) { c.RequestTimeout = time.Second })
	s.gets(http.MethodPost, "/rest/client", `{"name":"Anna","type":2}`)
	pool := pgtest.Pool(t, s.database)
	lock, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Rollback(context.WithoutCancel(t.Context())) }()
	if _, err := lock.Exec(t.Context(), "lock table clients in access exclusive mode"); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 4 * servers {
		all.Go(func() {
			status, text, err := s.send(t.Context(), http.MethodPut, "/rest/client/1", `{"name":"Berta"}`)
			if err != nil || status != http.StatusServiceUnavailable {
				t.Errorf("a request without time: %d, %v: %s", status, err, text)
			}
		})
	}
	all.Wait()
	if err := lock.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		status, text, err := s.send(t.Context(), http.MethodGet, "/rest/client/1", "")
		if err == nil && status == http.StatusOK && strings.Contains(text, "Anna") {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("after the lock: %d, %v: %s", status, err, text)
		}
	}
}

// contract 1.83, 1.85
func TestPoolerThatIsGoneMakesTheServiceUnready(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.gets(http.MethodGet, "/readyz", "")
	gone := testserver.On(t, s.database, func(c *bootstrap.Config) {
		c.PoolerURL = "postgres://kontor@127.0.0.1:1/kontor?sslmode=disable"
	})
	s.url = gone.URL
	if status, text, err := s.send(t.Context(), http.MethodGet, "/readyz", ""); err != nil || status != http.StatusServiceUnavailable {
		t.Errorf("without the pooler: %d, %v: %s", status, err, text)
	}
}
