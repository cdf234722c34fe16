//go:build full

package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgsummary"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/rest"
	"github.com/kontor-crm/kontor/test/testserver"
)

// zone is the time zone of the databases.
const zone = "Europe/Berlin"

// adding is a migration that extends tables which running instances read and write.
const adding = `
lock table clients in share row exclusive mode;
lock table client_changes, clients in access exclusive mode;
alter table clients add column region text, add constraint clients_region_length check (char_length(region) between 1 and 255);
alter table client_changes add column region text;
create index clients_by_region on clients (region, id);
create table client_regions (
    client_id bigint not null,
    region    text not null,
    constraint client_regions_pk primary key (client_id)
);`

// raising is a migration that shuts out programs without it.
func raising(t *testing.T) string {
	t.Helper()
	minimum := len(all(t)) + 1
	var b strings.Builder
	for _, list := range []string{"client", "deal", "offer", "contract", "invoice"} {
		fmt.Fprintf(&b, `
alter table %[1]s_changes
    drop constraint %[1]s_changes_writer_version,
    add constraint %[1]s_changes_writer_version check (writer_version >= %[2]d) not valid;`, list, minimum)
	}
	fmt.Fprintf(&b, `
insert into settings (name, value)
values ('minimum_version', '%d')
on conflict (name) do update
set value = excluded.value;`, minimum)
	return b.String()
}

// instance is a service of today's program.
type instance struct {
	testserver.Service

	t     *testing.T
	token string
}

func serve(t *testing.T, url string) instance {
	t.Helper()
	if err := bootstrap.Migrate(t.Context(), bootstrap.Config{DatabaseURL: url, TimeZone: zone}); err != nil {
		t.Fatal(err)
	}
	s := testserver.On(t, url, func(c *bootstrap.Config) { c.TimeZone = zone })
	return instance{s, t, testserver.Token(t, s.Service, "boss", user.Admin)}
}

// send returns the status and the body of the response.
func (s instance) send(method, path, body string) (status int, response string) {
	s.t.Helper()
	got, err := rest.Client{URL: s.URL, Token: s.token}.Send(s.t.Context(), method, path, body)
	if err != nil {
		s.t.Error(err)
	}
	return got.Status, string(got.Body)
}

// expect sends the request and checks the status.
func (s instance) expect(want int, method, path, body string) (response string) {
	s.t.Helper()
	status, response := s.send(method, path, body)
	if status != want {
		s.t.Errorf("%s %s: %d %s, want %d", method, path, status, response, want)
	}
	return response
}

// awaitReady waits until the instance is ready: under load, a check of the database may take
// longer than half a second, its limit.
func (s instance) awaitReady() {
	s.t.Helper()
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		status, response := s.send(http.MethodGet, "/readyz", "")
		if status == http.StatusOK {
			return
		}
		if time.Now().After(end) {
			s.t.Fatalf("the instance is not ready: %d %s", status, response)
		}
	}
}

const newClient = `{"type": 1, "name": "Nordwind"}`

// load writes clients and reads lists until stop, which waits for the last responses, and counts
// the requests that were sent. Every one of them must succeed.
func (s instance) load() (sent *atomic.Int64, stop func()) {
	sent = new(atomic.Int64)
	var stopping atomic.Bool
	var workers sync.WaitGroup
	for _, request := range [][3]string{
		{http.MethodPost, "/rest/client", newClient},
		{http.MethodPost, "/rest/client", newClient},
		{http.MethodPatch, "/rest/client/1", `{"name": "Zoll"}`},
		{http.MethodGet, "/rest/client?name=nord&count_deals=1", ""},
		{http.MethodGet, "/rest/client?sort=name&page=2", ""},
	} {
		workers.Go(func() {
			for !stopping.Load() {
				s.expect(http.StatusOK, request[0], request[1], request[2])
				sent.Add(1)
			}
		})
	}
	return sent, func() {
		stopping.Store(true)
		workers.Wait()
	}
}

// contract 1.75
func TestRunningInstanceServesWhileNextMigrationIsApplied(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s := serve(t, url)
	s.expect(http.StatusOK, http.MethodPost, "/rest/client", newClient)
	requests := func(sent *atomic.Int64) {
		for from, end := sent.Load(), time.Now().Add(20*time.Second); sent.Load() < from+100; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("an instance does not respond")
			}
		}
	}
	sent, stop := s.load()
	defer stop()
	requests(sent)
	if err := postgres.MigrateUpFrom(t.Context(), url, next(t, adding)); err != nil {
		t.Fatal(err)
	}
	requests(sent)
	s.awaitReady()
	// A rolling upgrade: for a while both serve.
	later := instance{testserver.On(t, url, func(c *bootstrap.Config) { c.TimeZone = zone }), t, s.token}
	sentLater, stopLater := later.load()
	defer stopLater()
	requests(sentLater)
	requests(sent)
	stop()
	requests(sentLater)
	stopLater()
	if wrong, err := pgsummary.Verify(t.Context(), pgtest.DB(t, url, zone)); err != nil || len(wrong) > 0 {
		t.Errorf("the read models differ: %v, %v", err, wrong)
	}
}

// contract 1.76
func TestProgramBelowMinimumVersionIsRejected(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s := serve(t, url)
	s.expect(http.StatusOK, http.MethodPost, "/rest/client", newClient)
	if err := postgres.MigrateUpFrom(t.Context(), url, next(t, raising(t))); err != nil {
		t.Fatal(err)
	}
	tooOld := postgres.TooOld{Version: postgres.Version, Minimum: postgres.Version + 1}

	for request, body := range map[string]string{"POST /rest/client": newClient, "PATCH /rest/client/1": `{"name": "Zoll"}`, "DELETE /rest/client/1": ""} {
		method, path, _ := strings.Cut(request, " ")
		if got := s.expect(http.StatusServiceUnavailable, method, path, body); !strings.Contains(got, "too old for the database") {
			t.Errorf("%s: %s", request, got)
		}
	}
	pool := pgtest.Pool(t, url)
	if names := column[string](t, pool, "select name from clients"); len(names) != 1 || names[0] != "Nordwind" {
		t.Errorf("the clients are %q after rejected writes", names)
	}
	s.expect(http.StatusOK, http.MethodGet, "/rest/client/1", "")
	s.expect(http.StatusServiceUnavailable, http.MethodGet, "/readyz", "")

	fresh := testserver.On(t, url, func(c *bootstrap.Config) { c.TimeZone = zone })
	_, _, err := fresh.Commands.Tokens.Issue(t.Context(), "boss", time.Hour)
	if got, ok := errors.AsType[postgres.TooOld](err); !ok || !fault.Is(err, fault.Unavailable) || got != tooOld {
		t.Errorf("a new connection: %v", err)
	}
	err = bootstrap.Migrate(t.Context(), bootstrap.Config{DatabaseURL: url, TimeZone: zone})
	if got, ok := errors.AsType[postgres.TooOld](err); !ok || got != tooOld {
		t.Errorf("a new start: %v", err)
	}
}

// A rebuild after the migration sees all changes of programs below the minimum.
func TestRaisingMinimumVersionWaitsForRunningWrites(t *testing.T) { // contract 1.76
	t.Parallel()
	url := pgtest.URL(t)
	pool := pgtest.Pool(t, url)
	const record = `
insert into client_changes (batch_id, writer_version, delta, user_id, type)
select max(id), %d, 1, 1, 1
from change_batches`
	writer, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = writer.Rollback(context.WithoutCancel(t.Context())) }()
	if _, err := writer.Exec(t.Context(), fmt.Sprintf(record, postgres.Version)); err != nil {
		t.Fatal(err)
	}
	migrated := make(chan error, 1)
	go func() { migrated <- postgres.MigrateUpFrom(t.Context(), url, next(t, raising(t))) }()
	awaitWaiting(t, pool)
	if err := writer.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-migrated; err != nil {
		t.Fatal(err)
	}
	if _, err := pool.Exec(t.Context(), fmt.Sprintf(record, postgres.Version)); !fault.Is(postgres.Fault(err, postgres.Storing), fault.Unavailable) {
		t.Errorf("a write of the same program after the migration: %v", err)
	}
	if _, err := pool.Exec(t.Context(), fmt.Sprintf(record, postgres.Version+1)); err != nil {
		t.Errorf("a write of the next program: %v", err)
	}
}
