package httpapi

import (
	"context"
	"time"

	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/document"
	"github.com/kontor-crm/kontor/domain/wallclock"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

func offerRoutes(reader readmodel.Reader[readmodel.DocumentFilter], commands *command.Offers) []route {
	return documentRoutes("offer", "Offer", readmodel.Offers, reader, commands)
}

func contractRoutes(reader readmodel.Reader[readmodel.DocumentFilter], commands *command.Contracts) []route {
	return documentRoutes("contract", "Contract", readmodel.Contracts, reader, commands)
}

// documentRoutes are the routes of one kind of a deal's papers.
func documentRoutes[ID document.Identifier](path, record string, table *readmodel.Resource,
	reader readmodel.Reader[readmodel.DocumentFilter], commands *command.Documents[ID],
) []route {
	return resource[readmodel.DocumentFilter]{
		path:   path,
		table:  table,
		reader: reader,
		format: jsonFormat,
		filter: documentFilter,
		record: record,
		body:   documentFields,
	}.writing(writes{
		create: func(ctx context.Context, in *input) (int64, error) {
			a := documentAttributes(in)
			id, err := commands.Create(ctx, in.request, a)
			return int64(id), err
		},
		update: func(ctx context.Context, in *input, id int64) error {
			a := documentAttributes(in)
			return commands.Update(ctx, in.request, ID(id), a)
		},
		remove: func(ctx context.Context, r command.Request, id int64) error {
			return commands.Delete(ctx, r, ID(id))
		},
	})
}

var documentFields = append([]field{
	refersTo("deal_id", "").must(),
	named("number", 64),
	{name: "date", schema: dateSchema},
}, textFields(longText, "notice")...)

func documentFilter(p *params) readmodel.DocumentFilter {
	return readmodel.DocumentFilter{
		DealID:   idParam[deal.ID](p, "deal_id"),
		ClientID: idParam[client.ID](p, "client_id"),
		Number:   p.text("number"),
	}
}

func documentAttributes(in *input) document.Attributes {
	return document.Attributes{
		DealID: idField[deal.ID](in, "deal_id"),
		Number: in.text("number"),
		Date:   parsedOr(in, "date", wallclock.Parse, time.Time{}),
		Notice: in.text("notice"),
	}
}
