package postgres

import (
	"context"
	"fmt"
	"net/url"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// direct has a new connection of a lane go to the node of the company that it is made for.
//
// The type Shards says why. What needs the names of Citus, as migrations, exports and rebuilds do,
// and all that operators' commands do, goes through the coordinator. Both ways exclude each other by
// the locks of rows, and by the advisory locks, which are taken on the worker in any case.
func (p *CompanyPool) direct(ctx context.Context, config *pgx.ConnConfig) error {
	of, ok := ctx.Value(sessionKey{}).(session)
	if !ok {
		return errNoCompany
	}
	if of.node != "" {
		config.AfterConnect = nil // statements are planned without their values there, as on one server
	}
	return toNode(config, p.url, of.node)
}

// TryNode connects to the node as connections for requests of companies do.
func TryNode(ctx context.Context, databaseURL, node string) error {
	config, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		return fmt.Errorf("read the database URL: %w", err)
	}
	if err := toNode(config, databaseURL, node); err != nil {
		return err
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return fmt.Errorf("connect to the worker: %w", err)
	}
	return conn.Close(ctx)
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
	to, err := pgconn.ParseConfig(u.String())
	if err != nil {
		return fmt.Errorf("read the database URL with the address of a worker: %w", err)
	}
	config.Host, config.Port, config.TLSConfig, config.Fallbacks = to.Host, to.Port, to.TLSConfig, to.Fallbacks
	return nil
}
