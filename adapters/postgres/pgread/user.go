package pgread

import (
	"maps"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// NewUsers returns the reader of users.
func NewUsers(db Querier) readmodel.Reader[readmodel.NoFilter] {
	return newReader[readmodel.NoFilter](db, users)
}

var users = &mapping{
	resource: readmodel.Users,
	table:    "users",
	columns: map[string]string{
		"id":       "r.id",
		"version":  "r.version",
		"name":     "r.name",
		"username": "r.username",
		"fname":    "r.fname",
		"lname":    "r.lname",
		"email":    "r.email",
	},
	keys: map[string]string{
		"name":     "r.name_key",
		"username": "r.username_key",
		"fname":    "r.fname_key",
		"lname":    "r.lname_key",
		"email":    "r.email_key",
	},
}

// embeddedUser returns the user joined as alias and shown under the path.
func embeddedUser(path, alias string) map[string]string {
	return map[string]string{
		path + ".id":       alias + ".id",
		path + ".username": alias + ".username",
		path + ".fname":    alias + ".fname",
		path + ".lname":    alias + ".lname",
		path + ".email":    alias + ".email",
	}
}

// merge returns the columns of all the maps.
func merge(columns ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, m := range columns {
		maps.Copy(all, m)
	}
	return all
}
