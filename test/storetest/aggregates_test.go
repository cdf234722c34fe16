package storetest_test

import (
	"context"

	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/ports/repository"
)

// record is a record of any kind, outside of a unit of work.
type record interface {
	add(ctx context.Context, s repository.Stores) (id int64, err error)
	// lock loads the record and takes the loaded state.
	lock(ctx context.Context, s repository.Stores, id int64) error
	save(ctx context.Context, s repository.Stores) error
	// remove is false if records of the kind are never removed.
	remove(ctx context.Context, s repository.Stores) (bool, error)
	// change changes all that a writer can change.
	change() error
	// final names the fields that no writer changes.
	final() []string
	// stored is the state with that id and version.
	stored(id, version int64) any
	// loaded is the loaded state.
	loaded() any
}

// aggregateRepository has the methods of every repository.
type aggregateRepository[ID, A any] interface {
	Lock(ctx context.Context, id ID) (A, error)
	Add(ctx context.Context, a A) (ID, error)
	Save(ctx context.Context, a A) error
}

// remover has the method of most repositories.
type remover[A any] interface {
	Remove(ctx context.Context, a A) error
}

// sample is a record of the kind of its types.
type sample[ID ~int64, A interface{ State() S }, S any] struct {
	a          A
	repository func(s repository.Stores) aggregateRepository[ID, A]
	place      func(s *S, id ID, version int64)
	alter      func(a A) error
	fixed      []string
}

func (r *sample[ID, A, S]) add(ctx context.Context, s repository.Stores) (int64, error) {
	id, err := r.repository(s).Add(ctx, r.a)
	return int64(id), err
}

func (r *sample[ID, A, S]) lock(ctx context.Context, s repository.Stores, id int64) error {
	a, err := r.repository(s).Lock(ctx, ID(id))
	if err == nil {
		r.a = a
	}
	return err
}

func (r *sample[ID, A, S]) save(ctx context.Context, s repository.Stores) error {
	return r.repository(s).Save(ctx, r.a)
}

func (r *sample[ID, A, S]) remove(ctx context.Context, s repository.Stores) (bool, error) {
	k, ok := r.repository(s).(remover[A])
	if !ok {
		return false, nil
	}
	return true, k.Remove(ctx, r.a)
}

func (r *sample[ID, A, S]) change() error { return r.alter(r.a) }

func (r *sample[ID, A, S]) final() []string { return r.fixed }

func (r *sample[ID, A, S]) stored(id, version int64) any {
	s := r.a.State()
	r.place(&s, ID(id), version)
	return s
}

func (r *sample[ID, A, S]) loaded() any { return r.a.State() }

// tokensByID locks a token, which is found by its public id only, like other records.
type tokensByID struct {
	repository.Tokens
	publicID string
}

func (k tokensByID) Lock(ctx context.Context, _ token.ID) (*token.Token, error) {
	return k.LockByPublicID(ctx, k.publicID)
}

// savedInvoices drops the ids of new lines.
type savedInvoices struct {
	repository.Invoices
}

func (k savedInvoices) Save(ctx context.Context, inv *invoice.Invoice) error {
	_, err := k.Invoices.Save(ctx, inv)
	return err
}
