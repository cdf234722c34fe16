package pgcompany

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kontor-crm/kontor/ports/company"
)

// Querier is a pool or a connection; its search path does not matter.
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// Catalogue reads the catalogue.
type Catalogue struct{ db Querier }

// NewCatalogue reads from the database.
func NewCatalogue(db Querier) *Catalogue { return &Catalogue{db} }

const selectVersion = `
select version
from kontor_shared.catalogue
where name = 'companies'`

// Version implements company.Catalogue.
func (c *Catalogue) Version(ctx context.Context) (int64, error) {
	rows, err := c.db.Query(ctx, selectVersion)
	if err != nil {
		return 0, orNone(err)
	}
	version, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[int64])
	return version, orNone(err)
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
	rows, err := c.db.Query(ctx, selectCompanies)
	if err != nil {
		return l, orNone(err)
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
		return company.Listing{}, orNone(err)
	}
	return l, nil
}

// fields are the columns of a company, in the order of all statements.
func fields(c *company.Company) []any {
	return []any{&c.Code, &c.Name, &c.State, &c.TimeZone, &c.Migration, &c.CreatedAt}
}

// orNone is nil if the database has no catalogue.
func orNone(err error) error {
	const undefinedTable = "42P01"
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && pg.Code == undefinedTable {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the catalogue of companies: %w", err)
	}
	return nil
}
