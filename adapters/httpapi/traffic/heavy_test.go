package traffic

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/ports"
)

func callerContext(t *testing.T, caller token.ID) context.Context {
	t.Helper()
	return ports.WithCaller(t.Context(), ports.Caller{Token: caller})
}

// contract 2.39
func TestHeavyWorkWaitsByItsBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHeavy("documents", 0, 0)
		of := func(caller token.ID) context.Context { return callerContext(t, caller) }
		begin := func(ctx context.Context, bytes int) (*HeavyPlace, error) {
			p, err := h.Enter(ctx)
			if err != nil {
				return nil, err
			}
			if err := p.Weigh(ctx, bytes); err != nil {
				p.Leave()
				return nil, err
			}
			return p, nil
		}
		waits := func(what string, caller token.ID, bytes int) {
			t.Helper()
			ctx, stop := context.WithTimeout(of(caller), time.Second)
			defer stop()
			if _, err := begin(ctx, bytes); !errors.Is(err, context.DeadlineExceeded) && !fault.Is(err, fault.Throttled) {
				t.Errorf("%s: %v", what, err)
			}
		}
		runs := func(what string, caller token.ID, bytes int) *HeavyPlace {
			t.Helper()
			ctx, stop := context.WithTimeout(of(caller), time.Second)
			defer stop()
			p, err := begin(ctx, bytes)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			return p
		}
		large := runs("a document of all bytes", 1, 3*HeavyBytes)
		waits("a long document beside it", 2, lightBytes+1)
		light := runs("a light one", 1, lightBytes)
		waits("a third one of the caller", 1, 1)
		runs("one of another caller", 2, 1).Leave()
		large.Leave()
		half := runs("half of the bytes", 1, HeavyBytes/2)
		other := runs("the other half", 2, HeavyBytes/2)
		waits("more", 3, lightBytes+1)
		for _, p := range []*HeavyPlace{light, half, other} {
			p.Leave()
		}
		runs("all bytes at the end", 3, HeavyBytes).Leave()
		if s := h.places.State(); s.Running+s.Waiting != 0 {
			t.Errorf("at the end: %+v", s)
		}
	})
}

// contract 2.39
func TestHeavyWorkOfAllCallersIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHeavy("documents", 8*heavyPlaces, 25)
		var places []*HeavyPlace
		for i := range token.ID(heavyPlaces) {
			p, err := h.Enter(callerContext(t, i/callerPlaces))
			if err != nil {
				t.Fatal(err)
			}
			places = append(places, p)
		}
		ctx, stop := context.WithTimeout(callerContext(t, 100), time.Second)
		defer stop()
		if _, err := h.Enter(ctx); !fault.Is(err, fault.Unavailable) {
			t.Errorf("when all places are used: %v", err)
		}
		wait := func(caller token.ID) {
			for range heavyPlaces { // the share of the caller
				go func() {
					if p, err := h.Enter(callerContext(t, caller)); err == nil {
						p.Leave()
					}
				}()
			}
			synctest.Wait()
		}
		wait(100)
		if _, err := h.Enter(callerContext(t, 100)); !fault.Is(err, fault.Throttled) {
			t.Errorf("beyond the share of the caller: %v", err)
		}
		wait(101)
		wait(102)
		if _, err := h.Enter(callerContext(t, 200)); !fault.Is(err, fault.Unavailable) {
			t.Errorf("when as many wait as may: %v", err)
		}
		for _, p := range places {
			p.Leave()
		}
		synctest.Wait()
		if p, err := h.Enter(callerContext(t, 100)); err != nil {
			t.Errorf("at the end: %v", err)
		} else {
			p.Leave()
		}
	})
}
