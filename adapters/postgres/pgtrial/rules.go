package pgtrial

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Rules implements repository.StoredRules.
type Rules struct {
	db *pgxpool.Pool
}

// NewRules returns the Rules of the database.
func NewRules(db *pgxpool.Pool) *Rules { return &Rules{db} }

var _ repository.StoredRules = (*Rules)(nil)

const selectRule = `
select id, version, name, resource, operations, coalesce(expression, ''), coalesce(message, ''), coalesce(field, ''),
    mode, source, created_at, updated_at
from rules
`

// Named implements repository.StoredRules.
func (r *Rules) Named(ctx context.Context, name string) (ruledef.State, error) {
	return r.one(ctx, selectRule+"where name = $1", name)
}

// Numbered implements repository.StoredRules.
func (r *Rules) Numbered(ctx context.Context, id ruledef.ID) (ruledef.State, error) {
	return r.one(ctx, selectRule+"where id = $1", id)
}

func (r *Rules) one(ctx context.Context, sql string, arg any) (ruledef.State, error) {
	s, err := postgres.Repeat(ctx, r.db, func() (s ruledef.State, err error) {
		var mode, source string
		err = r.db.QueryRow(ctx, sql, arg).Scan(&s.ID, &s.Version, &s.Name, &s.Resource, &s.On, &s.Expression, &s.Message, &s.Field,
			&mode, &source, &s.CreatedAt, &s.UpdatedAt)
		s.Mode, _ = ruledef.ParseMode(mode)
		s.Source, _ = ruledef.ParseSource(source)
		return s, err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return s, fault.New(fault.NotFound, "there is no such rule")
	}
	return s, postgres.Fault(err, postgres.Storing)
}
