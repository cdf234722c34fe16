package pgstore_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
)

func TestLockWaitsAndSeesTheFirstWriter(t *testing.T) {
	onStore(t, func(s store) {
		o := s.office
		for name, first := range samples(o) {
			second := samples(o)[name]
			id := s.added(o, first)
			s.run(name, func(s store) {
				s.t.Parallel()
				s.race(o, first, id, func(ctx context.Context, st repository.Stores) error { return second.lock(ctx, st, id) })
				s.expect(first.stored(id, 2), second.loaded())
			})
		}
	})
}

// way is a way to lock a record other than by its id.
type way struct {
	name string
	r    record
	id   int64
	look func(ctx context.Context, st repository.Stores) (seen string, err error)
	want string // what is seen once the record has changed
}

func TestLockWaitsInEveryVariant(t *testing.T) {
	onStore(t, func(s store) {
		o := s.office
		for _, w := range ways(s, o) {
			s.run(w.name, func(s store) {
				s.t.Parallel()
				var seen string
				s.race(o, w.r, w.id, func(ctx context.Context, st repository.Stores) (err error) {
					seen, err = w.look(ctx, st)
					return err
				})
				if seen != w.want {
					s.t.Errorf("the second writer sees %q, want %q", seen, w.want)
				}
			})
		}
	})
}

func ways(s store, o fixture.Office) []way {
	s.t.Helper()
	u := aUser(user.Attributes{Username: domain.Some("Björn")})
	renamed := aStatus(fixture.Status(), catalog.StatusAttributes{Name: domain.Some("Anders")})
	c := aContact(o, contact.ToDeal(o.Inquiry), fixture.Contact(), terseContact())
	handed := s.added(o, c)
	inv := s.issued(o, withLines(o, "a"))
	header := fixture.Invoice(o)
	header.Lines, header.Number = domain.Optional[[]invoice.LineAttributes]{}, domain.Some("2")
	return []way{
		{"LockByName", u, s.added(o, u), func(ctx context.Context, st repository.Stores) (string, error) {
			u, err := st.Users.LockByName(ctx, "BJÖRN")
			if err != nil {
				return "", err
			}
			return u.State().Role.String(), nil
		}, "viewer"},
		{"LockDefault", renamed, int64(o.Default), func(ctx context.Context, st repository.Stores) (string, error) {
			found, err := st.Statuses.LockDefault(ctx)
			if err != nil {
				return "", err
			}
			return found.State().Name, nil
		}, "Anders"},
		{"HandOver", c, handed, func(ctx context.Context, st repository.Stores) (string, error) {
			if err := st.Contacts.HandOver(ctx, o.Inquiry, o.Client); err != nil {
				return "", err
			}
			found, err := st.Contacts.Lock(ctx, contact.ID(handed))
			if err != nil {
				return "", err
			}
			ofClient, _ := found.State().Link.Client()
			return fmt.Sprintf("%s of %d", found.State().Name, ofClient), nil
		}, fmt.Sprintf("E of %d", o.Client)},
		{"LockByLine", anInvoice(o, fixture.Invoice(o), header), int64(inv.ID), func(ctx context.Context, st repository.Stores) (string, error) {
			found, err := st.Invoices.LockByLine(ctx, inv.Lines[0].ID)
			if err != nil {
				return "", err
			}
			return found.State().Number, nil
		}, "2"},
	}
}

// race runs two units of work: the first holds the record and changes it once
// the second, which begins then, has had time to get in its way.
func (s store) race(o fixture.Office, r record, id int64, second func(ctx context.Context, st repository.Stores) error) {
	s.t.Helper()
	holds, done := newSignal(), newSignal()
	var writers sync.WaitGroup
	writers.Go(func() {
		defer holds.give()
		s.doAs(o.Manager, func(ctx context.Context, st repository.Stores) error {
			if err := r.lock(ctx, st, id); err != nil {
				return err
			}
			holds.give()
			done.await()
			if err := r.change(); err != nil {
				return err
			}
			return r.save(ctx, st)
		})
	})
	writers.Go(func() {
		holds.await()
		s.do(second)
	})
	holds.await()
	time.Sleep(patience)
	done.give()
	writers.Wait()
}

// signal is given once, however often.
type signal struct {
	once *sync.Once
	c    chan struct{}
}

func newSignal() signal { return signal{once: new(sync.Once), c: make(chan struct{})} }

func (s signal) give()  { s.once.Do(func() { close(s.c) }) }
func (s signal) await() { <-s.c }
