package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"
)

// CheckURL rejects a URL with parameters that pgx does not accept. It does not connect. The error shows no
// password.
func CheckURL(databaseURL string) error {
	_, err := pgxpool.ParseConfig(databaseURL)
	return err
}

// withConn calls fn with a connection of its own, for migrations.
func withConn(ctx context.Context, databaseURL string, fn func(*pgx.Conn) error) error {
	conn, err := connectAs(ctx, databaseURL, migrateName)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	return fn(conn)
}

func connectAs(ctx context.Context, databaseURL, name string) (*pgx.Conn, error) {
	config, err := configFor(databaseURL, name)
	if err != nil {
		return nil, err
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("connect to the database: %w", err)
	}
	return conn, nil
}

// withConnIn calls fn with a connection in the zone. Connecting fails if the database
// does not know the zone.
func withConnIn(ctx context.Context, databaseURL, zone string, fn func(*pgx.Conn) error) (err error) {
	config, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		return fmt.Errorf("read the database URL: %w", err)
	}
	config.RuntimeParams["application_name"] = zoneName
	config.RuntimeParams["timezone"] = zone
	config.RuntimeParams[isolationSetting] = string(pgx.ReadCommitted)
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return fmt.Errorf("connect to the database in the time zone %s: %w", zone, err)
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	return fn(conn)
}

// CheckConfig returns the configuration of a connection for checks. It sends no cancel
// requests, because a server that does not respond does not handle them either.
func CheckConfig(databaseURL string) (*pgx.ConnConfig, error) {
	config, err := configFor(databaseURL, poolName)
	if err != nil {
		return nil, err
	}
	config.BuildContextWatcherHandler = closing
	return config, nil
}

// closing closes the connection of a cancelled statement, and sends no cancel request.
func closing(conn *pgconn.PgConn) ctxwatch.Handler {
	return &pgconn.DeadlineContextWatcherHandler{Conn: conn.Conn()}
}

func configFor(databaseURL, name string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		return nil, fmt.Errorf("read the database URL: %w", err)
	}
	config.RuntimeParams["application_name"] = name
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	return config, nil
}
