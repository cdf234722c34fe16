package bootstrap

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/urfave/cli/v3"

	"github.com/kontor-crm/kontor/adapters/httpapi"
	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/admission"
	"github.com/kontor-crm/kontor/adapters/postgres/pgread"
	"github.com/kontor-crm/kontor/adapters/postgres/pgreplica"
	"github.com/kontor-crm/kontor/adapters/telemetry"
)

// minReadLag is the smallest allowed lag: replicas are checked four times a second.
const minReadLag = time.Second

func (c *Config) replicaFlags() []cli.Flag {
	return []cli.Flag{
		stringFlag(&c.RawReplicas, "read-database-urls", "",
			"comma-separated `URLs` of streaming replicas of the database, for reads with the header Kontor-Position"),
		durationFlag(&c.ReadMaxLag, "read-max-lag", defaults.ReadMaxLag,
			"`duration` by which a replica may lag and still be read from"),
	}
}

func (c *Config) validateReplicas(reject func(name, format string, args ...any)) {
	c.Replicas = nil
	for url := range strings.SplitSeq(c.RawReplicas, ",") {
		if url = strings.TrimSpace(url); url != "" {
			c.Replicas = append(c.Replicas, url)
		}
	}
	const name = "read-database-urls"
	for i, url := range c.Replicas {
		switch err := checkDatabaseURL(url); {
		case err != nil:
			reject(name, "URL %d: %w", i+1, err)
			return
		case slices.Contains(c.Replicas[:i], url):
			reject(name, "names a replica twice")
			return
		}
	}
	if len(c.Replicas) > 0 && c.DatabaseURL == "" {
		reject(name, "needs --database-url, the URL of the primary")
	}
}

// CheckReplicas returns an error if a configured replica is not a replica of the primary.
func CheckReplicas(ctx context.Context, c Config) error {
	if len(c.Replicas) == 0 {
		return nil
	}
	return pgreplica.Check(ctx, c.DatabaseURL, c.Replicas)
}

// newReplicas opens the replicas; nil if there are none.
func newReplicas(ctx context.Context, c Config, log *slog.Logger, t *telemetry.Telemetry) (*pgreplica.Replicas, func(), error) {
	if len(c.Replicas) == 0 {
		return nil, func() {}, nil
	}
	replicas, err := pgreplica.Open(ctx, pgreplica.Config{
		URLs: c.Replicas, MaxLag: c.ReadMaxLag,
		Primary: c.tenantPool(spansOf(t), nil),
	}, log)
	if err != nil {
		return nil, nil, fmt.Errorf("open the replicas: %w", err)
	}
	t.ObserveReplicas(func() telemetry.Reads { return readsOf(replicas) })
	return replicas, replicas.Close, nil
}

func readsOf(r *pgreplica.Replicas) telemetry.Reads {
	states, primary, failed := r.States()
	reads := telemetry.Reads{Primary: primary, Failed: failed}
	for _, s := range states {
		reads.Replicas = append(reads.Replicas, telemetry.Replica(s))
	}
	return reads
}

func newQuerier(db *pgxpool.Pool, g *admission.Gate) pgread.Querier { return pgread.Gated(db, g) }

// newReads opens connections to the replicas for reads of the default company.
func newReads(ctx context.Context, replicas *pgreplica.Replicas, g *admission.Gate, c Commands, t Trials) (reads httpapi.Replicas, closeAll func(), err error) {
	closeAll = func() {}
	if replicas == nil {
		return reads, closeAll, nil
	}
	var pools []*pgxpool.Pool
	closeAll = func() {
		for _, pool := range pools {
			pool.Close()
		}
	}
	reads.Servers = replicas
	for _, config := range replicas.Configs() {
		pool, err := postgres.Open(ctx, config)
		if err != nil {
			closeAll()
			return reads, nil, err
		}
		pools = append(pools, pool)
		reads.Resources = append(reads.Resources, Resources(pgread.Gated(pool, g), c, t))
	}
	return reads, closeAll, nil
}
