package bootstrap

import (
	"context"
	"errors"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgcompany"
	"github.com/kontor-crm/kontor/application/company"
)

// Companies are what operators do with companies.
type Companies struct {
	*company.Companies
	Store *pgcompany.Store
}

// NewCompanies connects lazily to the database of the settings; the function closes the
// connections.
func NewCompanies(ctx context.Context, c Config) (*Companies, func(), error) {
	store, err := pgcompany.NewStore(ctx, c.DatabaseURL)
	if err != nil {
		return nil, nil, err
	}
	return &Companies{company.New(store, newClock(c)), store}, store.Close, nil
}

// InCompany are the settings with which the records of the chosen company are used: its
// tables, and its time zone. Without a choice they are unchanged.
func InCompany(ctx context.Context, c Config) (Config, error) {
	if c.CompanyName == "" {
		return c, nil
	}
	companies, closeAll, err := NewCompanies(ctx, c)
	if err != nil {
		return c, err
	}
	defer closeAll()
	if c.Company, err = companies.Usable(ctx, c.CompanyName); err != nil {
		return c, err
	}
	c.TimeZone = c.Company.TimeZone
	c.DatabaseURL, err = postgres.InCompany(c.DatabaseURL, c.Company.Code)
	return c, err
}

// DefaultZone is the time zone of the default company, or UTC if it has none yet.
func (c *Companies) DefaultZone(ctx context.Context) (string, error) {
	zone, err := postgres.Zone(ctx, c.Store.URL())
	if errors.Is(err, postgres.ErrNoZone) {
		return defaults.TimeZone, nil
	}
	return zone, err
}

// MigrateCompanies brings all companies up to date, and the catalogue. Without a catalogue
// it does nothing.
func MigrateCompanies(ctx context.Context, c Config, show func(pgcompany.Migrated)) (pgcompany.Migrated, error) {
	companies, closeAll, err := NewCompanies(ctx, c)
	if err != nil {
		return pgcompany.Migrated{}, err
	}
	defer closeAll()
	version, err := companies.Store.Version(ctx)
	if err != nil || version == 0 {
		return pgcompany.Migrated{}, err
	}
	if err := companies.Store.Prepare(ctx); err != nil {
		return pgcompany.Migrated{}, err
	}
	return companies.Store.MigrateUp(ctx, pgcompany.Workers, show)
}
