package pgpurge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/ports/repository"
)

// batchSize is the number of rows that one transaction deletes, or a few more if several
// ended at the same instant.
const batchSize = 1000

// tolerance is how much later than promised responses are deleted, so that instances with
// different clocks treat a key as expired before the first of them deletes it. A position
// further ahead than this is that of a clock which has since been set back.
const tolerance = time.Hour

type expiring struct {
	name string // of its table, and of its position in purges
	end  string // SQL for the time when a row ended
	keep time.Duration

	lock    string // SQL that locks what has to be locked before the rows; empty: nothing
	columns string // SQL for what counted needs of the rows
	counted string // SQL for a query on the purged rows, in the same statement
}

var all = []expiring{
	{name: "idempotency_keys", end: "claimed_at", keep: repository.ResponseLife + tolerance},
	{name: "tokens", end: "least(expires_at, revoked_at)", keep: token.EndedLife},
	violations,
}

// deleteBatch deletes, of the rows that ended after $1 and not after $2, the $3 oldest. It
// returns how many there were and when the last of them ended.
func (e expiring) deleteBatch() string {
	return `
with purged as (
    delete from ` + e.name + `
    where ` + e.end + ` > $1 and ` + e.end + ` <= coalesce((
        select ` + e.end + `
        from ` + e.name + `
        where ` + e.end + ` > $1 and ` + e.end + ` <= $2
        order by ` + e.end + `
        offset $3 - 1
        limit 1
    ), $2)
    returning ` + e.end + ` as ended` + e.columns + `
)` + e.counted + `
select count(*), coalesce(max(ended), $1)
from purged`
}

// Purge deletes all records that have expired at that time, and returns their number. It
// skips those that another process is deleting.
func Purge(ctx context.Context, db postgres.DB, at time.Time) (purged int64, err error) {
	for _, e := range all {
		n, err := e.purge(ctx, db, at.Add(-e.keep))
		if purged += n; err != nil {
			return purged, fmt.Errorf("purge %s: %w", e.name, err)
		}
	}
	n, err := purgeExcess(ctx, db)
	if purged += n; err != nil {
		return purged, fmt.Errorf("purge the oldest violations: %w", err)
	}
	return purged, nil
}

// purge deletes the records that ended up to that time, batch by batch.
func (e expiring) purge(ctx context.Context, db postgres.DB, upTo time.Time) (purged int64, err error) {
	for {
		var n int64
		err := postgres.InTransaction(ctx, db, func(ctx context.Context, tx *postgres.Tx) (err error) {
			n, err = e.batch(ctx, tx, upTo)
			return err
		})
		if purged += n; err != nil || n < batchSize {
			return purged, err
		}
	}
}

func (e expiring) batch(ctx context.Context, tx *postgres.Tx, upTo time.Time) (purged int64, err error) {
	from, isFree, err := e.begin(ctx, tx)
	if err != nil || !isFree {
		return 0, err
	}
	if from.After(upTo.Add(tolerance)) {
		from = time.Unix(0, 0)
	}
	var until time.Time
	if err := tx.QueryRow(ctx, e.deleteBatch(), from, upTo, batchSize).Scan(&purged, &until); err != nil || purged == 0 {
		return 0, err
	}
	_, err = tx.Exec(ctx, "update purges set purged_until = $2 where name = $1", e.name, until)
	return purged, err
}

// begin locks the position, unless another process has it, and what comes before the rows.
func (e expiring) begin(ctx context.Context, tx *postgres.Tx) (from time.Time, isFree bool, err error) {
	err = tx.QueryRow(ctx, "select purged_until from purges where name = $1 for update skip locked", e.name).Scan(&from)
	if errors.Is(err, pgx.ErrNoRows) {
		return from, false, nil
	}
	if err == nil && e.lock != "" {
		_, err = tx.Exec(ctx, e.lock)
	}
	return from, true, err
}
