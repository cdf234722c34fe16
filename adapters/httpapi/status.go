package httpapi

import (
	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Statuses returns the status resource.
func Statuses(reader readmodel.Reader[readmodel.NoFilter], commands *command.Statuses) Resource {
	return endpoint[readmodel.NoFilter]{
		path:   "status",
		table:  readmodel.Statuses,
		reader: reader,
		format: xmlFormat,
		public: true,
		filter: unfiltered,
		record: "Status",
		docs:   &statusDocs,
		body:   fieldsOf(statusAttributes),
	}.writing(writesOf(commands, statusAttributes))
}

func statusAttributes(in *input) catalog.StatusAttributes {
	return catalog.StatusAttributes{
		Name: in.requiredText("name", shortText, ""),
		Default: in.boolean(in.field("default", apidoc.Bool, "Whether new deals start with this status.", inBody(
			"True makes this the default status instead of the current one, which is the only way to unset the current one."))),
		Color: in.pattern("color", "^#[0-9a-fA-F]{6}$", "#1e90ff", "The display color, as #rrggbb."),
	}
}

var statusDocs = apidoc.Docs{
	Description: "Statuses are labels of deals, such as New and Won. At most one of them is the default status, with which new " +
		"deals start. Only an admin may write them.",
	Operations: map[apidoc.Verb]string{
		apidoc.Create: "Make the first status the default: without a default status, every new deal must name its status.",
		apidoc.Update: "Making a status the default unsets the previous default. Nothing else does: `default` false on the default " +
			"status is a 409.",
		apidoc.Delete: "The default status, and a status that a deal has or ever had, cannot be deleted: 409.",
	},
	Create: `{"name":"In talks","default":true,"color":"#1e90ff"}`,
	Change: `{"color":"#f0ad4e"}`,
}
