package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/ports/company"
)

// Shards are the tables of a company on its worker by the names that they have there, such as
// company_0a1b2c3d.clients_102008.
//
// Chose these names over those of Citus, and connections to the worker over those to the
// coordinator, because PostgreSQL alone plans such statements, as on one server, and keeps the
// plans. Citus plans a statement on several tables each time, sends the worker its text to be
// planned again, copies rows through the coordinator, and commits in two phases: a write took six
// to seven times the CPU time of one server. Costs that Citus does not notice if the tables
// have been moved. So each statement that reads checks that itself; a transaction that writes
// takes the lock that Citus takes for a write on that server, and checks then.
//
// The lock makes a move wait: to switch, it takes the opposite lock on the coordinator and on all
// workers, waits until the new tables have all changes, and records the new place in the same
// transaction, which keeps these locks until each server has committed it. A transaction that gets
// the lock before the switch has committed when the new tables are complete, and one that gets it
// later sees the new place, and writes nothing.
type Shards struct {
	node     string            // host and port of the worker
	names    map[string]string // by table
	check    string            // a query whose result is 0, or an error if the tables have been moved
	openings []string          // of a transaction that writes
	areGone  atomic.Bool
}

// errNoShards says that a statement cannot use shards.
var errNoShards = errors.New("the tables are not known by the names of the worker")

// shareLock is PostgreSQL's number of the mode of lock that Citus takes for a write.
const shareLock = 5

// FindShards returns the tables of the company on its node. They are nil if it has none there, as
// on a server without Citus. The error says why they cannot be used.
func (p *CompanyPool) FindShards(ctx context.Context, of company.Company) (*Shards, error) {
	if of.Node == "" {
		return nil, nil
	}
	found := &Shards{node: of.Node, names: map[string]string{}}
	d := &companyDB{pool: p, code: of.Code, zone: of.TimeZone}
	lane, ctx, err := d.take(ctx, noCompany, of.Node)
	if err != nil {
		return nil, err
	}
	rows, err := lane.Query(ctx, `
select c.relname, shard_name(c.oid, s.shardid), s.shardid, g.groupid
from pg_class c
join pg_dist_shard s on s.logicalrelid = c.oid
join pg_dist_placement p using (shardid)
join pg_dist_local_group g using (groupid)
where c.relnamespace = $1::text::regnamespace`, of.Code.Schema())
	if isState(err, undefinedTable) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var table, name string
	var shard, group int64
	_, err = pgx.ForEachRow(rows, []any{&table, &name, &shard, &group}, func() error {
		found.names[table] = name
		return nil
	})
	if err != nil || len(found.names) == 0 {
		return nil, err
	}
	// The tables of a schema move together, and have one lock.
	found.check = fmt.Sprintf("select 0 / count(*) from pg_catalog.pg_dist_placement where shardid = %d and groupid = %d", shard, group)
	found.openings = []string{beginAsSet, fmt.Sprintf("select pg_catalog.lock_shard_metadata(%d, array[%d])", shareLock, shard), found.check}
	if err := found.try(ctx, &companyDB{pool: p, code: of.Code, zone: of.TimeZone, shards: found}); err != nil {
		return nil, err
	}
	return found, nil
}

// try begins a transaction that writes nothing.
func (s *Shards) try(ctx context.Context, d *companyDB) error {
	tx, err := newTx(ctx, d)
	if err != nil {
		return err
	}
	defer tx.conn.Release()
	defer tx.rollbackUnlessEnded(ctx)
	return tx.begin(ctx)
}

// replace replaces the names of tables in a statement; it is not ok if a table is not known.
func (s *Shards) replace(b *strings.Builder, sql string) (ok bool) {
	ok = true
	replaceTables(b, sql, func(b *strings.Builder, table string) {
		name, isKnown := s.names[table]
		ok = ok && isKnown
		b.WriteString(name)
	})
	return ok
}

// qualifyRead is the statement, which reads, with the names of the worker, and with the check.
func (s *Shards) qualifyRead(sql string) (text string, ok bool) {
	var b strings.Builder
	b.WriteString("select * from (")
	ok = s.replace(&b, sql)
	// An offset is always evaluated, and before the first row; it does not change the plan.
	b.WriteString("\n) as local offset (" + s.check + ")")
	return b.String(), ok
}

// queryShards runs a statement that reads on the tables of the worker. The error is errNoShards if
// that is not possible, or not any more.
func (d *companyDB) queryShards(ctx context.Context, sql string, args []any) (pgx.Rows, error) {
	local := d.local()
	if local == nil {
		return nil, errNoShards
	}
	text, ok := local.qualifyRead(sql)
	if !ok {
		return nil, errNoShards
	}
	lane, ctx, err := d.take(ctx, noCompany, local.node)
	if err != nil {
		return nil, err
	}
	rows, err := lane.Query(context.WithValue(ctx, unqualifiedKey{}, replaced{text, sql}), text, args...)
	if err != nil {
		return nil, local.without(err)
	}
	isFirst := rows.Next()
	if err := local.without(rows.Err()); errors.Is(err, errNoShards) {
		return nil, err
	}
	return &begunRows{Rows: rows, begun: true, hasFirst: isFirst}, nil
}

// without returns errNoShards for an error of tables that have been moved or made again, and
// forgets them.
func (s *Shards) without(err error) error {
	if isState(err, divisionByZero, undefinedTable) {
		s.areGone.Store(true)
		return errNoShards
	}
	return err
}

// unqualifiedKey is the key of a context for the statement that was replaced.
type unqualifiedKey struct{}

type replaced struct{ text, original string }

// begunRows are rows of which the first one has been asked for already.
type begunRows struct {
	pgx.Rows
	begun, hasFirst bool
}

func (r *begunRows) Next() bool {
	if r.begun {
		r.begun = false
		return r.hasFirst
	}
	return r.Rows.Next()
}

// firstRow is the first of the rows of a query, or its error.
type firstRow struct {
	rows pgx.Rows
	err  error
}

func (r firstRow) Scan(to ...any) error {
	if r.err != nil {
		return r.err
	}
	defer r.rows.Close()
	if !r.rows.Next() {
		if err := r.rows.Err(); err != nil {
			return err
		}
		return pgx.ErrNoRows
	}
	if err := r.rows.Scan(to...); err != nil {
		return err
	}
	r.rows.Close()
	return r.rows.Err()
}
