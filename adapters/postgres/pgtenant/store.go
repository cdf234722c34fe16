package pgtenant

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/tenant"
)

// Store implements tenant.Store.
type Store struct {
	*Catalogue
	url         string
	pool        *pgxpool.Pool
	propagation time.Duration // how long AwaitPropagation waits
}

// NewStore returns a store that connects lazily. The URL is that of the default company.
func NewStore(ctx context.Context, databaseURL string) (*Store, error) {
	config, err := pgxpool.ParseConfig(databaseURL)
	if err != nil {
		return nil, fmt.Errorf("read the database URL: %w", err)
	}
	config.MaxConns = 2 * Workers
	parameters := config.ConnConfig.RuntimeParams
	parameters["application_name"] = "kontor company"
	parameters["timezone"] = "UTC"
	parameters["default_transaction_isolation"] = "read committed"
	if parameters["lock_timeout"] == "" { // of the URL
		parameters["lock_timeout"] = "5s"
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("create the connection pool: %w", err)
	}
	return &Store{
		Catalogue: NewCatalogue(pool), url: databaseURL, pool: pool,
		propagation: tenant.PropagationDelay + 500*time.Millisecond,
	}, nil
}

// Close closes the connections.
func (s *Store) Close() { s.pool.Close() }

// URL returns the database URL of the default company.
func (s *Store) URL() string { return s.url }

// Size returns the size of the tables and indexes of a company in bytes. If they are on a worker that does not respond,
// it is a fault.Unavailable.
func (s *Store) Size(ctx context.Context, c tenant.Tenant) (bytes int64, err error) {
	const size = `
select coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where n.nspname = $1 and c.relkind in ('r', 'm')`
	if c.Node == "" {
		err = s.pool.QueryRow(ctx, size, c.Code.Schema()).Scan(&bytes)
		return bytes, postgres.Fault(err, postgres.Storing)
	}
	err = postgres.OnNode(ctx, s.url, c.Node, func(conn *pgx.Conn) error {
		// By default, Citus hides the tables that have the records, which are beside the empty ones that statements name.
		if _, err := conn.Exec(ctx, "set citus.override_table_visibility to off"); err != nil {
			return err
		}
		return conn.QueryRow(ctx, size+" and c.oid not in (select logicalrelid from pg_dist_partition)", c.Code.Schema()).Scan(&bytes)
	})
	return bytes, postgres.Fault(err, postgres.Storing)
}

// Prepare implements tenant.Store.
func (s *Store) Prepare(ctx context.Context) error {
	version, err := s.citus(ctx)
	if err != nil {
		return err
	}
	if err := checkCitus(version); err != nil {
		return err
	}
	return postgres.MigrateShared(ctx, s.url)
}

// Add implements tenant.Store. It takes the lock before the row becomes visible: a process
// that sees a row in the state Adding and gets its lock knows that the addition was interrupted.
func (s *Store) Add(ctx context.Context, c tenant.Tenant, use func(tenant.Held) error) error {
	if _, err := s.requireWorkers(ctx); err != nil {
		return err
	}
	isNew := false
	err := s.lock(ctx, c.Code, func(h *held) (err error) {
		if isNew, err = h.insert(ctx, c); err != nil || !isNew {
			return err
		}
		return use(h)
	})
	if err != nil || isNew {
		return err
	}
	return s.Hold(ctx, c.Name, func(other tenant.Held) error {
		row := other.Tenant()
		switch row.State {
		case tenant.Adding:
			row.TimeZone = c.TimeZone
			if err := other.Save(ctx, row); err != nil {
				return err
			}
			return use(other)
		case tenant.Removing:
			return fault.New(fault.Conflict, "a company of this name is being removed: kontor company remove %s --really finishes it", row.Name)
		}
		return tenant.ErrTaken
	})
}

// Hold implements tenant.Store.
func (s *Store) Hold(ctx context.Context, name string, use func(tenant.Held) error) error {
	found, err := s.find(ctx, name)
	if err != nil {
		return err
	}
	return s.lock(ctx, found.Code, func(h *held) error {
		if err := h.read(ctx); err != nil {
			return err
		}
		if h.row.Name != name { // renamed meanwhile
			return tenant.ErrUnknown
		}
		return use(h)
	})
}

func (s *Store) find(ctx context.Context, name string) (tenant.Tenant, error) {
	all, err := s.List(ctx)
	if err != nil {
		return tenant.Tenant{}, err
	}
	for _, c := range all.Tenants {
		if c.Name == name {
			return c, nil
		}
	}
	return tenant.Tenant{}, tenant.ErrUnknown
}

// lock calls use with a connection that holds the lock of the company. The lock ends with
// the connection, so a process that was killed holds none. The error is tenant.ErrBusy if
// another one keeps it.
func (s *Store) lock(ctx context.Context, code tenant.Code, use func(*held) error) error {
	return s.locked(ctx, code, awaitLockBriefly, use)
}

func (s *Store) locked(
	ctx context.Context, code tenant.Code, acquire func(context.Context, *pgxpool.Conn, int64) error, use func(*held) error,
) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return postgres.Fault(err, postgres.Storing)
	}
	defer conn.Release()
	key := lockKey(code)
	if err := acquire(ctx, conn, key); err != nil {
		return err
	}
	defer unlock(ctx, conn, key)
	return use(&held{store: s, conn: conn, row: tenant.Tenant{Code: code}})
}

func lockKey(code tenant.Code) int64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, "kontor company "+string(code)) // never fails
	return int64(h.Sum64())
}

// lockPause is how often a lock that another process holds is tried.
const lockPause = 20 * time.Millisecond

// awaitLock tries to lock until that succeeds. A statement that waits for the lock would have a
// snapshot, and the holder may wait for the end of all snapshots, to create an index concurrently.
func awaitLock(ctx context.Context, conn *pgxpool.Conn, key int64) error {
	return retryLock(ctx, conn, key, func() bool { return false })
}

// awaitLockBriefly is like awaitLock, for as long as lock_timeout; tenant.ErrBusy after
// that.
func awaitLockBriefly(ctx context.Context, conn *pgxpool.Conn, key int64) error {
	var seconds float64
	err := conn.QueryRow(ctx, "select extract(epoch from current_setting('lock_timeout')::interval)::float8").Scan(&seconds)
	if err != nil {
		return postgres.Fault(err, postgres.Storing)
	}
	began, limit := time.Now(), time.Duration(seconds*float64(time.Second))
	return retryLock(ctx, conn, key, func() bool { return limit > 0 && time.Since(began) > limit })
}

func retryLock(ctx context.Context, conn *pgxpool.Conn, key int64, giveUp func() bool) error {
	for {
		if err := tryLock(ctx, conn, key); !errors.Is(err, tenant.ErrBusy) || giveUp() {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lockPause):
		}
	}
}

func tryLock(ctx context.Context, conn *pgxpool.Conn, key int64) error {
	var got bool
	if err := conn.QueryRow(ctx, "select pg_try_advisory_lock($1)", key).Scan(&got); err != nil {
		return postgres.Fault(err, postgres.Storing)
	}
	if !got {
		return tenant.ErrBusy
	}
	return nil
}

// unlock releases the lock, or closes the connection.
func unlock(ctx context.Context, conn *pgxpool.Conn, key int64) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if _, err := conn.Exec(ctx, "select pg_advisory_unlock($1)", key); err != nil {
		_ = conn.Conn().Close(ctx)
	}
}
