package gate

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

// contract 2.39
func TestOperationsWaitByTheirBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const all = 2 << 20
		g := New("documents", Limits{Running: 16, PerCaller: 2, Wait: time.Hour, Bytes: all}, nil)
		begin := func(caller token.ID, bytes int) (func(), error) {
			ctx, stop := context.WithTimeout(ports.WithCaller(t.Context(), ports.Caller{Token: caller}), time.Second)
			defer stop()
			leave, err := g.Enter(ctx)
			if err != nil {
				return nil, err
			}
			release, err := g.Weigh(ctx, bytes)
			if err != nil {
				leave()
				return nil, err
			}
			return func() { release(); leave() }, nil
		}
		waits := func(what string, caller token.ID, bytes int) {
			t.Helper()
			if _, err := begin(caller, bytes); !errors.Is(err, context.DeadlineExceeded) && !fault.Is(err, fault.Throttled) {
				t.Errorf("%s: %v", what, err)
			}
		}
		runs := func(what string, caller token.ID, bytes int) func() {
			t.Helper()
			leave, err := begin(caller, bytes)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			return leave
		}
		large := runs("a document of more than all bytes", 1, 3*all)
		waits("a long document beside it", 2, lightBytes+1)
		light := runs("a light one", 1, lightBytes)
		waits("a third one of the caller", 1, 1)
		runs("one of another caller", 2, 1)()
		large()
		half := runs("half of the bytes", 1, all/2)
		other := runs("the other half", 2, all/2)
		waits("more", 3, lightBytes+1)
		for _, leave := range []func(){light, half, other} {
			leave()
		}
		runs("all bytes at the end", 3, all)()
		if s := g.State(); s.Running+s.Waiting != 0 || len(g.callers) != 0 {
			t.Errorf("at the end: %+v, %d callers", s, len(g.callers))
		}
	})
}
