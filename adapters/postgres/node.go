package postgres

import (
	"context"
	"fmt"
	"net/url"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kontor-crm/kontor/domain/fault"
)

// OnNode calls fn with a connection to a worker of Citus, which services open in the same way. If there is none, the error
// is a fault.Unavailable that names the worker.
func OnNode(ctx context.Context, databaseURL, node string, fn func(*pgx.Conn) error) error {
	config, err := configFor(databaseURL, "kontor company")
	if err == nil {
		err = toNode(config, databaseURL, node)
	}
	if err != nil {
		return err
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if refused := Refusal(err); refused != "" {
		return fault.New(fault.Unavailable, "the worker %s refuses the connection: %s", node, refused)
	}
	if err != nil {
		return fault.New(fault.Unavailable, "the worker %s does not respond", node)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	return fn(conn)
}

// toNode has a connection go to that host and port, with all else as the database URL says.
func toNode(config *pgx.ConnConfig, databaseURL, node string) error {
	if node == "" {
		return nil
	}
	u, err := url.Parse(databaseURL)
	if err != nil {
		return fmt.Errorf("read the database URL: %w", err)
	}
	u.Host = node
	query := u.Query()
	for _, name := range []string{"host", "port", "hostaddr"} {
		query.Del(name)
	}
	u.RawQuery = query.Encode()
	found, err := pgconn.ParseConfig(u.String())
	if err != nil {
		return fmt.Errorf("read the database URL with the address of a worker: %w", err)
	}
	config.Host, config.Port, config.TLSConfig, config.Fallbacks = found.Host, found.Port, found.TLSConfig, found.Fallbacks
	return nil
}
