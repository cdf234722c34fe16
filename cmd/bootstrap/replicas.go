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
	"github.com/kontor-crm/kontor/adapters/postgres/pgread"
	"github.com/kontor-crm/kontor/adapters/telemetry"
	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/command"
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
	return postgres.CheckReplicas(ctx, c.DatabaseURL, c.Replicas)
}

// newReplicas opens the replicas; nil if there are none.
func newReplicas(ctx context.Context, c Config, log *slog.Logger, t *telemetry.Telemetry) (*postgres.Replicas, func(), error) {
	if len(c.Replicas) == 0 {
		return nil, func() {}, nil
	}
	replicas, err := postgres.OpenReplicas(ctx, postgres.ReplicasConfig{
		URLs: c.Replicas, MaxLag: c.ReadMaxLag,
		Primary: c.tenantPool(spansOf(t), nil),
	}, log)
	if err != nil {
		return nil, nil, fmt.Errorf("open the replicas: %w", err)
	}
	t.ObserveReplicas(func() telemetry.Reads { return readsOf(replicas) })
	return replicas, replicas.Close, nil
}

func readsOf(r *postgres.Replicas) telemetry.Reads {
	states, primary, failed := r.States()
	reads := telemetry.Reads{Primary: primary, Failed: failed}
	for _, s := range states {
		reads.Replicas = append(reads.Replicas, telemetry.Replica(s))
	}
	return reads
}

// newReplicaPools opens connections to each of the replicas. A tenant on another node than the primary has none there.
func newReplicaPools(ctx context.Context, c Config, all *Tenants) (pools []*pgxpool.Pool, closeAll func(), err error) {
	var closers []func()
	closeAll = func() {
		for _, closePool := range closers {
			closePool()
		}
	}
	if all.servers == nil || c.Tenant.Node != "" {
		return nil, closeAll, nil
	}
	for _, config := range all.servers.Configs() {
		config.Tenant, config.Zone = c.Tenant.Code, c.TimeZone
		pool, closePool, err := openPool(ctx, config)
		if err != nil {
			closeAll()
			return nil, nil, err
		}
		pools, closers = append(pools, pool), append(closers, closePool)
	}
	return pools, closeAll, nil
}

// newAPI returns the API of a tenant, which reads from the primary or, if there are pools for them, from replicas.
func newAPI(
	c Config, all *Tenants, auth *access.Authenticator, primary *pgxpool.Pool, pools []*pgxpool.Pool, commands Commands, t *command.Trials,
) *httpapi.Tenant {
	resources := func(pool *pgxpool.Pool) []httpapi.Resource {
		return Resources(pgread.Gated(pool, all.gate, all.exports), commands, t)
	}
	var replicas httpapi.Replicas
	for _, pool := range pools {
		replicas.Servers = all.servers
		replicas.Resources = append(replicas.Resources, resources(pool))
	}
	return httpapi.NewTenant(c.Tenant, auth, resources(primary), replicas)
}
