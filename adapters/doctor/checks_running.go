package doctor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
	"github.com/kontor-crm/kontor/adapters/postgres/pgreplica"
)

func (e *Examination) zone(ctx context.Context) (Finding, error) {
	given := e.settings.TimeZone
	var recorded *string
	if err := e.query(ctx, "select (select value from settings where name = 'timezone')", &recorded); err != nil {
		return Finding{}, err
	}
	if recorded == nil {
		return fine("the database has none yet; the first start of kontor serve records %s", given).
			hint(Warn, "if it is the wrong one, set KONTOR_TIMEZONE before the first start: it determines the month of a payment"), nil
	}
	if *recorded != given {
		return fine("the database has %s, and the setting is %s", *recorded, given).
			hint(Fail, "set KONTOR_TIMEZONE=%s, or change the database: kontor timezone set %s", *recorded, given), nil
	}
	return fine("%s, in the database and in the settings", given), nil
}

func (e *Examination) clock(ctx context.Context) (Finding, error) {
	var there time.Time
	before := time.Now()
	if err := e.query(ctx, "select clock_timestamp()", &there); err != nil {
		return Finding{}, err
	}
	after := time.Now()
	return skew(there.Sub(before.Add(after.Sub(before) / 2))), nil
}

func skew(ahead time.Duration) Finding {
	way := "ahead of"
	if ahead < 0 {
		way, ahead = "behind", -ahead
	}
	f := fine("the database is %s %s this machine", ahead.Round(time.Millisecond), way)
	if ahead > maxClockSkew {
		return f.hint(Warn, "synchronize both clocks (NTP): the timestamps of records are those of this machine")
	}
	return f
}

// connections compares the most that a service opens with the limits of the server,
// the user and the database, and with what others leave of them. Connections of a pooler are not
// counted: it limits them itself.
func (e *Examination) connections(ctx context.Context) (Finding, error) {
	var limit, others int
	err := e.query(ctx, `
select
    least(
        current_setting('max_connections')::int
            - current_setting('superuser_reserved_connections')::int
            - coalesce(current_setting('reserved_connections', true), '0')::int,
        (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
        (select nullif(datconnlimit, -1) from pg_database where datname = current_database())),
    (select count(*)
    from pg_stat_activity
    where backend_type = 'client backend' and application_name !~ '^kontor( |$)')`, &limit, &others)
	if err != nil {
		return Finding{}, err
	}
	pools, besides := 1, background
	if e.settings.PoolerURL != "" {
		pools = 0
	}
	if e.hasCompanies {
		pools, besides = pools+1, besides+ofCompanies
		if e.isDirect {
			besides += ofNumbers
		}
	}
	if len(e.settings.Replicas) > 0 {
		besides += pgreplica.PrimaryConnections
	}
	needed := pools*e.settings.MaxConnections + besides
	f := fine("a service opens up to %d, PostgreSQL allows %d, others use %d of them", needed, limit, others)
	switch {
	case needed > limit && pools > 0 && limit >= pools+besides:
		return f.hint(Fail, "lower KONTOR_MAX_CONNECTIONS to %d or less, or raise max_connections of PostgreSQL and the limits of this user and database",
			(limit-besides)/pools), nil
	case needed > limit:
		return f.hint(Fail, "raise max_connections of PostgreSQL, or the limits of this user and database"), nil
	case needed+others > limit && pools == 0:
		return f.hint(Warn, "raise max_connections of PostgreSQL: with those of others, the workers get none"), nil
	case needed+others > limit:
		return f.hint(Warn, "lower KONTOR_MAX_CONNECTIONS, or raise max_connections of PostgreSQL: with those of others, some requests get none"), nil
	}
	return f, nil
}

func (e *Examination) timeouts(context.Context) (Finding, error) {
	c := e.settings
	f := fine("lock timeout %s, statement timeout %s, request timeout %s", c.LockTimeout, c.StatementTimeout, c.RequestTimeout)
	switch {
	case c.StatementTimeout >= c.RequestTimeout:
		return f.hint(Fail, "set KONTOR_STATEMENT_TIMEOUT below KONTOR_REQUEST_TIMEOUT"), nil
	case c.LockTimeout >= c.StatementTimeout:
		return f.hint(Warn, "set KONTOR_LOCK_TIMEOUT below KONTOR_STATEMENT_TIMEOUT; otherwise it has no effect"), nil
	}
	return f, nil
}

func (e *Examination) readModels(ctx context.Context) (Finding, error) {
	var lists, search bool
	err := e.query(ctx, `
select lists_ready, search_ready
from read_model_state`, &lists, &search)
	if err != nil {
		return Finding{}, err
	}
	const fix = "start kontor serve, which rebuilds them in the background, or run kontor readmodel rebuild"
	switch {
	case !lists && !search:
		return fine("neither the read models of lists nor those of searches are ready: lists are correct, but slower").hint(Warn, fix), nil
	case !lists:
		return fine("the read models of lists are not ready: lists are correct, but slower").hint(Warn, fix), nil
	case !search:
		return fine("the read models of searches are not ready: searches are correct, but slower").hint(Warn, fix), nil
	}
	return fine("ready"), nil
}

func (e *Examination) backlog(ctx context.Context) (Finding, error) {
	var batches, changes int
	open := make([]string, len(listdef.All))
	for i, l := range listdef.All {
		open[i] = "select from " + l.Changes + " c, read_model_state r where c.batch_id >= r.oldest_open_batch"
	}
	err := e.query(ctx, fmt.Sprintf(`
select
    (select count(*) from change_batches),
    (select count(*) from (%s limit %d) open)`, strings.Join(open, " union all "), maxCounted), &batches, &changes)
	if err != nil {
		return Finding{}, err
	}
	f := fine("%d changes are not folded yet; open batches: %d", changes, batches)
	if batches > maxBatches || changes > maxChanges {
		return f.hint(Warn, "check that kontor serve runs, and that no transaction stays open for long (pg_stat_activity): totals are correct, but slower"), nil
	}
	return f, nil
}

func (e *Examination) admin(ctx context.Context) (Finding, error) {
	var admins, reached int
	err := e.query(ctx, `
select count(distinct u.id), count(distinct t.user_id)
from users u
left join tokens t on t.user_id = u.id and t.revoked_at is null and (t.expires_at is null or t.expires_at > now())
where u.role = 'admin' and not u.disabled`, &admins, &reached)
	switch {
	case err != nil:
		return Finding{}, err
	case admins == 0:
		return fine("no enabled user is an admin").
			hint(Fail, "kontor user add --username NAME --role admin, or kontor user role and kontor user enable for an existing user"), nil
	case reached == 0:
		return fine("%d, none of them with a valid token", admins).
			hint(Warn, "kontor token issue --user NAME; kontor user list names them"), nil
	}
	return fine("%d, %d of them with a valid token", admins, reached), nil
}
