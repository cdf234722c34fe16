package pgpurge

import (
	"context"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/ports/repository"
)

// violations remain counted when they are purged. Rules are locked first, as by those who
// delete one.
var violations = expiring{
	name: "rule_violations", end: "at", keep: repository.ViolationLife,
	lock:    "select from rules order by id for key share",
	columns: ", rule_id",
	counted: `, counted as (
    insert into rule_counts as c (rule_id, would_refuse)
    select rule_id, count(*)
    from purged
    group by rule_id
    order by rule_id
    on conflict (rule_id) do update
    set would_refuse = c.would_refuse + excluded.would_refuse
)`,
}

// deleteExcess deletes, of the violations of each rule but the $1 latest, the $2 latest. It
// returns the number of them.
var deleteExcess = `
with excess as (
    select v.id
    from rules r
    cross join lateral (
        select id
        from rule_violations
        where rule_id = r.id
        order by id desc
        offset $1
        limit $2
    ) v
), purged as (
    delete from rule_violations
    where id in (select id from excess)
    returning rule_id
)` + violations.counted + `
select count(*)
from purged`

// purgeExcess deletes the violations of each rule that exceed the limit, batch by batch.
func purgeExcess(ctx context.Context, db postgres.DB) (purged int64, err error) {
	for {
		var n int64
		err := postgres.InTransaction(ctx, db, func(ctx context.Context, tx *postgres.Tx) error {
			n = 0
			_, isFree, err := violations.begin(ctx, tx)
			if err != nil || !isFree {
				return err
			}
			return tx.QueryRow(ctx, deleteExcess, repository.MaxViolations, batchSize).Scan(&n)
		})
		if purged += n; err != nil || n == 0 {
			return purged, err
		}
	}
}
