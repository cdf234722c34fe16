package postgres

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Checks of a server: one that does not respond is left out after an interval and a timeout.
const (
	replicaCheckInterval = 250 * time.Millisecond
	replicaCheckTimeout  = 500 * time.Millisecond
)

// primaryConnections is the number of connections to the primary, for its position.
const primaryConnections = 2

// ReplicasConfig is the configuration of the replicas.
type ReplicasConfig struct {
	URLs    []string      // of the replicas
	MaxLag  time.Duration // of a replica that is used
	Primary Config        // also of the connections to replicas, with their URLs
}

// Replicas are the streaming replicas of a service, and choose one for reads that ask for one with
// a position. replica.go is one replica: how far it is, and whether it is used; replica_examine.go
// has the checks before the service starts.
//
// Chose: only a request with a position reads from a replica; the writes of callers are not
// remembered. Because: nothing is stored or looked up for other requests, and a caller that does
// not know of replicas always sees its own writes. Costs: clients have to ask.
//
// Each replica is checked four times a second, on a connection of the service. What a check saw
// is a lower bound of what every other connection to the same server sees, as a server
// that replays never moves back while connections to it are open. A server that was restarted may:
// so a connection is used only if the server has, when it is opened, everything that
// any check has seen before.
type Replicas struct {
	primary *pgxpool.Pool
	newest  atomic.Pointer[primarySample] // nil: the primary has not responded yet
	all     []*replica
	stop    func()

	byPrimary, failed atomic.Int64 // reads that the primary served, and those that a replica failed
}

// primarySample is that the primary had written up to a position at a time.
type primarySample struct {
	readmodel.Position
	at time.Time
}

// OpenReplicas connects to the replicas in the background. None is used until it has been checked.
func OpenReplicas(ctx context.Context, c ReplicasConfig, log *slog.Logger) (*Replicas, error) {
	config := c.Primary
	config.MaxConns = primaryConnections
	primary, err := Open(ctx, config)
	if err != nil {
		return nil, err
	}
	r := &Replicas{primary: primary}
	for _, url := range c.URLs {
		one, err := openReplica(ctx, c, url, r, log)
		if err != nil {
			r.Close()
			return nil, err
		}
		r.all = append(r.all, one)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	running.Go(func() { repeatCheck(ctx, func() { _, _ = r.Written(ctx) }) })
	for _, one := range r.all {
		running.Go(func() { repeatCheck(ctx, func() { one.check(ctx) }) })
	}
	r.stop = func() {
		cancel()
		running.Wait()
	}
	return r, nil
}

// repeatCheck calls check at the interval until the context ends.
func repeatCheck(ctx context.Context, check func()) {
	ticks := time.NewTicker(replicaCheckInterval)
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
func (r *Replicas) Written(ctx context.Context) (readmodel.Position, error) {
	ctx, cancel := context.WithTimeout(ctx, replicaCheckTimeout)
	defer cancel()
	began := time.Now()
	p, err := Repeat(ctx, r.primary, func() (p readmodel.Position, err error) {
		err = r.primary.QueryRow(ctx, `
select s.system_identifier, ('x' || left(pg_walfile_name(w.lsn), 8))::bit(32)::bigint, (w.lsn - '0/0')::bigint
from pg_control_system() s, (select pg_current_wal_insert_lsn()) w (lsn)`).Scan(&p.System, &p.Timeline, &p.WAL)
		return p, err
	})
	if err != nil {
		return p, Fault(err, Storing)
	}
	r.newest.Store(&primarySample{p, began})
	return p, nil
}

// Configs are the configurations of connections to each of the replicas, for reads. The limit of one is that of all pools.
func (r *Replicas) Configs() (all []Config) {
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
		if !isReplicaFailure(ctx, err) {
			return true
		}
		r.failed.Add(1)
		break
	}
	r.byPrimary.Add(1)
	return false
}

// isReplicaFailure reports whether the error of a read is a failure of the replica. Reaching the statement
// timeout is none, nor the end of the request.
func isReplicaFailure(ctx context.Context, err error) bool {
	isOfRequest := fault.As(err) != nil && !fault.Is(err, fault.Unavailable)
	return err != nil && !isOfRequest && ctx.Err() == nil && !IsStatementTimeout(err)
}

// ReplicaState is the state of a replica.
type ReplicaState struct {
	Name   string
	IsUsed bool
	Lag    time.Duration // of one that is used
	Reads  int64         // requests that it has served
}

// States returns the states of the replicas; primary is the number of requests that the primary
// served, and failed the number of those that were repeated there because a replica had failed.
func (r *Replicas) States() (replicas []ReplicaState, primary, failed int64) {
	for _, one := range r.all {
		s := ReplicaState{Name: one.name, Reads: one.served.Load()}
		one.mu.Lock()
		if s.IsUsed = one.session != nil; s.IsUsed {
			s.Lag = one.lag
		}
		one.mu.Unlock()
		replicas = append(replicas, s)
	}
	return replicas, r.byPrimary.Load(), r.failed.Load()
}
