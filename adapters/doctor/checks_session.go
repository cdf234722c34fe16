package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
)

func (s Settings) config(databaseURL string) postgres.Config {
	return postgres.Config{
		URL: databaseURL, Pooled: databaseURL == s.PoolerURL, Zone: s.TimeZone,
		StatementTimeout: s.StatementTimeout, LockTimeout: s.LockTimeout,
	}
}

// session connects as a service does, and looks whether its settings are in effect.
func (e *Examination) session(ctx context.Context) (Finding, error) {
	return e.sessionOf(ctx, e.settings.DatabaseURL, fine("read committed, with the timeouts and the planner settings of the service"))
}

func (e *Examination) sessionOf(ctx context.Context, databaseURL string, all Finding) (Finding, error) {
	err := postgres.CheckSession(ctx, e.settings.config(databaseURL))
	if mismatch, ok := errors.AsType[postgres.SessionMismatch](err); ok {
		return fine("%s", mismatch.Found()).hint(Fail, "%s", mismatch.Remedy()), nil
	}
	return all, err
}

// probeTimeout is for comparing two connections, of which the second may get none.
const probeTimeout = 5 * time.Second

// pooler finds out which connections go through a connection pooler.
func (e *Examination) pooler(ctx context.Context) (Finding, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	pooling, err := postgres.PoolingOf(ctx, e.settings.DatabaseURL)
	if err != nil {
		return Finding{}, err
	}
	switch {
	case pooling == postgres.TransactionPooling || pooling == postgres.StatementPooling:
		return fine("KONTOR_DATABASE_URL leads to a connection pooler that does not keep sessions").
			hint(Fail, "use the database itself in KONTOR_DATABASE_URL, and the pooler in KONTOR_POOLER_URL"), nil
	case e.settings.PoolerURL != "":
		return e.poolerOfRequests(ctx)
	case pooling == postgres.SessionPooling:
		return fine("a pooler that keeps sessions"), nil
	}
	return fine("none"), nil
}

func (e *Examination) poolerOfRequests(ctx context.Context) (Finding, error) {
	pooling, err := postgres.PoolingOf(ctx, e.settings.PoolerURL)
	if err != nil {
		return fine("it cannot be used: %v", err).hint(Fail, "start it, or correct KONTOR_POOLER_URL"), nil
	}
	if pooling == postgres.StatementPooling {
		return fine("it pools statements, and has no transactions").hint(Fail, "set pool_mode = transaction in PgBouncer"), nil
	}
	same, err := e.isSameDatabase(ctx)
	if err != nil || !same {
		return fine("it leads to another database than KONTOR_DATABASE_URL").hint(Fail, "correct one of KONTOR_POOLER_URL and KONTOR_DATABASE_URL"), err
	}
	f, err := e.sessionOf(ctx, e.settings.PoolerURL, fine("it pools transactions, and has the settings of the service"))
	if err != nil || f.State != OK {
		return f, err
	}
	switch pooling {
	case postgres.NoPooling:
		f = fine("KONTOR_POOLER_URL leads to the database itself").hint(Warn, "correct KONTOR_POOLER_URL, or remove it")
	case postgres.SessionPooling:
		f = fine("it pools sessions: each connection of a service keeps one of the server").hint(Warn, "set pool_mode = transaction in PgBouncer")
	}
	return f, nil
}

func (e *Examination) isSameDatabase(ctx context.Context) (bool, error) {
	const identity = "select current_database() || ' since ' || extract(epoch from pg_postmaster_start_time())"
	var direct, pooled string
	if err := e.query(ctx, identity, &direct); err != nil {
		return false, err
	}
	conn, err := pgx.Connect(ctx, e.settings.PoolerURL)
	if err != nil {
		return false, fmt.Errorf("connect to the pooler: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	err = conn.QueryRow(ctx, identity, pgx.QueryExecModeSimpleProtocol).Scan(&pooled)
	return direct == pooled, err
}
