package pgreplica

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/ports/caller"
	"github.com/kontor-crm/kontor/ports/company"
)

// Config is the configuration of the replicas.
type Config struct {
	URLs    []string        // of the replicas
	MaxLag  time.Duration   // of a replica that is used
	Reads   postgres.Config // of connections to them; the URL is not used
	Primary postgres.Config // of connections for positions
	Share   caller.Share    // of one company, of the connections for companies other than the default one
}

// PrimaryConnections is the number of connections to the primary: for looking up positions, for
// recording them, and for checks.
const PrimaryConnections = 3

// replicaCancelDelay is how long a cancelled statement of a replica may take to end. A replica
// that is left out may not respond, and its reads are to be repeated.
const replicaCancelDelay = 100 * time.Millisecond

// Replicas are the replicas of a service.
type Replicas struct {
	primary *primary
	all     []*replica
	share   caller.Share
	log     *slog.Logger

	positions *positions // of the default company

	reads, retreats atomic.Int64 // requests that the primary served, and those that a replica failed
	warned          atomic.Bool
	stop            func()
}

// Open connects to the replicas in the background. The primary serves all reads until they have
// been checked.
func Open(ctx context.Context, c Config, log *slog.Logger) (*Replicas, error) {
	c.Primary.MaxConns = PrimaryConnections
	pool, err := postgres.Open(ctx, c.Primary)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	r := &Replicas{
		primary: &primary{pool: pool, keep: c.MaxLag, elapse: func() time.Duration { return time.Since(began) }},
		share:   c.Share,
		log:     log,
	}
	for _, url := range c.URLs {
		one, err := open(ctx, c, url, r.primary, log)
		if err != nil {
			r.Close()
			return nil, err
		}
		r.all = append(r.all, one)
	}
	r.positions = newPositions(pool, "", identity(r.all))
	r.run(ctx)
	return r, nil
}

// open makes a replica that is left out until its first check.
func open(ctx context.Context, c Config, url string, p *primary, log *slog.Logger) (*replica, error) {
	config, err := postgres.CheckConfig(url)
	if err != nil {
		return nil, err
	}
	r := &replica{name: nameOf(config), config: config, primary: p, maxLag: c.MaxLag, log: log}
	r.checks = &batcher[struct{}, struct{}]{timeout: connectTimeout + 2*checkTimeout, call: r.check}
	r.reads = c.Reads
	r.reads.URL, r.reads.Pooled, r.reads.CancelDelay, r.reads.Admit = url, false, replicaCancelDelay, r.admit
	r.pool, err = postgres.Open(ctx, r.reads)
	return r, err
}

// nameOf returns the name of a replica in the log and the metrics, by which all instances assign
// one to a token.
func nameOf(c *pgx.ConnConfig) string { return fmt.Sprintf("%s:%d/%s", c.Host, c.Port, c.Database) }

func identity(all []*replica) string {
	var names []string
	for _, r := range all {
		names = append(names, r.name)
	}
	slices.Sort(names)
	sum := sha256.Sum256([]byte(strings.Join(names, " ")))
	return hex.EncodeToString(sum[:8])
}

func (r *Replicas) run(ctx context.Context) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	running.Go(func() { r.checkPrimary(ctx) })
	for _, one := range r.all {
		running.Go(func() { one.run(ctx) })
	}
	r.stop = func() {
		cancel()
		running.Wait()
	}
}

// checkPrimary samples the position of the primary. At first, it stores the replicas of this
// service, which the other instances compare with theirs.
func (r *Replicas) checkPrimary(ctx context.Context) {
	ticks := time.NewTicker(checkInterval)
	defer ticks.Stop()
	isAnnounced := false
	for {
		inTime, cancel := context.WithTimeout(ctx, checkTimeout)
		if !isAnnounced {
			_, err := r.positions.announce(inTime)
			isAnnounced = err == nil
		}
		if isAnnounced {
			_, _ = r.primary.read(inTime)
		}
		cancel()
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
		one.close()
	}
	r.primary.pool.Close()
}

// Reads returns a database that reads the records of the default company from the replicas and
// the primary.
func (r *Replicas) Reads(primary postgres.DB) *Reads {
	return &Reads{replicas: r, primary: primary, positions: r.positions}
}

// ReadsOf is like Reads, for another company; primary is that company's part of the database.
// The replicas are used when they have replayed what the primary has now: the company's tables, and
// their migrations.
func (r *Replicas) ReadsOf(ctx context.Context, of company.Company, primary postgres.DB) (*Reads, error) {
	for _, one := range r.all {
		if err := one.openCompanies(ctx, r.share); err != nil {
			return nil, err
		}
	}
	since, err := r.primary.read(ctx)
	if err != nil {
		return nil, postgres.Fault(err, postgres.Storing)
	}
	return &Reads{
		replicas: r, primary: primary, of: of, since: since,
		positions: newPositions(r.primary.pool, of.Code, r.positions.replicas),
	}, nil
}

// assigned returns the replica of the company's token: that with the highest hash, so that other
// tokens keep theirs when the replicas change.
func (r *Replicas) assigned(of company.Code, token int64) *replica {
	var best *replica
	var highest uint64
	for _, one := range r.all {
		key := binary.BigEndian.AppendUint64([]byte(of), uint64(token))
		sum := sha256.Sum256(append(key, one.name...))
		if weight := binary.BigEndian.Uint64(sum[:]); best == nil || weight > highest {
			best, highest = one, weight
		}
	}
	return best
}

// warnOfOthers logs once that another instance has other replicas.
func (r *Replicas) warnOfOthers() {
	if !r.warned.Swap(true) {
		r.log.Warn("an instance with different replicas was started later: this one reads from the primary until it is restarted with the same replicas")
	}
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
		replicas = append(replicas, one.state())
	}
	return replicas, r.reads.Load(), r.retreats.Load()
}

func (r *replica) state() State {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := State{Name: r.name, IsUsed: r.session != nil, Reads: r.served.Load()}
	if s.IsUsed {
		s.Lag = r.lag
	}
	return s
}

// Check returns an error if a server is not a replica of the primary. It ignores servers that
// cannot be reached: they may come back later.
func Check(ctx context.Context, primaryURL string, replicaURLs []string) error {
	system, err := systemOf(ctx, primaryURL)
	if err != nil {
		return err
	}
	var errs []error
	for _, url := range replicaURLs {
		config, err := postgres.CheckConfig(url)
		if err != nil {
			return err
		}
		if found, err := systemOf(ctx, url); err == nil && found != system {
			errs = append(errs, OtherCluster{Replica: nameOf(config), System: found, Want: system})
		}
	}
	return errors.Join(errs...)
}

// OtherCluster is the error of a server that is not a replica of the primary.
type OtherCluster struct {
	Replica      string
	System, Want int64
}

func (e OtherCluster) Error() string { return e.Found() + ": " + e.Remedy() }

// Found returns what is wrong.
func (e OtherCluster) Found() string {
	return fmt.Sprintf("%s is a server of another cluster (system identifier %d, and %d is that of the database)",
		e.Replica, uint64(e.System), uint64(e.Want))
}

// Remedy returns what the operator can do about it.
func (e OtherCluster) Remedy() string {
	return "correct KONTOR_READ_DATABASE_URLS, or make it a replica with pg_basebackup"
}

func systemOf(ctx context.Context, url string) (system int64, err error) {
	config, err := postgres.CheckConfig(url)
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return 0, fmt.Errorf("connect to the database: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	err = conn.QueryRow(ctx, "select system_identifier from pg_control_system()").Scan(&system)
	return system, err
}
