package pgreplica

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/ports/caller"
	"github.com/kontor-crm/kontor/ports/company"
	"github.com/kontor-crm/kontor/ports/position"
)

// Checks of a replica: one that does not respond is left out after an interval and a timeout.
const (
	checkInterval  = 250 * time.Millisecond
	checkTimeout   = 500 * time.Millisecond
	connectTimeout = 3 * time.Second
)

// maxWait is how long a read waits for its replica to replay what it has to see; pollInterval is
// how often the replica is asked meanwhile.
const (
	maxWait      = 10 * time.Millisecond
	pollInterval = time.Millisecond
)

// replica is one replica. It is used for reads while it has a session, which ends when it is left
// out.
//
// Every check is made on one connection, which therefore breaks if the server restarts. No
// connection for reads is used that was opened to another server process than that one.
type replica struct {
	name    string
	reads   postgres.Config // of connections for reads
	pool    *pgxpool.Pool   // of the default company
	config  *pgx.ConnConfig // of checks
	primary *primary
	maxLag  time.Duration
	log     *slog.Logger

	checks   *batcher[struct{}, struct{}]
	served   atomic.Int64 // requests that were sent to it
	isClosed atomic.Bool

	// For the goroutine of checks:
	conn  *pgx.Conn         // nil: not connected
	fence position.Position // that it has to cover to be back

	opening   sync.Mutex
	companies atomic.Pointer[postgres.CompanyPool] // nil: no other company has read yet

	mu       sync.Mutex
	since    time.Time // when the server process of the connection was started
	session  *session  // nil: it is left out
	replayed position.Position
	lag      time.Duration
	why      string // it is left out
}

// session is a time in which a replica is used. The context ends with it.
type session struct {
	context.Context
	on  *replica
	end context.CancelFunc
}

type observation struct {
	isReplica bool
	at        position.Position // that it has replayed
	since     time.Time
	version   int64 // of the schema
}

// observe reads what the replica says of itself. The timeline is the one that it receives, which a
// role without pg_read_all_stats cannot see, or that of its last restart point, which is never
// later.
func observe(ctx context.Context, conn *pgx.Conn) (o observation, err error) {
	err = conn.QueryRow(ctx, `
select
    pg_is_in_recovery(), s.system_identifier, greatest(c.timeline_id, r.received_tli),
    coalesce(pg_last_wal_replay_lsn() - '0/0', 0)::bigint, pg_postmaster_start_time(),
    (select coalesce(max(m.version_id), 0) from schema_migrations m where m.is_applied)
from pg_control_system() s
cross join pg_control_checkpoint() c
left join pg_stat_wal_receiver r on true`).
		Scan(&o.isReplica, &o.at.System, &o.at.Timeline, &o.at.WAL, &o.since, &o.version)
	return o, err
}

func (r *replica) run(ctx context.Context) {
	ticks := time.NewTicker(checkInterval)
	defer ticks.Stop()
	for {
		_, _ = r.checks.ask(ctx, struct{}{})
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
	}
}

// check asks the replica how far it is, and decides whether it is used. batcher calls it, once at
// a time.
func (r *replica) check(ctx context.Context, _ []struct{}) (map[struct{}]struct{}, error) {
	if r.isClosed.Load() {
		r.leave("the service ends")
		r.disconnect()
		return nil, errLeftOut
	}
	o, err := r.ask(ctx)
	if err != nil {
		r.leave("it does not respond: " + err.Error())
		return nil, err
	}
	r.decide(o)
	return nil, nil
}

func (r *replica) ask(ctx context.Context) (observation, error) {
	if r.conn == nil {
		if err := r.connect(ctx); err != nil {
			return observation{}, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	o, err := observe(ctx, r.conn)
	if err != nil {
		r.disconnect()
	}
	return o, err
}

// connect connects for checks. What the primary has written by then is the most that the replica
// can have shown.
func (r *replica) connect(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, r.config)
	if err != nil {
		return err
	}
	var since time.Time
	err = conn.QueryRow(ctx, "select pg_postmaster_start_time()").Scan(&since)
	if err == nil {
		r.fence, err = r.primary.read(ctx)
	}
	if err != nil {
		_ = conn.Close(ctx)
		return err
	}
	r.conn = conn
	r.mu.Lock()
	defer r.mu.Unlock()
	r.since = since
	return nil
}

func (r *replica) disconnect() {
	if r.conn != nil {
		_ = r.conn.Close(context.Background()) // which is broken
		r.conn = nil
	}
}

// decide uses the replica or leaves it out.
func (r *replica) decide(o observation) {
	lag := r.primary.lag(o.at.WAL)
	if why := r.unfit(o, lag); why != "" {
		r.leave(why)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.replayed, r.lag = o.at, lag
	if r.session == nil {
		ctx, cancel := context.WithCancel(context.Background())
		r.session, r.why = &session{ctx, r, cancel}, ""
		r.log.Info("a replica is used", "replica", r.name, "lag_us", lag.Microseconds())
	}
}

// unfit returns why the replica cannot be used; empty if it can.
func (r *replica) unfit(o observation, lag time.Duration) string {
	primary := r.primary.position()
	switch {
	case !o.isReplica:
		return "it is not a replica, or no longer one"
	case primary.IsZero():
		return "the primary has not responded yet"
	case o.at.System != primary.System:
		return "it is a replica of another cluster"
	case o.version < postgres.Version:
		return fmt.Sprintf("it has not replayed migration %d yet", postgres.Version)
	case o.at.Timeline != primary.Timeline:
		return fmt.Sprintf("it is on timeline %d, and the primary on %d", o.at.Timeline, primary.Timeline)
	case lag > r.maxLag:
		return fmt.Sprintf("it lags more than %s", r.maxLag)
	case !r.isUsed() && !o.at.Covers(r.fence):
		return "it has not caught up since it was connected"
	}
	return ""
}

func (r *replica) isUsed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.session != nil
}

// leave leaves the replica out. Reads that run there end, and are repeated on the primary.
func (r *replica) leave(why string) {
	r.mu.Lock()
	ended := r.session
	changed := ended != nil || r.why == ""
	r.session, r.replayed, r.why = nil, position.Position{}, why
	r.mu.Unlock()
	if ended != nil {
		ended.end()
		r.pool.Reset()
		if companies := r.companies.Load(); companies != nil {
			companies.Reset()
		}
	}
	if changed {
		r.log.Warn("a replica is left out", "replica", r.name, "reason", why)
	}
}

// suspect has the replica checked, since a read there failed.
func (r *replica) suspect() { r.checks.join(struct{}{}) }

// errLeftOut is the error of a connection to a replica that is left out, or to another server.
var errLeftOut = errors.New("the replica is left out, or its address leads to several servers")

// admit checks a new connection for reads: it is to the server process of the checks, which has
// not been restarted meanwhile.
func (r *replica) admit(ctx context.Context, conn *pgx.Conn) error {
	var since time.Time
	if err := conn.QueryRow(ctx, "select pg_postmaster_start_time()", pgx.QueryExecModeSimpleProtocol).Scan(&since); err != nil {
		return err
	}
	if _, err := r.checks.ask(ctx, struct{}{}); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.session == nil || !since.Equal(r.since) {
		return errLeftOut
	}
	return nil
}

// covering returns the session of the replica, if it has replayed what the positions say, or does
// so within maxWait; nil if not, or if it is left out.
func (r *replica) covering(ctx context.Context, all ...position.Position) *session {
	in, isThere := r.reached(all)
	if in == nil || isThere {
		return in
	}
	ctx, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	for {
		if _, err := r.checks.ask(ctx, struct{}{}); err != nil {
			return nil
		}
		if in, isThere = r.reached(all); in == nil || isThere {
			return in
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pollInterval):
		}
	}
}

// reached reports whether the last check saw the replica cover the positions. It has no session if
// waiting for that is of no use.
func (r *replica) reached(all []position.Position) (in *session, isThere bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.session == nil {
		return nil, false
	}
	for _, p := range all {
		if !r.replayed.Covers(p) {
			if r.lag > 2*checkInterval {
				return nil, false
			}
			return r.session, false
		}
	}
	return r.session, true
}

// close closes all connections. The replica is not used any more.
func (r *replica) close() {
	r.isClosed.Store(true)
	_, _ = r.checks.ask(context.Background(), struct{}{})
	r.pool.Close()
	if companies := r.companies.Load(); companies != nil {
		companies.Close()
	}
}

func (r *replica) openCompanies(ctx context.Context, share caller.Share) error {
	r.opening.Lock()
	defer r.opening.Unlock()
	if r.companies.Load() != nil {
		return nil
	}
	opened, err := postgres.OpenCompanies(context.WithoutCancel(ctx), r.reads, share)
	if err == nil {
		r.companies.Store(opened)
	}
	return err
}

func (r *replica) db(of company.Company) postgres.DB {
	if of.Code == "" {
		return r.pool
	}
	return r.companies.Load().DB(of, nil)
}
