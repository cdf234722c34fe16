package pgstore_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
)

// eachSample runs a test for each sample, on stores of its own.
func eachSample(t *testing.T, test func(s store, r record, o fixture.Office)) {
	t.Helper()
	onStore(t, func(s store) {
		o := s.office
		for name, r := range samples(o) {
			s.run(name, func(s store) { test(s, r, o) })
		}
	})
}

// added stores the record.
func (s store) added(o fixture.Office, r record) (id int64) {
	s.t.Helper()
	s.doAs(o.Manager, func(ctx context.Context, st repository.Stores) (err error) {
		id, err = r.add(ctx, st)
		return err
	})
	return id
}

// reloaded is the record as the store has it.
func (s store) reloaded(r record, id int64) any {
	s.t.Helper()
	s.do(func(ctx context.Context, st repository.Stores) error { return r.lock(ctx, st, id) })
	return r.loaded()
}

func TestRecordIsLoadedAsItWasAdded(t *testing.T) {
	eachSample(t, func(s store, r record, o fixture.Office) {
		id := s.added(o, r)
		want := r.stored(id, 1)
		s.expect(want, s.reloaded(r, id))
	})
}

func TestRecordIsLoadedAsItWasSaved(t *testing.T) {
	eachSample(t, func(s store, r record, o fixture.Office) {
		id := s.added(o, r)
		var want any
		s.doAs(o.Manager, func(ctx context.Context, st repository.Stores) error {
			if err := r.lock(ctx, st, id); err != nil {
				return err
			}
			if err := r.change(); err != nil {
				return err
			}
			want = r.stored(id, 2)
			if err := r.save(ctx, st); err != nil {
				return err
			}
			if err := r.lock(ctx, st, id); err != nil {
				return err
			}
			s.expect(want, r.loaded()) // in the unit of work too
			return nil
		})
		s.expect(want, s.reloaded(r, id))
	})
}

func TestSaveWithoutAChangeKeepsTheVersion(t *testing.T) {
	eachSample(t, func(s store, r record, o fixture.Office) {
		id := s.added(o, r)
		want := r.stored(id, 1)
		s.do(func(ctx context.Context, st repository.Stores) error {
			if err := r.lock(ctx, st, id); err != nil {
				return err
			}
			return r.save(ctx, st)
		})
		s.expect(want, s.reloaded(r, id))
	})
}

// elsewhere are the fields that are tried by a change alone, or in tests of
// their own: there is one default, a token is used through its grant, invoices are issued by a change, and payments are for invoices.
var elsewhere = []string{"token.State.RevokedAt", "token.State.LastUsedAt", "catalog.StatusState.Default", "invoice.State.IssuedOn", "invoice.State.Credits",
	"payment.State.Items", "payment.State.AutomaticOf"}

// A field that no sample fills or changes would make the tests above agree with
// a store that forgets it.
func TestSamplesFillAndChangeEveryField(t *testing.T) {
	unfilled, unchanged := map[string]bool{}, map[string]bool{}
	all := samples(fixture.Office{
		Manager: 1, Other: 2, Viewer: 3, Status: 4, Default: 5, DealType: 6, InvoiceType: 7, OtherInvoiceType: 8,
		Performer: 9, OtherPerformer: 10, Client: 11, OtherClient: 12, Deal: 13, OtherDeal: 14, Inquiry: 15,
	})
	eachField := func(state any, look func(name string, value reflect.Value)) {
		v := reflect.ValueOf(state)
		for i := range v.NumField() {
			look(v.Type().String()+"."+v.Type().Field(i).Name, v.Field(i))
		}
	}
	for _, r := range all {
		eachField(r.stored(1, 1), func(name string, _ reflect.Value) {
			unfilled[name] = true
			field := name[len(reflect.TypeOf(r.loaded()).String())+1:]
			unchanged[name] = field != "Version" && !slices.Contains(r.final(), field)
		})
	}
	for _, name := range elsewhere {
		delete(unfilled, name)
	}
	for _, r := range all {
		before := map[string]any{}
		eachField(r.stored(1, 1), func(name string, value reflect.Value) {
			before[name] = value.Interface()
			if !value.IsZero() {
				delete(unfilled, name)
			}
		})
		if err := r.change(); err != nil {
			t.Fatal(err)
		}
		eachField(r.stored(1, 1), func(name string, value reflect.Value) {
			if !cmp.Equal(before[name], value.Interface(), alike) {
				delete(unchanged, name)
			}
		})
	}
	for name := range unfilled {
		t.Errorf("no sample has a %s", name)
	}
	for name, counts := range unchanged {
		if counts {
			t.Errorf("no sample changes its %s", name)
		}
	}
}

func TestRemovedRecordIsNotFound(t *testing.T) {
	eachSample(t, func(s store, r record, o fixture.Office) {
		id := s.added(o, r)
		err := s.Do(s.t.Context(), repository.Meta{UserID: o.Manager, At: fixture.At}, func(ctx context.Context, st repository.Stores) error {
			if err := r.lock(ctx, st, id); err != nil {
				return err
			}
			return r.remove(ctx, st)
		})
		if errors.Is(err, errKept) {
			return
		}
		if err != nil {
			s.t.Fatal(err)
		}
		s.rejects(0, fault.NotFound, func(ctx context.Context, st repository.Stores) error { return r.lock(ctx, st, id) })
	})
}

func TestFailedUnitOfWorkStoresNothing(t *testing.T) {
	broken := errors.New("the use case has a reason of its own")
	eachSample(t, func(s store, r record, o fixture.Office) {
		id := s.added(o, r)
		want := r.stored(id, 1)
		lost := samples(o)["company"]
		var lostID int64
		err := s.Do(s.t.Context(), repository.Meta{UserID: o.Manager, At: later}, func(ctx context.Context, st repository.Stores) error {
			err := r.lock(ctx, st, id)
			if err == nil {
				err = r.change()
			}
			if err == nil {
				err = r.save(ctx, st)
			}
			if err == nil {
				lostID, err = lost.add(ctx, st)
			}
			return errors.Join(err, broken)
		})
		if !errors.Is(err, broken) {
			s.t.Fatalf("the unit of work ended with %v, want the error of its function", err)
		}
		s.expect(want, s.reloaded(r, id))
		s.rejects(0, fault.NotFound, func(ctx context.Context, st repository.Stores) error { return lost.lock(ctx, st, lostID) })
	})
}
