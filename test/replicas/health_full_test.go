//go:build full

package replicas_test

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/test/replicas"
	"github.com/kontor-crm/kontor/test/rest"
	"github.com/kontor-crm/kontor/test/testserver"
)

// keepReading reads with the token until the function is called. No read may fail.
func keepReading(t *testing.T, i testserver.Service, token string) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for ctx.Err() == nil {
				r, err := rest.Client{URL: i.URL, Token: token}.Send(ctx, http.MethodGet, "/rest/client?name=wind", nil, "Kontor-Position", "recent")
				if ctx.Err() == nil && (err != nil || !r.IsOK()) {
					t.Errorf("a read failed: %d %s, %v", r.Status, r.Body, err)
				}
				time.Sleep(time.Millisecond)
			}
		})
	}
	return func() {
		cancel()
		readers.Wait()
	}
}

// contract 13.8, 13.11, 13.13
func TestReplicaIsLeftOutAndUsedAgain(t *testing.T) {
	t.Parallel()
	primary := replicas.NewPrimary(t)
	replica := primary.NewReplica("one")
	i := replicas.Instance(t, primary.URL(), []*replicas.Server{replica}, func(c *bootstrap.Config) { c.ReadMaxLag = time.Second })
	token := testserver.Token(t, i.Service, "reader", user.Manager)
	must(t, token, http.MethodPost, i.URL+"/rest/client", client("Nordwind"))
	awaitUse(t, i, replica, 1)
	defer keepReading(t, i, token)()

	replica.Crash()
	awaitUse(t, i, replica, 0)
	replica.Start()
	awaitUse(t, i, replica, 1)

	thaw := replica.Freeze()
	awaitUse(t, i, replica, 0)
	thaw()
	awaitUse(t, i, replica, 1)

	resume := pause(replica)
	must(t, token, http.MethodPost, i.URL+"/rest/client", client("Südwind"))
	awaitUse(t, i, replica, 0)
	resume()
	awaitUse(t, i, replica, 1)

	replica.Promote()
	awaitUse(t, i, replica, 0)
	must(t, token, http.MethodPost, i.URL+"/rest/client", client("Westwind"))
}

// contract 13.13
func TestReadThatReplicaEndsIsOneOfPrimary(t *testing.T) {
	t.Parallel()
	primary := replicas.NewPrimary(t)
	replica := primary.NewReplica("one")
	replica.Set("max_standby_streaming_delay", "0")
	config := postgres.Config{URL: primary.URL(), Zone: "UTC", StatementTimeout: time.Minute, LockTimeout: time.Minute, MaxConns: 8}
	all, err := postgres.OpenReplicas(t.Context(), postgres.ReplicasConfig{URLs: []string{replica.URL()}, MaxLag: time.Minute, Primary: config}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(all.Close)
	pool, err := postgres.Open(t.Context(), all.Configs()[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	reads := func(sql string) (isRead bool) {
		return all.Read(t.Context(), readmodel.Position{}, 7, func(ctx context.Context, _ int) error {
			_, err := pool.Exec(ctx, sql)
			return err
		})
	}
	for _, end := range []struct {
		by  string
		end func()
	}{
		{"a conflict", func() {
			primary.Exec("kontor", "begin; lock table settings in access exclusive mode; create table conflict (id int); drop table conflict; commit")
		}},
		{"a frozen server", func() { time.AfterFunc(3*time.Second, replica.Freeze()) }},
		{"a crash", replica.Crash},
	} {
		replica.Await("the replica serves", func(context.Context) bool { return reads("select from settings") })
		isRead := make(chan bool)
		go func() { isRead <- reads("select from settings, pg_sleep(60) s") }()
		replica.Await("the statement runs", func(ctx context.Context) bool {
			return replica.Is(ctx, "select from pg_stat_activity where query like '%pg_sleep(60) s' and state = 'active'")
		})
		end.end()
		if <-isRead {
			t.Errorf("%s ends no read", end.by)
		}
	}
}
