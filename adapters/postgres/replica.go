package postgres

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/singleflight"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// replica is one replica. It is used for reads while it has a session, which ends when it is left
// out.
type replica struct {
	name     string
	checks   *pgxpool.Pool
	reads    Config // of connections for reads
	replicas *Replicas
	maxLag   time.Duration
	log      *slog.Logger

	running singleflight.Group // of checks
	served  atomic.Int64       // requests that were sent to it

	mu      sync.Mutex
	session context.Context // nil: it is left out
	end     context.CancelFunc
	highest readmodel.Position // that it has had
	fresh   time.Time          // it has everything that was written by then
	next    primarySample      // of the primary, which it has to reach next
	lag     time.Duration
	why     string // it is left out
}

// openReplica makes a replica that is left out until its first check.
func openReplica(ctx context.Context, c ReplicasConfig, url string, replicas *Replicas, log *slog.Logger) (*replica, error) {
	parsed, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("read the URL of a replica: %w", err)
	}
	r := &replica{name: replicaName(parsed), reads: c.Primary, replicas: replicas, maxLag: c.MaxLag, log: log}
	r.reads.URL, r.reads.Admit, r.reads.Limit = url, r.admit, NewLimit(int(c.Primary.MaxConns))
	checks := c.Primary
	checks.URL, checks.MaxConns, checks.Spans = url, 1, nil
	r.checks, err = Open(ctx, checks)
	return r, err
}

// replicaName returns the name of a replica in the log and the metrics.
func replicaName(c *pgx.ConnConfig) string {
	return fmt.Sprintf("%s:%d/%s", c.Host, c.Port, c.Database)
}

type replicaProgress struct {
	isReplica bool
	at        readmodel.Position // that it has replayed
	version   int64              // of the schema
}

type rowQuerier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// readProgress reads what the replica says of itself. The timeline is the one that it receives, which a
// role without pg_read_all_stats cannot see, or that of its last restart point, which is never
// later.
func readProgress(ctx context.Context, conn rowQuerier) (o replicaProgress, err error) {
	err = conn.QueryRow(ctx, `
select
    pg_is_in_recovery(), s.system_identifier, greatest(c.timeline_id, r.received_tli),
    coalesce(pg_last_wal_replay_lsn() - '0/0', 0)::bigint,
    (select coalesce(max(m.version_id), 0) from schema_migrations m where m.is_applied)
from pg_control_system() s
cross join pg_control_checkpoint() c
left join pg_stat_wal_receiver r on true`).
		Scan(&o.isReplica, &o.at.System, &o.at.Timeline, &o.at.WAL, &o.version)
	return o, err
}

// check asks the replica how far it is, and decides whether it is used. Concurrent checks are one.
func (r *replica) check(ctx context.Context) {
	_, _, _ = r.running.Do("", func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), replicaCheckTimeout)
		defer cancel()
		o, err := readProgress(ctx, r.checks)
		newest := r.replicas.newest.Load()
		r.mu.Lock()
		defer r.mu.Unlock()
		if err != nil {
			r.leave("it does not respond: " + err.Error())
		} else if why := r.assess(o, newest, time.Now()); why != "" {
			r.leave(why)
		} else if r.session == nil {
			r.session, r.end = context.WithCancel(context.Background())
			r.why = ""
			r.log.Info("a replica is used", "replica", r.name)
		}
		return nil, nil
	})
}

// assess notes what the replica has, and returns why it cannot be used; empty if it can. newest is
// the last sample of the primary, or nil.
func (r *replica) assess(o replicaProgress, newest *primarySample, now time.Time) string {
	switch {
	case newest == nil:
		return "the primary has not responded yet"
	case !o.isReplica:
		return "it is not a replica, or no longer one"
	case o.at.System != newest.System:
		return "it is a replica of another cluster"
	case o.version < Version:
		return fmt.Sprintf("it has not replayed migration %d yet", Version)
	case o.at.Timeline != newest.Timeline:
		return fmt.Sprintf("it is on timeline %d, and the primary on %d", o.at.Timeline, newest.Timeline)
	case !o.at.Covers(r.highest):
		return "it does not have everything again that it has had"
	}
	r.highest = o.at
	switch {
	case o.at.Covers(newest.Position):
		r.fresh, r.next = newest.at, *newest
	case o.at.Covers(r.next.Position):
		r.fresh, r.next = r.next.at, *newest
	}
	if r.lag = now.Sub(r.fresh); r.lag > r.maxLag {
		return fmt.Sprintf("it lags more than %s", r.maxLag)
	}
	return ""
}

// leave leaves the replica out. Reads that run there end.
func (r *replica) leave(why string) {
	if r.session != nil {
		r.end()
	}
	if r.session != nil || r.why == "" {
		r.log.Warn("a replica is left out", "replica", r.name, "reason", why)
	}
	r.session, r.why = nil, why
}

// covering returns the session of the replica, if it covers the position; else nil. If the last
// check saw less, the replica is asked again.
func (r *replica) covering(ctx context.Context, least readmodel.Position) context.Context {
	session, covers := r.state(least)
	if session != nil && !covers {
		r.check(ctx)
		session, covers = r.state(least)
	}
	if !covers {
		return nil
	}
	return session
}

func (r *replica) state(least readmodel.Position) (session context.Context, covers bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.session, r.highest.Covers(least)
}

// admit checks a new connection for reads.
func (r *replica) admit(ctx context.Context, conn *pgx.Conn) error {
	o, err := readProgress(ctx, conn)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !o.isReplica || !o.at.Covers(r.highest) || o.version < Version {
		return fault.New(fault.Unavailable, "the replica cannot be used at the moment; try again")
	}
	return nil
}
