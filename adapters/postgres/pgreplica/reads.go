package pgreplica

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/caller"
	"github.com/kontor-crm/kontor/ports/company"
	"github.com/kontor-crm/kontor/ports/position"
)

// Reads runs read statements on the server of the request in the context, or on the primary if
// the context has none.
type Reads struct {
	replicas  *Replicas
	primary   postgres.DB
	of        company.Company
	positions *positions
	since     position.Position // that all reads of the company have to cover
}

// Query runs a query.
func (r *Reads) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	in, err := r.serverOf(ctx).session()
	if err != nil {
		return nil, err
	}
	if in == nil {
		return r.primary.Query(ctx, sql, args...)
	}
	return in.query(ctx, in.on.db(r.of), sql, args)
}

// BeginTx begins a read-only transaction.
func (r *Reads) BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error) {
	in, err := r.serverOf(ctx).session()
	if err != nil {
		return nil, err
	}
	if in == nil {
		return r.primary.BeginTx(ctx, options)
	}
	outer := ctx
	ctx, stop := in.join(ctx)
	defer stop()
	tx, err := in.on.db(r.of).BeginTx(ctx, options)
	if err != nil {
		return nil, in.failure(outer, err)
	}
	return &replicaTx{Tx: tx, in: in}, nil
}

// Reconnect is called by postgres.Reconnect. A failed read is not repeated on the replica: the
// request is repeated on the primary.
func (r *Reads) Reconnect(ctx context.Context, err error) bool {
	in, unanswered := r.serverOf(ctx).session()
	return in == nil && unanswered == nil && postgres.Reconnect(ctx, r.primary, err)
}

// serverOf returns the server of the context's request; nil, which is the primary, if there is
// none.
func (r *Reads) serverOf(ctx context.Context) *server {
	request := position.From(ctx)
	if request == nil {
		return nil
	}
	if request.Server == nil {
		request.Server = r.choose(ctx, request)
	}
	chosen, _ := request.Server.(*server)
	return chosen
}

type server struct {
	reads *Reads
	token int64
	in    *session // of its replica; nil: the primary
	err   error    // that fails its reads; see sessionFor
}

func (s *server) session() (*session, error) {
	if s == nil {
		return nil, nil
	}
	return s.in, s.err
}

// Settle implements position.Server. If the request has read from the primary, it records the
// position for the token, so that its replica replays it before it serves the token again.
func (s *server) Settle(ctx context.Context) error {
	if onPrimary := s.in == nil && s.err == nil; !onPrimary || s.token == 0 {
		return nil
	}
	_, err := s.reads.positions.records.ask(ctx, s.token)
	return err
}

func (s *server) Retreat() {
	s.in = nil
	s.reads.replicas.retreats.Add(1)
	s.reads.replicas.reads.Add(1)
}

// choose chooses the server of a request: the replica of its token, if that is used and has
// replayed what the request has to see, or else the primary. A caller without a token has no position, and
// is served by the primary.
func (r *Reads) choose(ctx context.Context, request *position.Request) *server {
	s := &server{reads: r, token: int64(caller.From(ctx).Token)}
	if s.token != 0 {
		s.in, s.err = r.sessionFor(ctx, s.token, request)
	}
	if s.in == nil {
		r.replicas.reads.Add(1)
		return s
	}
	s.in.on.served.Add(1)
	return s
}

// sessionFor returns nil if the primary has to serve the request, as when the connections for
// look-ups fail: those for requests may work, or have the same error. It is an error if the
// primary accepts connections but answers nothing, because a read there would take until the end
// of the request, and if the look-up itself is wrong or not allowed: every read would go to the
// primary, and nobody would learn why.
func (r *Reads) sessionFor(ctx context.Context, token int64, request *position.Request) (*session, error) {
	assigned := r.replicas.assigned(r.of.Code, token)
	if !assigned.isUsed() {
		return nil, nil
	}
	needs, err := r.positions.lookups.ask(ctx, token)
	if err != nil {
		isFailing := fault.Is(err, fault.Unavailable) && !errors.Is(err, context.DeadlineExceeded)
		if isFailing || ctx.Err() != nil {
			return nil, nil //nolint:nilerr // the primary may fail likewise, and says why
		}
		return nil, err
	}
	if needs.otherReplicas {
		r.replicas.warnOfOthers()
		return nil, nil
	}
	return assigned.covering(ctx, needs.all, r.since, needs.own, request.Least), nil
}

type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// query runs a query on a pool or a transaction of the replica.
func (in *session) query(ctx context.Context, on querier, sql string, args []any) (pgx.Rows, error) {
	joined, stop := in.join(ctx)
	rows, err := on.Query(joined, sql, args...)
	if err != nil {
		stop()
		return nil, in.failure(ctx, err)
	}
	return &replicaRows{Rows: rows, ctx: ctx, in: in, stop: stop}, nil
}

// join returns the context of a statement, which ends with the session. stop is to be called
// after the statement.
func (in *session) join(ctx context.Context) (joined context.Context, stop func()) {
	joined, cancel := context.WithCancel(ctx)
	release := context.AfterFunc(in.Context, cancel)
	return joined, func() {
		release()
		cancel()
	}
}

// failure returns the error of a statement: a position.ErrServerFailed, unless the statement
// itself or the end of the request is its reason.
func (in *session) failure(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil || in.Err() == nil && postgres.IsStatementTimeout(err) {
		return err
	}
	if in.Err() == nil {
		in.on.suspect()
	}
	return fmt.Errorf("%w: %s: %w", position.ErrServerFailed, in.on.name, err)
}

type replicaRows struct {
	pgx.Rows
	ctx  context.Context
	in   *session
	stop func()
}

func (r *replicaRows) Close() {
	r.Rows.Close()
	if r.stop != nil {
		r.stop()
	}
}

func (r *replicaRows) Err() error { return r.in.failure(r.ctx, r.Rows.Err()) }

type replicaTx struct {
	pgx.Tx
	in *session
}

func (t *replicaTx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return t.in.query(ctx, t.Tx, sql, args)
}
