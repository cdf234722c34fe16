package pgcompany

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/company"
)

// Place is the worker node that has the tables of a company in a database with Citus.
type Place struct {
	Node string // host and port of a worker
	Size *int64 // bytes; nil while a worker cannot be reached
}

// OldestCitus is the oldest supported major version of Citus: its schema-based sharding supports
// all foreign keys of the migrations.
const OldestCitus = 13

// Places returns the places of all companies with distributed tables, by code; nil in a database
// without Citus.
func (s *Store) Places(ctx context.Context) (map[company.Code]Place, error) {
	version, err := s.citus(ctx)
	if err != nil || version == 0 {
		return nil, err
	}
	nodes, err := Nodes(ctx, s.pool)
	if err != nil {
		return nil, postgres.Fault(err, postgres.Storing)
	}
	places := make(map[company.Code]Place, len(nodes))
	for code, node := range nodes {
		places[code] = Place{Node: node}
	}
	s.addSizes(ctx, places)
	return places, ctx.Err()
}

// Nodes returns the worker nodes of all companies with distributed tables, by code, in a
// database with Citus.
func Nodes(ctx context.Context, db Querier) (map[company.Code]string, error) {
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
	nodes := map[company.Code]string{}
	var code company.Code
	var host string
	var port int
	_, err = pgx.ForEachRow(rows, []any{&code, &host, &port}, func() error {
		nodes[code] = net.JoinHostPort(host, strconv.Itoa(port))
		return nil
	})
	return nodes, err
}

// addSizes adds the sizes, unless a worker cannot be reached.
func (s *Store) addSizes(ctx context.Context, places map[company.Code]Place) {
	rows, err := s.pool.Query(ctx, `
select right(n.nspname, 8), sum(z.size)::bigint
from citus_shard_sizes() z
join pg_dist_shard h on h.shardid = z.shard_id
join pg_class c on c.oid = h.logicalrelid
join pg_namespace n on n.oid = c.relnamespace
where n.nspname ~ '^company_[0-9a-f]{8}$'
group by n.nspname`)
	if err != nil {
		return
	}
	var code company.Code
	var size int64
	_, _ = pgx.ForEachRow(rows, []any{&code, &size}, func() error {
		if p, ok := places[code]; ok {
			bytes := size
			p.Size = &bytes
			places[code] = p
		}
		return nil
	})
}

// CitusVersion returns the major version of Citus in the database; 0 if there is none.
func CitusVersion(ctx context.Context, db Querier) (version int, err error) {
	rows, err := db.Query(ctx, "select split_part(extversion, '.', 1)::integer from pg_extension where extname = 'citus'")
	if err != nil {
		return 0, err
	}
	version, err = pgx.CollectExactlyOneRow(rows, pgx.RowTo[int])
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	return version, err
}

func (s *Store) citus(ctx context.Context) (version int, err error) {
	version, err = CitusVersion(ctx, s.pool)
	return version, postgres.Fault(err, postgres.Storing)
}

func (s *Store) checkCitus(ctx context.Context) (version int, err error) {
	if version, err = s.citus(ctx); err != nil {
		return 0, err
	}
	return version, suitable(version)
}

// suitable returns a fault for a version that is too old; 0 is none.
func suitable(version int) error {
	if version == 0 || version >= OldestCitus {
		return nil
	}
	return fault.New(fault.Conflict, "the database has Citus %d, and companies need %d or later: update the extension on all nodes", version, OldestCitus)
}

// Moved describes a completed move of a company.
type Moved struct {
	From  string        // the former node
	Took  time.Duration // altogether
	Pause time.Duration // for how long a write waited at most
}

// Move moves the tables of a company to another worker node, given as host:port. Requests are
// served meanwhile; writes wait at the end. An interrupted move has no effect and can be
// repeated.
func (s *Store) Move(ctx context.Context, name, node string) (moved Moved, err error) {
	version, err := s.checkCitus(ctx)
	if err != nil {
		return moved, err
	}
	if version == 0 {
		return moved, fault.New(fault.Conflict, "the database has no Citus, and therefore no other node")
	}
	if err := s.checkNode(ctx, node); err != nil {
		return moved, err
	}
	if err := s.awaitMetadata(ctx); err != nil {
		return moved, err
	}
	err = s.Hold(ctx, name, func(c company.Held) error {
		places, err := s.Places(ctx)
		if err != nil {
			return err
		}
		code := c.Company().Code
		place, ok := places[code]
		if !ok {
			return fault.New(fault.Conflict, "the tables of the company are not distributed: export it, remove it and restore it")
		}
		if moved.From = place.Node; place.Node == node {
			return nil
		}
		began := time.Now()
		moved.Pause, err = s.move(ctx, code, node)
		moved.Took = time.Since(began)
		return err
	})
	return moved, err
}

func (s *Store) checkNode(ctx context.Context, node string) error {
	nodes, err := s.primaries(ctx, "isactive and shouldhaveshards")
	if err != nil || slices.Contains(nodes, node) {
		return err
	}
	return fault.ForField(fault.Invalid, "node", "%q is no worker of this database, which has %v", node, nodes)
}

// primaries returns the primary nodes that meet the condition, as host:port, in that order.
func (s *Store) primaries(ctx context.Context, condition string) ([]string, error) {
	rows, err := s.pool.Query(ctx, `
select nodename || ':' || nodeport
from pg_dist_node
where noderole = 'primary' and `+condition+`
order by nodename, nodeport`)
	if err != nil {
		return nil, postgres.Fault(err, postgres.Storing)
	}
	nodes, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return nodes, postgres.Fault(err, postgres.Storing)
}

// move moves the schema, and meanwhile measures how long a write waits.
func (s *Store) move(ctx context.Context, code company.Code, node string) (pause time.Duration, err error) {
	host, port, err := net.SplitHostPort(node)
	if err != nil {
		return 0, fmt.Errorf("read the address of the node: %w", err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return 0, fmt.Errorf("read the port of the node: %w", err)
	}
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return 0, postgres.Fault(err, postgres.Storing)
	}
	defer conn.Release()
	// A server notices only with the second setting that the process that asked for the move was
	// killed, and ends it.
	if _, err := conn.Exec(ctx, "select set_config('lock_timeout', '0', false), set_config('client_connection_check_interval', '1s', false)"); err != nil {
		return 0, postgres.Fault(err, postgres.Storing)
	}
	defer func() {
		_, _ = conn.Exec(context.WithoutCancel(ctx), "reset lock_timeout")
		_, _ = conn.Exec(context.WithoutCancel(ctx), "reset client_connection_check_interval")
	}()
	if err := cleanUp(ctx, conn, code); err != nil {
		return 0, postgres.Fault(err, postgres.Storing)
	}
	probing, stop := context.WithCancel(ctx)
	var probe sync.WaitGroup
	probe.Go(func() { pause = s.longestWrite(probing, code) })
	_, err = conn.Exec(ctx, "select citus_schema_move($1::text::regnamespace, $2::text, $3::integer)", code.Schema(), host, number)
	stop()
	probe.Wait()
	return pause, postgres.Fault(err, postgres.Storing)
}

// The attempts of cleanUp.
const (
	cleanups     = 50
	cleanupPause = 100 * time.Millisecond
)

// cleanUp removes what earlier moves of the schema have left, because it would fail the next one. The
// procedure skips what another cleanup is removing, such as that of Citus itself, and tables that are in
// use for a second, so it is called again. If anything is left in the end, the error of the move says so.
func cleanUp(ctx context.Context, conn *pgxpool.Conn, code company.Code) error {
	for range cleanups {
		if _, err := conn.Exec(ctx, "call citus_cleanup_orphaned_resources()"); err != nil {
			return err
		}
		var isLeft bool
		err := conn.QueryRow(ctx, "select exists (select from pg_dist_cleanup where starts_with(object_name, $1))", code.Schema()+".").Scan(&isLeft)
		if err != nil || !isLeft {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(cleanupPause):
		}
	}
	return nil
}

// longestWrite writes nothing to the company's settings again and again, until the context
// ends, and returns how long that took at most.
func (s *Store) longestWrite(ctx context.Context, code company.Code) (longest time.Duration) {
	for ctx.Err() == nil {
		began := time.Now()
		_, _ = s.pool.Exec(ctx, "delete from "+code.Schema()+".settings where name = ''")
		longest = max(longest, time.Since(began))
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
	return longest
}
