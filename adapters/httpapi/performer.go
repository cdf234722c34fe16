package httpapi

import (
	"errors"
	"strconv"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Performers returns the performer resource.
func Performers(reader readmodel.Reader[readmodel.PerformerFilter], commands *command.Performers) Resource {
	return endpoint[readmodel.PerformerFilter]{
		path:    "performer",
		table:   readmodel.Performers,
		reader:  reader,
		format:  jsonFormat,
		filter:  func(p *params) readmodel.PerformerFilter { return readmodel.PerformerFilter{Ref: refFilter(p)} },
		record:  "Performer",
		columns: "id,name,company_name,phone,email,vat_use,vat_percent",
		docs:    &performerDocs,
		body:    fieldsOf(performerAttributes),
		party:   partyFields(performerParty),
	}.writing(keyedWritesOf(commands, performerAttributes))
}

// performerAttributes resets an empty status or VAT to its default, as an empty boolean is
// false.
func performerAttributes(in *input) performer.Attributes {
	return performer.Attributes{
		Status: parsedOr(in, in.field("status", apidoc.Integer, "A number for your own use; default 1."), parseInteger,
			performer.DefaultStatus),
		Name:           in.requiredText("name", shortText, "The short name for internal use."),
		CompanyName:    in.textField("company_name", shortText, "The full legal name."),
		CompanyAddress: in.textField("company_address", longText, "The registered address."),
		RealAddress:    in.textField("real_address", longText, "The address for visitors and mail."),
		BankDetails:    in.textField("bank_details", longText, "The bank account that invoices are paid to."),
		CompanyDetails: in.textField("company_details", longText, "Registration and tax numbers, as printed on invoices."),
		Leader:         in.textField("leader", shortText, "The person who signs for the company."),
		LeaderRank:     in.textField("leader_rank", shortText, "The position of the person who signs."),
		Booker:         in.textField("booker", shortText, "The accountant."),
		Phone:          in.textField("phone", phoneText, ""),
		Email:          in.email(),
		VATUse:         in.boolean(in.field("vat_use", apidoc.Bool, "Whether VAT is charged.")),
		VATPercent: parsedOr(in, in.field("vat_percent", percent, "The VAT rate, from 0 to 100.", inBody("0 to 100, as a text or a number.")),
			money.ParsePercent, money.Percent{}),
		StampFile: in.textField("stamp_file", shortText, "A name for an image of the stamp; the image is in `/file/stamp_file`."),
		LeaderSigFile: in.textField("leader_sig_file", shortText,
			"A name for an image of the leader's signature; the image is in `/file/leader_sig_file`."),
		BookerSigFile: in.textField("booker_sig_file", shortText,
			"A name for an image of the accountant's signature; the image is in `/file/booker_sig_file`."),
		Logo: in.textField("logo", shortText, "A name for an image of the logo; the image is in `/file/logo`."),
		Ref:  in.ref(),
	}
}

var percent = apidoc.Pattern(`^[0-9]{1,3}(\.[0-9]{1,2})?$`, "20.00")

func parseInteger(s string) (int64, error) {
	n, err := strconv.ParseInt(whole(s), 10, 64)
	if err != nil {
		return 0, errors.New("must be an integer")
	}
	return n, nil
}

var performerDocs = apidoc.Docs{
	Description: "Performers are your own companies. The performer of an invoice issues it, and determines whether VAT is charged. " +
		"Only an admin may write them.",
	Operations: map[apidoc.Verb]string{
		apidoc.Update: "A change of VAT does not change an existing invoice until its lines or its performer change.",
		apidoc.Delete: "A performer that an invoice has cannot be deleted: 409.",
	},
	Create: `{"name":"Nordlicht Workshop","company_name":"Nordlicht Möbel GmbH","company_address":"Hafenstraße 14, 24103 Kiel",` +
		`"bank_details":"IBAN DE02 1203 0000 0000 2020 51","leader":"Dana Moser","leader_rank":"Managing director","booker":"Ole Harms",` +
		`"phone":"+49 431 555 0100","email":"office@nordlicht.example","vat_use":true,"vat_percent":"19"}`,
	Change: `{"booker":"Lene Voss"}`,
}
