package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// examineTimeout is that of checks before the service starts.
const examineTimeout = 3 * time.Second

// CheckReplicas returns an error if a server is not a replica of the primary. It ignores servers that
// cannot be reached: they may come back later.
func CheckReplicas(ctx context.Context, primaryURL string, replicaURLs []string) error {
	system, err := systemOf(ctx, primaryURL)
	if err != nil {
		return err
	}
	var errs []error
	for _, url := range replicaURLs {
		if found, err := systemOf(ctx, url); err == nil && found != system {
			config, _ := CheckConfig(url)
			errs = append(errs, OtherCluster{Replica: replicaName(config), System: found, Want: system})
		}
	}
	return errors.Join(errs...)
}

func systemOf(ctx context.Context, url string) (system int64, err error) {
	err = examine(ctx, url, func(ctx context.Context, conn *pgx.Conn) error {
		return conn.QueryRow(ctx, "select system_identifier from pg_control_system()").Scan(&system)
	})
	return system, err
}

func examine(ctx context.Context, url string, fn func(context.Context, *pgx.Conn) error) error {
	config, err := CheckConfig(url)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, examineTimeout)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return fmt.Errorf("connect to the database: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if err := fn(ctx, conn); err != nil {
		return fmt.Errorf("examine the server: %w", err)
	}
	return nil
}

// OtherCluster is the error of a server that is not a replica of the primary.
type OtherCluster struct {
	Replica      string
	System, Want int64
}

func (e OtherCluster) Error() string {
	return fmt.Sprintf("%s is a server of another cluster (system identifier %d, and %d is that of the database): "+
		"correct KONTOR_READ_DATABASE_URLS, or make it a replica with pg_basebackup", e.Replica, uint64(e.System), uint64(e.Want))
}
