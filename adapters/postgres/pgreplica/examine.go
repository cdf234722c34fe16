package pgreplica

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
)

// Examined is the result of Examine.
type Examined struct {
	Name          string
	IsReplica     bool
	Version       int64 // of the schema
	ShowsTimeline bool  // that it receives, to this role
}

// Examine connects to a replica and checks it. The error is an OtherCluster if it is not a
// replica of the primary.
func Examine(ctx context.Context, primaryURL, replicaURL string) (Examined, error) {
	if err := Check(ctx, primaryURL, []string{replicaURL}); err != nil {
		return Examined{}, err
	}
	config, err := postgres.CheckConfig(replicaURL)
	if err != nil {
		return Examined{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return Examined{}, fmt.Errorf("connect to the replica: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	found := Examined{Name: nameOf(config)}
	o, err := observe(ctx, conn)
	if err != nil {
		return found, fmt.Errorf("examine the replica: %w", err)
	}
	found.IsReplica, found.Version = o.isReplica, o.version
	err = conn.QueryRow(ctx, "select pg_has_role('pg_read_all_stats', 'usage')").Scan(&found.ShowsTimeline)
	return found, err
}
