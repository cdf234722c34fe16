package command_test

import (
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/test/fixture"
)

// The tests in this file send records that are wrong in themselves, refer to missing
// records and have an unreadable field.

// contract 3.3
func TestContactRejectionNamesFieldsAndReferences(t *testing.T) {
	t.Parallel()
	o := open(t)
	a := contact.Attributes{Email: domain.Some("@")}
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

// contract 3.3, 3.25
func TestInvoiceRejectionNamesFieldsAndReferences(t *testing.T) {
	t.Parallel()
	o := open(t)
	id := issue(o, fixture.Invoice(o.Office))
	a := fixture.Invoice(o.Office)
	a.PerformerID, a.TypeID = domain.Some(performer.ID(nowhere)), domain.Some(catalog.InvoiceTypeID(nowhere))
	a.Lines = domain.Some([]invoice.LineAttributes{fixture.Line("ok"), {}, {Name: domain.Some("x"), Count: domain.Some(fixture.Quantity("0"))}})
	wrong := []string{"date", "items[1].name", "items[2].count", "performer_id", "type_id"}
	r := unreadable(o.manager(), "date")
	a.Date = invoice.Attributes{}.Date
	_, err := o.invoices.Create(t.Context(), r, a)
	rejected(t, err, fault.Invalid, wrong...)
	rejected(t, o.invoices.Update(t.Context(), r, id, a), fault.Invalid, wrong...)
	rejected(t, o.invoices.Update(t.Context(), expecting(r, 77), id, a), fault.Stale)

	a.DealID = domain.Some(o.OtherDeal) // of another client
	_, err = o.invoices.Create(t.Context(), r, a)
	rejected(t, err, fault.Invalid, append(wrong, "client_id")...)
	rejected(t, o.invoices.Update(t.Context(), r, id, a), fault.Invalid, append(wrong, "client_id")...)

	a.DealID, a.ClientID = domain.Some(deal.ID(nowhere)), domain.Some(client.ID(nowhere))
	_, err = o.invoices.Create(t.Context(), r, a)
	rejected(t, err, fault.Invalid, append(wrong, "client_id", "deal_id")...)
	rejected(t, o.invoices.Update(t.Context(), r, id, a), fault.Invalid, append(wrong, "client_id", "deal_id")...)
}

// contract 1.37, 3.3, 10.47
func TestInvoiceRejectionNamesFieldsAndTheDealThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	o := openEmpty(t)
	a := without(o)
	a.Lines = domain.Some([]invoice.LineAttributes{{}})
	_, err := o.invoices.Create(t.Context(), o.manager(), a)
	rejected(t, err, fault.Invalid, "performer_id", "client_id", "type_id", "items[0].name", "deal_id")
	const hint = "name a deal, or create a status whose default is true"
	if !strings.Contains(err.Error(), hint) {
		t.Errorf("the error is %v, want one with %q", err, hint)
	}
}

// contract 3.3
func TestLineRejectionNamesFieldsAndTheInvoice(t *testing.T) {
	t.Parallel()
	o := open(t)
	_, err := o.invoices.AddLine(t.Context(), unreadable(o.manager(), "price"), nowhere, invoice.LineAttributes{})
	rejected(t, err, fault.Invalid, "price", "name", "invoice_id")
}

// contract 7.28
func TestDisabledUserBecomesResponsibleForNothing(t *testing.T) {
	t.Parallel()
	o := open(t)
	mine := fixture.Must(o.clients.Create(t.Context(), o.other(), client.Attributes{Name: domain.Some("Mine"), Type: domain.Some(client.Company)}))
	if err := o.users.Disable(t.Context(), "otto"); err != nil {
		t.Fatal(err)
	}
	ofDisabled := domain.Some(o.Other)

	_, err := o.clients.Create(t.Context(), o.admin(), client.Attributes{Name: domain.Some("New"), Type: domain.Some(client.Company), UserID: ofDisabled})
	rejected(t, err, fault.Dangling, "user")
	rejected(t, o.clients.Update(t.Context(), o.admin(), o.Client, client.Attributes{UserID: ofDisabled}), fault.Dangling, "user")
	_, err = o.deals.Create(t.Context(), o.admin(), deal.Attributes{Name: domain.Some("New"), UserID: ofDisabled})
	rejected(t, err, fault.Dangling, "user")
	rejected(t, o.deals.Update(t.Context(), o.admin(), o.Deal, deal.Attributes{UserID: ofDisabled}), fault.Dangling, "user")

	if err := o.clients.Update(t.Context(), o.admin(), mine, client.Attributes{Name: domain.Some("Renamed"), UserID: ofDisabled}); err != nil {
		t.Errorf("a client of a disabled user cannot be changed: %v", err)
	}
	a := fixture.Invoice(o.Office)
	a.DealID, a.ClientID = domain.Optional[deal.ID]{}, domain.Some(mine)
	if _, err := o.invoices.Create(t.Context(), o.manager(), a); err != nil {
		t.Errorf("no invoice for a client of a disabled user: %v", err)
	}
}
