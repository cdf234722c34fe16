package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// shards are the tables of a company on its worker by the names that they have there, such as
// company_0a1b2c3d.clients_102008.
//
// Chose these names over those of Citus for statements that read, because PostgreSQL alone plans
// them, as on one server, and keeps the plan; Citus plans a statement on several tables each
// time, which took most of the processor time of a list. Costs that Citus does not notice if the
// tables have been moved, so each statement checks that itself.
type shards struct {
	names map[string]string // by table
	check string            // a query whose result is 0, or an error if the tables have been moved
}

// errNoShards says that a statement cannot use shards.
var errNoShards = errors.New("the tables are not known by the names of the worker")

// findShards reads the names from the worker. A server without Citus has none.
func (d *companyDB) findShards(ctx context.Context) error {
	rows, err := d.Query(ctx, `
select c.relname, shard_name(c.oid, s.shardid), s.shardid, g.groupid
from pg_class c
join pg_dist_shard s on s.logicalrelid = c.oid
join pg_dist_placement p using (shardid)
join pg_dist_local_group g using (groupid)
where c.relnamespace = $1::text::regnamespace`, d.code.Schema())
	if isState(err, undefinedTable) {
		return nil
	}
	if err != nil {
		return err
	}
	found := &shards{names: map[string]string{}}
	var table, name string
	var shard, group int64
	_, err = pgx.ForEachRow(rows, []any{&table, &name, &shard, &group}, func() error {
		found.names[table] = name
		return nil
	})
	if err == nil && len(found.names) > 0 {
		// The tables of a schema move together.
		found.check = fmt.Sprintf("select 0 / count(*) from pg_catalog.pg_dist_placement where shardid = %d and groupid = %d", shard, group)
		d.shards.Store(found)
	}
	return err
}

// qualify replaces the names of tables in a statement that reads. It is not ok if a table is not
// known.
func (s *shards) qualify(sql string) (text string, ok bool) {
	var b strings.Builder
	ok = true
	b.WriteString("select * from (")
	replaceTables(&b, sql, func(b *strings.Builder, table string) {
		name, isKnown := s.names[table]
		ok = ok && isKnown
		b.WriteString(name)
	})
	// An offset is always evaluated, and before the first row; it does not change the plan.
	b.WriteString("\n) as local offset (" + s.check + ")")
	return b.String(), ok
}

// queryShards runs a statement that reads on the tables of the worker. The error is errNoShards if
// that is not possible, or not any more.
func (d *companyDB) queryShards(ctx context.Context, sql string, args []any) (pgx.Rows, error) {
	local := d.shards.Load()
	if local == nil {
		return nil, errNoShards
	}
	text, ok := local.qualify(sql)
	if !ok {
		return nil, errNoShards
	}
	lane, ctx, err := d.take(ctx, noCompany)
	if err != nil {
		return nil, err
	}
	rows, err := lane.Query(context.WithValue(ctx, unqualifiedKey{}, replaced{text, sql}), text, args...)
	if err != nil {
		return nil, d.withoutShards(err)
	}
	isFirst := rows.Next()
	if err := d.withoutShards(rows.Err()); errors.Is(err, errNoShards) {
		return nil, err
	}
	return &begunRows{Rows: rows, begun: true, hasFirst: isFirst}, nil
}

// withoutShards returns errNoShards for an error of tables that have been moved or made again,
// and forgets them.
func (d *companyDB) withoutShards(err error) error {
	if isState(err, divisionByZero, undefinedTable) {
		d.shards.Store(nil)
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

// firstRow is the first of the rows.
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
