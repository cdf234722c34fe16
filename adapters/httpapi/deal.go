package httpapi

import (
	"net/http"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Deals returns the deal resource with its history.
func Deals(
	reader readmodel.Reader[readmodel.DealFilter], history readmodel.Reader[readmodel.DealHistoryFilter], commands *command.Deals,
) Resource {
	deals := endpoint[readmodel.DealFilter]{
		path:    "deal",
		table:   readmodel.Deals,
		reader:  reader,
		format:  jsonFormat,
		filter:  dealFilter,
		record:  "Deal",
		columns: "name,client.name,status.name,type.name,user.username,created_at",
		hidden:  "id",
		docs:    &dealDocs,
		body:    fieldsOf(dealAttributes),
	}.writing(keyedWritesOf(commands, dealAttributes))
	entries := endpoint[readmodel.DealHistoryFilter]{
		path:     "deal",
		table:    readmodel.DealHistory,
		reader:   history,
		format:   jsonFormat,
		record:   "DealHistoryEntry",
		docs:     &dealHistoryDocs,
		statuses: map[apidoc.Verb][]int{apidoc.List: {http.StatusNotFound}},
		filter: func(p *params) readmodel.DealHistoryFilter {
			return readmodel.DealHistoryFilter{DealID: deal.ID(p.id)}
		},
	}
	return append(deals, entries.route(http.MethodGet, "/:id/history", apidoc.List, entries.list))
}

func dealFilter(p *params) readmodel.DealFilter {
	return readmodel.DealFilter{
		ClientIDs: idsParam[client.ID](p, "client_id"),
		UserIDs:   idsParam[user.ID](p, "user_id"),
		StatusIDs: idsParam[catalog.StatusID](p, "status_id"),
		TypeIDs:   idsParam[catalog.DealTypeID](p, "type_id"),
		Name:      p.text("name"),

		IDs:          idsParam[deal.ID](p, "id"),
		UpdatedSince: updatedSince(p),
		Ref:          refFilter(p),
	}
}

func dealAttributes(in *input) deal.Attributes {
	return deal.Attributes{
		Name: in.requiredText("name", shortText, ""),
		ClientID: idField[client.ID](in, in.field("client_id", apidoc.ID, "The client; null if there is none yet.",
			inBody("Cannot be changed once the deal has invoices."))),
		UserID: embeddedID[user.ID](in, in.field("user", apidoc.ID, "The responsible user: the id, or the user record with `expand=user`.",
			notNull, inBody("The id of the responsible user; default: the user who creates the deal."))),
		TypeID: idField[catalog.DealTypeID](in, in.field("type_id", apidoc.ID, "The deal type.")),
		StatusID: idField[catalog.StatusID](in, in.field("status_id", apidoc.ID, "The status.",
			notNull, inBody("Default: the default status."))),
		Ref: in.ref(),
	}
}

var dealDocs = apidoc.Docs{
	Description: "Deals are business transactions with a client. The history of a deal records who changed its status, and when.",
	Operations: map[apidoc.Verb]string{
		apidoc.Create: "Unless the body says otherwise, the deal has the default status and belongs to the user who creates it.",
		apidoc.Update: "A change of the status is added to the history. The client cannot be changed once there are invoices (409); " +
			"when a deal gets its first client, its contacts become that client's. A manager may take over a deal, but not assign one to " +
			"somebody else (403).",
		apidoc.Delete: "Its history and the contacts linked to it are deleted with it. A deal with invoices, offers or contracts " +
			"cannot be deleted: 409.",
	},
	Attributes: apidoc.Attributes{"user_id": "The id of the responsible user, present when `user` is expanded."},
	Create:     `{"name":"Twelve rooms, second floor","client_id":31,"type_id":2}`,
	Change:     `{"status_id":6}`,
}

var dealHistoryDocs = apidoc.Docs{
	Operations: map[apidoc.Verb]string{
		apidoc.List: "An entry is added when the deal is created, when its status changes and when an invoice is created in it. A " +
			"deal that does not exist is a 404.",
	},
	Attributes: apidoc.Attributes{
		"status_id":  "The status of the deal at that time.",
		"invoice_id": "The invoice that was created; null if the entry is about the deal itself.",
		"user_id":    "The user who made the change.",
		"cause":      "The name of the reaction that made the change; null if a request did.",
	},
}
