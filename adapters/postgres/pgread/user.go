package pgread

import (
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// NewUsers returns the reader of users.
func NewUsers(db Querier) readmodel.Reader[readmodel.NoFilter] {
	return newReader[readmodel.NoFilter](db, users)
}

var users = &mapping{
	resource: readmodel.Users,
	table:    "users",
	columns:  own("id", "version", "name", "username", "fname", "lname", "email"),
	keys:     sortKeys("name", "username", "fname", "lname", "email"),
}

func embeddedUser(path string) map[string]string {
	return columns(path+".", "u", "id", "username", "fname", "lname", "email")
}
