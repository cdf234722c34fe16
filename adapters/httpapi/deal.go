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
	refersTo("type_id", ""),
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
