package pgtrial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Trials implements repository.Trials. Times of progress are by the clock of the database.
type Trials struct {
	db *pgxpool.Pool
}

// NewTrials returns the Trials of the database.
func NewTrials(db *pgxpool.Pool) *Trials { return &Trials{db} }

var _ repository.Trials = (*Trials)(nil)

var errNone = fault.New(fault.NotFound, "there is no such trial")

const (
	endInterrupted = `
update rule_trials
set state = 'failed', error = $1, ended_at = now()
where state = 'running' and seen_at < now() - $2::interval`
	deleteOld   = "delete from rule_trials where started_at < now() - $1::interval and state <> 'running'"
	insertTrial = `
insert into rule_trials (rule_id, name, resource, operations, expression, message, field, user_id, state, started_at, seen_at)
values (nullif($1, 0), $2, $3, $4, $5, $6, nullif($7, ''), nullif($8, 0), 'running', $9, now())
returning id`
	updateTrial = `
update rule_trials
set done = $2, passed = $3, refused = $4, failed = $5, refusals = $6, failures = $7, seen_at = now()
where id = $1 and state = 'running'`
	endTrial = `
update rule_trials
set done = $2, passed = $3, refused = $4, failed = $5, refusals = $6, failures = $7, state = $8, error = nullif($9, ''), ended_at = $10
where id = $1 and state = 'running'`
	selectTrial = `
select id, coalesce(rule_id, 0), name, resource, operations, expression, message, coalesce(field, ''), coalesce(user_id, 0), state,
    coalesce(error, ''), done, passed, refused, failed, refusals, failures, started_at, ended_at,
    state = 'running' and seen_at < now() - $2::interval
from rule_trials
where id = $1`
)

// Start implements repository.Trials. It also deletes old trials.
func (s *Trials) Start(ctx context.Context, t ruledef.Trial) (id ruledef.TrialID, err error) {
	err = postgres.InTransaction(ctx, s.db, func(ctx context.Context, tx pgx.Tx) error {
		b := &pgx.Batch{}
		b.Queue(endInterrupted, repository.TrialInterrupted, repository.TrialLife)
		b.Queue(deleteOld, repository.TrialKept)
		r := t.Rule
		b.Queue(insertTrial, int64(r.ID), r.Name, r.Resource, int16(r.On), r.Expression, r.Message, r.Field, int64(t.UserID), t.StartedAt).
			QueryRow(func(row pgx.Row) error { return row.Scan(&id) })
		return tx.SendBatch(ctx, b).Close()
	})
	return id, err
}

// Progress implements repository.Trials.
func (s *Trials) Progress(ctx context.Context, id ruledef.TrialID, f ruledef.Findings) (isRunning bool, err error) {
	return s.execute(ctx, updateTrial, append([]any{id}, findingsRow(f)...)...)
}

// End implements repository.Trials.
func (s *Trials) End(ctx context.Context, t ruledef.Trial) error {
	_, err := s.execute(ctx, endTrial, append(append([]any{t.ID}, findingsRow(t.Findings)...), t.State.String(), t.Error, t.EndedAt)...)
	return err
}

// Remove implements repository.Trials.
func (s *Trials) Remove(ctx context.Context, id ruledef.TrialID) error {
	isRemoved, err := s.execute(ctx, "delete from rule_trials where id = $1", id)
	if err == nil && !isRemoved {
		return errNone
	}
	return err
}

// execute runs a statement that can be repeated; changed is whether there was such a trial.
func (s *Trials) execute(ctx context.Context, sql string, args ...any) (changed bool, err error) {
	done, err := postgres.Repeat(ctx, s.db, func() (pgconn.CommandTag, error) { return s.db.Exec(ctx, sql, args...) })
	return done.RowsAffected() > 0, postgres.Fault(err, postgres.Storing)
}

// Read implements repository.Trials.
func (s *Trials) Read(ctx context.Context, id ruledef.TrialID) (ruledef.Trial, error) {
	t, err := postgres.Repeat(ctx, s.db, func() (ruledef.Trial, error) { return s.read(ctx, id) })
	if errors.Is(err, pgx.ErrNoRows) {
		return t, errNone
	}
	return t, postgres.Fault(err, postgres.Storing)
}

func (s *Trials) read(ctx context.Context, id ruledef.TrialID) (t ruledef.Trial, err error) {
	var state string
	var ended *time.Time
	var isInterrupted bool
	var refusals, failures []byte
	f := &t.Findings
	err = s.db.QueryRow(ctx, selectTrial, id, repository.TrialLife).Scan(
		&t.ID, &t.Rule.ID, &t.Rule.Name, &t.Rule.Resource, &t.Rule.On, &t.Rule.Expression, &t.Rule.Message, &t.Rule.Field, &t.UserID, &state,
		&t.Error, &f.Done, &f.Passed, &f.Refused, &f.Failed, &refusals, &failures, &t.StartedAt, &ended, &isInterrupted)
	if err != nil {
		return t, err
	}
	t.State, _ = ruledef.ParseTrialState(state)
	if isInterrupted {
		t.State, t.Error = ruledef.TrialFailed, repository.TrialInterrupted
	}
	if ended != nil {
		t.EndedAt = *ended
	}
	if f.Refusals, err = findingsFrom(refusals); err != nil {
		return t, err
	}
	f.Failures, err = findingsFrom(failures)
	return t, err
}

type finding struct {
	RecordID int64  `json:"record_id"`
	Message  string `json:"message"`
}

func findingsFrom(stored []byte) ([]ruledef.Finding, error) {
	var list []finding
	if err := json.Unmarshal(stored, &list); err != nil {
		return nil, fmt.Errorf("read the findings of a trial: %w", err)
	}
	all := make([]ruledef.Finding, len(list))
	for i, f := range list {
		all[i] = ruledef.Finding(f)
	}
	return all, nil
}

func findingsRow(f ruledef.Findings) []any {
	return []any{f.Done, f.Passed, f.Refused, f.Failed, storedFindings(f.Refusals), storedFindings(f.Failures)}
}

func storedFindings(list []ruledef.Finding) []finding {
	all := make([]finding, len(list))
	for i, f := range list {
		all[i] = finding(f)
	}
	return all
}
