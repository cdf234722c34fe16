package httpapi

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

func performerRoutes(reader readmodel.Reader[readmodel.NoFilter], commands *command.Performers) []route {
	return resource[readmodel.NoFilter]{
		path:   "performer",
		table:  readmodel.Performers,
		reader: reader,
		format: jsonFormat,
		filter: unfiltered,
		record: "Performer",
		lesson: &performerLesson,
		body:   performerFields,
	}.writing(writes{
		create: func(ctx context.Context, in *input) (int64, error) {
			a := performerAttributes(in)
			id, err := commands.Create(ctx, in.request, a)
			return int64(id), err
		},
		update: func(ctx context.Context, in *input, id int64) error {
			a := performerAttributes(in)
			return commands.Update(ctx, in.request, performer.ID(id), a)
		},
		remove: func(ctx context.Context, r command.Request, id int64) error {
			return commands.Delete(ctx, r, performer.ID(id))
		},
	})
}

var performerFields = slices.Concat(
	[]field{
		{name: "status", schema: numberSchema},
		named("name", shortText),
	},
	textFields(shortText, "company_name"),
	textFields(longText, "company_address", "real_address", "bank_details", "company_details"),
	textFields(shortText, "leader", "leader_rank", "booker"),
	textFields(64, "phone"),
	[]field{
		emailField,
		{name: "vat_use", schema: kindSchema(readmodel.Bool)},
		{name: "vat_percent", schema: patternSchema(`^[0-9]{1,3}(\.[0-9]{1,2})?$`, "20.00"), about: "0 to 100; a number does as well."},
	},
	textFields(shortText, "stamp_file", "leader_sig_file", "booker_sig_file", "logo"),
)

// performerAttributes takes an empty status or VAT for one that is not given:
// it becomes what it is without other word, as an empty boolean does.
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
	}
}

// parseInteger reads a whole number within 64 bits.
func parseInteger(s string) (int64, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil {
		return 0, errors.New("must be a whole number")
	}
	return n, nil
}

var performerLesson = lesson{
	about: "Performers are our own companies, which issue the invoices. Whether VAT is charged is up to them. Only an admin writes them.",
	words: map[verb]string{
		updating: "New VAT changes no invoice that is there, until that invoice's lines or performer change.",
		removing: "One that an invoice has cannot be deleted: 409.",
	},
	notes: notes{
		"id":              shows("", "8"),
		"status":          shows("A number for your own use; 1 unless given.", "1"),
		"name":            shows("What the company is called within the house.", "Nordlicht Workshop"),
		"company_name":    shows("The full name in law.", "Nordlicht Möbel GmbH"),
		"company_address": shows("The registered address.", "Hafenstraße 14, 24103 Kiel"),
		"real_address":    shows("Where people and letters are received."),
		"bank_details":    shows("Where invoices are to be paid to.", "IBAN DE02 1203 0000 0000 2020 51"),
		"company_details": shows("Registration and tax numbers, as invoices carry them."),
		"leader":          shows("Who signs for the company.", "Dana Moser"),
		"leader_rank":     shows("The position of who signs.", "Managing director"),
		"booker":          shows("The accountant.", "Ole Harms"),
		"phone":           shows("", "+49 431 555 0100"),
		"email":           shows("", "office@nordlicht.example"),
		"vat_use":         shows("Whether VAT is charged.", "t"),
		"vat_percent":     shows("How much VAT, from 0 to 100.", "19.00"),
		"stamp_file":      shows("The name of a picture of the stamp; the service keeps no files."),
		"leader_sig_file": shows("The name of a picture of the leader's signature."),
		"booker_sig_file": shows("The name of a picture of the accountant's signature."),
		"logo":            shows("The name of a picture of the logo."),
		"created_at":      shows("", "2024-01-15 09:30:00"),
		"updated_at":      shows("", "2024-01-15 09:30:00"),
	},
	story: story{
		create: object{
			{"name", "Nordlicht Workshop"}, {"company_name", "Nordlicht Möbel GmbH"}, {"company_address", "Hafenstraße 14, 24103 Kiel"},
			{"bank_details", "IBAN DE02 1203 0000 0000 2020 51"}, {"leader", "Dana Moser"}, {"leader_rank", "Managing director"}, {"booker", "Ole Harms"},
			{"phone", "+49 431 555 0100"}, {"email", "office@nordlicht.example"}, {"vat_use", true}, {"vat_percent", "19"},
		},
		change:  object{{"booker", "Lene Voss"}},
		changed: map[string]string{"booker": "Lene Voss", "updated_at": "2024-02-01 08:00:00"},
	},
}
