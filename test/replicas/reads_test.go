package replicas_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/adapters/doctor"
	"github.com/kontor-crm/kontor/adapters/postgres/pgreplica"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/replicas"
	"github.com/kontor-crm/kontor/test/testserver"
)

// used is the metric that says whether the instance reads from the replica.
func used(r *replicas.Server) string { return fmt.Sprintf("kontor_replica_used{replica=%q}", r.Name()) }

func readsOf(r *replicas.Server) string {
	return fmt.Sprintf("kontor_read_requests_total{server=%q}", r.Name())
}

const readsOfPrimary = `kontor_read_requests_total{server="primary"}`

func awaitUse(t *testing.T, i testserver.Service, r *replicas.Server, isUsed float64) {
	t.Helper()
	r.Await("the replica is used or left out", func(context.Context) bool { return replicas.Metric(t, i, used(r)) == isUsed })
}

func client(name string) replicas.Fields {
	return replicas.Fields{"type": 1, "name": name, "fullname": name}
}

// send is the response to a request.
func send(t *testing.T, token, method, url string, record replicas.Fields, headers ...string) replicas.Response {
	t.Helper()
	r, err := replicas.Send(t.Context(), token, method, url, record, headers...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// must is the response to a request that succeeds.
func must(t *testing.T, token, method, url string, record replicas.Fields, headers ...string) replicas.Response {
	t.Helper()
	r := send(t, token, method, url, record, headers...)
	if !r.IsOK() {
		t.Fatalf("%s %s: %d %s", method, url, r.Status, r.Body)
	}
	return r
}

// pause has the replica receive changes, and not replay them; resume undoes it.
func pause(replica *replicas.Server) (resume func()) {
	replica.Exec("kontor", "select pg_wal_replay_pause()::text")
	replica.Await("the replica is paused", func(ctx context.Context) bool {
		return replica.Is(ctx, "select where pg_get_wal_replay_pause_state() = 'paused'")
	})
	return func() { replica.Exec("kontor", "select pg_wal_replay_resume()::text") }
}

// contract 13.1, 13.2, 13.30
func TestReadsGoToReplica(t *testing.T) {
	t.Parallel()
	primary := replicas.NewPrimary(t)
	replica := primary.NewReplica("one")
	i := replicas.Instance(t, primary.URL(), []*replicas.Server{replica})
	token := testserver.Token(t, i.Service, "reader", user.Manager)
	awaitUse(t, i, replica, 1)
	created := must(t, token, http.MethodPost, i.URL+"/rest/client", client("Nordwind"))
	replica.Await("the replica serves the writer", func(context.Context) bool {
		must(t, token, http.MethodGet, i.URL+"/rest/client", nil)
		return replicas.Metric(t, i, readsOf(replica)) > 0
	})
	byReplica, before := replicas.Metric(t, i, readsOf(replica)), replicas.Metric(t, i, readsOfPrimary)
	for range 5 {
		must(t, token, http.MethodGet, i.URL+"/rest/client", nil)
		must(t, token, http.MethodGet, created.Header.Get("Location"), nil)
	}
	served, byPrimary := replicas.Metric(t, i, readsOf(replica))-byReplica, replicas.Metric(t, i, readsOfPrimary)-before
	if served+byPrimary != 10 || served < 5 {
		t.Errorf("the replica served %v requests, the primary %v", served, byPrimary)
	}
}

// contract 13.4, 13.5
func TestWriterSeesWriteOnAnotherInstance(t *testing.T) {
	t.Parallel()
	primary := replicas.NewPrimary(t)
	replica := primary.NewReplica("one")
	all := []*replicas.Server{replica}
	a, b := replicas.Instance(t, primary.URL(), all), replicas.Instance(t, primary.URL(), all)
	writer := testserver.Token(t, a.Service, "writer", user.Manager)
	reader := testserver.Token(t, a.Service, "reader", user.Manager)
	awaitUse(t, a, replica, 1)
	awaitUse(t, b, replica, 1)
	must(t, reader, http.MethodGet, b.URL+"/rest/client", nil)
	resume := pause(replica)
	created := must(t, writer, http.MethodPost, a.URL+"/rest/client", client("Nordwind"))
	path := fmt.Sprintf("/rest/client/%d", created.ID())
	must(t, writer, http.MethodGet, b.URL+path, nil)
	for _, instance := range []testserver.Service{b, a} {
		if list := must(t, writer, http.MethodGet, instance.URL+"/rest/client?name=nordwind", nil); !strings.Contains(string(list.Body), "Nordwind") {
			t.Errorf("the writer's list lacks what was written: %s", list.Body)
		}
	}
	if r := send(t, reader, http.MethodGet, b.URL+path, nil); r.Status != http.StatusNotFound {
		t.Errorf("another caller gets %d from a replica that has not replayed the write", r.Status)
	}
	position := created.Header.Get("Kontor-Position")
	must(t, reader, http.MethodGet, b.URL+path, nil, "Kontor-Position", position)
	must(t, reader, http.MethodGet, a.URL+path, nil) // which has been seen before
	if r := send(t, writer, http.MethodPatch, b.URL+path, replicas.Fields{"name": ""}); r.Status != http.StatusUnprocessableEntity {
		t.Errorf("an invalid write: %d", r.Status)
	}
	if r := send(t, reader, http.MethodGet, a.URL+path, nil, "Kontor-Position", position[1:]); r.Status != http.StatusBadRequest || !strings.Contains(string(r.Body), "Kontor-Position") {
		t.Errorf("a malformed position: %d %s", r.Status, r.Body)
	}
	resume()
	before := replicas.Metric(t, b, readsOf(replica))
	replica.Await("the replica serves the writer", func(context.Context) bool {
		must(t, writer, http.MethodGet, b.URL+path, nil)
		return replicas.Metric(t, b, readsOf(replica)) > before
	})
}

// contract 13.15
func TestInstanceReadsFromPrimaryWhileAnotherOneHasOtherReplicas(t *testing.T) {
	t.Parallel()
	primary := replicas.NewPrimary(t)
	one, two := primary.NewReplica("one"), primary.NewReplica("two")
	a := replicas.Instance(t, primary.URL(), []*replicas.Server{one})
	token := testserver.Token(t, a.Service, "reader", user.Manager)
	awaitUse(t, a, one, 1)
	one.Await("the replica serves the token", func(context.Context) bool {
		must(t, token, http.MethodGet, a.URL+"/rest/client", nil)
		return replicas.Metric(t, a, readsOf(one)) > 0
	})
	b := replicas.Instance(t, primary.URL(), []*replicas.Server{one, two})
	awaitUse(t, b, one, 1)
	awaitUse(t, b, two, 1)
	one.Await("a replica serves the token on the instance that was started last", func(context.Context) bool {
		must(t, token, http.MethodGet, b.URL+"/rest/client", nil)
		return replicas.Metric(t, b, readsOf(one))+replicas.Metric(t, b, readsOf(two)) > 0
	})
	before := replicas.Metric(t, a, readsOf(one))
	for range 5 {
		must(t, token, http.MethodGet, a.URL+"/rest/client", nil)
	}
	if served := replicas.Metric(t, a, readsOf(one)) - before; served != 0 {
		t.Errorf("a replica serves %v requests of an instance that does not know all replicas", served)
	}
}

// contract 13.7
func TestRejectedWriteIsSeenAsPositionToo(t *testing.T) {
	t.Parallel()
	primary := replicas.NewPrimary(t)
	replica := primary.NewReplica("one")
	i := replicas.Instance(t, primary.URL(), []*replicas.Server{replica})
	writer := testserver.Token(t, i.Service, "writer", user.Manager)
	other := testserver.Token(t, i.Service, "other", user.Manager)
	path := fmt.Sprintf("/rest/client/%d", must(t, writer, http.MethodPost, i.URL+"/rest/client", client("Nordwind")).ID())
	awaitUse(t, i, replica, 1)
	replica.Await("the replica has the client", func(ctx context.Context) bool { return replica.Is(ctx, "select from clients") })
	defer pause(replica)()
	must(t, other, http.MethodPatch, i.URL+path, replicas.Fields{"name": "Südwind"})
	tag := must(t, writer, http.MethodGet, i.URL+path, nil).Header.Get("ETag")
	if r := send(t, writer, http.MethodPatch, i.URL+path, replicas.Fields{"name": "Westwind"}, "If-Match", tag); r.Status != http.StatusPreconditionFailed {
		t.Fatalf("a write of an old version: %d %s", r.Status, r.Body)
	}
	tag = must(t, writer, http.MethodGet, i.URL+path, nil).Header.Get("ETag")
	must(t, writer, http.MethodPatch, i.URL+path, replicas.Fields{"name": "Westwind"}, "If-Match", tag)
}

// contract 13.3
func TestServiceWithoutReplicasKnowsNoPositions(t *testing.T) {
	t.Parallel()
	primary := replicas.NewPrimary(t)
	i := replicas.Instance(t, primary.URL(), nil)
	token := testserver.Token(t, i.Service, "writer", user.Manager)
	created := must(t, token, http.MethodPost, i.URL+"/rest/client", client("Nordwind"), "Kontor-Position", "none")
	if created.Header.Get("Kontor-Position") != "" {
		t.Error("the response has a position")
	}
	if primary.Is(t.Context(), "select from token_positions") {
		t.Error("a position is stored")
	}
}

// contract 13.21
func TestReplicaOfAnotherClusterIsRejected(t *testing.T) {
	t.Parallel()
	primary, other := replicas.NewPrimary(t), replicas.NewCluster(t)
	c := bootstrap.Defaults(primary.URL())
	c.RawReplicas = other.URL()
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	err := bootstrap.CheckReplicas(t.Context(), c)
	rejected, ok := errors.AsType[pgreplica.OtherCluster](err)
	if !ok || rejected.Replica != other.Name() || !strings.Contains(err.Error(), "KONTOR_READ_DATABASE_URLS") {
		t.Errorf("%v", err)
	}
	i := replicas.Instance(t, primary.URL(), []*replicas.Server{other})
	token := testserver.Token(t, i.Service, "reader", user.Manager)
	must(t, token, http.MethodPost, i.URL+"/rest/client", client("Nordwind"))
	if list := must(t, token, http.MethodGet, i.URL+"/rest/client", nil); !strings.Contains(string(list.Body), "Nordwind") {
		t.Errorf("the list is that of another cluster: %s", list.Body)
	}
}

// contract 13.22
func TestDoctorExaminesReplicas(t *testing.T) {
	t.Parallel()
	primary, other := replicas.NewPrimary(t), replicas.NewCluster(t)
	replica, stopped := primary.NewReplica("one"), primary.NewReplica("two")
	stopped.Crash()
	primary.Exec("kontor", "create role limited login")
	primary.Exec("kontor", "grant select on schema_migrations to limited")
	replica.Await("the replica has the role", func(ctx context.Context) bool {
		return replica.Is(ctx, "select from pg_roles where rolname = 'limited' and has_table_privilege('limited', 'schema_migrations', 'select')")
	})
	limited := strings.Replace(replica.URL(), "postgres@", "limited@", 1)
	e, err := doctor.Examine(t.Context(), doctor.Settings{
		DatabaseURL: primary.URL(), TimeZone: "UTC", Replicas: []string{replica.URL(), limited, primary.URL(), stopped.URL(), other.URL()},
	}, doctor.Kontor)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	var got []doctor.State
	for _, f := range e.Findings(t.Context()) {
		if f.Name == "replica" {
			got = append(got, f.State)
			if (f.State == doctor.OK) != (f.Hint == "") {
				t.Errorf("%+v", f)
			}
		}
	}
	if want := []doctor.State{doctor.OK, doctor.Warn, doctor.OK, doctor.Warn, doctor.Fail}; !slices.Equal(got, want) {
		t.Errorf("%v instead of %v", got, want)
	}
}
