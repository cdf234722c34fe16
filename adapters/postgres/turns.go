package postgres

import (
	"context"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres/lane"
	"github.com/kontor-crm/kontor/ports/observe"
)

// Turns limits how many of its connections the requests of the default company use while other
// companies use theirs, by the rules of CompanyPool. It has no effect before OpenCompanies.
//
// Chose a limit on acquiring connections of the default company over lanes for it too, because
// nothing then changes for a service without other companies. Costs at most twice the connections.
type Turns struct {
	queue atomic.Pointer[lane.Queue]
}

// turnTracer waits for the turn of the default company before a connection is acquired, and ends
// it when the connection is released.
type turnTracer struct {
	tracer
	turns *Turns
}

var _ interface {
	pgxpool.AcquireTracer
	pgxpool.ReleaseTracer
} = turnTracer{}

// heldTurn is what a connection is acquired with.
type heldTurn struct {
	lane *lane.Lane
	in   *lane.Queue
}

func (h heldTurn) end() { h.in.Free(h.lane) }

type turnKey struct{}

// inTurn is the key of a connection's data for a heldTurn.
const inTurn = "turn"

func (t turnTracer) TraceAcquireStart(ctx context.Context, _ *pgxpool.Pool, _ pgxpool.TraceAcquireStartData) context.Context {
	q := t.turns.queue.Load()
	if q == nil || observe.From(ctx) == nil { // the catalogue is read here too
		return ctx
	}
	l, err := q.Take(ctx, lane.DefaultCompany, "")
	if err != nil {
		return ctx // has ended, and so acquiring fails
	}
	return context.WithValue(ctx, turnKey{}, heldTurn{l, q})
}

func (t turnTracer) TraceAcquireEnd(ctx context.Context, _ *pgxpool.Pool, data pgxpool.TraceAcquireEndData) {
	h, isHeld := ctx.Value(turnKey{}).(heldTurn)
	switch {
	case !isHeld:
	case data.Conn == nil:
		h.end()
	default:
		data.Conn.PgConn().CustomData()[inTurn] = h
	}
}

func (t turnTracer) TraceRelease(_ *pgxpool.Pool, data pgxpool.TraceReleaseData) {
	of := data.Conn.PgConn().CustomData()
	if h, isHeld := of[inTurn].(heldTurn); isHeld {
		delete(of, inTurn)
		h.end()
	}
}
