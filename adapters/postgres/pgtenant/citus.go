package pgtenant

import (
	"context"
	"errors"
	"net"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/tenant"
)

// oldestCitus is the oldest supported major version of Citus: its schema-based sharding supports
// all foreign keys of the migrations.
const oldestCitus = 13

// nodes returns the worker nodes of all companies with distributed tables, as host:port, by code, in a
// database with Citus.
func nodes(ctx context.Context, db Querier) (map[tenant.Code]string, error) {
	rows, err := db.Query(ctx, `
select distinct right(n.nspname, 8), d.nodename, d.nodeport
from pg_dist_schema s
join pg_namespace n on n.oid = s.schemaid
join pg_class c on c.relnamespace = n.oid
join pg_dist_shard h on h.logicalrelid = c.oid
join pg_dist_placement p using (shardid)
join pg_dist_node d using (groupid)
where n.nspname ~ '^company_[0-9a-f]{8}$' and d.noderole = 'primary'`)
	if err != nil {
		return nil, err
	}
	found := map[tenant.Code]string{}
	var code tenant.Code
	var host string
	var port int
	_, err = pgx.ForEachRow(rows, []any{&code, &host, &port}, func() error {
		found[code] = net.JoinHostPort(host, strconv.Itoa(port))
		return nil
	})
	return found, err
}

// citus returns the major version of Citus in the database; 0 if there is none.
func (s *Store) citus(ctx context.Context) (version int, err error) {
	err = s.pool.QueryRow(ctx, "select split_part(extversion, '.', 1)::integer from pg_extension where extname = 'citus'").Scan(&version)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	return version, postgres.Fault(err, postgres.Storing)
}

// checkCitus returns a fault for a version that is too old; 0 is none.
func checkCitus(version int) error {
	if version == 0 || version >= oldestCitus {
		return nil
	}
	return fault.New(fault.Conflict,
		"the database has Citus %d, and companies need %d or later: update the extension on all nodes", version, oldestCitus)
}
