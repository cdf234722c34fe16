package replicas_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/replicas"
	"github.com/kontor-crm/kontor/test/testserver"
)

// newCompany adds a company, and returns its use cases.
func newCompany(t *testing.T, databaseURL, name string) *bootstrap.Service {
	t.Helper()
	config := bootstrap.Defaults(databaseURL)
	companies, closeAll, err := bootstrap.NewCompanies(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll()
	if _, err := companies.Add(t.Context(), name, "UTC"); err != nil {
		t.Fatal(err)
	}
	config.CompanyName = name
	config, err = bootstrap.InCompany(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	operation, closeOperation, err := bootstrap.NewOperation(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeOperation)
	return &bootstrap.Service{Commands: operation.Commands}
}

// The tokens and the records of both companies have the same ids.
//
// contract 13.1, 13.4, 13.5, 14.32, 14.50
func TestCompanyReadsFromReplica(t *testing.T) {
	t.Parallel()
	primary := replicas.NewPrimary(t)
	replica := primary.NewReplica("one")
	all := []*replicas.Server{replica}
	a, b := replicas.Instance(t, primary.URL(), all), replicas.Instance(t, primary.URL(), all)
	mill, bakery := newCompany(t, primary.URL(), "mill"), newCompany(t, primary.URL(), "bakery")
	writer, reader := testserver.Token(t, mill, "writer", user.Manager), testserver.Token(t, mill, "reader", user.Manager)
	other := testserver.Token(t, bakery, "writer", user.Manager)
	awaitUse(t, a, replica, 1)
	awaitUse(t, b, replica, 1)
	must(t, other, http.MethodPost, a.URL+"/rest/client", client("Westwind"))
	for _, token := range []string{reader, other} {
		before := replicas.Metric(t, b, readsOf(replica))
		replica.Await("the replica serves the company", func(context.Context) bool {
			must(t, token, http.MethodGet, b.URL+"/rest/client", nil)
			return replicas.Metric(t, b, readsOf(replica)) > before
		})
	}
	resume := pause(replica)
	created := must(t, writer, http.MethodPost, a.URL+"/rest/client", client("Nordwind"))
	path := fmt.Sprintf("/rest/client/%d", created.ID())
	for _, url := range []string{path, "/rest/client?name=nordwind"} {
		if r := must(t, writer, http.MethodGet, b.URL+url, nil); !strings.Contains(string(r.Body), "Nordwind") {
			t.Errorf("the writer does not see what was written: %s", r.Body)
		}
	}
	if r := send(t, reader, http.MethodGet, b.URL+path, nil); r.Status != http.StatusNotFound {
		t.Errorf("another caller gets %d from a replica that has not replayed the write", r.Status)
	}
	before := replicas.Metric(t, b, readsOf(replica))
	if r := must(t, other, http.MethodGet, b.URL+path, nil); !strings.Contains(string(r.Body), "Westwind") {
		t.Errorf("another company reads %s", r.Body)
	}
	if replicas.Metric(t, b, readsOf(replica)) == before {
		t.Error("a write of one company has another one read from the primary")
	}
	position := created.Header.Get("Kontor-Position")
	must(t, reader, http.MethodGet, b.URL+path, nil, "Kontor-Position", position)
	if r := send(t, other, http.MethodGet, b.URL+path, nil, "Kontor-Position", position); r.Status != http.StatusBadRequest {
		t.Errorf("the position of another company: %d %s", r.Status, r.Body)
	}
	resume()
	before = replicas.Metric(t, b, readsOf(replica))
	replica.Await("the replica serves the writer", func(context.Context) bool {
		must(t, writer, http.MethodGet, b.URL+path, nil)
		return replicas.Metric(t, b, readsOf(replica)) > before
	})
}

// contract 14.51
func TestCompanyIsNotReadFromReplicaWithoutItsTables(t *testing.T) {
	t.Parallel()
	primary := replicas.NewPrimary(t)
	replica := primary.NewReplica("one")
	i := replicas.Instance(t, primary.URL(), []*replicas.Server{replica})
	awaitUse(t, i, replica, 1)
	resume := pause(replica)
	token := testserver.Token(t, newCompany(t, primary.URL(), "mill"), "reader", user.Manager)
	for range 3 {
		must(t, token, http.MethodGet, i.URL+"/rest/client", nil)
	}
	if failed := replicas.Metric(t, i, "kontor_replica_failures_total"); failed != 0 {
		t.Errorf("%v reads of a new company failed on the replica", failed)
	}
	resume()
	replica.Await("the replica serves the company", func(context.Context) bool {
		must(t, token, http.MethodGet, i.URL+"/rest/client", nil)
		return replicas.Metric(t, i, readsOf(replica)) > 0
	})
}
