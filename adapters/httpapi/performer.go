package httpapi

import (
	"errors"
	"slices"
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
		body:    performerFields,
		party:   slices.Concat(partyFields, performerPartyFields),
	}.writing(keyed(writesOf(commands, performerAttributes), commands.Put, performerAttributes))
}

var performerFields = slices.Concat(
	[]apidoc.Field{
		{Name: "status", Schema: apidoc.Integer},
		apidoc.RequiredText("name", shortText),
	},
	apidoc.Texts(shortText, "company_name"),
	apidoc.Texts(longText, "company_address", "real_address", "bank_details", "company_details"),
	apidoc.Texts(shortText, "leader", "leader_rank", "booker"),
	apidoc.Texts(64, "phone"),
	[]apidoc.Field{
		apidoc.Email,
		{Name: "vat_use", Schema: apidoc.Of(readmodel.Bool)},
		{Name: "vat_percent", Schema: apidoc.Pattern(`^[0-9]{1,3}(\.[0-9]{1,2})?$`, "20.00"), Description: "0 to 100, as a text or a number."},
	},
	apidoc.Texts(shortText, "stamp_file", "leader_sig_file", "booker_sig_file", "logo"),
	[]apidoc.Field{refField},
)

// performerAttributes resets an empty status or VAT to its default, as an empty boolean is
// false.
func performerAttributes(in *input) performer.Attributes {
	return performer.Attributes{
		Status:         parsedOr(in, "status", parseInteger, performer.DefaultStatus),
		Name:           in.text("name"),
		CompanyName:    in.text("company_name"),
		CompanyAddress: in.text("company_address"),
		RealAddress:    in.text("real_address"),
		BankDetails:    in.text("bank_details"),
		CompanyDetails: in.text("company_details"),
		Leader:         in.text("leader"),
		LeaderRank:     in.text("leader_rank"),
		Booker:         in.text("booker"),
		Phone:          in.text("phone"),
		Email:          in.text("email"),
		VATUse:         in.boolean("vat_use"),
		VATPercent:     parsedOr(in, "vat_percent", money.ParsePercent, money.Percent{}),
		StampFile:      in.text("stamp_file"),
		LeaderSigFile:  in.text("leader_sig_file"),
		BookerSigFile:  in.text("booker_sig_file"),
		Logo:           in.text("logo"),
		Ref:            in.text("ref"),
	}
}

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
	Attributes: apidoc.Attributes{
		"status":          "A number for your own use; default 1.",
		"name":            "The short name for internal use.",
		"company_name":    "The full legal name.",
		"company_address": "The registered address.",
		"real_address":    "The address for visitors and mail.",
		"bank_details":    "The bank account that invoices are paid to.",
		"company_details": "Registration and tax numbers, as printed on invoices.",
		"leader":          "The person who signs for the company.",
		"leader_rank":     "The position of the person who signs.",
		"booker":          "The accountant.",
		"vat_use":         "Whether VAT is charged.",
		"vat_percent":     "The VAT rate, from 0 to 100.",
		"stamp_file":      "A name for an image of the stamp; the image is in `/file/stamp_file`.",
		"leader_sig_file": "A name for an image of the leader's signature; the image is in `/file/leader_sig_file`.",
		"booker_sig_file": "A name for an image of the accountant's signature; the image is in `/file/booker_sig_file`.",
		"logo":            "A name for an image of the logo; the image is in `/file/logo`.",
		"ref":             refField.Description,
	},
	Create: `{"name":"Nordlicht Workshop","company_name":"Nordlicht Möbel GmbH","company_address":"Hafenstraße 14, 24103 Kiel",` +
		`"bank_details":"IBAN DE02 1203 0000 0000 2020 51","leader":"Dana Moser","leader_rank":"Managing director","booker":"Ole Harms",` +
		`"phone":"+49 431 555 0100","email":"office@nordlicht.example","vat_use":true,"vat_percent":"19"}`,
	Change: `{"booker":"Lene Voss"}`,
}
