package contract_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
)

// alike compares states; the ids of lines are looked at elsewhere.
var alike = cmp.Options{
	cmp.Comparer(func(a, b contact.Link) bool { return a == b }),
	cmpopts.IgnoreFields(invoice.Line{}, "ID"),
	cmpopts.EquateEmpty(),
}

// eachSample runs a test for each sample, on stores of its own.
func eachSample(t *testing.T, test func(t *testing.T, s store, r record, o fixture.Office)) {
	t.Helper()
	onBoth(t, func(t *testing.T, s store) {
		o := fixture.Open(t, s)
		for name, r := range samples(o) {
			t.Run(name, func(t *testing.T) { test(t, s, r, o) })
		}
	})
}

// added stores the record.
func (s store) added(t *testing.T, o fixture.Office, r record) (id int64) {
	t.Helper()
	s.doAs(t, o.Manager, func(ctx context.Context, st repository.Stores) (err error) {
		id, err = r.add(ctx, st)
		return err
	})
	return id
}

// reloaded is the record as the store has it.
func (s store) reloaded(t *testing.T, r record, id int64) any {
	t.Helper()
	s.do(t, func(ctx context.Context, st repository.Stores) error { return r.lock(ctx, st, id) })
	return r.loaded()
}

func expect(t *testing.T, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got, alike); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestARecordComesBackAsItWasAdded(t *testing.T) {
	eachSample(t, func(t *testing.T, s store, r record, o fixture.Office) {
		id := s.added(t, o, r)
		want := r.stored(id, 1)
		expect(t, want, s.reloaded(t, r, id))
	})
}

func TestARecordComesBackAsItWasSaved(t *testing.T) {
	eachSample(t, func(t *testing.T, s store, r record, o fixture.Office) {
		id := s.added(t, o, r)
		var want any
		s.doAs(t, o.Manager, func(ctx context.Context, st repository.Stores) error {
			if err := r.lock(ctx, st, id); err != nil {
				return err
			}
			if err := r.change(); err != nil {
				return err
			}
			want = r.stored(id, 2)
			return r.save(ctx, st)
		})
		expect(t, want, s.reloaded(t, r, id))
	})
}

func TestSavingWhatDoesNotDifferLeavesTheVersion(t *testing.T) {
	eachSample(t, func(t *testing.T, s store, r record, o fixture.Office) {
		id := s.added(t, o, r)
		want := r.stored(id, 1)
		s.do(t, func(ctx context.Context, st repository.Stores) error {
			if err := r.lock(ctx, st, id); err != nil {
				return err
			}
			return r.save(ctx, st)
		})
		expect(t, want, s.reloaded(t, r, id))
	})
}

// elsewhere are the fields that are tried by a change alone, or in tests of
// their own: there is one default, and a token is used through its grant.
var elsewhere = []string{"token.State.RevokedAt", "token.State.LastUsedAt", "catalog.StatusState.Default"}

// A field that no sample fills or changes would make the tests above agree with
// a store that forgets it.
func TestTheSamplesFillAndChangeEveryField(t *testing.T) {
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

func TestARemovedRecordIsGone(t *testing.T) {
	eachSample(t, func(t *testing.T, s store, r record, o fixture.Office) {
		id := s.added(t, o, r)
		removes := true
		s.doAs(t, o.Manager, func(ctx context.Context, st repository.Stores) error {
			err := r.lock(ctx, st, id)
			if err == nil {
				removes, err = r.remove(ctx, st)
			}
			return err
		})
		if !removes {
			expect(t, r.stored(id, 1), s.reloaded(t, r, id))
			return
		}
		s.refuses(t, 0, fault.NotFound, func(ctx context.Context, st repository.Stores) error { return r.lock(ctx, st, id) })
	})
}

func TestAUnitOfWorkSeesWhatItHasDone(t *testing.T) {
	eachSample(t, func(t *testing.T, s store, r record, o fixture.Office) {
		id := s.added(t, o, r)
		var want any
		s.doAs(t, o.Manager, func(ctx context.Context, st repository.Stores) error {
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
			return r.lock(ctx, st, id)
		})
		expect(t, want, r.loaded())
	})
}

func TestAFailedUnitOfWorkLeavesNothing(t *testing.T) {
	broken := errors.New("the use case has a reason of its own")
	eachSample(t, func(t *testing.T, s store, r record, o fixture.Office) {
		kept := s.added(t, o, r)
		want := r.stored(kept, 1)
		lost := samples(o)["company"]
		var lostID int64
		err := s.Do(t.Context(), repository.Meta{UserID: o.Manager, At: later}, func(ctx context.Context, st repository.Stores) error {
			err := r.lock(ctx, st, kept)
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
			t.Fatalf("the unit of work ended with %v, want the error of its function", err)
		}
		expect(t, want, s.reloaded(t, r, kept))
		s.refuses(t, 0, fault.NotFound, func(ctx context.Context, st repository.Stores) error { return lost.lock(ctx, st, lostID) })
	})
}
