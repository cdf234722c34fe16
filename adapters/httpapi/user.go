package httpapi

import (
	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Users returns the user resource, which can only be read.
func Users(reader readmodel.Reader[readmodel.NoFilter]) Resource {
	return endpoint[readmodel.NoFilter]{
		path:   "user",
		table:  readmodel.Users,
		noUser: readmodel.PublicUsers,
		reader: reader,
		format: xmlFormat,
		public: true,
		filter: unfiltered,
		record: "User",
		docs:   &userDocs,
	}.reading()
}

var userDocs = apidoc.Docs{
	Description: "Users are the people who work with the service. They are managed with `kontor user` on the command line, and are " +
		"read-only here. Where the operator permits reading them without a token, such a request gets no `username` and no `email`.",
	Attributes: apidoc.Attributes{
		"name":     "First and last name, or the username if both are empty.",
		"username": "The login name, as used on the command line.",
		"fname":    "First name.",
		"lname":    "Last name.",
	},
}
