package command_test

import (
	"testing"

	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/document"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/fixture"
)

// The tests in this file send records that are wrong in themselves, refer to missing
// records and have an unreadable field.

// contract 3.3
func TestClientRejectionNamesFieldsAndReferences(t *testing.T) {
	o := open(t)
	a := client.Attributes{Name: optional.Some(""), UserID: optional.Some(user.ID(nowhere))}
	r := unreadable(o.admin(), "phone")
	_, err := o.clients.Create(t.Context(), r, a)
	rejected(t, err, fault.Invalid, "phone", "type", "name", "user")
	rejected(t, o.clients.Update(t.Context(), r, o.Client, a), fault.Invalid, "phone", "name", "user")
	rejected(t, o.clients.Update(t.Context(), expecting(r, 77), o.Client, a), fault.Stale)
}

// contract 3.3
func TestContactRejectionNamesFieldsAndReferences(t *testing.T) {
	o := open(t)
	a := contact.Attributes{Email: optional.Some("@")}
	for link, fields := range map[command.ContactLink][]string{
		{ClientID: nowhere}:                       {"name", "email", "client_id"},
		{DealID: nowhere}:                         {"name", "email", "deal_id"},
		{ClientID: nowhere, DealID: nowhere}:      {"name", "email", "client_id", "deal_id"},
		{ClientID: o.Client, DealID: o.OtherDeal}: {"name", "email", "deal_id"},
		{ClientID: o.Client, DealID: o.Deal}:      {"name", "email"},
	} {
		_, err := o.contacts.Create(t.Context(), unreadable(o.manager(), "rank"), link, a)
		rejected(t, err, fault.Invalid, append(fields, "rank")...)
	}
}

// contract 3.3
func TestDealRejectionNamesFieldsAndReferences(t *testing.T) {
	o := open(t)
	a := deal.Attributes{
		Name: optional.Some(""), ClientID: optional.Some(client.ID(nowhere)),
		UserID: optional.Some(user.ID(nowhere)), StatusID: optional.Some(catalog.StatusID(nowhere)),
	}
	r := unreadable(o.admin(), "type_id")
	_, err := o.deals.Create(t.Context(), r, a)
	rejected(t, err, fault.Invalid, "type_id", "name", "client_id", "user", "status_id")
	rejected(t, o.deals.Update(t.Context(), r, o.Deal, a), fault.Invalid, "type_id", "name", "client_id", "user", "status_id")

	dangling := deal.Attributes{TypeID: optional.Some(catalog.DealTypeID(nowhere)), StatusID: a.StatusID}
	rejected(t, o.deals.Update(t.Context(), o.manager(), o.Deal, dangling), fault.Dangling, "type_id", "status_id")

	a.UserID = optional.Some(user.ID(0)) // a reference that is wrong is not looked up
	rejected(t, o.deals.Update(t.Context(), r, o.Deal, a), fault.Invalid, "type_id", "name", "client_id", "user", "status_id")
}

// contract 3.3
func TestDocumentRejectionNamesFieldsAndReferences(t *testing.T) {
	o := open(t)
	documentReferences(t, o, o.offers)
	documentReferences(t, o, o.contracts)
}

func documentReferences[ID document.Identifier](t *testing.T, o *office, documents *command.Documents[ID]) {
	t.Helper()
	id := done[ID](t)(documents.Create(t.Context(), o.manager(), fixture.Document(o.Deal)))
	a := document.Attributes{DealID: optional.Some(deal.ID(nowhere)), Number: optional.Some("")}
	r := unreadable(o.manager(), "date")
	_, err := documents.Create(t.Context(), r, a)
	rejected(t, err, fault.Invalid, "date", "number", "deal_id")
	rejected(t, documents.Update(t.Context(), r, id, a), fault.Invalid, "date", "number", "deal_id")
	a = document.Attributes{DealID: a.DealID}
	rejected(t, documents.Update(t.Context(), r, id, a), fault.Invalid, "date", "deal_id")
}

// contract 3.3, 3.25
func TestInvoiceRejectionNamesFieldsAndReferences(t *testing.T) {
	o := open(t)
	id := issue(o, fixture.Invoice(o.Office))
	a := fixture.Invoice(o.Office)
	a.PerformerID, a.TypeID = optional.Some(performer.ID(nowhere)), optional.Some(catalog.InvoiceTypeID(nowhere))
	a.Lines = optional.Some([]invoice.LineAttributes{fixture.Line("ok"), {}, {Name: optional.Some("x"), Count: optional.Some(fixture.Quantity("0"))}})
	wrong := []string{"date", "items[1].name", "items[2].count", "performer_id", "type_id"}
	r := unreadable(o.manager(), "date")
	a.Date = invoice.Attributes{}.Date
	_, err := o.invoices.Create(t.Context(), r, a)
	rejected(t, err, fault.Invalid, wrong...)
	rejected(t, o.invoices.Update(t.Context(), r, id, a), fault.Invalid, wrong...)
	rejected(t, o.invoices.Update(t.Context(), expecting(r, 77), id, a), fault.Stale)

	a.DealID = optional.Some(o.OtherDeal) // of another client
	_, err = o.invoices.Create(t.Context(), r, a)
	rejected(t, err, fault.Invalid, append(wrong, "client_id")...)
	rejected(t, o.invoices.Update(t.Context(), r, id, a), fault.Invalid, append(wrong, "client_id")...)

	a.DealID, a.ClientID = optional.Some(deal.ID(nowhere)), optional.Some(client.ID(nowhere))
	_, err = o.invoices.Create(t.Context(), r, a)
	rejected(t, err, fault.Invalid, append(wrong, "client_id", "deal_id")...)
	rejected(t, o.invoices.Update(t.Context(), r, id, a), fault.Invalid, append(wrong, "client_id", "deal_id")...)
}

// contract 3.3
func TestInvoiceRejectionNamesFieldsAndTheDealThatCannotBeOpened(t *testing.T) {
	o := openEmpty(t)
	a := without(o)
	a.Lines = optional.Some([]invoice.LineAttributes{{}})
	_, err := o.invoices.Create(t.Context(), o.manager(), a)
	rejected(t, err, fault.Invalid, "performer_id", "client_id", "type_id", "items[0].name", "deal_id")
}

// contract 3.3
func TestLineRejectionNamesFieldsAndTheInvoice(t *testing.T) {
	o := open(t)
	_, err := o.invoices.AddLine(t.Context(), unreadable(o.manager(), "price"), nowhere, invoice.LineAttributes{})
	rejected(t, err, fault.Invalid, "price", "name", "invoice_id")
}

// contract 7.28
func TestDisabledUserBecomesResponsibleForNothing(t *testing.T) {
	o := open(t)
	mine := fixture.Must(o.clients.Create(t.Context(), o.other(), client.Attributes{Name: optional.Some("Mine"), Type: optional.Some(client.Company)}))
	if err := o.users.Disable(t.Context(), "otto"); err != nil {
		t.Fatal(err)
	}
	ofDisabled := optional.Some(o.Other)

	_, err := o.clients.Create(t.Context(), o.admin(), client.Attributes{Name: optional.Some("New"), Type: optional.Some(client.Company), UserID: ofDisabled})
	rejected(t, err, fault.Dangling, "user")
	rejected(t, o.clients.Update(t.Context(), o.admin(), o.Client, client.Attributes{UserID: ofDisabled}), fault.Dangling, "user")
	_, err = o.deals.Create(t.Context(), o.admin(), deal.Attributes{Name: optional.Some("New"), UserID: ofDisabled})
	rejected(t, err, fault.Dangling, "user")
	rejected(t, o.deals.Update(t.Context(), o.admin(), o.Deal, deal.Attributes{UserID: ofDisabled}), fault.Dangling, "user")

	if err := o.clients.Update(t.Context(), o.admin(), mine, client.Attributes{Name: optional.Some("Renamed"), UserID: ofDisabled}); err != nil {
		t.Errorf("a client of a disabled user cannot be changed: %v", err)
	}
	a := fixture.Invoice(o.Office)
	a.DealID, a.ClientID = optional.Of[deal.ID]{}, optional.Some(mine)
	if _, err := o.invoices.Create(t.Context(), o.manager(), a); err != nil {
		t.Errorf("no invoice for a client of a disabled user: %v", err)
	}
}
