package httpapi

import (
	"maps"
	"net/http"
	"slices"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Changes returns the log of changes of the records of each of the resources.
func Changes(readers map[string]readmodel.Reader[readmodel.ChangeFilter]) (all Resource) {
	for _, path := range slices.Sorted(maps.Keys(readers)) {
		r := endpoint[readmodel.ChangeFilter]{
			path:     path,
			table:    readmodel.Changes,
			reader:   readers[path],
			format:   jsonFormat,
			record:   "Change",
			docs:     &changeDocs,
			statuses: map[apidoc.Verb][]int{apidoc.List: {http.StatusNotFound}},
			filter: func(p *params) readmodel.ChangeFilter {
				return readmodel.ChangeFilter{Resource: path, RecordID: p.id}
			},
		}
		all = append(all, r.action(http.MethodGet, "/:id/changes", apidoc.List, &apidoc.Action{
			ID: "list" + apidoc.Capital(path) + "Changes", Summary: "List changes of one " + path,
			Does: "Returns who has created, changed and deleted the record in the path, the latest first, for as many days as the " +
				"operator keeps that (400 by default). A record that does not exist is a 404, unless its deletion is listed.",
		}, r.list))
	}
	return all
}

var changeDocs = apidoc.Docs{
	Attributes: apidoc.Attributes{
		"at":         "When the change was made.",
		"action":     "`create`, `update` or `delete`.",
		"user_id":    "The user who made the change; null for an operator at the command line.",
		"request_id": "The `X-Request-Id` of the request; null at the command line.",
		"cause":      "The name of the reaction that made the change; null if the request itself did.",
		"attributes": "What an update has changed. `party` stands for the party of the record.",
	},
	Embedded: map[string]apidoc.Attributes{
		"ChangedAttribute": {
			"name": "The attribute.",
			"old":  "Its value before, as text; null if there was none, and of an attribute that may have personal data.",
			"new":  "Its value after the change, likewise.",
		},
	},
}
