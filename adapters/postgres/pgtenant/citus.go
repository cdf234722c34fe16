package pgtenant

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"

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

// Worker is a node of Citus that has, or may have, companies.
type Worker struct {
	Node    string // host:port
	Group   int64  // determines the ids of records that are created there
	Problem string // why services cannot connect to it; "" if they can
}

// CheckWorkers returns all workers, ordered by address, and tries to connect to each. Without Citus there are none.
func CheckWorkers(ctx context.Context, db Querier, databaseURL string) ([]Worker, error) {
	rows, err := db.Query(ctx, "select to_regclass('pg_catalog.pg_dist_node') is not null")
	if err != nil {
		return nil, err
	}
	if hasCitus, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[bool]); err != nil || !hasCitus {
		return nil, err
	}
	rows, err = db.Query(ctx, `
select nodename, nodeport, groupid
from pg_dist_node
where groupid > 0 and noderole = 'primary' and isactive
order by nodename, nodeport`)
	if err != nil {
		return nil, err
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (w Worker, err error) {
		var host string
		var port int
		err = row.Scan(&host, &port, &w.Group)
		w.Node = net.JoinHostPort(host, strconv.Itoa(port))
		return w, err
	})
	var checks sync.WaitGroup
	for i := range all {
		checks.Go(func() {
			err := postgres.OnNode(ctx, databaseURL, all[i].Node, func(*pgx.Conn) error { return nil })
			if f := fault.As(err); f != nil {
				all[i].Problem = f.Message
			} else if err != nil {
				all[i].Problem = err.Error()
			}
		})
	}
	checks.Wait()
	return all, err
}

// requireWorkers returns a fault if a worker cannot be reached: Citus changes the definitions of tables on all of them.
func (s *Store) requireWorkers(ctx context.Context) ([]Worker, error) {
	all, err := CheckWorkers(ctx, s.pool, s.url)
	if err != nil {
		return nil, postgres.Fault(err, postgres.Storing)
	}
	for _, w := range all {
		if w.Problem != "" {
			return nil, fault.New(fault.Unavailable, "%s, and Citus changes tables on all workers: start it, and repeat the command", w.Problem)
		}
	}
	return all, nil
}

// distribute has Citus move the tables of a company that is not in the catalogue yet to a worker: pg_restore has created
// them on the coordinator. Without Citus it does nothing. It can be repeated.
func (s *Store) distribute(ctx context.Context, code tenant.Code) error {
	workers, err := s.requireWorkers(ctx)
	if err != nil || len(workers) == 0 {
		return err
	}
	_, err = s.pool.Exec(ctx, `
select citus_schema_distribute(n.oid)
from pg_namespace n
where n.nspname = $1 and not exists (select from pg_dist_schema d where d.schemaid = n.oid)
  and not exists (select from kontor_shared.companies c where c.code = $2)`, code.Schema(), code)
	for _, w := range workers {
		if err == nil {
			err = postgres.OnNode(ctx, s.url, w.Node, func(conn *pgx.Conn) error { return w.advance(ctx, conn, code) })
		}
	}
	return postgres.Fault(err, postgres.Storing)
}

// groupBits is how many bits of an id come after the number of the node group that has created the record.
const groupBits = 48

// advance sets the sequences of ids on the worker beyond the ids of records that the company has from an earlier time on
// a worker of this group: the worker begins at the first id of its group again.
func (w Worker) advance(ctx context.Context, conn *pgx.Conn, code tenant.Code) error {
	rows, err := conn.Query(ctx, `
select c.oid::regclass::text, quote_ident(a.attname), pg_get_serial_sequence(c.oid::regclass::text, a.attname)
from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attidentity <> '' and a.atttypid = 'bigint'::regtype
where c.relnamespace = to_regnamespace($1)
order by c.relname`, code.Schema())
	if err != nil {
		return err
	}
	identities, err := pgx.CollectRows(rows, pgx.RowToStructByPos[identity])
	for _, i := range identities {
		if err == nil {
			err = w.advanceOne(ctx, conn, i)
		}
	}
	return err
}

// identity is a column whose values a sequence generates, in SQL.
type identity struct{ Table, Column, Sequence string }

// advanceOne uses two statements: setval runs here, and max(id) where the table is.
func (w Worker) advanceOne(ctx context.Context, conn *pgx.Conn, i identity) error {
	var last *int64
	highest := fmt.Sprintf("select max(%s) from %s where %[1]s >> %[3]d = %[4]d", i.Column, i.Table, groupBits, w.Group)
	if err := conn.QueryRow(ctx, highest).Scan(&last); err != nil || last == nil {
		return err
	}
	_, err := conn.Exec(ctx, "select setval($1::text::regclass, greatest(last_value, $2)) from "+i.Sequence, i.Sequence, *last)
	return err
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
