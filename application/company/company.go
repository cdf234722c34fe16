// Package company contains the use cases of operators that manage companies. An operation
// that was interrupted is completed by repeating it, or undone by removing the company.
package company

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/company"
)

// Companies are the use cases that manage companies.
type Companies struct {
	store company.Store
	clock ports.Clock
}

// New returns the use cases.
func New(store company.Store, clock ports.Clock) *Companies { return &Companies{store, clock} }

// Add adds a company, or completes an interrupted addition of that name.
func (c *Companies) Add(ctx context.Context, name, zone string) (added company.Company, err error) {
	if err := company.CheckName(name); err != nil {
		return added, err
	}
	if err := c.store.Prepare(ctx); err != nil {
		return added, err
	}
	row, err := c.unfinished(name, zone)
	if err != nil {
		return added, err
	}
	err = c.store.Add(ctx, row, func(h company.Held) error {
		err := h.Create(ctx)
		added = h.Company()
		return err
	})
	return added, err
}

// unfinished returns a new company, in the state Adding.
func (c *Companies) unfinished(name, zone string) (company.Company, error) {
	var random [4]byte
	if _, err := rand.Read(random[:]); err != nil {
		return company.Company{}, fmt.Errorf("read random bits: %w", err)
	}
	return company.Company{
		Code: company.Code(hex.EncodeToString(random[:])), Name: name, State: company.Adding, TimeZone: zone, CreatedAt: c.clock.Now(),
	}, nil
}

// Adopt adds a company whose tables are in the schema of that code already, for example restored from a dump.
func (c *Companies) Adopt(ctx context.Context, name string, code company.Code) (adopted company.Company, err error) {
	if err := company.CheckName(name); err != nil {
		return adopted, err
	}
	if err := c.store.Prepare(ctx); err != nil {
		return adopted, err
	}
	return c.store.Adopt(ctx, company.Company{Code: code, Name: name, State: company.Active, CreatedAt: c.clock.Now()})
}

// List returns all companies, ordered by name.
func (c *Companies) List(ctx context.Context) ([]company.Company, error) {
	listing, err := c.store.List(ctx)
	return listing.Companies, err
}

// Find returns the company with the name; fault.NotFound if there is none.
func (c *Companies) Find(ctx context.Context, name string) (company.Company, error) {
	all, err := c.List(ctx)
	if err != nil {
		return company.Company{}, err
	}
	i := slices.IndexFunc(all, func(c company.Company) bool { return c.Name == name })
	if i < 0 {
		return company.Company{}, company.ErrUnknown
	}
	return all[i], nil
}

// Usable is like Find, but returns an error for a company that is not completely added or is
// being removed. A disabled company is usable.
func (c *Companies) Usable(ctx context.Context, name string) (company.Company, error) {
	found, err := c.Find(ctx, name)
	if err != nil {
		return found, err
	}
	return found, complete(found)
}

// complete returns an error for a company that is not complete.
func complete(c company.Company) error {
	switch c.State {
	case company.Adding:
		return fault.New(fault.Conflict, "the company is not complete: kontor company add %s finishes it, "+
			"and kontor company remove %s --really removes it", c.Name, c.Name)
	case company.Removing:
		return fault.New(fault.Conflict, "the company is being removed: kontor company remove %s --really finishes it", c.Name)
	}
	return nil
}

// Rename changes the name of a company. Its tokens stay valid.
func (c *Companies) Rename(ctx context.Context, from, to string) error {
	if err := company.CheckName(to); err != nil {
		return err
	}
	return c.change(ctx, from, func(row *company.Company) { row.Name = to })
}

// Disable makes services reject the tokens of a company.
func (c *Companies) Disable(ctx context.Context, name string) error {
	return c.change(ctx, name, func(row *company.Company) { row.State = company.Disabled })
}

// Enable makes services accept the tokens of a disabled company again.
func (c *Companies) Enable(ctx context.Context, name string) error {
	return c.change(ctx, name, func(row *company.Company) { row.State = company.Active })
}

// SetZone changes the time zone of a company, and updates the records that depend on it. No service may run meanwhile.
func (c *Companies) SetZone(ctx context.Context, name, zone string) error {
	return c.store.Hold(ctx, name, func(h company.Held) error {
		if err := complete(h.Company()); err != nil {
			return err
		}
		return h.SetZone(ctx, zone)
	})
}

func (c *Companies) change(ctx context.Context, name string, change func(*company.Company)) error {
	return c.store.Hold(ctx, name, func(h company.Held) error {
		row := h.Company()
		if err := complete(row); err != nil {
			return err
		}
		change(&row)
		if row == h.Company() {
			return nil
		}
		return h.Save(ctx, row)
	})
}

// Remove removes a company with all its records, or completes an interrupted removal. Its
// tokens are rejected from the start.
func (c *Companies) Remove(ctx context.Context, name string) error {
	return c.store.Hold(ctx, name, func(h company.Held) error {
		row := h.Company()
		mayServe := row.State == company.Active || row.State == company.Removing
		row.State = company.Removing
		if err := h.Save(ctx, row); err != nil {
			return err
		}
		if mayServe {
			if err := h.AwaitPropagation(ctx); err != nil {
				return err
			}
		}
		return h.Drop(ctx)
	})
}
