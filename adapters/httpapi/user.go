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
	}.reading()
}
