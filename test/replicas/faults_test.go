package replicas_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/replicas"
	"github.com/kontor-crm/kontor/test/testserver"
)

// site is a primary with replicas, instances on it, and callers of these.
type site struct {
	replicas  []*replicas.Server
	instances []testserver.Service
	callers   *replicas.Callers
}

// newSite starts two instances, which read from all replicas.
func newSite(t *testing.T, databaseURL string, all []*replicas.Server, callers int, options ...func(*bootstrap.Config)) *site {
	t.Helper()
	s := startSite(t, databaseURL, all, callers, options...)
	s.awaitUse(t, all, 1)
	return s
}

// startSite starts two instances. Every second caller is one of a company.
func startSite(t *testing.T, databaseURL string, all []*replicas.Server, callers int, options ...func(*bootstrap.Config)) *site {
	t.Helper()
	s := &site{replicas: all}
	var urls []string
	for range 2 {
		i := replicas.Instance(t, databaseURL, all, options...)
		s.instances, urls = append(s.instances, i), append(urls, i.URL)
	}
	var tokens [2][]string
	for i, commands := range []*bootstrap.Service{s.instances[0].Service, newCompany(t, databaseURL, "mill")} {
		for n := range callers / 2 {
			tokens[i] = append(tokens[i], testserver.Token(t, commands, fmt.Sprintf("caller%d", n), user.Manager))
		}
	}
	s.callers = replicas.NewCallers(t, urls, tokens[0], tokens[1])
	return s
}

// awaitUse waits until all instances use the replicas, or leave them out.
func (s *site) awaitUse(t *testing.T, all []*replicas.Server, isUsed float64) {
	t.Helper()
	for _, i := range s.instances {
		for _, r := range all {
			awaitUse(t, i, r, isUsed)
		}
	}
}

// check stops the callers and checks what they have seen.
func (s *site) check(t *testing.T, stop func(), failures int) {
	t.Helper()
	stop()
	history, failed := s.callers.History()
	for _, violation := range first(replicas.Check(history)) {
		t.Error(violation)
	}
	if len(failed) > failures {
		for _, failure := range first(failed) {
			t.Error(failure)
		}
	}
	writes, _ := s.callers.Written()
	var byReplicas, byPrimary float64
	for _, i := range s.instances {
		byPrimary += replicas.Metric(t, i, readsOfPrimary)
		for _, r := range s.replicas {
			byReplicas += replicas.Metric(t, i, readsOf(r))
		}
	}
	t.Logf("%d operations, %d of them writes; replicas served %v reads, the primary %v; %d reads failed", len(history), writes, byReplicas, byPrimary, len(failed))
	if byReplicas == 0 {
		t.Error("no replica served a read")
	}
}

func first(all []string) []string { return all[:min(len(all), 5)] }

// One replica is delayed, one crashes and is promoted, and all serve two instances meanwhile.
//
// contract 13.4, 13.9, 13.13
func TestCallersNeverSeeOlderStatesThanBefore(t *testing.T) {
	t.Parallel()
	faultsUnderLoad(t, 6, 60)
}

// faultsUnderLoad has a number of operations between faults.
func faultsUnderLoad(t *testing.T, callers, operations int) {
	t.Helper()
	primary := replicas.NewPrimary(t)
	delayed, failing := primary.NewReplica("delayed"), primary.NewReplica("failing")
	s := newSite(t, primary.URL(), []*replicas.Server{delayed, failing}, callers)
	delayed.Set("recovery_min_apply_delay", "200ms")
	stop := s.callers.Start(1)
	s.callers.Await(operations)
	failing.Crash()
	s.callers.Await(operations)
	failing.Start()
	for _, i := range s.instances {
		awaitUse(t, i, failing, 1)
	}
	s.callers.Await(operations)
	resume := pause(failing)
	s.callers.Await(operations)
	resume()
	s.callers.Await(operations)
	failing.Promote()
	s.callers.Await(operations)
	s.check(t, stop, 0)
}

// A replica that crashes comes back behind what it has shown, and replays the rest later.
//
// contract 13.12
func TestReplicaThatComesBackBehindIsNotUsedUntilItHasCaughtUp(t *testing.T) {
	t.Parallel()
	primary := replicas.NewPrimary(t)
	replica := primary.NewReplica("one")
	i := replicas.Instance(t, primary.URL(), []*replicas.Server{replica}, func(c *bootstrap.Config) { c.ReadMaxLag = time.Hour })
	writer := testserver.Token(t, i.Service, "writer", user.Manager)
	reader := testserver.Token(t, i.Service, "reader", user.Manager)
	awaitUse(t, i, replica, 1)
	created := must(t, writer, "POST", i.URL+"/rest/client", client("Nordwind"))
	path := fmt.Sprintf("%s/rest/client/%d", i.URL, created.ID())
	before := replicas.Metric(t, i, readsOf(replica))
	replica.Await("the replica shows the client", func(context.Context) bool {
		return send(t, reader, "GET", path, nil).IsOK() && replicas.Metric(t, i, readsOf(replica)) > before
	})
	replica.Exec("kontor", "alter system set recovery_min_apply_delay = '1h'")
	replica.Crash()
	awaitUse(t, i, replica, 0)
	replica.Start()
	if replica.Is(t.Context(), "select from clients") {
		t.Fatal("the replica is not behind")
	}
	replica.Await("the replica is checked several times", func(ctx context.Context) bool {
		must(t, reader, "GET", path, nil)
		return replica.Is(ctx, "select from pg_stat_activity where application_name = 'kontor' and state_change - backend_start > interval '600 milliseconds'")
	})
	awaitUse(t, i, replica, 0)
	replica.Set("recovery_min_apply_delay", "0")
	awaitUse(t, i, replica, 1)
}
