package httpapi

import (
	"time"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain/civil"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/document"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Offers returns the offer resource.
func Offers(reader readmodel.Reader[readmodel.DocumentFilter], commands *command.Offers) Resource {
	return documents("offer", "Offer", &offerDocs, readmodel.Offers, reader, commands)
}

// Contracts returns the contract resource.
func Contracts(reader readmodel.Reader[readmodel.DocumentFilter], commands *command.Contracts) Resource {
	return documents("contract", "Contract", &contractDocs, readmodel.Contracts, reader, commands)
}

func documents[ID document.Identifier](path, record string, docs *apidoc.Docs, table *readmodel.Resource,
	reader readmodel.Reader[readmodel.DocumentFilter], commands *command.Documents[ID],
) Resource {
	return resource[readmodel.DocumentFilter]{
		path:   path,
		table:  table,
		reader: reader,
		format: jsonFormat,
		filter: documentFilter,
		record: record,
		docs:   docs,
		body:   documentFields,
	}.writing(writesOf(commands, documentAttributes))
}

var documentFields = append([]apidoc.Field{
	apidoc.RequiredReference("deal_id"),
	apidoc.RequiredText("number", 64),
	{Name: "date", Schema: apidoc.Date},
}, apidoc.Texts(longText, "notice")...)

func documentFilter(p *params) readmodel.DocumentFilter {
	return readmodel.DocumentFilter{
		DealID:    idParam[deal.ID](p, "deal_id"),
		ClientIDs: idsParam[client.ID](p, "client_id"),
		Number:    p.text("number"),

		IDs:          idsParam[int64](p, "id"),
		UpdatedSince: updatedSince(p),
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

var offerDocs = apidoc.Docs{
	Description: "Offers are documents of a deal. They are included in the number of offers of the deal's client.",
	Attributes: apidoc.Attributes{
		"deal_id": "The deal of the offer.",
		"number":  "A number of your own; need not be unique.",
		"date":    "The date of the document, independent of time zones.",
	},
	Create: `{"deal_id":58,"number":"O-2024-12","date":"2024-02-12","notice":"In oak."}`,
	Change: `{"notice":"Signed."}`,
}

var contractDocs = apidoc.Docs{
	Description: "Contracts are documents of a deal. They are included in the number of contracts of the deal's client.",
	Attributes: apidoc.Attributes{
		"deal_id": "The deal of the contract.",
		"number":  "A number of your own; need not be unique.",
		"date":    "The date of the document, independent of time zones.",
	},
	Create: `{"deal_id":58,"number":"C-2024-9","date":"2024-02-26","notice":"A third in advance."}`,
	Change: `{"notice":"Signed."}`,
}
