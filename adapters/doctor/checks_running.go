package doctor

import (
	"context"
	"time"
)

func (e *Examination) zone(ctx context.Context) (Finding, error) {
	given := e.settings.TimeZone
	var kept *string
	if err := e.ask(ctx, "select (select value from settings where name = 'timezone')", &kept); err != nil {
		return Finding{}, err
	}
	if kept == nil {
		return fine("the database keeps none yet; the first start of kontor serve keeps %s", given).
			mend(Warn, "if that is not yours, set KONTOR_TIMEZONE before the first start: it decides in which month a payment falls"), nil
	}
	if *kept != given {
		return fine("the database is kept in %s, and the setting is %s", *kept, given).
			mend(Fail, "set KONTOR_TIMEZONE=%s, or change the database: kontor timezone set %s", *kept, given), nil
	}
	return fine("%s, in the database and in the settings", given), nil
}

func (e *Examination) clock(ctx context.Context) (Finding, error) {
	var there time.Time
	before := time.Now()
	if err := e.ask(ctx, "select clock_timestamp()", &there); err != nil {
		return Finding{}, err
	}
	after := time.Now()
	return apart(there.Sub(before.Add(after.Sub(before) / 2))), nil
}

// apart judges how far the database's clock is before this machine's.
func apart(ahead time.Duration) Finding {
	way := "ahead of"
	if ahead < 0 {
		way, ahead = "behind", -ahead
	}
	f := fine("the database is %s %s this machine", ahead.Round(time.Millisecond), way)
	if ahead > clockApart {
		return f.mend(Warn, "have both clocks set by a time service (NTP): the times of records come from this machine's")
	}
	return f
}

// connections holds what a service opens at most against what the server lets
// this user have, and against what is left of it.
func (e *Examination) connections(ctx context.Context) (Finding, error) {
	var room, others int
	err := e.ask(ctx, `
select
    least(
        current_setting('max_connections')::int
            - current_setting('superuser_reserved_connections')::int
            - coalesce(current_setting('reserved_connections', true), '0')::int,
        (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
        (select nullif(datconnlimit, -1) from pg_database where datname = current_database())),
    (select count(*)
    from pg_stat_activity
    where backend_type = 'client backend' and application_name !~ '^kontor( |$)')`, &room, &others)
	if err != nil {
		return Finding{}, err
	}
	needed := e.settings.MaxConnections + keepers
	f := fine("a service takes up to %d, PostgreSQL gives %d, others have %d of them", needed, room, others)
	switch {
	case needed > room && room > keepers:
		return f.mend(Fail, "lower KONTOR_MAX_CONNECTIONS to %d or less, or raise max_connections of PostgreSQL and the limits of this user and database",
			room-keepers), nil
	case needed > room:
		return f.mend(Fail, "raise max_connections of PostgreSQL, or the limits of this user and database"), nil
	case needed+others > room:
		return f.mend(Warn, "lower KONTOR_MAX_CONNECTIONS, or raise max_connections of PostgreSQL: when the others are there, some requests get none"), nil
	}
	return f, nil
}

func (e *Examination) timeouts(context.Context) (Finding, error) {
	c := e.settings
	f := fine("a lock is waited for %s, a statement takes up to %s, a request up to %s", c.LockTimeout, c.StatementTimeout, c.RequestTimeout)
	switch {
	case c.StatementTimeout >= c.RequestTimeout:
		return f.mend(Fail, "set KONTOR_STATEMENT_TIMEOUT below KONTOR_REQUEST_TIMEOUT"), nil
	case c.LockTimeout >= c.StatementTimeout:
		return f.mend(Warn, "set KONTOR_LOCK_TIMEOUT below KONTOR_STATEMENT_TIMEOUT, else it never counts"), nil
	}
	return f, nil
}

func (e *Examination) readModels(ctx context.Context) (Finding, error) {
	var lists, search bool
	err := e.ask(ctx, `
select lists_ready, search_ready
from read_model_state`, &lists, &search)
	if err != nil {
		return Finding{}, err
	}
	const mend = "start kontor serve, which rebuilds them in the background, or run kontor readmodel rebuild"
	switch {
	case !lists && !search:
		return fine("neither those of lists nor those of search are ready: lists are right, and slower").mend(Warn, mend), nil
	case !lists:
		return fine("those of lists are not ready: lists are right, and slower").mend(Warn, mend), nil
	case !search:
		return fine("those of search are not ready: searches are right, and slower").mend(Warn, mend), nil
	}
	return fine("ready"), nil
}

// backlog counts what writers have noted and no service has added up.
func (e *Examination) backlog(ctx context.Context) (Finding, error) {
	var batches, notes int
	err := e.ask(ctx, `
select
    (select count(*) from change_batches),
    (select count(*)
    from (
        select from client_changes c, read_model_state r where c.batch_id >= r.oldest_open_batch
        union all
        select from deal_changes c, read_model_state r where c.batch_id >= r.oldest_open_batch
        union all
        select from offer_changes c, read_model_state r where c.batch_id >= r.oldest_open_batch
        union all
        select from contract_changes c, read_model_state r where c.batch_id >= r.oldest_open_batch
        union all
        select from invoice_changes c, read_model_state r where c.batch_id >= r.oldest_open_batch
        limit 1000000
    ) open)`, &batches, &notes)
	if err != nil {
		return Finding{}, err
	}
	f := fine("%d changes are not added up yet; open batches: %d", notes, batches)
	if batches > manyBatches || notes > manyNotes {
		return f.mend(Warn, "see that kontor serve runs, and that no transaction stays open for long (pg_stat_activity): figures are right, and slower"), nil
	}
	return f, nil
}

func (e *Examination) admin(ctx context.Context) (Finding, error) {
	var admins, reached int
	err := e.ask(ctx, `
select count(distinct u.id), count(distinct t.user_id)
from users u
left join tokens t on t.user_id = u.id and t.revoked_at is null and (t.expires_at is null or t.expires_at > now())
where u.role = 'admin' and not u.disabled`, &admins, &reached)
	switch {
	case err != nil:
		return Finding{}, err
	case admins == 0:
		return fine("no user is an admin who is not disabled").
			mend(Fail, "kontor user add --username NAME --role admin, or kontor user role and kontor user enable for one that is there"), nil
	case reached == 0:
		return fine("%d, none with a token that can be used", admins).
			mend(Warn, "kontor token issue --user NAME; kontor user list names them"), nil
	}
	return fine("%d, of whom %d can come in with a token", admins, reached), nil
}
