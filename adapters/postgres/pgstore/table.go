package pgstore

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/ports/repository"
)

// mapping maps the fields of a state to the columns of a table: its statements, and what is scanned and stored, come
// from one function that goes over the columns. testdata/tables.sql has the statements.
//
// Chose: statements that are put together once, when the program starts. Because: a column is then added in one line,
// and no lists have to agree. Costs: the SQL is read in testdata, and an update stores every column.
type mapping[S any] struct {
	name    string // of the table
	columns func(c *columns, s *S)
	// selects and update lack a condition. The arguments of update are what row returns, those of insert these and the id.
	selects, insert, update string
	names                   []string // of the columns that an insertion stores
	read, stored            int      // how many columns
}

func mapped[S any](name string, each func(c *columns, s *S)) mapping[S] {
	m := mapping[S]{name: name, columns: each}
	c := columns{}
	each(&c, new(S))
	var reads, values, sets []string
	for _, d := range c.declared {
		if d.read != "" {
			reads = append(reads, d.read)
		}
		if strings.Contains(d.insert, "?") {
			m.stored++
		}
		parameter := fmt.Sprintf("$%d", m.stored)
		if d.insert != "" {
			m.names, values = append(m.names, d.name), append(values, strings.ReplaceAll(d.insert, "?", parameter))
		}
		if d.update != "" {
			sets = append(sets, d.name+" = "+strings.ReplaceAll(d.update, "?", parameter))
		}
	}
	m.read = len(reads)
	m.selects = "select " + strings.Join(reads, ", ") + "\nfrom " + name + "\n"
	m.insert = fmt.Sprintf("insert into %s (%s, id)\nvalues (%s, coalesce($%d, nextval('%[1]s_id_seq')))\n",
		name, strings.Join(m.names, ", "), strings.Join(values, ", "), m.stored+1)
	m.update = "update " + name + "\nset " + strings.Join(sets, ", ") + "\n"
	return m
}

// targets are those of a scan of what selects selects.
func (m *mapping[S]) targets(s *S) []any {
	c := columns{purpose: reading, values: make([]any, 0, m.read)}
	m.columns(&c, s)
	return c.values
}

// row is what a unit of work of that time stores of the state, before more arguments.
func (m *mapping[S]) row(s *S, at time.Time, more ...any) []any {
	c := columns{purpose: storing, at: at, values: make([]any, 0, m.stored+len(more))}
	m.columns(&c, s)
	return append(c.values, more...)
}

// reader returns a function that scans a row of what selects selects. It may be called for many rows.
func (m *mapping[S]) reader() func(rows pgx.Rows) (S, error) {
	var s, zero S
	targets := m.targets(&s)
	return func(rows pgx.Rows) (S, error) {
		s = zero
		err := rows.Scan(targets...)
		return s, err
	}
}

// table is the table of an aggregate whose records are one row each.
type table[ID ~int64, A interface{ State() S }, S any] struct {
	mapping[S]
	what    string // a record, in messages
	restore func(s S) A
	same    func(a, b S) bool
	key     func(s *S) (id *ID, version *int64)
	// tried, if set, adds what trials of rules read beside the columns.
	tried func(c *columns, s *S)
	// removing queues what comes before a deletion; nil: nothing.
	removing func(u *unit, s S)
	// referrers must not refer to a deleted record.
	referrers []referrer

	remove, count string // statements: the latter counts what refers to a record; "": nothing
}

// kept completes a table, from its columns without the id and the version, and registers it for trials of rules.
func kept[ID ~int64, A interface{ State() S }, S any](name string, t table[ID, A, S], each func(c *columns, s *S)) *table[ID, A, S] {
	t.mapping = mapped(name, func(c *columns, s *S) {
		id, version := t.key(s)
		generated(c, "id", id)
		versionOf(c, version)
		each(c, s)
	})
	t.insert += "returning id, version"
	t.remove, t.count = "delete from "+name+" where id = $1", countReferences(t.referrers)
	t.update += fmt.Sprintf("where id = $%d", t.stored+1)
	tried := t.mapping
	if t.tried != nil {
		tried = mapped(name, func(c *columns, s *S) {
			t.columns(c, s)
			t.tried(c, s)
		})
	}
	scans[strings.ReplaceAll(t.what, " ", "-")] = tried.scan(func(s *S) (int64, any) {
		id, _ := t.key(s)
		return int64(*id), s
	})
	return &t
}

// in is the table in a unit of work.
func (t *table[ID, A, S]) in(u *unit, changes *[]repository.Change[S]) *records[ID, A, S] {
	id := func(s S) ID {
		id, _ := t.key(&s)
		return *id
	}
	return &records[ID, A, S]{tracked(u, changes, id, t.same), t}
}

// records implements repository.Store.
type records[ID ~int64, A interface{ State() S }, S any] struct {
	tracker[ID, S]
	*table[ID, A, S]
}

func (r *records[ID, A, S]) Lock(ctx context.Context, id ID) (A, error) {
	return r.lock(ctx, forNoKeyUpdate, id)
}

func (r *records[ID, A, S]) lock(ctx context.Context, where string, args ...any) (a A, err error) {
	var s S
	if err := r.existing(ctx, r.what, r.targets(&s), r.selects+where, args...); err != nil {
		return a, err
	}
	r.locked(s)
	return r.restore(s), nil
}

func (r *records[ID, A, S]) Add(ctx context.Context, a A) (ID, error) {
	s := a.State()
	id, version := r.key(&s)
	if _, err := r.one(ctx, []any{id, version}, r.insert, r.row(&s, r.meta.At, r.newID())...); err != nil {
		return 0, err
	}
	r.added(s)
	return *id, nil
}

func (r *records[ID, A, S]) Save(_ context.Context, a A) error {
	if s := a.State(); r.saved(s) {
		r.Store(r.update, r.row(&s, r.meta.At, r.id(s))...)
	}
	return nil
}

func (r *records[ID, A, S]) Remove(_ context.Context, a A) error {
	s := a.State()
	r.removed(s)
	if r.removing != nil {
		r.removing(r.unit, s)
	}
	if r.count == "" {
		r.Writer.Remove(r.remove, r.id(s))
		return nil
	}
	r.removeUnused(r.remove, r.count, int64(r.id(s)))
	return nil
}
