package httpapi

import (
	"context"
	"net/http"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// partyUseCases are those of records that have a party.
type partyUseCases[ID ~int64] interface {
	PutParty(ctx context.Context, r command.Request, id ID, s party.State) error
	PatchParty(ctx context.Context, r command.Request, id ID, change func(party.State) party.State) error
	DeleteParty(ctx context.Context, r command.Request, id ID) error
}

// PerformerParties returns the routes of the parties of performers.
func PerformerParties(reader readmodel.Reader[readmodel.NoFilter], commands *command.Performers) Resource {
	return parties(endpoint[readmodel.NoFilter]{
		path: "performer", table: readmodel.PerformerParties, reader: reader, record: "PerformerParty", docs: &performerPartyDocs,
	}, commands, performerParty)
}

// ClientParties returns the routes of the parties of clients.
func ClientParties(reader readmodel.Reader[readmodel.NoFilter], commands *command.Clients) Resource {
	return parties(endpoint[readmodel.NoFilter]{
		path: "client", table: readmodel.ClientParties, reader: reader, record: "ClientParty", docs: &clientPartyDocs,
	}, commands, clientParty)
}

// parties returns the routes of the party of a record. changed returns the party with the attributes of the body.
func parties[ID ~int64](
	r endpoint[readmodel.NoFilter], commands partyUseCases[ID], changed func(in *input, before party.State) party.State,
) Resource {
	r.format, r.body = jsonFormat, partyFields(changed)
	put := func(ctx context.Context, in *input, id int64) error {
		s := changed(in, party.State{})
		return commands.PutParty(ctx, in.request, ID(id), s)
	}
	patch := func(ctx context.Context, in *input, id int64) error {
		changed(in, party.State{}) // finds what is wrong
		return commands.PatchParty(ctx, in.request, ID(id), func(before party.State) party.State { return changed(in, before) })
	}
	remove := func(ctx context.Context, r command.Request, id int64) error {
		return commands.DeleteParty(ctx, r, ID(id))
	}
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
		r.action(http.MethodPut, "/:id/party", apidoc.Update, &replace, r.update(writes{update: put})),
		r.action(http.MethodPatch, "/:id/party", apidoc.Update, &amend, r.update(writes{update: patch})),
		r.route(http.MethodDelete, "/:id/party", apidoc.Delete, r.remove(writes{remove: remove})),
	}
}

func partyFields(changed func(in *input, before party.State) party.State) []apidoc.Field {
	return fieldsOf(func(in *input) party.State { return changed(in, party.State{}) })
}

// partyState returns the state with the attributes of the body.
func partyState(in *input, s party.State) party.State {
	s.LegalName = in.textField("legal_name", shortText, "The full name; without it, documents have the name of the record.").Or(s.LegalName)
	s.Street = in.textField("street", shortText, "Street and number.").Or(s.Street)
	s.Street2 = in.textField("street2", shortText, "A second line of the address.").Or(s.Street2)
	s.Zip = in.textField("zip", party.MaxZip, "The postal code.").Or(s.Zip)
	s.City = in.textField("city", shortText, "The city.").Or(s.City)
	s.Region = in.textField("region", shortText, "The part of the country, where addresses have it.").Or(s.Region)
	s.Country = in.pattern("country", "^[A-Za-z]{2}$", "DE", "The country, in two letters of ISO 3166.").Or(s.Country)
	s.VATID = in.pattern("vat_id", "^[A-Za-z]{2}.{2,}$", "DE136695976",
		"The VAT id with its country. The check digits of most countries of the EU are checked.").Or(s.VATID)
	s.TaxNumber = in.textField("tax_number", party.MaxCode, "The tax number, which is no VAT id.").Or(s.TaxNumber)
	s.RegistrationID = in.textField("registration_id", party.MaxCode, "The number in the register of companies.").Or(s.RegistrationID)
	s.RegistrationScheme = in.pattern("registration_scheme", "^[0-9]{4}$", "0002",
		"The register, as a code of ISO 6523.").Or(s.RegistrationScheme)
	s.IBAN = in.pattern("iban", "^[A-Za-z]{2}[0-9]{2}.{11,}$", "DE02 1203 0000 0000 2020 51", "The account, as IBAN.").Or(s.IBAN)
	s.BIC = in.pattern("bic", "^[A-Za-z0-9]{8}([A-Za-z0-9]{3})?$", "BYLADEM1001", "The bank, as BIC.").Or(s.BIC)
	s.ContactName = in.textField("contact_name", shortText, "The person or department to ask.").Or(s.ContactName)
	s.ContactPhone = in.textField("contact_phone", phoneText, "The telephone number to call.").Or(s.ContactPhone)
	s.ContactEmail = in.textField("contact_email", emailText, "The email address to write to.").Or(s.ContactEmail)
	s.EndpointID = in.textField("endpoint_id", shortText, "The electronic address that invoices are sent to.").Or(s.EndpointID)
	s.EndpointScheme = in.pattern("endpoint_scheme", "^([0-9]{4}|[A-Za-z]{2})$", "EM",
		"The kind of electronic address, as a code of the list EAS.").Or(s.EndpointScheme)
	s.BuyerReference = in.textField("buyer_reference", shortText,
		"What the client wants to see on invoices, such as a Leitweg-ID.").Or(s.BuyerReference)
	days := in.field("payment_days", paymentDays, "The days until an invoice is due. Those of the client precede those of the performer.")
	s.DiscountPercent = parsedOr(in, in.field("discount_percent", percent,
		"The discount for early payment, above 0, that new invoices have. That of the client precedes that of the performer."),
		positive(money.ParsePercent), money.Percent{}).Or(s.DiscountPercent)
	discountDays := in.field("discount_days", paymentDays, "The days after the date of an invoice until which it is granted.")
	s.Language = in.oneOf("language", party.Languages, "The language of documents.").Or(s.Language)
	if in.has(days) { // after language in errors
		s.PaymentDays = in.integer(days)
	}
	if in.has(discountDays) {
		s.DiscountDays = in.integer(discountDays)
	}
	s.AccountHolder = in.textField("account_holder", shortText, "Who has the account, if it is not the party itself.").Or(s.AccountHolder)
	s.AccountNumber = in.textField("account_number", party.MaxCode, "The account where there is no IBAN.").Or(s.AccountNumber)
	if change := partyTerms(in); change != nil {
		s.Terms = change(s.Terms)
	}
	return s
}

func clientParty(in *input, s party.State) party.State {
	s = partyState(in, s)
	s.BuyerID = in.textField("buyer_id", shortText, "What performers know the client by, such as a customer number.").Or(s.BuyerID)
	s.BuyerIDScheme = in.pattern("buyer_id_scheme", "^[0-9]{4}$", "0088", "What that is, as a code of ISO 6523.").Or(s.BuyerIDScheme)
	return s
}

var paymentDays = apidoc.Between(0, party.MaxPaymentDays)

func performerParty(in *input, s party.State) party.State {
	s = partyState(in, s)
	s.Currency = in.pattern("currency", "^[A-Za-z]{3}$", "EUR",
		"The currency of all amounts, in three letters of ISO 4217. It stays once a series has a number.").Or(s.Currency)
	s.VATCategory = in.oneOf("vat_category", performer.VATCategories, "The VAT category of lines without one of their own.").Or(s.VATCategory)
	s.VATReason = in.textField("vat_reason", shortText, "Why no VAT is charged.").Or(s.VATReason)
	digits := in.field("digits", `{"type":"integer","enum":[2,4]}`,
		"4: lines and VAT have four fraction digits; 2: they are rounded to the cent. Default 4. It applies to new invoices.")
	s.Numbering = in.oneOf("numbering", party.Numberings,
		"`manual`: invoices have the numbers that they are created with; `series`: issuing numbers them. Default `manual`.").Or(s.Numbering)
	s.NumberPattern = in.pattern("number_pattern", `\{seq(:[1-9])?\}`, "{year}-{seq:4}",
		"The form of the numbers of invoices: `{seq}` is the number in the series, `{seq:4}` with at least four digits. "+
			"With `{year}`, the series begins anew with each year.").Or(s.NumberPattern)
	s.CreditPattern = in.pattern("credit_pattern", `\{seq(:[1-9])?\}`, "G{year}-{seq:4}",
		"The form of the numbers of credit notes.").Or(s.CreditPattern)
	if in.has(digits) { // after the texts in errors
		s.Digits = in.integer(digits).Or(0)
	}
	s.Chronological = in.boolean(in.field("chronological", apidoc.Bool,
		"true: a document whose date is before that of the number before it is refused; false: `Kontor-Warning` says so. "+
			"Default false.")).Or(s.Chronological)
	s.VATReasonCode = in.pattern("vat_reason_code", "^[Vv][Aa][Tt][Ee][Xx]-.+$", "VATEX-EU-132-1I",
		"Why no VAT is charged, as a code of the list VATEX.").Or(s.VATReasonCode)
	s.SellerID = in.textField("seller_id", shortText, "What clients know the performer by.").Or(s.SellerID)
	s.SellerIDScheme = in.pattern("seller_id_scheme", "^[0-9]{4}$", "0088", "What that is, as a code of ISO 6523.").Or(s.SellerIDScheme)
	s.LegalText = in.textField("legal_text", party.MaxLegalText, "What the law asks for in the footer: seat, court, managers.").Or(s.LegalText)
	return s
}

var clientPartyDocs = apidoc.Docs{
	Operations: map[apidoc.Verb]string{
		apidoc.Read: "The party is the legal and postal data of the client, which its invoices are printed with. " +
			"A client without one is a 404.",
		apidoc.Update: "Attributes that are not in the body become empty.",
		apidoc.Delete: "The id in the response is that of the client.",
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
	Change: `{"legal_name":"Nordlicht Möbel GmbH","street":"Hafenstraße 14","zip":"24103","city":"Kiel","country":"DE",` +
		`"vat_id":"DE136695976",` +
		`"iban":"DE02 1203 0000 0000 2020 51","bic":"BYLADEM1001","contact_name":"Ole Harms","contact_phone":"+49 431 555 0100",` +
		`"contact_email":"office@nordlicht.example","payment_days":14,"currency":"EUR","vat_category":"standard","digits":2,` +
		`"numbering":"series","number_pattern":"{year}-{seq:4}","credit_pattern":"G{year}-{seq:4}"}`,
}
