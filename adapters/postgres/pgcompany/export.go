package pgcompany

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/ports/company"
)

type table struct {
	name     string
	columns  []string
	identity *string // its sequence
}

// tablesOfPath are the tables of the schema of the search path, by name. The list of
// migrations is left out: the schema of the restored company has its own.
const tablesOfPath = `
select c.relname, array_agg(a.attname::text order by a.attnum),
  max(pg_get_serial_sequence(quote_ident(c.relname), a.attname)) filter (where a.attidentity <> '')
from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'schema_migrations'
group by c.relname
order by c.relname`

// referencesOfPath are the foreign keys between different tables.
const referencesOfPath = `
select r.relname, t.relname
from pg_constraint k
join pg_class r on r.oid = k.conrelid
join pg_class t on t.oid = k.confrelid
where k.connamespace = current_schema()::regnamespace and k.contype = 'f' and k.conrelid <> k.confrelid`

// tables returns the tables of the search path, each after those that it refers to.
func tables(ctx context.Context, tx pgx.Tx) ([]table, error) {
	rows, err := tx.Query(ctx, tablesOfPath)
	if err != nil {
		return nil, err
	}
	var all []table
	var t table
	if _, err := pgx.ForEachRow(rows, []any{&t.name, &t.columns, &t.identity}, func() error {
		all = append(all, t)
		t = table{}
		return nil
	}); err != nil {
		return nil, err
	}
	rows, err = tx.Query(ctx, referencesOfPath)
	if err != nil {
		return nil, err
	}
	needs := map[string][]string{}
	var from, to string
	if _, err := pgx.ForEachRow(rows, []any{&from, &to}, func() error {
		needs[from] = append(needs[from], to)
		return nil
	}); err != nil {
		return nil, err
	}
	return ordered(all, needs)
}

// ordered puts each table after those that it needs.
func ordered(all []table, needs map[string][]string) (list []table, err error) {
	done := map[string]bool{}
	for len(list) < len(all) {
		before := len(list)
		for _, t := range all {
			isReady := !slices.ContainsFunc(needs[t.name], func(name string) bool { return !done[name] })
			if isReady && !done[t.name] {
				done[t.name] = true
				list = append(list, t)
			}
		}
		if len(list) == before {
			return nil, errors.New("the tables of the company refer to each other in a circle")
		}
	}
	return list, nil
}

// Export implements company.Store.
func (s *Store) Export(ctx context.Context, c company.Company, to io.Writer) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return postgres.Fault(err, postgres.Storing)
	}
	defer conn.Release()
	snapshot := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err = pgx.BeginTxFunc(ctx, conn, snapshot, func(tx pgx.Tx) error { return export(ctx, tx, c, to) })
	return postgres.Fault(err, postgres.Storing)
}

func export(ctx context.Context, tx pgx.Tx, c company.Company, to io.Writer) error {
	if _, err := tx.Exec(ctx, "set local search_path = "+c.Code.Schema()); err != nil {
		return err
	}
	h := header{Format: archiveFormat, Version: archiveVersion, Name: c.Name, Code: string(c.Code), CreatedAt: c.CreatedAt}
	if err := tx.QueryRow(ctx, `
select (select max(version_id) from schema_migrations where is_applied), (select value from settings where name = 'timezone')`,
	).Scan(&h.Migration, &h.TimeZone); err != nil {
		return fmt.Errorf("read the version of the company: %w", err)
	}
	all, err := tables(ctx, tx)
	if err != nil {
		return fmt.Errorf("read the tables of the company: %w", err)
	}
	for _, t := range all {
		h.Tables = append(h.Tables, t.name)
	}
	w := newArchiveWriter(to)
	if err := w.line(h); err != nil {
		return err
	}
	for _, t := range all {
		if err := exportTable(ctx, tx, t, w); err != nil {
			return fmt.Errorf("export the table %s: %w", t.name, err)
		}
	}
	return w.end(len(all))
}

func exportTable(ctx context.Context, tx pgx.Tx, t table, w *archiveWriter) error {
	if err := w.line(tableHead{Table: t.name, Columns: t.columns}); err != nil {
		return err
	}
	copied, err := tx.Conn().PgConn().CopyTo(ctx, w, "copy "+t.sql()+" to stdout")
	if err != nil {
		return err
	}
	var last *int64
	if t.identity != nil {
		// At least the highest id of the snapshot: a sequence is not part of it.
		if err := tx.QueryRow(ctx, "select coalesce(pg_sequence_last_value($1::text::regclass), 0)", *t.identity).Scan(&last); err != nil {
			return err
		}
	}
	return w.endTable(copied.RowsAffected(), last)
}

func (t table) sql() string {
	columns := make([]string, len(t.columns))
	for i, name := range t.columns {
		columns[i] = pgx.Identifier{name}.Sanitize()
	}
	return pgx.Identifier{t.name}.Sanitize() + " (" + strings.Join(columns, ", ") + ")"
}
