package pgproxy_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/test/pgproxy"
	"github.com/kontor-crm/kontor/test/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

func TestFaultsDisturbConnectionsUntilTheyAreUndone(t *testing.T) {
	t.Parallel()
	proxy := pgproxy.Open(t, pgtest.EmptyURL(t))
	query := func(limit time.Duration) (time.Duration, error) {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		begun := time.Now()
		conn, err := pgx.Connect(ctx, proxy.URL)
		if err == nil {
			_, err = conn.Exec(ctx, "select 1")
			_ = conn.Close(context.WithoutCancel(t.Context()))
		}
		return time.Since(begun), err
	}
	for name, test := range map[string]struct {
		fault pgproxy.Fault
		fails bool
		least time.Duration
	}{
		"nothing": {},
		"delay":   {fault: pgproxy.Fault{Delay: 50 * time.Millisecond}, least: 200 * time.Millisecond},
		"rate":    {fault: pgproxy.Fault{Rate: 2000}, least: 100 * time.Millisecond},
		"silent":  {fault: pgproxy.Fault{Silent: true}, fails: true, least: time.Second},
		"cut":     {fault: pgproxy.Fault{Cut: true}, fails: true},
		"reset":   {fault: pgproxy.Fault{Reset: true}, fails: true},
	} {
		limit := time.Minute
		if test.fails {
			limit = time.Second
		}
		proxy.Set(test.fault)
		took, err := query(limit)
		if (err != nil) != test.fails || took < test.least {
			t.Errorf("%s: after %s: %v", name, took, err)
		}
		proxy.Set(pgproxy.Fault{})
		if _, err := query(time.Minute); err != nil {
			t.Errorf("after %s: %v", name, err)
		}
	}
}
