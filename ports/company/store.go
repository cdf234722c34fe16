package company

import (
	"context"
	"io"
	"time"
)

// Notice is within which time every service knows a change of the catalogue.
const Notice = 2 * time.Second

// Store changes companies. Each change of the catalogue makes its version higher.
type Store interface {
	Catalogue
	// Prepare creates the catalogue, or brings it up to date.
	Prepare(ctx context.Context) error
	// Claim stores the company in the state Adding, and calls use while no other process
	// can change it. If an addition of that name was not finished, and no process works on
	// it, use gets the company of that addition, in the new time zone. Any other company of
	// the name is a fault.Conflict.
	Claim(ctx context.Context, c Company, use func(Held) error) error
	// Hold calls use with the company of that name while no other process can change it;
	// fault.NotFound if there is none, fault.Conflict if another process is changing it.
	Hold(ctx context.Context, name string, use func(Held) error) error
	// Export writes a company with all its records, as they are at one moment.
	Export(ctx context.Context, c Company, to io.Writer) error
	// Restore creates a company from an export, whole or not at all. choose is given the
	// company that was exported, and returns the new one, for Claim. A file that is no
	// export, or a damaged one, is a fault.Invalid.
	Restore(ctx context.Context, from io.Reader, choose func(exported Company) (Company, error)) error
}

// Held is a company that no other process can change.
type Held interface {
	// Company is the row of the catalogue.
	Company() Company
	// Save changes the row; fault.Conflict if another company has the name.
	Save(ctx context.Context, c Company) error
	// Create creates the schema with its tables and makes the company Active, both or
	// neither. What an addition has left of the schema is dropped.
	Create(ctx context.Context) error
	// SetZone stores the time zone, and updates the records that depend on it.
	SetZone(ctx context.Context, zone string) error
	// Settle waits until every running service knows the saved row.
	Settle(ctx context.Context) error
	// Drop drops the schema and removes the row, both or neither.
	Drop(ctx context.Context) error
}
