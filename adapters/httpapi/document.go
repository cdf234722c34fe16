package httpapi

import (
	"context"
	"time"

	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain/civil"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/document"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

func offerRoutes(reader readmodel.Reader[readmodel.DocumentFilter], commands *command.Offers) []route {
	return documentRoutes("offer", "Offer", &offerLesson, readmodel.Offers, reader, commands)
}

func contractRoutes(reader readmodel.Reader[readmodel.DocumentFilter], commands *command.Contracts) []route {
	return documentRoutes("contract", "Contract", &contractLesson, readmodel.Contracts, reader, commands)
}

// documentRoutes are the routes of one kind of a deal's papers.
func documentRoutes[ID document.Identifier](path, record string, taught *lesson, table *readmodel.Resource,
	reader readmodel.Reader[readmodel.DocumentFilter], commands *command.Documents[ID],
) []route {
	return resource[readmodel.DocumentFilter]{
		path:   path,
		table:  table,
		reader: reader,
		format: jsonFormat,
		filter: documentFilter,
		record: record,
		lesson: taught,
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
		Date:   parsedOr(in, "date", civil.Parse, time.Time{}),
		Notice: in.text("notice"),
	}
}

var offerLesson = paperLesson("offer", "offers made in a deal", notes{
	"id":         shows("", "12"),
	"deal_id":    shows("The deal that it is made in.", "58"),
	"number":     shows("Your own number of it; need not be unique.", "O-2024-12"),
	"date":       shows("The day on the paper; no time zone shifts it.", "2024-02-12 00:00:00"),
	"notice":     shows("", "In oak."),
	"created_on": shows("", "2024-02-12 15:30:00"),
}, object{{"deal_id", 58}, {"number", "O-2024-12"}, {"date", "2024-02-12"}, {"notice", "In oak."}})

var contractLesson = paperLesson("contract", "contracts concluded in a deal", notes{
	"id":         shows("", "9"),
	"deal_id":    shows("The deal that it is concluded in.", "58"),
	"number":     shows("Your own number of it; need not be unique.", "C-2024-9"),
	"date":       shows("The day on the paper; no time zone shifts it.", "2024-02-26 00:00:00"),
	"notice":     shows("", "A third in advance."),
	"created_on": shows("", "2024-02-26 11:00:00"),
}, object{{"deal_id", 58}, {"number", "C-2024-9"}, {"date", "2024-02-26"}, {"notice", "A third in advance."}})

func paperLesson(name, are string, known notes, create object) lesson {
	return lesson{
		about: capital(plural(name)) + " are " + are + ". They are counted with its client.",
		notes: known,
		story: story{create: create, change: object{{"notice", "Signed."}}, changed: map[string]string{"notice": "Signed."}},
	}
}
