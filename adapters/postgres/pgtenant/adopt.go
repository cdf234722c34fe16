package pgtenant

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/tenant"
)

// Adopt implements tenant.Store.
func (s *Store) Adopt(ctx context.Context, c tenant.Tenant) (tenant.Tenant, error) {
	if err := s.requireUnedited(ctx, c.Code); err != nil {
		return c, err
	}
	if err := s.distribute(ctx, c.Code); err != nil {
		return c, err
	}
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) (err error) {
		if c, err = describe(ctx, tx, c); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `
insert into kontor_shared.companies (code, name, state, time_zone, migration, created_at)
values ($1, $2, $3, $4, $5, $6)`, c.Code, c.Name, c.State, c.TimeZone, c.Migration, c.CreatedAt)
		if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
			switch pg.ConstraintName {
			case "companies_name_unique":
				return tenant.ErrTaken
			case "companies_pk":
				return fault.New(fault.Conflict, "there is a company with the code %s: kontor company list has its name", c.Code)
			}
		}
		if err != nil {
			return err
		}
		return changed(ctx, tx)
	})
	return c, postgres.Fault(err, postgres.Storing)
}

// requireUnedited returns a fault.Conflict if the tables of a company are those of another version of a migration.
func (s *Store) requireUnedited(ctx context.Context, code tenant.Code) error {
	url, err := postgres.InTenant(s.url, code)
	if err == nil {
		err = postgres.CheckMigrated(ctx, url)
	}
	if edited, ok := errors.AsType[postgres.EditedMigration](err); ok {
		return fault.New(fault.Conflict, "%s", edited)
	}
	if errors.Is(err, postgres.ErrNotMigrated) {
		return nil
	}
	return postgres.Fault(err, postgres.Storing)
}

// describe reads the time zone and the migration of a company from its tables.
func describe(ctx context.Context, tx pgx.Tx, c tenant.Tenant) (tenant.Tenant, error) {
	schema := c.Code.Schema()
	var exists bool
	err := tx.QueryRow(ctx, "select to_regclass($1) is not null and to_regclass($2) is not null",
		schema+".settings", schema+".schema_migrations").Scan(&exists)
	if err != nil {
		return c, err
	}
	if !exists {
		return c, fault.New(fault.NotFound, "the database has no tables of a company in the schema %s", schema)
	}
	err = tx.QueryRow(ctx, fmt.Sprintf(`
select
  (select value from %[1]s.settings where name = 'timezone'),
  (select max(version_id) from %[1]s.schema_migrations where is_applied)`, schema)).Scan(&c.TimeZone, &c.Migration)
	if err == nil && c.Migration > postgres.Version {
		return c, fault.New(fault.Conflict,
			"the tables in the schema %s are of a newer version of Kontor (migration %d, and this program knows those up to %d)",
			schema, c.Migration, postgres.Version)
	}
	return c, err
}
