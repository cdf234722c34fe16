package postgres

import (
	"fmt"
	"net/url"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

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
