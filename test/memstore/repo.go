package memstore

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/repository"
)

// table is the records of one kind by their ids. The zero value is empty.
type table[ID ~int64, S any] struct {
	rows map[ID]S
}

// clone is a copy that can be written without changing the table.
func (t table[ID, S]) clone() table[ID, S] {
	rows := make(map[ID]S, len(t.rows))
	maps.Copy(rows, t.rows)
	return table[ID, S]{rows}
}

// ids are the ids in ascending order.
func (t table[ID, S]) ids() []ID { return slices.Sorted(maps.Keys(t.rows)) }

// find is the first record, by id, that fits.
func (t table[ID, S]) find(fits func(S) bool) (s S, ok bool) {
	for _, id := range t.ids() {
		if fits(t.rows[id]) {
			return t.rows[id], true
		}
	}
	return s, false
}

// anywhere is the rank of kinds that the order of locks does not speak of.
const anywhere = 0

// kind is what a repository has to know of an aggregate.
type kind[ID ~int64, A interface{ State() S }, S any] struct {
	name     string
	rank     int // in the order of locks
	identity func(*S) (id *ID, version *int64)
	restore  func(S) A
	same     func(a, b S) bool
	unique   func(d *data, s S) error       // rejects what must be there once only; may be nil
	refers   func(d *data, s S) []reference // may be nil
}

// reference is a record that another one names.
type reference struct {
	field   string
	missing bool
}

// refersTo is a reference that must be there unless it is zero.
func refersTo[ID ~int64, S any](field string, t table[ID, S], id ID) reference {
	_, ok := t.rows[id]
	return reference{field: field, missing: id != 0 && !ok}
}

// repo is the repository of one kind in one unit of work.
type repo[ID ~int64, A interface{ State() S }, S any] struct {
	kind[ID, A, S]
	unit    *unit
	changes *[]repository.Change[S]
	table   table[ID, S]
	locked  map[ID]S
	written map[ID]bool
}

// keep makes a repository over a copy of the table, which takes its place. Its references are looked at before the commit.
func keep[ID ~int64, A interface{ State() S }, S any](u *unit, t *table[ID, S], changes *[]repository.Change[S], k kind[ID, A, S]) *repo[ID, A, S] {
	*t = t.clone()
	r := &repo[ID, A, S]{kind: k, unit: u, changes: changes, table: *t, locked: map[ID]S{}, written: map[ID]bool{}}
	u.checks = append(u.checks, r.check)
	return r
}

func (r *repo[ID, A, S]) noSuch() error {
	return fault.New(fault.NotFound, "there is no such %s", r.name)
}

func (r *repo[ID, A, S]) idOf(s S) ID {
	id, _ := r.identity(&s)
	return *id
}

// Lock is the record of that id, for writing.
func (r *repo[ID, A, S]) Lock(_ context.Context, id ID) (a A, err error) {
	s, ok := r.table.rows[id]
	if !ok {
		return a, r.noSuch()
	}
	if _, again := r.locked[id]; !again {
		if err := r.unit.queue(r.name, place{r.rank, int64(id)}); err != nil {
			return a, err
		}
	}
	return r.lock(s), nil
}

// lock locks without a look at the order.
func (r *repo[ID, A, S]) lock(s S) A {
	r.locked[r.idOf(s)] = s
	return r.restore(s)
}

// lockFirst locks the first record that fits.
func (r *repo[ID, A, S]) lockFirst(ctx context.Context, fits func(S) bool) (a A, err error) {
	s, ok := r.table.find(fits)
	if !ok {
		return a, r.noSuch()
	}
	return r.Lock(ctx, r.idOf(s))
}

// Add stores a new record.
func (r *repo[ID, A, S]) Add(_ context.Context, a A) (ID, error) { return r.add(a.State()) }

func (r *repo[ID, A, S]) add(s S) (ID, error) {
	id, version := r.identity(&s)
	*id, *version = ID(r.unit.next(r.name)), 1
	if err := r.put(s); err != nil {
		return 0, err
	}
	r.record(repository.Change[S]{After: &s})
	return *id, nil
}

// Save stores a locked record if it differs.
func (r *repo[ID, A, S]) Save(_ context.Context, a A) error { return r.save(a.State()) }

func (r *repo[ID, A, S]) save(s S) error {
	before, ok := r.locked[r.idOf(s)]
	if !ok {
		return fmt.Errorf("%s %d is saved without a lock", r.name, r.idOf(s))
	}
	if r.same(before, s) {
		return nil
	}
	row := r.table.rows[r.idOf(s)]
	_, stored := r.identity(&row)
	next := s
	_, version := r.identity(&next)
	*version = *stored + 1
	if err := r.put(next); err != nil {
		return err
	}
	r.locked[r.idOf(s)] = s
	r.record(repository.Change[S]{Before: &before, After: &next})
	return nil
}

// put writes a record after a look at those that it must differ from.
func (r *repo[ID, A, S]) put(s S) error {
	if r.unique != nil {
		if err := r.unique(&r.unit.data, s); err != nil {
			return err
		}
	}
	id := r.idOf(s)
	r.table.rows[id] = s
	r.locked[id] = s
	r.written[id] = true
	return nil
}

// Remove deletes a locked record.
func (r *repo[ID, A, S]) Remove(_ context.Context, a A) error {
	s := a.State()
	id := r.idOf(s)
	if _, ok := r.locked[id]; !ok {
		return fmt.Errorf("%s %d is removed without a lock", r.name, id)
	}
	delete(r.table.rows, id)
	delete(r.locked, id)
	r.record(repository.Change[S]{Before: &s})
	return nil
}

func (r *repo[ID, A, S]) record(c repository.Change[S]) {
	c.Reaction = r.unit.reaction
	*r.changes = append(*r.changes, c)
}

// check rejects references to records that are not there. Whose record was
// written in this unit is to blame for it himself; whose record was not has
// lost what it refers to.
func (r *repo[ID, A, S]) check() error {
	if r.refers == nil {
		return nil
	}
	for _, id := range r.table.ids() {
		for _, ref := range r.refers(&r.unit.data, r.table.rows[id]) {
			switch {
			case !ref.missing:
			case r.written[id]:
				return fault.ForField(fault.Dangling, ref.field, fault.DoesNotExist)
			default:
				return fault.New(fault.Conflict, "the %s %d refers to it by %s", r.name, id, ref.field)
			}
		}
	}
	return nil
}
