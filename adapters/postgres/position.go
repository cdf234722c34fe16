package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/caller"
	"github.com/kontor-crm/kontor/ports/position"
)

// PresentPosition is an item of a from clause: the present position of a primary, as p
// (system_identifier, timeline, wal).
const PresentPosition = `(
    select s.system_identifier, ('x' || left(pg_walfile_name(w.lsn), 8))::bit(32)::bigint, (w.lsn - '0/0')::bigint
    from pg_control_system() s, (select pg_current_wal_insert_lsn()) w (lsn)
) p (system_identifier, timeline, wal)`

// RecordPositions is the statement that stores the present position for tokens, unless a later
// one is stored.
const RecordPositions = `
insert into token_positions as t (token_id, system_identifier, timeline, wal)
select n.token_id, p.system_identifier, p.timeline, p.wal
from unnest($1::bigint[]) n (token_id), ` + PresentPosition + `
order by n.token_id
on conflict (token_id) do update
set system_identifier = excluded.system_identifier, timeline = excluded.timeline,
    wal = case
        when (t.system_identifier, t.timeline) = (excluded.system_identifier, excluded.timeline) then greatest(t.wal, excluded.wal)
        else excluded.wal
    end
returning t.system_identifier, t.timeline, t.wal`

// recorder records the position of the primary at the end of a transaction, for the token of
// the request, so that what this request has seen is seen by those after it. A nil recorder
// records nothing.
type recorder struct {
	token   int64
	request *position.Request
}

// recorderOf is the recorder of the request; nil if all reads are of the primary.
func recorderOf(ctx context.Context) *recorder {
	token := caller.From(ctx).Token
	request := position.From(ctx)
	if request == nil || token == 0 {
		return nil
	}
	return &recorder{token: int64(token), request: request}
}

func (r *recorder) scan(row pgx.Row) error {
	var p position.Position
	err := row.Scan(&p.System, &p.Timeline, &p.WAL)
	if err == nil {
		r.request.Reached = p
	}
	return err
}

// errUnrecorded says that the transaction was committed, and its position is not recorded.
var errUnrecorded = errors.New("record the position of the commit")

// record records the position after a transaction that was committed without it, or was rolled
// back: a rejection says something of the present records too.
func (r *recorder) record(ctx context.Context, db DB) error {
	err := r.scan(db.QueryRow(ctx, RecordPositions, []int64{r.token}))
	if Reconnect(ctx, db, err) {
		err = r.scan(db.QueryRow(ctx, RecordPositions, []int64{r.token}))
	}
	return err
}

// recordEnd records the position of a transaction that ended with the error, if that is not
// done yet.
func (r *recorder) recordEnd(ctx context.Context, db DB, err error) error {
	switch {
	case r == nil || err == nil:
		return err
	case errors.Is(err, errUnrecorded):
		if err := r.record(ctx, db); err != nil {
			return unknown.WithCause(err)
		}
		return nil
	case isOutage(err) || fault.Is(err, fault.Unavailable) || fault.Is(err, fault.OutcomeUnknown):
		return err // which says nothing of the records
	}
	if failed := r.record(ctx, db); failed != nil {
		return failed
	}
	return err
}
