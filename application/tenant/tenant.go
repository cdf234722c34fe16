// Package tenant contains the use cases of operators that manage companies. An operation
// that was interrupted is completed by repeating it, or undone by removing the company.
package tenant

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/tenant"
)

// Tenants are the use cases that manage companies.
type Tenants struct {
	store tenant.Store
	clock ports.Clock
}

// New returns the use cases.
func New(store tenant.Store, clock ports.Clock) *Tenants { return &Tenants{store, clock} }

// Add adds a company, or completes an interrupted addition of that name.
func (c *Tenants) Add(ctx context.Context, name, zone string) (added tenant.Tenant, err error) {
	if err := tenant.CheckName(name); err != nil {
		return added, err
	}
	if err := c.store.Prepare(ctx); err != nil {
		return added, err
	}
	row, err := c.unfinished(name, zone)
	if err != nil {
		return added, err
	}
	err = c.store.Add(ctx, row, func(h tenant.Held) error {
		err := h.Create(ctx)
		added = h.Tenant()
		return err
	})
	return added, err
}

// unfinished returns a new company, in the state Adding.
func (c *Tenants) unfinished(name, zone string) (tenant.Tenant, error) {
	var random [4]byte
	if _, err := rand.Read(random[:]); err != nil {
		return tenant.Tenant{}, fmt.Errorf("read random bits: %w", err)
	}
	return tenant.Tenant{
		Code: tenant.Code(hex.EncodeToString(random[:])), Name: name, State: tenant.Adding, TimeZone: zone, CreatedAt: c.clock.Now(),
	}, nil
}

// Adopt adds a company whose tables are in the schema of that code already, for example restored from a dump.
func (c *Tenants) Adopt(ctx context.Context, name string, code tenant.Code) (adopted tenant.Tenant, err error) {
	if err := tenant.CheckName(name); err != nil {
		return adopted, err
	}
	if err := c.store.Prepare(ctx); err != nil {
		return adopted, err
	}
	return c.store.Adopt(ctx, tenant.Tenant{Code: code, Name: name, State: tenant.Active, CreatedAt: c.clock.Now()})
}

// List returns all companies, ordered by name.
func (c *Tenants) List(ctx context.Context) ([]tenant.Tenant, error) {
	listing, err := c.store.List(ctx)
	return listing.Tenants, err
}

// Find returns the company with the name; fault.NotFound if there is none.
func (c *Tenants) Find(ctx context.Context, name string) (tenant.Tenant, error) {
	all, err := c.List(ctx)
	if err != nil {
		return tenant.Tenant{}, err
	}
	i := slices.IndexFunc(all, func(c tenant.Tenant) bool { return c.Name == name })
	if i < 0 {
		return tenant.Tenant{}, tenant.ErrUnknown
	}
	return all[i], nil
}

// Usable is like Find, but returns an error for a company that is not completely added or is
// being removed. A disabled company is usable.
func (c *Tenants) Usable(ctx context.Context, name string) (tenant.Tenant, error) {
	found, err := c.Find(ctx, name)
	if err != nil {
		return found, err
	}
	return found, complete(found)
}

// complete returns an error for a company that is not complete.
func complete(c tenant.Tenant) error {
	switch c.State {
	case tenant.Adding:
		return fault.New(fault.Conflict, "the company is not complete: kontor company add %s finishes it, "+
			"and kontor company remove %s --really removes it", c.Name, c.Name)
	case tenant.Removing:
		return fault.New(fault.Conflict, "the company is being removed: kontor company remove %s --really finishes it", c.Name)
	}
	return nil
}

// Rename changes the name of a company. Its tokens stay valid.
func (c *Tenants) Rename(ctx context.Context, from, to string) error {
	if err := tenant.CheckName(to); err != nil {
		return err
	}
	return c.change(ctx, from, func(row *tenant.Tenant) { row.Name = to })
}

// Disable makes services reject the tokens of a company.
func (c *Tenants) Disable(ctx context.Context, name string) error {
	return c.change(ctx, name, func(row *tenant.Tenant) { row.State = tenant.Disabled })
}

// Enable makes services accept the tokens of a disabled company again.
func (c *Tenants) Enable(ctx context.Context, name string) error {
	return c.change(ctx, name, func(row *tenant.Tenant) { row.State = tenant.Active })
}

// SetZone changes the time zone of a company, and updates the records that depend on it. No service may run meanwhile.
func (c *Tenants) SetZone(ctx context.Context, name, zone string) error {
	return c.store.Hold(ctx, name, func(h tenant.Held) error {
		if err := complete(h.Tenant()); err != nil {
			return err
		}
		return h.SetZone(ctx, zone)
	})
}

func (c *Tenants) change(ctx context.Context, name string, change func(*tenant.Tenant)) error {
	return c.store.Hold(ctx, name, func(h tenant.Held) error {
		row := h.Tenant()
		if err := complete(row); err != nil {
			return err
		}
		change(&row)
		if row == h.Tenant() {
			return nil
		}
		return h.Save(ctx, row)
	})
}

// Remove removes a company with all its records, or completes an interrupted removal. Its
// tokens are rejected from the start.
func (c *Tenants) Remove(ctx context.Context, name string) error {
	return c.store.Hold(ctx, name, func(h tenant.Held) error {
		row := h.Tenant()
		mayServe := row.State == tenant.Active || row.State == tenant.Removing
		row.State = tenant.Removing
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
