// Package tenant contains the ports for companies: several sets of users and records in
// one database, served by one service. Each company has its own schema, and the catalogue
// lists them. The default company is in the schema of the database URL and is not listed;
// a database with no other company has no catalogue.
package tenant

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/kontor-crm/kontor/domain/fault"
)

// Code identifies a company. It is random, never changes, and is unique. The empty code
// is the default company.
type Code string

var codeForm = regexp.MustCompile(`^[0-9a-f]{8}$`)

// ParseCode parses a code; ok is false if it is not well-formed.
func ParseCode(s string) (c Code, ok bool) {
	return Code(s), codeForm.MatchString(s)
}

// Schema returns the name of the schema with the company's tables; empty for the default
// company, whose schema is that of the database URL.
func (c Code) Schema() string {
	if c == "" {
		return ""
	}
	return "company_" + string(c)
}

// State is the lifecycle state of a company.
type State string

// The states. Requests are served in Active only.
const (
	Adding   State = "adding"   // its schema is being created, or was not finished
	Active   State = "active"   //
	Disabled State = "disabled" // by an operator, who can enable it
	Removing State = "removing" // its schema is being dropped, or was not finished
)

// Tenant is a row of the catalogue.
type Tenant struct {
	Code      Code
	Name      string
	State     State
	TimeZone  string // IANA name
	Migration int64  // the newest migration that its schema has completely
	CreatedAt time.Time
	Node      string // host and port of the worker with its tables; empty: the server of the database URL
}

var nameForm = regexp.MustCompile(`^[a-z][a-z0-9-]{0,62}$`)

// reserved are names that could be mistaken for something else.
var reserved = []string{"all", "default", "information-schema", "kontor", "public"}

// CheckName returns a fault.Invalid for a name that a company cannot have.
func CheckName(name string) error {
	switch {
	case !nameForm.MatchString(name):
		return fault.ForField(fault.Invalid, "name",
			"must begin with a letter and have at most 63 letters a to z, digits and hyphens, all in lower case")
	case slices.Contains(reserved, name), strings.HasPrefix(name, "pg-"):
		return fault.ForField(fault.Invalid, "name", "is reserved: must not be %s, or begin with pg-", strings.Join(reserved, ", "))
	}
	return nil
}

// Listing is the content of the catalogue at one time.
type Listing struct {
	Version int64 // grows with each change; 0 if there has never been a company
	Tenants []Tenant
}

// Catalogue reads the list of companies.
type Catalogue interface {
	// Version returns the version of the catalogue, which each change increases; 0 if
	// there has never been a company.
	Version(ctx context.Context) (int64, error)
	// List returns all companies, ordered by name, and the version at the same time.
	List(ctx context.Context) (Listing, error)
}

// ErrUnknown is the error for a name that no company has.
var ErrUnknown = fault.New(fault.NotFound, "there is no company of this name: kontor company list has the names")

// ErrTaken is the error for a name that another company has.
var ErrTaken = fault.New(fault.Conflict, "another company has this name: choose another one")

// ErrBusy is the error while another process changes the company.
var ErrBusy = fault.New(fault.Conflict, "another kontor process is changing this company: try again when it has finished")
