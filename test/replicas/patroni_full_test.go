//go:build full

package replicas_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/replicas"
	"github.com/kontor-crm/kontor/test/testserver"
)

// patroniSite is a cluster that Patroni manages, with instances and callers under a small load.
type patroniSite struct {
	*site
	cluster *replicas.Patroni
	readers int // that have been given a token
}

func newPatroniSite(t *testing.T) *patroniSite {
	t.Helper()
	cluster := replicas.NewPatroni(t, 3)
	all := cluster.Servers()
	s := &patroniSite{site: startSite(t, replicas.AllURLs(all...), all, 6), cluster: cluster}
	s.callers.Pause = 20 * time.Millisecond
	s.awaitRoles(t, cluster.Leader())
	return s
}

// awaitRoles waits until all instances read from all servers but the primary.
func (s *patroniSite) awaitRoles(t *testing.T, primary *replicas.Node) {
	t.Helper()
	for _, r := range s.replicas {
		isUsed := 1.0
		if r == primary.Server {
			isUsed = 0
		}
		s.awaitUse(t, []*replicas.Server{r}, isUsed)
	}
}

// awaitReads issues tokens until the replica serves the reads of one.
func (s *patroniSite) awaitReads(t *testing.T, r *replicas.Server) {
	t.Helper()
	i := s.instances[0]
	before := replicas.Metric(t, i, readsOf(r))
	r.Await("the replica serves reads", func(context.Context) bool {
		s.readers++
		token := testserver.Token(t, i.Service, fmt.Sprintf("reader%d", s.readers), user.Manager)
		must(t, token, http.MethodGet, i.URL+"/rest/client", nil)
		return replicas.Metric(t, i, readsOf(r)) > before
	})
}

// awaitWrite waits for a write that succeeds.
func (s *patroniSite) awaitWrite(by *replicas.Node) {
	before, _ := s.callers.Written()
	by.Await("writes succeed", func(context.Context) bool {
		n, _ := s.callers.Written()
		return n > before
	})
}

// contract 13.35, 13.36, 13.37
func TestPatroniFailoverAndSwitchoverLoseNoAcknowledgedWrite(t *testing.T) {
	t.Parallel()
	s := newPatroniSite(t)
	stop := s.callers.Start(3)
	s.callers.Await(100)
	s.failOver(t)
	s.callers.Await(100)
	s.cluster.AwaitSynchronous()
	s.switchOver(t)
	s.callers.Await(100)
	_, failed := s.callers.History()
	s.check(t, stop, len(failed))
	s.hasAllWritten(t)
}

// failOver kills the primary.
func (s *patroniSite) failOver(t *testing.T) {
	t.Helper()
	former := s.cluster.Leader()
	killed := time.Now()
	former.Kill()
	next := s.cluster.AwaitPromotion(former)
	promoted := time.Now()
	s.awaitWrite(next)
	resumed := time.Now()
	if took := resumed.Sub(promoted); took > resumeTime {
		t.Errorf("the first write succeeds %s after the promotion", took)
	}
	t.Logf("failover: promoted %s after the kill, a write succeeds %s after the promotion, no write for %s",
		promoted.Sub(killed), resumed.Sub(promoted), s.callers.LongestGap(killed))
	former.Start()
	started := time.Now()
	s.awaitRoles(t, next)
	t.Logf("the former primary is used as a replica %s after its start", time.Since(started))
	s.awaitReads(t, former.Server)
}

// switchOver makes another server the primary while the present one runs.
func (s *patroniSite) switchOver(t *testing.T) {
	t.Helper()
	former := s.cluster.Leader()
	asked := time.Now()
	s.cluster.SwitchOver()
	next := s.cluster.AwaitPromotion(former)
	s.awaitWrite(next)
	t.Logf("switchover: a write succeeds %s after the command began, no write for %s", time.Since(asked), s.callers.LongestGap(asked))
	s.awaitRoles(t, next)
	t.Logf("the replicas are used %s after the command began", time.Since(asked))
	s.awaitReads(t, former.Server)
}

// Without Patroni, the former primary goes on beside the promoted one until Patroni is back: it acknowledges
// nothing meanwhile, and nothing when Patroni configures it again.
//
// contract 13.35
func TestPatroniThatDiesAloneLosesNoAcknowledgedWrite(t *testing.T) {
	t.Parallel()
	s := newPatroniSite(t)
	stop := s.callers.Start(4)
	s.callers.Await(100)
	former := s.cluster.Leader()
	former.KillPatroni()
	next := s.cluster.AwaitPromotion(former)
	if !former.IsPrimary(t.Context()) {
		t.Fatal("the former primary does not go on")
	}
	promoted := time.Now()
	time.Sleep(3 * time.Second) // until the former primary has no replica any more
	former.Start()
	s.awaitRoles(t, next)
	s.awaitWrite(next)
	t.Logf("no write for %s, until Patroni was started again", s.callers.LongestGap(promoted))
	s.callers.Await(100)
	_, failed := s.callers.History()
	s.check(t, stop, len(failed))
	s.hasAllWritten(t)
}
