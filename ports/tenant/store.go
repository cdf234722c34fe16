package tenant

import (
	"context"
	"time"
)

// PropagationDelay is the time within which every running service notices a change of the catalogue.
const PropagationDelay = 2 * time.Second

// Store changes companies. Each change of the catalogue increases its version.
type Store interface {
	Catalogue
	// Prepare creates the catalogue, or brings it up to date.
	Prepare(ctx context.Context) error
	// Add stores the company in the state Adding, and calls use while no other process
	// can change it. If an addition of that name was interrupted, use gets the company of
	// that addition, with the new time zone. Any other company of the name is a
	// fault.Conflict.
	Add(ctx context.Context, c Tenant, use func(Held) error) error
	// Hold calls use with the company of that name while no other process can change it. It
	// returns a fault.NotFound if there is none, and a fault.Conflict if another process is
	// changing it.
	Hold(ctx context.Context, name string, use func(Held) error) error
	// Adopt stores a company whose tables exist, with their time zone and migration. Without tables it is a
	// fault.NotFound, and if the name or the code is taken or the tables are newer than the program, a fault.Conflict.
	Adopt(ctx context.Context, c Tenant) (Tenant, error)
}

// Held is a company that no other process can change meanwhile.
type Held interface {
	// Tenant returns the row of the catalogue.
	Tenant() Tenant
	// Save changes the row; fault.Conflict if another company has the name.
	Save(ctx context.Context, c Tenant) error
	// Create creates the schema with its tables and makes the company Active, atomically. A
	// schema left by an interrupted addition is dropped first.
	Create(ctx context.Context) error
	// SetZone stores the time zone, and updates the records that depend on it. It is an error while a service is connected.
	SetZone(ctx context.Context, zone string) error
	// AwaitPropagation waits until every running service has noticed the saved row.
	AwaitPropagation(ctx context.Context) error
	// Drop drops the schema and deletes the row, atomically.
	Drop(ctx context.Context) error
}
