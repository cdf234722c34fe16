package pgread

import (
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// NewUsers returns the reader of users.
func NewUsers(db Querier) readmodel.Reader[readmodel.NoFilter] {
	return newReader[readmodel.NoFilter](db, users)
}

var users = mapped(mapping{resource: readmodel.Users, table: "users"})
