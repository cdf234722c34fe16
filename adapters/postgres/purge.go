package postgres

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/ports/repository"
)

// clockTolerance is how much later than promised responses are deleted, so that instances with different clocks treat a
// key as expired before the first of them deletes it.
const clockTolerance = time.Hour

// purgeBatch is how many rows one statement deletes at most; for surplus violations, of each rule.
const purgeBatch = 1000

// countPurged adds deleted violations to the counts of their rules.
const countPurged = `
insert into rule_counts as c (rule_id, would_refuse)
select rule_id, count(*)
from purged
group by rule_id
order by rule_id
on conflict (rule_id) do update
set would_refuse = c.would_refuse + excluded.would_refuse`

type purge struct {
	name      string
	keep      time.Duration // after the end of a record
	statement string
}

// purges are the statements that delete records which ended up to $1, at most $2 of them. They skip rows that another
// instance is deleting.
var purges = []purge{
	{"responses", repository.ResponseLife + clockTolerance, `
delete from idempotency_keys
where (user_id, path, key) in (
    select user_id, path, key
    from idempotency_keys
    where claimed_at <= $1
    order by claimed_at
    limit $2
    for update skip locked
)`},
	{"tokens", token.EndedLife, `
delete from tokens
where id in (
    select id
    from tokens
    where least(expires_at, revoked_at) <= $1
    order by least(expires_at, revoked_at)
    limit $2
    for update skip locked
)`},
	{"violations", repository.ViolationLife, `
with purged as (
    delete from rule_violations
    where id in (
        select id
        from rule_violations
        where at <= $1
        order by at
        limit $2
        for update skip locked
    )
    returning rule_id
)` + countPurged},
	{"violations beyond the maximum", 0, fmt.Sprintf(`
with purged as (
    delete from rule_violations
    where id in (
        select v.id
        from rules r
        cross join lateral (
            select id
            from rule_violations
            where rule_id = r.id and at <= $1
            order by id desc
            offset %d
            limit $2
        ) v
    )
    returning rule_id
)`, repository.MaxViolations) + countPurged},
}

// changesPurge deletes old entries of the log of changes.
const changesPurge = `
delete from record_changes
where id in (
    select id
    from record_changes
    where at <= $1
    order by at
    limit $2
    for update skip locked
)`

// Purge deletes the records that have expired at that time: responses stored under idempotency keys, access tokens,
// violations of rules, of which each rule also has a maximum, and entries of the log of changes that are older than
// keepChanges. Violations stay counted.
func Purge(ctx context.Context, db *DB, at time.Time, keepChanges time.Duration) error {
	for _, p := range append(slices.Clip(purges), purge{"changes", keepChanges, changesPurge}) {
		for deleted := true; deleted; {
			err := pgx.BeginTxFunc(ctx, db, readCommitted, func(tx pgx.Tx) error {
				// Rules before their violations, as by those who delete a rule.
				if _, err := tx.Exec(ctx, "select from rules order by id for key share"); err != nil {
					return err
				}
				done, err := tx.Exec(ctx, p.statement, at.Add(-p.keep), purgeBatch)
				deleted = done.RowsAffected() > 0
				return err
			})
			if err != nil {
				return fmt.Errorf("purge %s: %w", p.name, err)
			}
		}
	}
	return nil
}
