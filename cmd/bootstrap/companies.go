package bootstrap

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgtenant"
	"github.com/kontor-crm/kontor/application/tenant"
	ports "github.com/kontor-crm/kontor/ports/tenant"
)

// Companies has the use cases that manage companies.
type Companies struct {
	*tenant.Tenants
	Store *pgtenant.Store
}

// NewCompanies connects lazily to the database. The returned function closes the
// connections.
func NewCompanies(ctx context.Context, c Config) (*Companies, func(), error) {
	store, err := pgtenant.NewStore(ctx, c.DatabaseURL)
	if err != nil {
		return nil, nil, err
	}
	return &Companies{tenant.New(store, newClock(c)), store}, store.Close, nil
}

// InCompany returns the settings for the records of the chosen company: with its schema
// and its time zone. Without a choice it returns them unchanged.
func InCompany(ctx context.Context, c Config) (Config, error) {
	if c.CompanyName == "" {
		return c, nil
	}
	companies, closeAll, err := NewCompanies(ctx, c)
	if err != nil {
		return c, err
	}
	defer closeAll()
	if c.Tenant, err = companies.Usable(ctx, c.CompanyName); err != nil {
		return c, err
	}
	c.TimeZone = c.Tenant.TimeZone
	c.DatabaseURL, err = postgres.InTenant(c.DatabaseURL, c.Tenant.Code)
	return c, err
}

// DefaultZone returns the time zone of the default company, or UTC if it has none yet.
func (c *Companies) DefaultZone(ctx context.Context) (string, error) {
	zone, err := postgres.Zone(ctx, c.Store.URL())
	if errors.Is(err, postgres.ErrNoZone) {
		return defaults.TimeZone, nil
	}
	return zone, err
}

// ListCompanies returns all companies, ordered by name.
func ListCompanies(ctx context.Context, c Config) (list []ports.Tenant, err error) {
	companies, closeAll, err := NewCompanies(ctx, c)
	if err != nil {
		return nil, err
	}
	defer closeAll()
	return companies.List(ctx)
}

// MigrateCompanies migrates the catalogue and all companies. Without a catalogue it does
// nothing.
func MigrateCompanies(ctx context.Context, c Config) (pgtenant.Migrated, error) {
	return withCatalogue(ctx, c, func(s *pgtenant.Store) (pgtenant.Migrated, error) {
		if err := s.Prepare(ctx); err != nil {
			return pgtenant.Migrated{}, err
		}
		return s.MigrateUp(ctx, pgtenant.Workers, ignore)
	})
}

// MigrateCompaniesDown rolls back the migrations of all companies above that number.
func MigrateCompaniesDown(ctx context.Context, c Config, to int64) (pgtenant.Migrated, error) {
	return withCatalogue(ctx, c, func(s *pgtenant.Store) (pgtenant.Migrated, error) {
		return s.MigrateDownTo(ctx, to, pgtenant.Workers, ignore)
	})
}

func ignore(pgtenant.Migrated) {}

func withCatalogue(
	ctx context.Context, c Config, use func(*pgtenant.Store) (pgtenant.Migrated, error),
) (m pgtenant.Migrated, err error) {
	companies, closeAll, err := NewCompanies(ctx, c)
	if err != nil {
		return m, err
	}
	defer closeAll()
	version, err := companies.Store.Version(ctx)
	if err != nil || version == 0 {
		return m, err
	}
	return use(companies.Store)
}

// StartMigration migrates all companies in the background. Until a company is migrated,
// the service rejects its requests. Failures are logged. The returned function stops it.
func StartMigration(ctx context.Context, c Config, log *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() {
		m, err := MigrateCompanies(ctx, c)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			log.Error("the companies could not be migrated", "error", err.Error())
		case m.Done > 0:
			log.Info("companies were migrated", "companies", m.Done)
		}
		for _, f := range m.Failed {
			log.Error("a company could not be migrated: correct the cause and run kontor migrate up", "company", f.Name, "error", f.Err.Error())
		}
	})
	return func() {
		cancel()
		running.Wait()
	}
}
