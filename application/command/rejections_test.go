package command_test

import (
	"testing"
	"time"

	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/agreement"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/fixture"
)

// The tests in this file make requests in which everything is wrong, and correct
// one thing after the other: clause 3.25 says which rejection comes first,
// and 3.3 that a 422 names every wrong field at once.

// writeCase is a write of one kind, with attributes that are rejected.
type writeCase[ID ~int64, A any] struct {
	write       func(r command.Request, id ID, a A) error
	id          ID
	wrong       A        // breaks rules of the record itself
	invalid     []string // the fields that break them
	conflicting *A       // conflicts with other records, and refers to unknown ones; nil if it cannot
	unknown     *A       // refers to unknown records; nil if it refers to none
	missing     []string // the fields that refer to them
}

// checkUpdate expects the rejections of an update in their order. The writer may write
// here, and the field unread could not be read.
func (c writeCase[ID, A]) checkUpdate(t *testing.T, o *office, writer command.Request, unread string) {
	t.Helper()
	stale, reader := expecting(writer, 77), expecting(o.viewer(), 77)
	rejected(t, c.write(unreadable(reader, unread), nowhere, c.wrong), fault.Forbidden)
	rejected(t, c.write(unreadable(stale, unread), nowhere, c.wrong), fault.NotFound)
	rejected(t, c.write(unreadable(stale, unread), c.id, c.wrong), fault.Stale)
	rejected(t, c.write(unreadable(expecting(writer, 1), unread), c.id, c.wrong), fault.Invalid, append(c.invalid, unread)...)
	rejected(t, c.write(writer, c.id, c.wrong), fault.Invalid, c.invalid...)
	if c.conflicting != nil {
		rejected(t, c.write(writer, c.id, *c.conflicting), fault.Conflict)
	}
	if c.unknown != nil {
		rejected(t, c.write(writer, c.id, *c.unknown), fault.Dangling, c.missing...)
	}
}

// checkCreation expects those of a creation: there is no record yet that could be missing or
// old.
func (c writeCase[ID, A]) checkCreation(t *testing.T, o *office, writer command.Request, unread string) {
	t.Helper()
	rejected(t, c.write(unreadable(o.viewer(), unread), 0, c.wrong), fault.Forbidden)
	rejected(t, c.write(unreadable(writer, unread), 0, c.wrong), fault.Invalid, append(c.invalid, unread)...)
	if c.unknown != nil {
		rejected(t, c.write(writer, 0, *c.unknown), fault.Dangling, c.missing...)
	}
}

// contract 3.3, 3.25
func TestClientRejectionsAreOrdered(t *testing.T) {
	t.Parallel()
	o := open(t)
	missing := fixture.Company()
	missing.UserID = domain.Some(user.ID(nowhere))
	c := writeCase[client.ID, client.Attributes]{
		write: func(r command.Request, id client.ID, a client.Attributes) error {
			return o.clients.Update(t.Context(), r, id, a)
		},
		id: o.Client,
		wrong: client.Attributes{
			Name: domain.Some(" "), Email: domain.Some("nobody"), UserID: domain.Some(user.ID(nowhere)), BankDetails: domain.Some("\x00"),
		},
		invalid: []string{"name", "email", "user", "bank_details"},
		unknown: &missing,
		missing: []string{"user"},
	}
	before := o.client(o.Client)
	c.checkUpdate(t, o, o.admin(), "phone")
	expect(t, before, o.client(o.Client))

	c.write = func(r command.Request, _ client.ID, a client.Attributes) error {
		_, err := o.clients.Create(t.Context(), r, a)
		return err
	}
	c.wrong.Type = domain.Some(client.Company)
	c.checkCreation(t, o, o.admin(), "phone")

	remove := func(r command.Request, id client.ID) error { return o.clients.Delete(t.Context(), r, id) }
	checkDeletion(t, o, o.manager(), o.Client, remove)
}

// checkDeletion expects those of the deletion of a record that others refer to.
func checkDeletion[ID ~int64](t *testing.T, o *office, writer command.Request, id ID, remove func(r command.Request, id ID) error) {
	t.Helper()
	rejected(t, remove(expecting(o.viewer(), 77), nowhere), fault.Forbidden)
	rejected(t, remove(expecting(writer, 77), nowhere), fault.NotFound)
	rejected(t, remove(expecting(writer, 77), id), fault.Stale)
	rejected(t, remove(expecting(writer, 1), id), fault.Conflict)
}

// contract 3.3, 3.25
func TestDealRejectionsAreOrdered(t *testing.T) {
	t.Parallel()
	o := open(t)
	issue(o, fixture.Invoice(o.Office))
	missing := deal.Attributes{
		UserID: domain.Some(user.ID(nowhere)), TypeID: domain.Some(catalog.DealTypeID(nowhere)), StatusID: domain.Some(catalog.StatusID(nowhere)),
	}
	clashing := missing
	clashing.ClientID = domain.Some(o.OtherClient)
	c := writeCase[deal.ID, deal.Attributes]{
		write: func(r command.Request, id deal.ID, a deal.Attributes) error {
			return o.deals.Update(t.Context(), r, id, a)
		},
		id: o.Deal,
		wrong: deal.Attributes{
			Name: domain.Some(""), UserID: domain.Some(user.ID(0)), StatusID: missing.StatusID, ClientID: clashing.ClientID,
		},
		invalid:     []string{"name", "user", "status_id"},
		conflicting: &clashing,
		unknown:     &missing,
		missing:     []string{"user", "type_id", "status_id"},
	}
	before := o.deal(o.Deal)
	c.checkUpdate(t, o, o.admin(), "type_id")
	expect(t, before, o.deal(o.Deal))

	missing.Name, missing.ClientID = domain.Some("Neu"), domain.Some(client.ID(nowhere))
	c.missing = append(c.missing, "client_id")
	c.write = func(r command.Request, _ deal.ID, a deal.Attributes) error {
		_, err := o.deals.Create(t.Context(), r, a)
		return err
	}
	c.checkCreation(t, o, o.admin(), "type_id")
	checkDeletion(t, o, o.manager(), o.Deal, func(r command.Request, id deal.ID) error { return o.deals.Delete(t.Context(), r, id) })
}

func TestContactRejectionsAreOrdered(t *testing.T) {
	t.Parallel()
	o := open(t)
	c := writeCase[contact.ID, contact.Attributes]{
		write: func(r command.Request, id contact.ID, a contact.Attributes) error {
			return o.contacts.Update(t.Context(), r, id, a)
		},
		id:      addContact(o, command.ContactLink{ClientID: o.Client}),
		wrong:   contact.Attributes{Name: domain.Some(""), Email: domain.Some("@")},
		invalid: []string{"name", "email"},
	}
	c.checkUpdate(t, o, o.manager(), "phone")

	link := command.ContactLink{ClientID: nowhere, DealID: nowhere}
	full := fixture.Contact()
	c.unknown, c.missing = &full, []string{"client_id", "deal_id"}
	c.write = func(r command.Request, _ contact.ID, a contact.Attributes) error {
		_, err := o.contacts.Create(t.Context(), r, link, a)
		return err
	}
	c.invalid = append(c.invalid, c.missing...)
	c.checkCreation(t, o, o.manager(), "phone")

	link = command.ContactLink{} // contract 8.11
	rejected(t, c.write(o.manager(), 0, c.wrong), fault.Invalid, "client_id", "deal_id", "name", "email")
}

func TestStatusRejectionsAreOrdered(t *testing.T) {
	t.Parallel()
	o := open(t)
	clashing := catalog.StatusAttributes{Default: domain.Some(false)}
	c := writeCase[catalog.StatusID, catalog.StatusAttributes]{
		write: func(r command.Request, id catalog.StatusID, a catalog.StatusAttributes) error {
			return o.statuses.Update(t.Context(), r, id, a)
		},
		id:          o.Default,
		wrong:       catalog.StatusAttributes{Name: domain.Some(""), Color: domain.Some("red"), Default: clashing.Default},
		invalid:     []string{"name", "color"},
		conflicting: &clashing,
	}
	rejected(t, c.write(o.manager(), o.Default, clashing), fault.Forbidden) // contract 5.13
	c.checkUpdate(t, o, o.admin(), "default")
	c.write = func(r command.Request, _ catalog.StatusID, a catalog.StatusAttributes) error {
		_, err := o.statuses.Create(t.Context(), r, a)
		return err
	}
	c.checkCreation(t, o, o.admin(), "default")
	checkDeletion(t, o, o.admin(), o.Default, func(r command.Request, id catalog.StatusID) error { return o.statuses.Delete(t.Context(), r, id) })
}

// contract 3.25, 3.3, 5.13
func TestLabelRejectionsAreOrdered(t *testing.T) {
	t.Parallel()
	o := open(t)
	issue(o, fixture.Invoice(o.Office))
	typeRejections(t, o, o.dealTypes, o.DealType, "name")
	typeRejections(t, o, o.invoiceTypes, o.InvoiceType, "title")
}

func typeRejections[ID catalog.LabelID](t *testing.T, o *office, types *command.Labels[ID], used ID, label string) {
	t.Helper()
	c := writeCase[ID, catalog.LabelAttributes]{
		write: func(r command.Request, id ID, a catalog.LabelAttributes) error {
			return types.Update(t.Context(), r, id, a)
		},
		id:      used,
		wrong:   fixture.Label(""),
		invalid: []string{label},
	}
	rejected(t, c.write(o.manager(), used, fixture.Label("Neu")), fault.Forbidden)
	c.checkUpdate(t, o, o.admin(), "unread")
	c.write = func(r command.Request, _ ID, a catalog.LabelAttributes) error {
		_, err := types.Create(t.Context(), r, a)
		return err
	}
	c.checkCreation(t, o, o.admin(), "unread")
	checkDeletion(t, o, o.admin(), used, func(r command.Request, id ID) error { return types.Delete(t.Context(), r, id) })
}

func TestPerformerRejectionsAreOrdered(t *testing.T) {
	t.Parallel()
	o := open(t)
	issue(o, fixture.Invoice(o.Office))
	c := writeCase[performer.ID, performer.Attributes]{
		write: func(r command.Request, id performer.ID, a performer.Attributes) error {
			return o.performers.Update(t.Context(), r, id, a)
		},
		id:      o.Performer,
		wrong:   performer.Attributes{Name: domain.Some(""), Status: domain.Some(int64(1) << 40), Email: domain.Some("@")},
		invalid: []string{"name", "status", "email"},
	}
	rejected(t, c.write(o.manager(), o.Performer, fixture.Performer()), fault.Forbidden) // contract 5.13
	c.checkUpdate(t, o, o.admin(), "vat_percent")
	c.write = func(r command.Request, _ performer.ID, a performer.Attributes) error {
		_, err := o.performers.Create(t.Context(), r, a)
		return err
	}
	c.checkCreation(t, o, o.admin(), "vat_percent")
	checkDeletion(t, o, o.admin(), o.Performer, func(r command.Request, id performer.ID) error { return o.performers.Delete(t.Context(), r, id) })
}

// contract 3.3, 3.25
func TestDocumentRejectionsAreOrdered(t *testing.T) {
	t.Parallel()
	o := open(t)
	agreementRejections(t, o, o.offers)
	agreementRejections(t, o, o.contracts)
}

func agreementRejections[ID agreement.Identifier](t *testing.T, o *office, documents *command.Agreements[ID]) {
	t.Helper()
	id := done[ID](t)(documents.Create(t.Context(), o.manager(), fixture.Agreement(o.Deal)))
	missing := fixture.Agreement(nowhere)
	c := writeCase[ID, agreement.Attributes]{
		write: func(r command.Request, id ID, a agreement.Attributes) error {
			return documents.Update(t.Context(), r, id, a)
		},
		id: id,
		wrong: agreement.Attributes{
			DealID: missing.DealID, Number: domain.Some(""), Date: domain.Some(time.Unix(-1<<33, 0)), Notice: domain.Some("\x00"),
		},
		invalid: []string{"deal_id", "number", "date", "notice"},
		unknown: &missing,
		missing: []string{"deal_id"},
	}
	c.checkUpdate(t, o, o.manager(), "unread")
	remove := func(r command.Request, id ID) error { return documents.Delete(t.Context(), r, id) }
	rejected(t, remove(expecting(o.viewer(), 77), nowhere), fault.Forbidden)
	rejected(t, remove(expecting(o.manager(), 77), nowhere), fault.NotFound)
	rejected(t, remove(expecting(o.manager(), 77), id), fault.Stale)
	succeed(t, remove(expecting(o.manager(), 1), id)) // nothing rejected has made another version

	c.write = func(r command.Request, _ ID, a agreement.Attributes) error {
		_, err := documents.Create(t.Context(), r, a)
		return err
	}
	c.checkCreation(t, o, o.manager(), "unread")
	c.wrong, c.invalid = agreement.Attributes{}, []string{"deal_id", "number"}
	c.checkCreation(t, o, o.manager(), "date")
}

func TestInvoiceRejectionsAreOrdered(t *testing.T) {
	t.Parallel()
	o := open(t)
	a := fixture.Invoice(o.Office)
	a.Status = domain.Some(invoice.Closed)
	missing := invoice.Attributes{
		PerformerID: domain.Some(performer.ID(nowhere)), TypeID: domain.Some(catalog.InvoiceTypeID(nowhere)),
		ClientID: domain.Some(client.ID(nowhere)), DealID: domain.Some(deal.ID(nowhere)),
	}
	c := writeCase[invoice.ID, invoice.Attributes]{
		write: func(r command.Request, id invoice.ID, a invoice.Attributes) error {
			return o.invoices.Update(t.Context(), r, id, a)
		},
		id: issue(o, a),
		wrong: invoice.Attributes{
			Number: domain.Some(""), Date: domain.Some(time.Time{}), TypeID: domain.Some(catalog.InvoiceTypeID(0)),
			Lines: domain.Some([]invoice.LineAttributes{{ID: domain.Some(invoice.LineID(nowhere))}, {}}),
		},
		invalid:     []string{"number", "date", "type_id", "items[0].id", "items[1].name"},
		conflicting: &missing,
	}
	before := o.invoice(c.id)
	c.checkUpdate(t, o, o.manager(), "items[0].count")
	expect(t, before, o.invoice(c.id))
	checkDeletion(t, o, o.manager(), c.id, func(r command.Request, id invoice.ID) error { return o.invoices.Delete(t.Context(), r, id) })

	open := issue(o, fixture.Invoice(o.Office))
	rejected(t, c.write(o.manager(), open, missing), fault.Dangling, "performer_id", "type_id", "client_id", "deal_id")

	missing.Number, missing.Date = a.Number, a.Date
	c.unknown, c.missing = &missing, []string{"performer_id", "type_id", "client_id", "deal_id"}
	c.wrong = invoice.Attributes{Lines: domain.Some([]invoice.LineAttributes{{}})}
	c.invalid = []string{"number", "date", "performer_id", "client_id", "type_id", "items[0].name"}
	c.write = func(r command.Request, _ invoice.ID, a invoice.Attributes) error {
		_, err := o.invoices.Create(t.Context(), r, a)
		return err
	}
	c.checkCreation(t, o, o.manager(), "paid")
}

func TestLineRejectionsAreOrdered(t *testing.T) {
	t.Parallel()
	o := open(t)
	a := fixture.Invoice(o.Office)
	a.Status = domain.Some(invoice.Cancelled)
	id := issue(o, a)
	full := fixture.Line("Neu")
	c := writeCase[invoice.LineID, invoice.LineAttributes]{
		write: func(r command.Request, id invoice.LineID, a invoice.LineAttributes) error {
			return o.invoices.ChangeLine(t.Context(), r, id, a)
		},
		id:          o.invoice(id).Lines[0].ID,
		wrong:       invoice.LineAttributes{Name: domain.Some(""), Count: domain.Some(fixture.Quantity("0"))},
		invalid:     []string{"name", "count"},
		conflicting: &full,
	}
	c.checkUpdate(t, o, o.manager(), "price")
	checkDeletion(t, o, o.manager(), c.id, func(r command.Request, id invoice.LineID) error { return o.invoices.RemoveLine(t.Context(), r, id) })

	to := invoice.ID(nowhere)
	c.unknown, c.missing = &full, []string{"invoice_id"}
	c.write = func(r command.Request, _ invoice.LineID, a invoice.LineAttributes) error {
		_, err := o.invoices.AddLine(t.Context(), r, to, a)
		return err
	}
	c.invalid = append(c.invalid, c.missing...)
	c.checkCreation(t, o, o.manager(), "price")
	to = 0
	rejected(t, c.write(o.manager(), 0, c.wrong), fault.Invalid, "invoice_id", "name", "count")
	to = id
	rejected(t, c.write(o.manager(), 0, full), fault.Conflict)
}
