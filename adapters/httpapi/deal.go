package httpapi

import (
	"context"
	"net/http"

	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

func dealRoutes(
	reader readmodel.Reader[readmodel.DealFilter], history readmodel.Reader[readmodel.DealHistoryFilter], commands *command.Deals,
) []route {
	deals := resource[readmodel.DealFilter]{
		path:   "deal",
		table:  readmodel.Deals,
		reader: reader,
		format: jsonFormat,
		filter: dealFilter,
		record: "Deal",
		lesson: &dealLesson,
		body:   dealFields,
	}.writing(writes{
		create: func(ctx context.Context, in *input) (int64, error) {
			a := dealAttributes(in)
			id, err := commands.Create(ctx, in.request, a)
			return int64(id), err
		},
		update: func(ctx context.Context, in *input, id int64) error {
			a := dealAttributes(in)
			return commands.Update(ctx, in.request, deal.ID(id), a)
		},
		remove: func(ctx context.Context, r command.Request, id int64) error {
			return commands.Delete(ctx, r, deal.ID(id))
		},
	})
	entries := resource[readmodel.DealHistoryFilter]{
		path:   "deal",
		table:  readmodel.DealHistory,
		reader: history,
		format: jsonFormat,
		record: "DealHistoryEntry",
		lesson: &dealHistoryLesson,
		also:   map[verb][]int{listing: {http.StatusNotFound}},
		filter: func(p *params) readmodel.DealHistoryFilter {
			return readmodel.DealHistoryFilter{DealID: deal.ID(p.id)}
		},
	}
	return append(deals, entries.route(http.MethodGet, "/:id/history", listing, entries.list))
}

var dealFields = []field{
	named("name", shortText),
	refersTo("client_id", "May be changed as long as the deal has no invoices."),
	{name: "user", schema: idSchema, notNull: true, about: "The user whom the deal belongs to; without it, whoever creates the deal."},
	refersTo("type_id", "The deal type."),
	{name: "status_id", schema: idSchema, notNull: true, about: "Without it, a new deal has the default status."},
}

func dealFilter(p *params) readmodel.DealFilter {
	return readmodel.DealFilter{
		ClientID: idParam[client.ID](p, "client_id"),
		UserID:   idParam[user.ID](p, "user_id"),
		StatusID: idParam[catalog.StatusID](p, "status_id"),
		TypeID:   idParam[catalog.DealTypeID](p, "type_id"),
		Name:     p.text("name"),
	}
}

func dealAttributes(in *input) deal.Attributes {
	return deal.Attributes{
		Name:     in.text("name"),
		ClientID: idField[client.ID](in, "client_id"),
		UserID:   embeddedID[user.ID](in, "user"),
		TypeID:   idField[catalog.DealTypeID](in, "type_id"),
		StatusID: idField[catalog.StatusID](in, "status_id"),
	}
}

var dealLesson = lesson{
	about: "Deals are what is under negotiation with a client. A deal goes from status to status, and its history remembers when and through whom.",
	words: map[verb]string{
		creating: "It begins with the default status and belongs to whoever makes it, unless the body says otherwise.",
		updating: "A change of the status is entered in the history. The client can be changed as long as there are no invoices (409); " +
			"when a deal gets its first client, its contacts become that client's. A manager may take a deal over, but not give one away (403).",
		removing: "Its history and the contacts linked to it go with it. One that has invoices, offers or contracts cannot be deleted: 409.",
	},
	notes: notes{
		"id":         shows("", "58"),
		"name":       shows("", "Twelve rooms, second floor"),
		"client_id":  shows("The client; null while there is none.", "31"),
		"user":       shows("The user to whom the deal belongs: the id, or with `expand=user` the user.", "4"),
		"user_id":    shows("The id of the user, shown beside `user` where that is expanded.", "4"),
		"type_id":    shows("The deal type.", "2"),
		"status_id":  shows("The status.", "5"),
		"created_at": shows("", "2024-02-06 14:00:00"),
		"updated_at": shows("", "2024-02-06 14:00:00"),
		"type.id":    shows("", "2"),
		"type.name":  shows("", "Furnishing"),
	},
	story: story{
		create:  object{{"name", "Twelve rooms, second floor"}, {"client_id", 31}, {"type_id", 2}},
		change:  object{{"status_id", 6}},
		changed: map[string]string{"status_id": "6", "updated_at": "2024-02-28 17:45:00"},
	},
}

var dealHistoryLesson = lesson{
	words: map[verb]string{
		listing: "An entry is made when the deal is created, when its status changes and when an invoice is created in it. A deal that does not exist is a 404.",
	},
	notes: notes{
		"id":         shows("", "201", "202"),
		"status_id":  shows("The status that the deal had then.", "5", "5"),
		"invoice_id": shows("The invoice that was created; null where the entry is about the deal itself.", "", "77"),
		"user_id":    shows("Who did it.", "4"),
		"created_on": shows("", "2024-02-06 14:00:00", "2024-03-09 16:05:00"),
	},
}
