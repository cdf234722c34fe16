package httpapi

import (
	"time"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain/agreement"
	"github.com/kontor-crm/kontor/domain/civil"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/text"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Offers returns the offer resource.
func Offers(reader readmodel.Reader[readmodel.AgreementFilter], commands *command.Offers) Resource {
	return agreements("offer", "Offer", &offerDocs, readmodel.Offers, reader, commands)
}

// Contracts returns the contract resource.
func Contracts(reader readmodel.Reader[readmodel.AgreementFilter], commands *command.Contracts) Resource {
	return agreements("contract", "Contract", &contractDocs, readmodel.Contracts, reader, commands)
}

func agreements[ID agreement.Identifier](path, record string, docs *apidoc.Docs, table *readmodel.Resource,
	reader readmodel.Reader[readmodel.AgreementFilter], commands *command.Agreements[ID],
) Resource {
	return endpoint[readmodel.AgreementFilter]{
		path:   path,
		table:  table,
		reader: reader,
		format: jsonFormat,
		filter: agreementFilter,
		record: record,
		docs:   docs,
		body:   fieldsOf(agreementAttributes),
	}.writing(writesOf(commands, agreementAttributes))
}

func agreementFilter(p *params) readmodel.AgreementFilter {
	return readmodel.AgreementFilter{
		DealID:    idParam[deal.ID](p, "deal_id"),
		ClientIDs: idsParam[client.ID](p, "client_id"),
		Number:    p.text("number"),

		IDs:          idsParam[int64](p, "id"),
		UpdatedSince: updatedSince(p),
	}
}

func agreementAttributes(in *input) agreement.Attributes {
	return agreement.Attributes{
		DealID: idField[deal.ID](in, in.field("deal_id", apidoc.ID, "", required)),
		Number: in.requiredText("number", text.Number, "A number of your own; need not be unique."),
		Date: parsedOr(in, in.field("date", apidoc.Date, "The date of the document, independent of time zones."),
			civil.Parse, time.Time{}),
		Notice: in.textField("notice", longText, ""),
	}
}

var offerDocs = apidoc.Docs{
	Description: "Offers are documents of a deal. They are included in the number of offers of the deal's client.",
	Attributes:  apidoc.Attributes{"deal_id": "The deal of the offer."},
	Create:      `{"deal_id":58,"number":"O-2024-12","date":"2024-02-12","notice":"In oak."}`,
	Change:      `{"notice":"Signed."}`,
}

var contractDocs = apidoc.Docs{
	Description: "Contracts are documents of a deal. They are included in the number of contracts of the deal's client.",
	Attributes:  apidoc.Attributes{"deal_id": "The deal of the contract."},
	Create:      `{"deal_id":58,"number":"C-2024-9","date":"2024-02-26","notice":"A third in advance."}`,
	Change:      `{"notice":"Signed."}`,
}
