package httpapi

import (
	"context"
	"maps"
	"net/http"
	"slices"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// PerformerParties returns the routes of the parties of performers.
func PerformerParties(reader readmodel.Reader[readmodel.NoFilter], commands *command.Performers) Resource {
	return parties(endpoint[readmodel.NoFilter]{
		path: "performer", table: readmodel.PerformerParties, reader: reader, record: "PerformerParty", docs: &performerPartyDocs,
		body: slices.Concat(partyFields, performerPartyFields),
	}, writes{
		update: func(ctx context.Context, in *input, id int64) error {
			s := performerParty(in, party.State{})
			return commands.PutParty(ctx, in.request, performer.ID(id), s)
		},
		remove: func(ctx context.Context, r command.Request, id int64) error {
			return commands.DeleteParty(ctx, r, performer.ID(id))
		},
	}, func(ctx context.Context, in *input, id int64) error {
		performerParty(in, party.State{}) // finds what is wrong
		return commands.PatchParty(ctx, in.request, performer.ID(id), func(before party.State) party.State { return performerParty(in, before) })
	})
}

// ClientParties returns the routes of the parties of clients.
func ClientParties(reader readmodel.Reader[readmodel.NoFilter], commands *command.Clients) Resource {
	return parties(endpoint[readmodel.NoFilter]{
		path: "client", table: readmodel.ClientParties, reader: reader, record: "ClientParty", docs: &clientPartyDocs, body: partyFields,
	}, writes{
		update: func(ctx context.Context, in *input, id int64) error {
			s := partyState(in, party.State{})
			return commands.PutParty(ctx, in.request, client.ID(id), s)
		},
		remove: func(ctx context.Context, r command.Request, id int64) error {
			return commands.DeleteParty(ctx, r, client.ID(id))
		},
	}, func(ctx context.Context, in *input, id int64) error {
		partyState(in, party.State{}) // finds what is wrong
		return commands.PatchParty(ctx, in.request, client.ID(id), func(before party.State) party.State { return partyState(in, before) })
	})
}

func parties(r endpoint[readmodel.NoFilter], w writes, patch func(ctx context.Context, in *input, id int64) error) Resource {
	r.format = jsonFormat
	replace := apidoc.Action{
		ID: "put" + r.record, Summary: "Store one " + r.table.Name,
		Does: "Stores the " + r.table.Name + ", in place of the one that there is, and returns it. With `If-Match`, nothing changes if it " +
			"has been changed since it was read; with `If-None-Match: *`, if there is one.\n\n" +
			r.docs.Operations[apidoc.Update],
		Body: &apidoc.Body{
			Suffix: "Attributes", Description: "All attributes: those that are missing become empty.",
			Summary: "One " + r.table.Name, Example: r.docs.Change,
		},
	}
	amend := apidoc.Action{
		ID: "patch" + r.record, Summary: "Change one " + r.table.Name,
		Does: "Changes the attributes in the body, leaves the others as they are, and returns the changed " + r.table.Name + ". With " +
			"`If-Match`, nothing changes if it has been changed since it was read.\n\n" +
			"A " + r.path + " without a party is a 404: PUT stores one.",
		Body: &apidoc.Body{
			Suffix: "Attributes", Description: "The attributes to change.", Summary: "One change", Example: `{"city":"Kiel"}`,
		},
	}
	return Resource{
		r.route(http.MethodGet, "/:id/party", apidoc.Read, r.read(r.reader)),
		r.action(http.MethodPut, "/:id/party", apidoc.Update, &replace, r.update(w)),
		r.action(http.MethodPatch, "/:id/party", apidoc.Update, &amend, r.update(writes{update: patch})),
		r.route(http.MethodDelete, "/:id/party", apidoc.Delete, r.remove(w)),
	}
}

var partyFields = slices.Concat(
	apidoc.Texts(shortText, "legal_name", "street", "street2"),
	apidoc.Texts(party.MaxZip, "zip"),
	apidoc.Texts(shortText, "city", "region"),
	[]apidoc.Field{
		{Name: "country", Schema: apidoc.Pattern("^[A-Za-z]{2}$", "DE")},
		{Name: "vat_id", Schema: apidoc.Pattern("^[A-Za-z]{2}.{2,}$", "DE136695976")},
	},
	apidoc.Texts(party.MaxCode, "tax_number", "registration_id"),
	[]apidoc.Field{
		{Name: "registration_scheme", Schema: apidoc.Pattern("^[0-9]{4}$", "0002")},
		{Name: "iban", Schema: apidoc.Pattern("^[A-Za-z]{2}[0-9]{2}.{11,}$", "DE02 1203 0000 0000 2020 51")},
		{Name: "bic", Schema: apidoc.Pattern("^[A-Za-z0-9]{8}([A-Za-z0-9]{3})?$", "BYLADEM1001")},
	},
	apidoc.Texts(shortText, "contact_name"),
	apidoc.Texts(64, "contact_phone"),
	[]apidoc.Field{{Name: "contact_email", Schema: apidoc.Text(254)}},
	apidoc.Texts(shortText, "endpoint_id"),
	[]apidoc.Field{{Name: "endpoint_scheme", Schema: apidoc.Pattern("^([0-9]{4}|[A-Za-z]{2})$", "EM")}},
	apidoc.Texts(shortText, "buyer_reference"),
	[]apidoc.Field{
		{Name: "payment_days", Schema: apidoc.Between(0, party.MaxPaymentDays)},
		{Name: "language", Schema: apidoc.OneOf(party.Languages...)},
	},
)

var performerPartyFields = slices.Concat(
	[]apidoc.Field{
		{Name: "currency", Schema: apidoc.Pattern("^[A-Za-z]{3}$", "EUR")},
		{Name: "vat_category", Schema: apidoc.OneOf(party.VATCategories...)},
	},
	apidoc.Texts(shortText, "vat_reason"),
	[]apidoc.Field{
		{Name: "digits", Schema: `{"type":"integer","enum":[2,4]}`},
		{Name: "numbering", Schema: apidoc.OneOf(party.Numberings...)},
		{Name: "number_pattern", Schema: apidoc.Pattern(`\{seq(:[1-9])?\}`, "{year}-{seq:4}")},
		{Name: "credit_pattern", Schema: apidoc.Pattern(`\{seq(:[1-9])?\}`, "G{year}-{seq:4}")},
		{Name: "chronological", Schema: apidoc.Of(readmodel.Bool)},
	},
)

type textField struct {
	name  string
	value *string
}

// setTexts sets the texts that the body has.
func setTexts(in *input, fields []textField) {
	for _, f := range fields {
		*f.value = in.text(f.name).Or(*f.value)
	}
}

// partyState returns the state with the attributes of the body.
func partyState(in *input, s party.State) party.State {
	setTexts(in, []textField{
		{"legal_name", &s.LegalName}, {"street", &s.Street}, {"street2", &s.Street2}, {"zip", &s.Zip}, {"city", &s.City}, {"region", &s.Region},
		{"country", &s.Country}, {"vat_id", &s.VATID}, {"tax_number", &s.TaxNumber}, {"registration_id", &s.RegistrationID},
		{"registration_scheme", &s.RegistrationScheme}, {"iban", &s.IBAN}, {"bic", &s.BIC}, {"contact_name", &s.ContactName},
		{"contact_phone", &s.ContactPhone}, {"contact_email", &s.ContactEmail}, {"endpoint_id", &s.EndpointID},
		{"endpoint_scheme", &s.EndpointScheme}, {"buyer_reference", &s.BuyerReference}, {"language", &s.Language},
	})
	if in.has("payment_days") {
		s.PaymentDays = in.integer("payment_days")
	}
	return s
}

func performerParty(in *input, s party.State) party.State {
	s = partyState(in, s)
	setTexts(in, []textField{
		{"currency", &s.Currency}, {"vat_category", &s.VATCategory}, {"vat_reason", &s.VATReason}, {"numbering", &s.Numbering},
		{"number_pattern", &s.NumberPattern}, {"credit_pattern", &s.CreditPattern},
	})
	if in.has("digits") {
		s.Digits = in.integer("digits").Or(0)
	}
	s.Chronological = in.boolean("chronological").Or(s.Chronological)
	return s
}

var clientPartyDocs = apidoc.Docs{
	Operations: map[apidoc.Verb]string{
		apidoc.Read: "The party is the legal and postal data of the client, which its invoices are printed with. " +
			"A client without one is a 404.",
		apidoc.Update: "Attributes that are not in the body become empty.",
		apidoc.Delete: "The id in the response is that of the client.",
	},
	Attributes: apidoc.Attributes{
		"legal_name":          "The full name; without it, documents have the name of the record.",
		"street":              "Street and number.",
		"street2":             "A second line of the address.",
		"zip":                 "The postal code.",
		"city":                "The city.",
		"region":              "The part of the country, where addresses have it.",
		"country":             "The country, in two letters of ISO 3166.",
		"vat_id":              "The VAT id with its country. The check digits of most countries of the EU are checked.",
		"tax_number":          "The tax number, which is no VAT id.",
		"registration_id":     "The number in the register of companies.",
		"registration_scheme": "The register, as a code of ISO 6523.",
		"iban":                "The account, as IBAN.",
		"bic":                 "The bank, as BIC.",
		"contact_name":        "The person or department to ask.",
		"contact_phone":       "The telephone number to call.",
		"contact_email":       "The email address to write to.",
		"endpoint_id":         "The electronic address that invoices are sent to.",
		"endpoint_scheme":     "The kind of electronic address, as a code of the list EAS.",
		"buyer_reference":     "What the client wants to see on invoices, such as a Leitweg-ID.",
		"payment_days":        "The days until an invoice is due. Those of the client precede those of the performer.",
		"language":            "The language of documents.",
	},
	Change: `{"legal_name":"Hotel Ostsee GmbH","street":"Strandweg 3","zip":"24159","city":"Kiel","country":"DE","vat_id":"DE136695976",` +
		`"buyer_reference":"Order 4711","payment_days":14}`,
}

var performerPartyDocs = apidoc.Docs{
	Operations: map[apidoc.Verb]string{
		apidoc.Read: "The party is the legal and postal data of the performer, which its invoices are printed with. A performer without one " +
			"is a 404.",
		apidoc.Update: "Attributes that are not in the body become empty, or get their default.",
		apidoc.Delete: "The id in the response is that of the performer.",
	},
	Attributes: merged(clientPartyDocs.Attributes, apidoc.Attributes{
		"currency":     "The currency of all amounts, in three letters of ISO 4217. It stays once a series has a number.",
		"vat_category": "The VAT category of all lines.",
		"vat_reason":   "Why no VAT is charged.",
		"digits":       "4: lines and VAT have four fraction digits; 2: they are rounded to the cent. Default 4. It applies to new invoices.",
		"numbering":    "`manual`: invoices have the numbers that they are created with; `series`: issuing numbers them. Default `manual`.",
		"number_pattern": "The form of the numbers of invoices: `{seq}` is the number in the series, `{seq:4}` with at least four digits. " +
			"With `{year}`, the series begins anew with each year.",
		"credit_pattern": "The form of the numbers of credit notes.",
		"chronological": "true: a document whose date is before that of the number before it is refused; false: `Kontor-Warning` says so. " +
			"Default false.",
	}),
	Change: `{"legal_name":"Nordlicht Möbel GmbH","street":"Hafenstraße 14","zip":"24103","city":"Kiel","country":"DE",` +
		`"vat_id":"DE136695976",` +
		`"iban":"DE02 1203 0000 0000 2020 51","bic":"BYLADEM1001","contact_name":"Ole Harms","contact_phone":"+49 431 555 0100",` +
		`"contact_email":"office@nordlicht.example","payment_days":14,"currency":"EUR","vat_category":"standard","digits":2,` +
		`"numbering":"series","number_pattern":"{year}-{seq:4}","credit_pattern":"G{year}-{seq:4}"}`,
}

func merged(all ...apidoc.Attributes) apidoc.Attributes {
	m := apidoc.Attributes{}
	for _, attributes := range all {
		maps.Copy(m, attributes)
	}
	return m
}
