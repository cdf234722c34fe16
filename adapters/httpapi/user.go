package httpapi

import "github.com/kontor-crm/kontor/ports/readmodel"

func userRoutes(reader readmodel.Reader[readmodel.NoFilter]) []route {
	return resource[readmodel.NoFilter]{
		path:   "user",
		table:  readmodel.Users,
		reader: reader,
		format: xmlFormat,
		public: true,
		filter: unfiltered,
		record: "User",
		lesson: &userLesson,
	}.reading()
}

var userLesson = lesson{
	about: "Users are the people who work with the service. They are managed by `kontor user` and can only be read here.",
	notes: notes{
		"id":       shows("", "4"),
		"name":     shows("First and last name; the username where there is neither.", "Mira Berg"),
		"username": shows("The name that commands know the user by.", "mira"),
		"fname":    shows("First name.", "Mira"),
		"lname":    shows("Last name.", "Berg"),
		"email":    shows("", "mira@example.org"),
	},
}
