package query

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/billing"
	"github.com/kontor-crm/kontor/domain/civil"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Documents reads the documents of invoices.
type Documents struct {
	inputs   RecordReader
	decode   func(issued []byte) (billing.Document, error)
	pictures readmodel.Pictures
}

// NewDocuments returns a reader of documents; inputs reads readmodel.DocumentInputs, decode the document of an issued invoice.
func NewDocuments(inputs RecordReader, decode func(issued []byte) (billing.Document, error), pictures readmodel.Pictures) *Documents {
	return &Documents{inputs, decode, pictures}
}

// documentInputs selects all attributes of readmodel.DocumentInputs, and has the lines in documentLines.
var documentInputs, documentLines = everything(readmodel.DocumentInputs)

// Read returns the document of the invoice with the id, or a fault.NotFound: of an issued one as it was issued. It is
// consistent: all values are from one snapshot.
func (x *Documents) Read(ctx context.Context, id int64) (billing.Document, error) {
	rows, err := x.inputs.Read(ctx, id, documentInputs)
	if err != nil {
		return billing.Document{}, err
	}
	defer rows.Release()
	record := cellsOf(rows, 0, documentInputs)
	if issued := record["issued"]; issued != nil {
		return x.decode(issued)
	}
	s := billing.Source{
		Performer: performerIn(record), Client: client.State{
			Name: record.text("client.name"), CompanyAddress: record.text("client.company_address"), RealAddress: record.text("client.real_address"),
		},
		Seller: partyIn(record, "seller."), Buyer: partyIn(record, "buyer."),
		Pictures: billing.PicturesOf(func(kind performer.PictureKind) string { return record.text("pictures." + string(kind)) }),
	}
	if due := record.text("due_date"); due != "" {
		if s.Due, err = civil.Parse(due); err != nil {
			return billing.Document{}, fmt.Errorf("read the document of invoice %d: %w", id, err)
		}
	}
	if credited := record.text("credited.number"); credited != "" {
		s.Credits.Number = credited
		if s.Credits.Date, err = civil.Parse(record.text("credited.date")); err != nil {
			return billing.Document{}, fmt.Errorf("read the document of invoice %d: %w", id, err)
		}
	}
	if s.Invoice, err = invoiceIn(record, rows.List(0, documentLines.Column)); err != nil {
		return billing.Document{}, fmt.Errorf("read the document of invoice %d: %w", id, err)
	}
	if s.Former, err = formerIn(record, rows, documentInputs); err != nil {
		return billing.Document{}, fmt.Errorf("read the document of invoice %d: %w", id, err)
	}
	return billing.New(s), nil
}

func invoiceIn(record cells, lines *readmodel.Rows) (s invoice.State, err error) {
	s = invoice.State{
		ID: invoice.ID(record.number("id")), PerformerID: performer.ID(record.number("performer_id")),
		ClientID: client.ID(record.number("client_id")), Number: record.text("number"), Notice: record.text("notice"),
		Status: invoice.Status(record.number("status_id")),
	}
	var badDate, badIssued, badTerms, badPrice error
	s.Date, badDate = civil.Parse(record.text("date"))
	s.Terms, badTerms = record.terms()
	s.PayPrice, badPrice = money.RestoreAmount(record.text("pay_price"))
	if issued := record.text("issued_on"); issued != "" {
		s.IssuedOn, badIssued = civil.Parse(issued)
	}
	if err := errors.Join(badDate, badIssued, badTerms, badPrice); err != nil {
		return s, err
	}
	s.Lines = make([]invoice.Line, lines.Len())
	for row := range s.Lines {
		if s.Lines[row], err = lineIn(cellsOf(lines, row, documentLines.Inner)); err != nil {
			return s, err
		}
	}
	return s, nil
}

func lineIn(line cells) (invoice.Line, error) {
	count, badCount := money.ParseQuantity(line.text("count"))
	price, badPrice := money.RestoreAmount(line.text("price"))
	total, badTotal := money.RestoreAmount(line.text("total_price"))
	return invoice.Line{
		ID: invoice.LineID(line.number("id")), Name: line.text("name"), Units: line.text("units"), Count: count, Price: price, Total: total,
		Credits: invoice.LineID(line.number("credits")),
	}, errors.Join(badCount, badPrice, badTotal)
}

func performerIn(record cells) performer.State {
	text := func(name string) string { return record.text("performer." + name) }
	return performer.State{
		Name: text("name"), CompanyName: text("company_name"), CompanyAddress: text("company_address"), RealAddress: text("real_address"),
		BankDetails: text("bank_details"), Leader: text("leader"), LeaderRank: text("leader_rank"), Booker: text("booker"),
		Phone: text("phone"), Email: text("email"),
	}
}

// partyIn returns the party whose paths begin with the prefix; zero if there is none.
func partyIn(record cells, prefix string) party.State {
	text := func(name string) string { return record.text(prefix + name) }
	s := party.State{
		LegalName: text("legal_name"), Street: text("street"), Street2: text("street2"), Zip: text("zip"), City: text("city"),
		Region: text("region"), Country: text("country"), VATID: text("vat_id"), TaxNumber: text("tax_number"),
		RegistrationID: text("registration_id"), RegistrationScheme: text("registration_scheme"), IBAN: text("iban"), BIC: text("bic"),
		ContactName: text("contact_name"), ContactPhone: text("contact_phone"), ContactEmail: text("contact_email"),
		EndpointID: text("endpoint_id"), EndpointScheme: text("endpoint_scheme"), BuyerReference: text("buyer_reference"),
		Language: text("language"), Currency: text("currency"), VATCategory: text("vat_category"), VATReason: text("vat_reason"),
	}
	if record[prefix+"payment_days"] != nil {
		s.PaymentDays = domain.Some(int32(record.number(prefix + "payment_days")))
	}
	return s
}

func (c cells) text(path string) string { return string(c[path]) }

// number returns the integer in a cell, which the database has checked.
func (c cells) number(path string) int64 {
	n, _ := strconv.ParseInt(string(c[path]), 10, 64)
	return n
}
