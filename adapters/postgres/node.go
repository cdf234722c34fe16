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
// Chose connections to the workers of Citus for reads, and to the coordinator for writes. Reads,
// because a worker with the tables plans them as one server does and keeps the plans; the
// coordinator sends it their text, to be planned each time. Writes, because a worker would number
// new rows from a range of its own, 2 to the 48th and up, and because writers have to take
// advisory locks on one server. Costs a second connection of a company that reads and writes.
//
// A worker that has not got the tables any more asks the one that has: an outdated node costs
// time only.
func (p *CompanyPool) direct(ctx context.Context, config *pgx.ConnConfig) error {
	of, ok := ctx.Value(sessionKey{}).(session)
	if !ok {
		return errNoCompany
	}
	if of.node != "" {
		config.AfterConnect = nil // reads are planned without their values there, as on one server
	}
	return toNode(config, p.url, of.node)
}

// TryNode connects to the node as connections for reads of companies do.
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
