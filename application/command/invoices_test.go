package command_test

import (
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
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
)

// issue creates an invoice of the manager's.
func issue(o *office, a invoice.Attributes) invoice.ID {
	o.t.Helper()
	return done[invoice.ID](o.t)(o.invoices.Create(o.t.Context(), o.manager(), a))
}

// without is the attributes of an invoice that names no deal.
func without(o *office) invoice.Attributes {
	a := fixture.Invoice(o.Office)
	a.DealID = domain.Optional[deal.ID]{}
	return a
}

func underDeal(id deal.ID) invoice.Attributes { return invoice.Attributes{DealID: domain.Some(id)} }

// contract 10.47, 10.50, 5.16
func TestInvoiceCreateWithoutDealOpensOne(t *testing.T) {
	t.Parallel()
	o := open(t)
	id := done[invoice.ID](t)(o.invoices.Create(t.Context(), o.other(), without(o)))
	inv := o.invoice(id)
	if inv.UserID != o.Other {
		t.Errorf("%d issued it, want %d", inv.UserID, o.Other)
	}
	expect(t, deal.State{
		ID: inv.DealID, Version: 1, Name: inv.Number, ClientID: o.Client, UserID: o.Manager, StatusID: o.Default,
		CreatedAt: o.clock.at, UpdatedAt: o.clock.at,
	}, o.deal(inv.DealID))
	entry := repository.DealHistoryEntry{DealID: inv.DealID, StatusID: o.Default, UserID: o.Other, CreatedOn: o.clock.at}
	issued := entry
	issued.InvoiceID = id
	o.expectHistory(inv.DealID, entry, issued)
}

// contract 10.47, 1.37
func TestInvoiceCreateNeedsADefaultStatusToOpenADeal(t *testing.T) {
	t.Parallel()
	o := openEmpty(t)
	o.Manager = done[user.ID](t)(o.users.Add(t.Context(), user.Attributes{Username: domain.Some("mara")}))
	o.Performer = done[performer.ID](t)(o.performers.Create(t.Context(), o.admin(), fixture.Performer()))
	o.InvoiceType = done[catalog.InvoiceTypeID](t)(o.invoiceTypes.Create(t.Context(), o.admin(), fixture.Label("Rechnung")))
	o.Client = done[client.ID](t)(o.clients.Create(t.Context(), o.manager(), fixture.Company()))
	_, err := o.invoices.Create(t.Context(), o.manager(), without(o))
	rejected(t, err, fault.Dangling, "deal_id")
}

// contract 10.46
func TestInvoiceDealMustBeTheClients(t *testing.T) {
	t.Parallel()
	o := open(t)
	a := fixture.Invoice(o.Office)
	a.DealID = domain.Some(o.OtherDeal)
	_, err := o.invoices.Create(t.Context(), o.manager(), a)
	rejected(t, err, fault.Dangling, "client_id")

	contactID := addContact(o, command.ContactLink{DealID: o.Inquiry})
	a.DealID = domain.Some(o.Inquiry)
	id := issue(o, a)
	if got := o.deal(o.Inquiry).ClientID; got != o.Client {
		t.Errorf("the deal has the client %d, want the invoice's %d", got, o.Client)
	}
	expect(t, []contact.ID{contactID}, o.contactsOf(contact.ToClient(o.Client))) // contract 7.16
	if got := o.invoice(id).DealID; got != o.Inquiry {
		t.Errorf("it is filed under the deal %d, want %d", got, o.Inquiry)
	}
}

// contract 10.53, 10.54
func TestInvoiceUpdateMovesToAnotherDealAndItsClient(t *testing.T) {
	t.Parallel()
	o := open(t)
	id := issue(o, fixture.Invoice(o.Office))
	past := o.history(o.OtherDeal)

	both := underDeal(o.OtherDeal)
	both.ClientID = domain.Some(o.Client)
	rejected(t, o.invoices.Update(t.Context(), o.manager(), id, both), fault.Dangling, "client_id")
	rejected(t, o.invoices.Update(t.Context(), o.manager(), id, invoice.Attributes{ClientID: domain.Some(o.OtherClient)}), fault.Dangling, "client_id")
	rejected(t, o.invoices.Update(t.Context(), o.manager(), id, underDeal(0)), fault.Invalid, "deal_id")

	succeed(t, o.invoices.Update(t.Context(), o.manager(), id, underDeal(o.OtherDeal)))
	if got := o.invoice(id); got.DealID != o.OtherDeal || got.ClientID != o.OtherClient {
		t.Errorf("it is filed under %d for %d, want %d and %d", got.DealID, got.ClientID, o.OtherDeal, o.OtherClient)
	}
	o.expectHistory(o.OtherDeal, past...)

	succeed(t, o.invoices.Update(t.Context(), o.manager(), id, underDeal(o.Inquiry)))
	if got := o.deal(o.Inquiry).ClientID; got != o.OtherClient {
		t.Errorf("the deal has the client %d, want the invoice's %d", got, o.OtherClient)
	}
}

// contract 10.86
func TestInvoiceVATChangesWithLinesOrPerformerOnly(t *testing.T) {
	t.Parallel()
	o := open(t)
	id := issue(o, fixture.Invoice(o.Office))
	before := o.invoice(id)
	succeed(t, o.performers.Update(t.Context(), o.admin(), o.Performer, performer.Attributes{VATPercent: domain.Some(fixture.Percent("50"))}))
	expect(t, before, o.invoice(id))

	succeed(t, o.invoices.Update(t.Context(), o.manager(), id, invoice.Attributes{Number: domain.Some("2")}))
	if got := o.invoice(id); got.Terms != before.Terms || !got.VATPrice.Equal(before.VATPrice) {
		t.Errorf("a new number brought new VAT: %s", got.VATPrice)
	}

	fewer := domain.Some([]invoice.LineAttributes{{ID: domain.Some(before.Lines[0].ID)}})
	succeed(t, o.invoices.Update(t.Context(), o.manager(), id, invoice.Attributes{Lines: fewer}))
	if got, want := o.invoice(id), fixture.Percent("50").Of(before.Lines[0].Total).Round(); !got.VATPrice.Equal(want) {
		t.Errorf("with other lines, the VAT is %s, want %s", got.VATPrice, want)
	}

	succeed(t, o.performers.Update(t.Context(), o.admin(), o.Performer, performer.Attributes{VATPercent: domain.Some(fixture.Percent("25"))}))
	added := done[invoice.LineID](t)(o.invoices.AddLine(t.Context(), o.manager(), id, fixture.Line("Neu")))
	got := o.invoice(id)
	if want := fixture.Percent("25").Of(got.TotalPrice).Round(); !got.VATPrice.Equal(want) || got.TotalCount != 2 {
		t.Errorf("%d lines with %s of VAT, want 2 with %s", got.TotalCount, got.VATPrice, want)
	}
	if last := got.Lines[1]; last.ID != added || last.Name != "Neu" {
		t.Errorf("the last line is %q with the id %d, want the new one with %d", last.Name, last.ID, added)
	}

	succeed(t, o.invoices.Update(t.Context(), o.manager(), id, invoice.Attributes{PerformerID: domain.Some(o.OtherPerformer)}))
	if got := o.invoice(id); !got.PayPrice.Equal(got.TotalPrice) {
		t.Errorf("a performer without VAT is paid %s for %s", got.PayPrice, got.TotalPrice)
	}
}

// contract 10.76
func TestLineWritesChangeTheInvoice(t *testing.T) {
	t.Parallel()
	o := open(t)
	id := issue(o, fixture.Invoice(o.Office))
	first, second := o.invoice(id).Lines[0].ID, o.invoice(id).Lines[1].ID
	change := invoice.LineAttributes{Count: domain.Some(fixture.Quantity("1"))}

	succeed(t, o.invoices.ChangeLine(t.Context(), expecting(o.manager(), 1), first, change))
	if got := o.invoice(id); got.Version != 2 || !got.UpdatedOn.Equal(o.clock.at) {
		t.Errorf("the invoice has the version %d, updated at %s", got.Version, got.UpdatedOn)
	}
	// Each line has a version of its own.
	rejected(t, o.invoices.ChangeLine(t.Context(), expecting(o.manager(), 1), first, change), fault.Stale)
	succeed(t, o.invoices.RemoveLine(t.Context(), expecting(o.manager(), 1), second))
	if got := o.invoice(id); got.TotalCount != 1 || got.Version != 3 || !got.TotalPrice.Equal(got.Lines[0].Total) {
		t.Errorf("%d lines for %s in version %d", got.TotalCount, got.TotalPrice, got.Version)
	}
	rejected(t, o.invoices.RemoveLine(t.Context(), o.manager(), second), fault.NotFound)
}

// contract 10.36, 10.37
func TestClosedInvoiceMustBeOpenedBeforeChangeOrDelete(t *testing.T) {
	t.Parallel()
	o := open(t)
	a := fixture.Invoice(o.Office)
	a.Status = domain.Some(invoice.Closed)
	id := issue(o, a)
	rejected(t, o.invoices.Update(t.Context(), o.manager(), id, invoice.Attributes{Number: domain.Some("2")}), fault.Conflict)
	rejected(t, o.invoices.Delete(t.Context(), o.manager(), id), fault.Conflict)
	a.Lines = domain.Optional[[]invoice.LineAttributes]{}
	succeed(t, o.invoices.Update(t.Context(), o.manager(), id, a)) // unchanged: contract 4.58
	succeed(t, o.invoices.Update(t.Context(), o.manager(), id, invoice.Attributes{Notice: domain.Some("Bezahlt")}))

	succeed(t, o.invoices.Update(t.Context(), o.manager(), id, invoice.Attributes{Closed: domain.Some(false)}))
	history := o.history(o.Deal)
	succeed(t, o.invoices.Delete(t.Context(), o.manager(), id))
	rejected(t, o.invoices.Delete(t.Context(), o.manager(), id), fault.NotFound)
	history[len(history)-1].InvoiceID = 0
	o.expectHistory(o.Deal, history...)
}
