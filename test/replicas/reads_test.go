package replicas_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/replicas"
	"github.com/kontor-crm/kontor/test/rest"
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
	return replicas.Fields{"type": 1, "name": name}
}

// send is the response to a request.
func send(t *testing.T, token, method, url string, record any, headers ...string) rest.Response {
	t.Helper()
	r, err := rest.Client{Token: token}.Send(t.Context(), method, url, record, headers...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// must is the response to a request that succeeds.
func must(t *testing.T, token, method, url string, record any, headers ...string) rest.Response {
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

// positionOf is the position in the response to a write.
func positionOf(t *testing.T, r rest.Response) string {
	t.Helper()
	position := r.Header.Get("Kontor-Position")
	if position == "" {
		t.Fatalf("a response has no position: %s", r.Body)
	}
	return position
}

// served reads with the position until the replica has served a read, and returns the last response.
func served(t *testing.T, i testserver.Service, r *replicas.Server, token, url, position string) (last rest.Response) {
	t.Helper()
	before := replicas.Metric(t, i, readsOf(r))
	r.Await("the replica serves a read", func(context.Context) bool {
		last = must(t, token, http.MethodGet, url, nil, "Kontor-Position", position)
		return replicas.Metric(t, i, readsOf(r)) > before
	})
	return last
}

// contract 13.1, 13.30
func TestReadsWithPositionGoToReplica(t *testing.T) {
	t.Parallel()
	primary := replicas.NewPrimary(t)
	replica := primary.NewReplica("one")
	i := replicas.Instance(t, primary.URL(), []*replicas.Server{replica})
	token := testserver.Token(t, i.Service, "reader", user.Manager)
	awaitUse(t, i, replica, 1)
	created := must(t, token, http.MethodPost, i.URL+"/rest/client", client("Nordwind"))
	path := created.Header.Get("Location")
	served(t, i, replica, token, path, positionOf(t, created))
	byReplica, byPrimary := replicas.Metric(t, i, readsOf(replica)), replicas.Metric(t, i, readsOfPrimary)
	for range 5 {
		must(t, token, http.MethodGet, path, nil)
		must(t, token, http.MethodGet, i.URL+"/rest/client", nil)
		must(t, token, http.MethodGet, i.URL+"/rest/client?name=nordwind", nil, "Kontor-Position", positionOf(t, created))
		must(t, token, http.MethodGet, path, nil, "Kontor-Position", "recent")
		must(t, token, http.MethodPatch, path, client("Nordwind"), "Kontor-Position", "recent")
	}
	byReplica, byPrimary = replicas.Metric(t, i, readsOf(replica))-byReplica, replicas.Metric(t, i, readsOfPrimary)-byPrimary
	if byReplica != 10 || byPrimary != 0 {
		t.Errorf("the replica served %v of 10 reads with a position, the primary %v", byReplica, byPrimary)
	}
}

// addCompany adds a company and returns a token of it.
func addCompany(t *testing.T, url string) (token string) {
	t.Helper()
	c := bootstrap.Defaults(url)
	companies, closeAll, err := bootstrap.NewCompanies(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll()
	if _, err := companies.Add(t.Context(), "bakery", "Asia/Tokyo"); err != nil {
		t.Fatal(err)
	}
	c.CompanyName = "bakery"
	if c, err = bootstrap.InCompany(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	operation, closeOperation, err := bootstrap.NewOperation(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer closeOperation()
	return testserver.Token(t, &bootstrap.Service{Commands: operation.Commands}, "baker", user.Manager)
}

// contract 13.1
func TestReadsOfEachCompanyGoToReplica(t *testing.T) {
	t.Parallel()
	primary := replicas.NewPrimary(t)
	replica := primary.NewReplica("one")
	i := replicas.Instance(t, primary.URL(), []*replicas.Server{replica})
	token, baker := testserver.Token(t, i.Service, "reader", user.Manager), addCompany(t, primary.URL())
	awaitUse(t, i, replica, 1)
	for by, name := range map[string]string{token: "Nordwind", baker: "Goldkrume"} {
		created := must(t, by, http.MethodPost, i.URL+"/rest/client", client(name))
		list := served(t, i, replica, by, i.URL+"/rest/client", positionOf(t, created))
		if text := string(list.Body); !strings.Contains(text, name) || strings.Count(text, `"name"`) != 1 {
			t.Errorf("the replica shows %s, want %s alone", text, name)
		}
	}
}

// contract 13.5
func TestReadWithPositionSeesWhatWasWritten(t *testing.T) {
	t.Parallel()
	primary := replicas.NewPrimary(t)
	replica := primary.NewReplica("one")
	all := []*replicas.Server{replica}
	a, b := replicas.Instance(t, primary.URL(), all), replicas.Instance(t, primary.URL(), all)
	writer := testserver.Token(t, a.Service, "writer", user.Manager)
	reader := testserver.Token(t, a.Service, "reader", user.Manager)
	awaitUse(t, a, replica, 1)
	awaitUse(t, b, replica, 1)
	first := must(t, writer, http.MethodPost, a.URL+"/rest/client", client("Südwind"))
	served(t, b, replica, reader, b.URL+"/rest/client", positionOf(t, first))
	resume := pause(replica)
	created := must(t, writer, http.MethodPost, a.URL+"/rest/client", client("Nordwind"))
	path, position := b.URL+strings.TrimPrefix(created.Header.Get("Location"), a.URL), positionOf(t, created)
	must(t, writer, http.MethodGet, path, nil)
	must(t, reader, http.MethodGet, path, nil, "Kontor-Position", position)
	list := must(t, reader, http.MethodGet, b.URL+"/rest/client?name=nordwind", nil, "Kontor-Position", position)
	if !strings.Contains(string(list.Body), "Nordwind") {
		t.Errorf("the list lacks what was written: %s", list.Body)
	}
	for _, older := range []string{"recent", positionOf(t, first)} {
		if r := send(t, reader, http.MethodGet, path, nil, "Kontor-Position", older); r.Status != http.StatusNotFound {
			t.Errorf("a read with the position %s gets %d from a replica that has not replayed the write", older, r.Status)
		}
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		r := send(t, reader, method, path, nil, "Kontor-Position", position[1:]+"-")
		if r.Status != http.StatusBadRequest || !strings.Contains(string(r.Body), "Kontor-Position") {
			t.Errorf("%s with a malformed position: %d %s", method, r.Status, r.Body)
		}
	}
	resume()
	if r := served(t, b, replica, reader, path, position); !strings.Contains(string(r.Body), "Nordwind") {
		t.Errorf("the replica shows %s", r.Body)
	}
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
	rejected, ok := errors.AsType[postgres.OtherCluster](err)
	if !ok || rejected.Replica != other.Name() || !strings.Contains(err.Error(), "KONTOR_READ_DATABASE_URLS") {
		t.Errorf("%v", err)
	}
	i := replicas.Instance(t, primary.URL(), []*replicas.Server{other})
	token := testserver.Token(t, i.Service, "reader", user.Manager)
	must(t, token, http.MethodPost, i.URL+"/rest/client", client("Nordwind"))
	if list := must(t, token, http.MethodGet, i.URL+"/rest/client", nil, "Kontor-Position", "recent"); !strings.Contains(string(list.Body), "Nordwind") {
		t.Errorf("the list is that of another cluster: %s", list.Body)
	}
}
