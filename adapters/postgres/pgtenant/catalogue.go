package pgtenant

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/ports/tenant"
)

// Querier is a pool or a connection with any search path.
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// Catalogue implements tenant.Catalogue. In a database without a catalogue it finds no
// companies, and the version 0.
type Catalogue struct {
	db       Querier
	exists   atomic.Bool // as far as is known
	hasCitus atomic.Bool // if it exists
}

// NewCatalogue returns a Catalogue of the database.
func NewCatalogue(db Querier) *Catalogue { return &Catalogue{db: db} }

// exist reports whether there is a catalogue: the first company creates it. A statement on a
// missing table would be an error in the log of the server.
func (c *Catalogue) exist(ctx context.Context) (bool, error) {
	if c.exists.Load() {
		return true, nil
	}
	rows, err := c.db.Query(ctx, `
select to_regclass('kontor_shared.catalogue') is not null, to_regclass('pg_catalog.pg_dist_placement') is not null`)
	if err != nil {
		return false, unread(err)
	}
	var exists, hasCitus bool
	_, err = pgx.ForEachRow(rows, []any{&exists, &hasCitus}, func() error { return nil })
	if err == nil && exists {
		c.hasCitus.Store(hasCitus)
		c.exists.Store(true)
	}
	return exists, unread(err)
}

// version returns the version of the catalogue v in a statement. On Citus it also grows with each
// move of tables, by whichever command: the new place of a table has a higher number than all
// others.
func (c *Catalogue) version() string {
	if !c.hasCitus.Load() {
		return "v.version"
	}
	return "v.version + (select coalesce(max(placementid), 0) from pg_dist_placement)"
}

// Version implements tenant.Catalogue.
func (c *Catalogue) Version(ctx context.Context) (int64, error) {
	if exists, err := c.exist(ctx); err != nil || !exists {
		return 0, err
	}
	rows, err := c.db.Query(ctx, `
select `+c.version()+`
from kontor_shared.catalogue v
where v.name = 'companies'`)
	if err != nil {
		return 0, unread(err)
	}
	version, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[int64])
	return version, unread(err)
}

// List implements tenant.Catalogue. One statement reads the version and the companies, so that
// they are consistent. Without companies it returns one row, without a code.
func (c *Catalogue) List(ctx context.Context) (l tenant.Listing, err error) {
	if exists, err := c.exist(ctx); err != nil || !exists {
		return l, err
	}
	rows, err := c.db.Query(ctx, `
select `+c.version()+`, coalesce(c.code, ''), coalesce(c.name, ''), coalesce(c.state, ''), coalesce(c.time_zone, ''),
  coalesce(c.migration, 0), coalesce(c.created_at, 'epoch')
from kontor_shared.catalogue v
left join kontor_shared.companies c on true
where v.name = 'companies'
order by c.name`)
	if err != nil {
		return l, unread(err)
	}
	var row tenant.Tenant
	_, err = pgx.ForEachRow(rows, append([]any{&l.Version}, fields(&row)...), func() error {
		if row.Code != "" {
			row.CreatedAt = row.CreatedAt.UTC()
			l.Tenants = append(l.Tenants, row)
		}
		return nil
	})
	if err != nil {
		return tenant.Listing{}, unread(err)
	}
	return l, c.addNodes(ctx, l.Tenants)
}

// addNodes adds the workers of companies, in a database with Citus.
func (c *Catalogue) addNodes(ctx context.Context, tenants []tenant.Tenant) error {
	if !c.hasCitus.Load() || len(tenants) == 0 {
		return nil
	}
	found, err := nodes(ctx, c.db)
	for i := range tenants {
		tenants[i].Node = found[tenants[i].Code]
	}
	return unread(err)
}

func fields(c *tenant.Tenant) []any {
	return []any{&c.Code, &c.Name, &c.State, &c.TimeZone, &c.Migration, &c.CreatedAt}
}

func unread(err error) error {
	if err != nil {
		return fmt.Errorf("read the catalogue of companies: %w", err)
	}
	return nil
}
