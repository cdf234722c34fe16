package pgreplica

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Checks of a server: one that does not respond is left out after an interval and a timeout.
const (
	checkInterval = 250 * time.Millisecond
	checkTimeout  = 500 * time.Millisecond
)

// PrimaryConnections is the number of connections to the primary, for its position.
const PrimaryConnections = 2

// Config is the configuration of the replicas.
type Config struct {
	URLs    []string        // of the replicas
	MaxLag  time.Duration   // of a replica that is used
	Primary postgres.Config // also of the connections to replicas, with their URLs
}

// Replicas are the replicas of a service.
type Replicas struct {
	primary *pgxpool.Pool
	newest  atomic.Pointer[sample] // nil: the primary has not responded yet
	all     []*replica
	stop    func()

	byPrimary, failed atomic.Int64 // reads that the primary served, and those that a replica failed
}

// sample is that the primary had written up to a position at a time.
type sample struct {
	readmodel.Position
	at time.Time
}

// Open connects to the replicas in the background. None is used until it has been checked.
func Open(ctx context.Context, c Config, log *slog.Logger) (*Replicas, error) {
	config := c.Primary
	config.MaxConns = PrimaryConnections
	primary, err := postgres.Open(ctx, config)
	if err != nil {
		return nil, err
	}
	r := &Replicas{primary: primary}
	for _, url := range c.URLs {
		one, err := open(ctx, c, url, r, log)
		if err != nil {
			r.Close()
			return nil, err
		}
		r.all = append(r.all, one)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	running.Go(func() { repeat(ctx, func() { _, _ = r.Written(ctx) }) })
	for _, one := range r.all {
		running.Go(func() { repeat(ctx, func() { one.check(ctx) }) })
	}
	r.stop = func() {
		cancel()
		running.Wait()
	}
	return r, nil
}

// repeat calls check at the interval until the context ends.
func repeat(ctx context.Context, check func()) {
	ticks := time.NewTicker(checkInterval)
	defer ticks.Stop()
	for check(); ; check() {
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
	}
}

// Close ends the checks and closes all connections.
func (r *Replicas) Close() {
	if r.stop != nil {
		r.stop()
	}
	for _, one := range r.all {
		one.checks.Close()
	}
	r.primary.Close()
}

// Written returns the present position of the primary, which covers everything committed before.
func (r *Replicas) Written(ctx context.Context) (p readmodel.Position, err error) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	began := time.Now()
	err = r.primary.QueryRow(ctx, `
select s.system_identifier, ('x' || left(pg_walfile_name(w.lsn), 8))::bit(32)::bigint, (w.lsn - '0/0')::bigint
from pg_control_system() s, (select pg_current_wal_insert_lsn()) w (lsn)`).Scan(&p.System, &p.Timeline, &p.WAL)
	if err != nil {
		return p, postgres.Fault(err, postgres.Storing)
	}
	r.newest.Store(&sample{p, began})
	return p, nil
}

// Configs are the configurations of connections to each of the replicas, for reads. The limit of one is that of all pools.
func (r *Replicas) Configs() (all []postgres.Config) {
	for _, one := range r.all {
		all = append(all, one.reads)
	}
	return all
}

// Read calls read with the number of a replica, in the order of Configs, that is used and covers the
// position. The context of read ends if the replica is left out. Read returns false if the primary
// has to serve the request, because there is no such replica or it failed. The first one that is asked
// depends on the caller, so that its requests go to the same one.
func (r *Replicas) Read(
	ctx context.Context, least readmodel.Position, caller int64, read func(ctx context.Context, replica int) error,
) bool {
	for i := range r.all {
		n := int((uint64(caller) + uint64(i)) % uint64(len(r.all)))
		session := r.all[n].covering(ctx, least)
		if session == nil {
			continue
		}
		r.all[n].served.Add(1)
		reading, end := context.WithCancel(ctx)
		stop := context.AfterFunc(session, end)
		err := read(reading, n)
		stop()
		end()
		if !isFailure(ctx, err) {
			return true
		}
		r.failed.Add(1)
		break
	}
	r.byPrimary.Add(1)
	return false
}

// isFailure reports whether the error of a read is a failure of the replica. Reaching the statement
// timeout is none, nor the end of the request.
func isFailure(ctx context.Context, err error) bool {
	isOfRequest := fault.As(err) != nil && !fault.Is(err, fault.Unavailable)
	return err != nil && !isOfRequest && ctx.Err() == nil && !postgres.IsStatementTimeout(err)
}

// State is the state of a replica.
type State struct {
	Name   string
	IsUsed bool
	Lag    time.Duration // of one that is used
	Reads  int64         // requests that it has served
}

// States returns the states of the replicas; primary is the number of requests that the primary
// served, and failed the number of those that were repeated there because a replica had failed.
func (r *Replicas) States() (replicas []State, primary, failed int64) {
	for _, one := range r.all {
		s := State{Name: one.name, Reads: one.served.Load()}
		one.mu.Lock()
		if s.IsUsed = one.session != nil; s.IsUsed {
			s.Lag = one.lag
		}
		one.mu.Unlock()
		replicas = append(replicas, s)
	}
	return replicas, r.byPrimary.Load(), r.failed.Load()
}
