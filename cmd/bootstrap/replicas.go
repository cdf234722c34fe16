package bootstrap

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/admission"
	"github.com/kontor-crm/kontor/adapters/postgres/pgread"
	"github.com/kontor-crm/kontor/adapters/postgres/pgreplica"
	"github.com/kontor-crm/kontor/adapters/telemetry"
	"github.com/kontor-crm/kontor/ports/caller"
)

// maxReadLag is the largest allowed lag: what the primary has written is sampled for so long.
const maxReadLag = time.Hour

func (c *Config) replicaFlags() []cli.Flag {
	return []cli.Flag{
		stringFlag(&c.RawReplicas, "read-database-urls", "",
			"comma-separated `URLs` of streaming replicas of the database, from which lists and records are read; must be the same for all instances"),
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
		Reads: c.pool(statementsOf(t)), Primary: c.withoutPooler().pool(unobserved()), Share: caller.Share(c.CallerShare),
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

func newQuerier(db postgres.DB, replicas *pgreplica.Replicas, g *admission.Gate) pgread.Querier {
	if replicas == nil {
		return pgread.Gated(db, g)
	}
	return pgread.Gated(replicas.Reads(db), g)
}
