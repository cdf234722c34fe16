package bootstrap

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/google/wire"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/admission"
	"github.com/kontor-crm/kontor/adapters/postgres/pgcount"
	"github.com/kontor-crm/kontor/adapters/postgres/pgsummary"
	"github.com/kontor-crm/kontor/adapters/telemetry"
	"github.com/kontor-crm/kontor/application/rule"
)

// Admin is the handler of the admin listener.
type Admin http.Handler

var observation = wire.NewSet(newTelemetry, spansOf, newAdmin)

func newTelemetry(ctx context.Context, c Config, log *slog.Logger) (*telemetry.Telemetry, func(), error) {
	v := BuildVersion()
	return telemetry.New(ctx, telemetry.Settings{
		Counts: c.AdminListen != "", Version: v.Version, Commit: v.Commit, Go: v.Go,
	}, log)
}

type observers []rule.Observer

func (all observers) Observe(verdicts []rule.Verdict) {
	for _, o := range all {
		o.Observe(verdicts)
	}
}

func newObserver(c *pgcount.Counter, t *telemetry.Telemetry) rule.Observer {
	if metrics := t.Rules(); metrics != nil {
		return observers{c, metrics}
	}
	return c
}

func spansOf(t *telemetry.Telemetry) postgres.Spans {
	spans := t.Statements()
	if spans == nil {
		return nil // not an interface with a nil pointer in it
	}
	return spans
}

// untraced is for commands.
func untraced() postgres.Spans { return nil }

// unlogged is for commands, which print what concerns their user.
func unlogged() *slog.Logger { return slog.New(slog.DiscardHandler) }

func newAdmin(t *telemetry.Telemetry, service http.Handler, pool *pgxpool.Pool, probe *postgres.Probe, gate *admission.Gate) Admin {
	t.Observe(
		func() telemetry.Pool {
			s := pool.Stat()
			return telemetry.Pool{
				Acquired: s.AcquiredConns(), Idle: s.IdleConns(), Max: s.MaxConns(),
				Acquires: s.AcquireCount(), Waits: s.EmptyAcquireCount(), Waited: s.EmptyAcquireWaitTime(),
			}
		},
		func() telemetry.SlowStatements { return telemetry.SlowStatements(gate.State()) },
		func(ctx context.Context) (telemetry.ReadModels, error) {
			s, err := pgsummary.ReadState(ctx, probe.DB())
			return telemetry.ReadModels(s), err
		})
	return t.Admin(service)
}
