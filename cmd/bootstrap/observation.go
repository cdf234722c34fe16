package bootstrap

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/exaring/otelpgx"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgsummary"
	"github.com/kontor-crm/kontor/adapters/telemetry"
)

// Admin is the handler of the admin listener.
type Admin http.Handler

func newTelemetry(ctx context.Context, c Config, log *slog.Logger) (*telemetry.Telemetry, func(), error) {
	v := BuildVersion()
	return telemetry.New(ctx, telemetry.Settings{
		Counts: c.AdminListen != "", Version: v.Version, Commit: v.Commit, Go: v.Go,
	}, log)
}

func spansOf(t *telemetry.Telemetry) postgres.Spans {
	provider := t.Provider()
	if provider == nil {
		return nil
	}
	return otelpgx.NewTracer(otelpgx.WithTracerProvider(provider), otelpgx.WithDisableConnectionDetailsInAttributes())
}

func newAdmin(t *telemetry.Telemetry, service http.Handler, all *Tenants, probe *postgres.Probe) Admin {
	t.Observe(
		all.connections,
		func() telemetry.SlowStatements { return telemetry.SlowStatements(all.gate.State()) },
		func(ctx context.Context) (telemetry.ReadModels, error) {
			s, err := pgsummary.ReadState(ctx, probe.DB())
			return telemetry.ReadModels(s), err
		})
	return t.Admin(service)
}
