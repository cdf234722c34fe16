package pgcompany

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/ports/company"
)

// Querier is a pool or a connection; its search path does not matter.
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// Catalogue reads the catalogue. Without one there are no companies, and the version is 0.
type Catalogue struct {
	db     Querier
	exists atomic.Bool // as far as is known
}

// NewCatalogue reads from the database.
func NewCatalogue(db Querier) *Catalogue { return &Catalogue{db: db} }

// exist reports whether there is a catalogue: the first company creates it. A statement on a
// missing table would be an error in the log of the server.
func (c *Catalogue) exist(ctx context.Context) (bool, error) {
	if c.exists.Load() {
		return true, nil
	}
	rows, err := c.db.Query(ctx, "select to_regclass('kontor_shared.catalogue') is not null")
	if err != nil {
		return false, unread(err)
	}
	exists, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[bool])
	if exists {
		c.exists.Store(true)
	}
	return exists, unread(err)
}

const selectVersion = `
select version
from kontor_shared.catalogue
where name = 'companies'`

// Version implements company.Catalogue.
func (c *Catalogue) Version(ctx context.Context) (int64, error) {
	if exists, err := c.exist(ctx); err != nil || !exists {
		return 0, err
	}
	rows, err := c.db.Query(ctx, selectVersion)
	if err != nil {
		return 0, unread(err)
	}
	version, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[int64])
	return version, unread(err)
}

// The version and the companies are of one statement, and so of one moment. Without
// companies there is one row, without a code.
const selectCompanies = `
select v.version, coalesce(c.code, ''), coalesce(c.name, ''), coalesce(c.state, ''), coalesce(c.time_zone, ''),
  coalesce(c.migration, 0), coalesce(c.created_at, 'epoch')
from kontor_shared.catalogue v
left join kontor_shared.companies c on true
where v.name = 'companies'
order by c.name`

// List implements company.Catalogue.
func (c *Catalogue) List(ctx context.Context) (l company.Listing, err error) {
	if exists, err := c.exist(ctx); err != nil || !exists {
		return l, err
	}
	rows, err := c.db.Query(ctx, selectCompanies)
	if err != nil {
		return l, unread(err)
	}
	var row company.Company
	_, err = pgx.ForEachRow(rows, append([]any{&l.Version}, fields(&row)...), func() error {
		if row.Code != "" {
			row.CreatedAt = row.CreatedAt.UTC()
			l.Companies = append(l.Companies, row)
		}
		return nil
	})
	if err != nil {
		return company.Listing{}, unread(err)
	}
	return l, nil
}

// fields are the columns of a company, in the order of all statements.
func fields(c *company.Company) []any {
	return []any{&c.Code, &c.Name, &c.State, &c.TimeZone, &c.Migration, &c.CreatedAt}
}

func unread(err error) error {
	if err != nil {
		return fmt.Errorf("read the catalogue of companies: %w", err)
	}
	return nil
}
