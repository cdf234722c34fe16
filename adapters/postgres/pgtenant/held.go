package pgtenant

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/ports/tenant"
)

type held struct {
	store *Store
	conn  *pgxpool.Conn // holds the lock
	row   tenant.Tenant
}

func (h *held) Tenant() tenant.Tenant { return h.row }

// insert stores a new company; isNew is false if its name or its code is taken.
func (h *held) insert(ctx context.Context, c tenant.Tenant) (isNew bool, err error) {
	err = h.transact(ctx, func(tx pgx.Tx) error {
		done, err := tx.Exec(ctx, `
insert into kontor_shared.companies (code, name, state, time_zone, migration, created_at)
values ($1, $2, $3, $4, $5, $6)
on conflict do nothing`, c.Code, c.Name, c.State, c.TimeZone, c.Migration, c.CreatedAt)
		if isNew = done.RowsAffected() == 1; !isNew {
			return err
		}
		return changed(ctx, tx)
	})
	h.row = c
	return isNew, err
}

func changed(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `
update kontor_shared.catalogue
set version = version + 1
where name = 'companies'`)
	return err
}

func (h *held) read(ctx context.Context) error {
	err := h.conn.QueryRow(ctx, `
select code, name, state, time_zone, migration, created_at
from kontor_shared.companies
where code = $1`, h.row.Code).Scan(fields(&h.row)...)
	if errors.Is(err, pgx.ErrNoRows) {
		return tenant.ErrUnknown
	}
	h.row.CreatedAt = h.row.CreatedAt.UTC()
	return postgres.Fault(err, postgres.Storing)
}

func (h *held) Save(ctx context.Context, c tenant.Tenant) error {
	return h.transact(ctx, func(tx pgx.Tx) error { return h.update(ctx, tx, c) })
}

func (h *held) update(ctx context.Context, tx pgx.Tx, c tenant.Tenant) error {
	_, err := tx.Exec(ctx, `
update kontor_shared.companies
set name = $2, state = $3, time_zone = $4, migration = $5
where code = $1`, h.row.Code, c.Name, c.State, c.TimeZone, c.Migration)
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && pg.ConstraintName == "companies_name_unique" {
		return tenant.ErrTaken
	}
	if err != nil {
		return err
	}
	h.row = c
	return changed(ctx, tx)
}

func (h *held) Create(ctx context.Context) error {
	return h.transact(ctx, func(tx pgx.Tx) error {
		if err := postgres.CreateTenant(ctx, tx, h.row.Code, postgres.Version, h.row.TimeZone); err != nil {
			return err
		}
		return h.activate(ctx, tx, postgres.Version)
	})
}

func (h *held) activate(ctx context.Context, tx pgx.Tx, migration int64) error {
	c := h.row
	c.State, c.Migration = tenant.Active, migration
	return h.update(ctx, tx, c)
}

func (h *held) SetZone(ctx context.Context, zone string) error {
	return h.transact(ctx, func(tx pgx.Tx) error {
		if err := postgres.SetTenantZone(ctx, tx, h.row.Code, zone); err != nil {
			return err
		}
		c := h.row
		c.TimeZone = zone
		return h.update(ctx, tx, c)
	})
}

// AwaitPropagation implements tenant.Held. It does not wait if no service is connected.
func (h *held) AwaitPropagation(ctx context.Context) error {
	var isServing bool
	err := h.conn.QueryRow(ctx, `
select exists (
  select
  from pg_stat_activity
  where datname = current_database() and application_name = '`+postgres.ServiceName+`')`).Scan(&isServing)
	if err != nil || !isServing {
		return postgres.Fault(err, postgres.Storing)
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(h.store.propagation):
		return nil
	}
}

// Drop implements tenant.Held. It uses one transaction: a company has few enough tables
// for its locks.
func (h *held) Drop(ctx context.Context) error {
	if _, err := h.store.requireWorkers(ctx); err != nil {
		return err
	}
	return h.transact(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "drop schema if exists "+h.row.Code.Schema()+" cascade"); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `
delete from kontor_shared.companies
where code = $1`, h.row.Code); err != nil {
			return err
		}
		return changed(ctx, tx)
	})
}

// lockAttempts is how often a transaction is tried that conflicts with requests.
const lockAttempts = 3

// transact runs do in a transaction, which is repeated if it conflicts with requests.
func (h *held) transact(ctx context.Context, do func(pgx.Tx) error) error {
	for attempt := 1; ; attempt++ {
		err := h.once(ctx, do)
		if !postgres.IsLockTimeout(err) && !postgres.IsDeadlock(err) || attempt == lockAttempts {
			return err
		}
	}
}

// once runs do in a transaction on the connection that holds the lock. On failure the row
// is the former one.
func (h *held) once(ctx context.Context, do func(pgx.Tx) error) error {
	former := h.row
	err := pgx.BeginFunc(ctx, h.conn, do)
	if err != nil {
		h.row = former
	}
	return postgres.Fault(err, postgres.Storing)
}
