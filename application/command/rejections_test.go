package command_test

import (
	"testing"
	"time"

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

// The tests in this file make requests in which everything is wrong, and correct
// one thing after the other: clause 3.25 says which rejection comes first,
// and 3.3 that a 422 names every wrong field at once.

// ladder is a write of one kind, from the request and the record's id to the
// attributes that break a rule, or a rule and what others have to do with it.
type ladder[ID ~int64, A any] struct {
	write   func(r command.Request, id ID, a A) error
	id      ID
	wrong   A        // breaks rules of the record itself
	blames  []string // the fields that break them
	clashes *A       // is at odds with other records, and refers to what is not there; nil if it cannot be
	dangles *A       // refers to what is not there; nil if it refers to nothing
	missing []string // the fields that do
}

// climb goes up the ladder; writer may write here, and the field unread could
// not be read.
func (l ladder[ID, A]) climb(t *testing.T, o *office, writer command.Request, unread string) {
	t.Helper()
	stale, reader := expecting(writer, 77), expecting(o.viewer(), 77)
	rejected(t, l.write(unreadable(reader, unread), nowhere, l.wrong), fault.Forbidden)
	rejected(t, l.write(unreadable(stale, unread), nowhere, l.wrong), fault.NotFound)
	rejected(t, l.write(unreadable(stale, unread), l.id, l.wrong), fault.Stale)
	rejected(t, l.write(unreadable(expecting(writer, 1), unread), l.id, l.wrong), fault.Invalid, append(l.blames, unread)...)
	rejected(t, l.write(writer, l.id, l.wrong), fault.Invalid, l.blames...)
	if l.clashes != nil {
		rejected(t, l.write(writer, l.id, *l.clashes), fault.Conflict)
	}
	if l.dangles != nil {
		rejected(t, l.write(writer, l.id, *l.dangles), fault.Dangling, l.missing...)
	}
}

// rejections of a creation: there is no record yet that could be missing or old.
func (l ladder[ID, A]) climbNew(t *testing.T, o *office, writer command.Request, unread string) {
	t.Helper()
	rejected(t, l.write(unreadable(o.viewer(), unread), 0, l.wrong), fault.Forbidden)
	rejected(t, l.write(unreadable(writer, unread), 0, l.wrong), fault.Invalid, append(l.blames, unread)...)
	if l.dangles != nil {
		rejected(t, l.write(writer, 0, *l.dangles), fault.Dangling, l.missing...)
	}
}

func TestClientRejectionsAreOrdered(t *testing.T) {
	o := open(t)
	missing := fixture.Company()
	missing.UserID = optional.Some(user.ID(nowhere))
	l := ladder[client.ID, client.Attributes]{
		write: func(r command.Request, id client.ID, a client.Attributes) error {
			return o.clients.Update(t.Context(), r, id, a)
		},
		id: o.Client,
		wrong: client.Attributes{
			Name: optional.Some(" "), Email: optional.Some("nobody"), UserID: optional.Some(user.ID(0)), BankDetails: optional.Some("\x00"),
		},
		blames:  []string{"name", "email", "user", "bank_details"},
		dangles: &missing,
		missing: []string{"user"},
	}
	before := o.client(o.Client)
	l.climb(t, o, o.admin(), "phone")
	expect(t, before, o.client(o.Client))

	l.write = func(r command.Request, _ client.ID, a client.Attributes) error {
		_, err := o.clients.Create(t.Context(), r, a)
		return err
	}
	l.wrong.Type = optional.Some(client.Company)
	l.climbNew(t, o, o.admin(), "phone")

	remove := func(r command.Request, id client.ID) error { return o.clients.Delete(t.Context(), r, id) }
	climbDown(t, o, o.manager(), o.Client, remove)
}

// climbDown is the ladder of a removal: of a record that others refer to.
func climbDown[ID ~int64](t *testing.T, o *office, writer command.Request, id ID, remove func(r command.Request, id ID) error) {
	t.Helper()
	rejected(t, remove(expecting(o.viewer(), 77), nowhere), fault.Forbidden)
	rejected(t, remove(expecting(writer, 77), nowhere), fault.NotFound)
	rejected(t, remove(expecting(writer, 77), id), fault.Stale)
	rejected(t, remove(expecting(writer, 1), id), fault.Conflict)
}

func TestDealRejectionsAreOrdered(t *testing.T) {
	o := open(t)
	issue(o, fixture.Invoice(o.Office))
	missing := deal.Attributes{
		UserID: optional.Some(user.ID(nowhere)), TypeID: optional.Some(catalog.DealTypeID(nowhere)), StatusID: optional.Some(catalog.StatusID(nowhere)),
	}
	clashing := missing
	clashing.ClientID = optional.Some(o.OtherClient)
	l := ladder[deal.ID, deal.Attributes]{
		write: func(r command.Request, id deal.ID, a deal.Attributes) error {
			return o.deals.Update(t.Context(), r, id, a)
		},
		id: o.Deal,
		wrong: deal.Attributes{
			Name: optional.Some(""), UserID: optional.Some(user.ID(0)), StatusID: optional.Some(catalog.StatusID(0)), ClientID: clashing.ClientID,
		},
		blames:  []string{"name", "user", "status_id"},
		clashes: &clashing,
		dangles: &missing,
		missing: []string{"user", "type_id", "status_id"},
	}
	before := o.deal(o.Deal)
	l.climb(t, o, o.admin(), "type_id")
	expect(t, before, o.deal(o.Deal))

	missing.Name, missing.ClientID = optional.Some("Neu"), optional.Some(client.ID(nowhere))
	l.missing = append(l.missing, "client_id")
	l.write = func(r command.Request, _ deal.ID, a deal.Attributes) error {
		_, err := o.deals.Create(t.Context(), r, a)
		return err
	}
	l.climbNew(t, o, o.admin(), "type_id")
	climbDown(t, o, o.manager(), o.Deal, func(r command.Request, id deal.ID) error { return o.deals.Delete(t.Context(), r, id) })
}

func TestContactRejectionsAreOrdered(t *testing.T) {
	o := open(t)
	l := ladder[contact.ID, contact.Attributes]{
		write: func(r command.Request, id contact.ID, a contact.Attributes) error {
			return o.contacts.Update(t.Context(), r, id, a)
		},
		id:     addContact(o, command.ContactLink{ClientID: o.Client}),
		wrong:  contact.Attributes{Name: optional.Some(""), Email: optional.Some("@")},
		blames: []string{"name", "email"},
	}
	l.climb(t, o, o.manager(), "phone")

	link := command.ContactLink{ClientID: nowhere, DealID: nowhere}
	full := fixture.Contact()
	l.dangles, l.missing = &full, []string{"client_id", "deal_id"}
	l.write = func(r command.Request, _ contact.ID, a contact.Attributes) error {
		_, err := o.contacts.Create(t.Context(), r, link, a)
		return err
	}
	l.blames = append(l.blames, l.missing...)
	l.climbNew(t, o, o.manager(), "phone")

	link = command.ContactLink{} // contract 8.11
	rejected(t, l.write(o.manager(), 0, l.wrong), fault.Invalid, "client_id", "deal_id", "name", "email")
}

func TestStatusRejectionsAreOrdered(t *testing.T) {
	o := open(t)
	clashing := catalog.StatusAttributes{Default: optional.Some(false)}
	l := ladder[catalog.StatusID, catalog.StatusAttributes]{
		write: func(r command.Request, id catalog.StatusID, a catalog.StatusAttributes) error {
			return o.statuses.Update(t.Context(), r, id, a)
		},
		id:      o.Default,
		wrong:   catalog.StatusAttributes{Name: optional.Some(""), Color: optional.Some("red"), Default: clashing.Default},
		blames:  []string{"name", "color"},
		clashes: &clashing,
	}
	rejected(t, l.write(o.manager(), o.Default, clashing), fault.Forbidden) // contract 5.14
	l.climb(t, o, o.admin(), "default")
	l.write = func(r command.Request, _ catalog.StatusID, a catalog.StatusAttributes) error {
		_, err := o.statuses.Create(t.Context(), r, a)
		return err
	}
	l.climbNew(t, o, o.admin(), "default")
	climbDown(t, o, o.admin(), o.Default, func(r command.Request, id catalog.StatusID) error { return o.statuses.Delete(t.Context(), r, id) })
}

// contract 3.25, 3.3, 5.14
func TestLabelRejectionsAreOrdered(t *testing.T) {
	o := open(t)
	issue(o, fixture.Invoice(o.Office))
	typeRejections(t, o, o.dealTypes, o.DealType, "name")
	typeRejections(t, o, o.invoiceTypes, o.InvoiceType, "title")
}

func typeRejections[ID catalog.LabelID](t *testing.T, o *office, types *command.Labels[ID], used ID, label string) {
	t.Helper()
	l := ladder[ID, catalog.LabelAttributes]{
		write: func(r command.Request, id ID, a catalog.LabelAttributes) error {
			return types.Update(t.Context(), r, id, a)
		},
		id:     used,
		wrong:  fixture.Label(""),
		blames: []string{label},
	}
	rejected(t, l.write(o.manager(), used, fixture.Label("Neu")), fault.Forbidden)
	l.climb(t, o, o.admin(), "unread")
	l.write = func(r command.Request, _ ID, a catalog.LabelAttributes) error {
		_, err := types.Create(t.Context(), r, a)
		return err
	}
	l.climbNew(t, o, o.admin(), "unread")
	climbDown(t, o, o.admin(), used, func(r command.Request, id ID) error { return types.Delete(t.Context(), r, id) })
}

func TestPerformerRejectionsAreOrdered(t *testing.T) {
	o := open(t)
	issue(o, fixture.Invoice(o.Office))
	l := ladder[performer.ID, performer.Attributes]{
		write: func(r command.Request, id performer.ID, a performer.Attributes) error {
			return o.performers.Update(t.Context(), r, id, a)
		},
		id:     o.Performer,
		wrong:  performer.Attributes{Name: optional.Some(""), Status: optional.Some(int64(1) << 40), Email: optional.Some("@")},
		blames: []string{"name", "status", "email"},
	}
	rejected(t, l.write(o.manager(), o.Performer, fixture.Performer()), fault.Forbidden) // contract 5.14
	l.climb(t, o, o.admin(), "vat_percent")
	l.write = func(r command.Request, _ performer.ID, a performer.Attributes) error {
		_, err := o.performers.Create(t.Context(), r, a)
		return err
	}
	l.climbNew(t, o, o.admin(), "vat_percent")
	climbDown(t, o, o.admin(), o.Performer, func(r command.Request, id performer.ID) error { return o.performers.Delete(t.Context(), r, id) })
}

func TestDocumentRejectionsAreOrdered(t *testing.T) {
	o := open(t)
	documentRejections(t, o, o.offers)
	documentRejections(t, o, o.contracts)
}

func documentRejections[ID document.Identifier](t *testing.T, o *office, documents *command.Documents[ID]) {
	t.Helper()
	id := done[ID](t)(documents.Create(t.Context(), o.manager(), fixture.Document(o.Deal)))
	missing := fixture.Document(nowhere)
	l := ladder[ID, document.Attributes]{
		write: func(r command.Request, id ID, a document.Attributes) error {
			return documents.Update(t.Context(), r, id, a)
		},
		id: id,
		wrong: document.Attributes{
			DealID: optional.Some(deal.ID(0)), Number: optional.Some(""), Date: optional.Some(time.Unix(-1<<33, 0)), Notice: optional.Some("\x00"),
		},
		blames:  []string{"deal_id", "number", "date", "notice"},
		dangles: &missing,
		missing: []string{"deal_id"},
	}
	l.climb(t, o, o.manager(), "unread")
	remove := func(r command.Request, id ID) error { return documents.Delete(t.Context(), r, id) }
	rejected(t, remove(expecting(o.viewer(), 77), nowhere), fault.Forbidden)
	rejected(t, remove(expecting(o.manager(), 77), nowhere), fault.NotFound)
	rejected(t, remove(expecting(o.manager(), 77), id), fault.Stale)
	succeed(t, remove(expecting(o.manager(), 1), id)) // nothing rejected has made another version

	l.write = func(r command.Request, _ ID, a document.Attributes) error {
		_, err := documents.Create(t.Context(), r, a)
		return err
	}
	l.climbNew(t, o, o.manager(), "unread")
	l.wrong, l.blames = document.Attributes{}, []string{"deal_id", "number"}
	l.climbNew(t, o, o.manager(), "date")
}

func TestInvoiceRejectionsAreOrdered(t *testing.T) {
	o := open(t)
	a := fixture.Invoice(o.Office)
	a.Status = optional.Some(invoice.Closed)
	missing := invoice.Attributes{
		PerformerID: optional.Some(performer.ID(nowhere)), TypeID: optional.Some(catalog.InvoiceTypeID(nowhere)),
		ClientID: optional.Some(client.ID(nowhere)), DealID: optional.Some(deal.ID(nowhere)),
	}
	l := ladder[invoice.ID, invoice.Attributes]{
		write: func(r command.Request, id invoice.ID, a invoice.Attributes) error {
			return o.invoices.Update(t.Context(), r, id, a)
		},
		id: issue(o, a),
		wrong: invoice.Attributes{
			Number: optional.Some(""), Date: optional.Some(time.Time{}), TypeID: optional.Some(catalog.InvoiceTypeID(0)),
			Lines: optional.Some([]invoice.LineAttributes{{ID: optional.Some(invoice.LineID(nowhere))}, {}}),
		},
		blames:  []string{"number", "date", "type_id", "items[0].id", "items[1].name"},
		clashes: &missing,
	}
	before := o.invoice(l.id)
	l.climb(t, o, o.manager(), "items[0].count")
	expect(t, before, o.invoice(l.id))
	climbDown(t, o, o.manager(), l.id, func(r command.Request, id invoice.ID) error { return o.invoices.Delete(t.Context(), r, id) })

	open := issue(o, fixture.Invoice(o.Office))
	rejected(t, l.write(o.manager(), open, missing), fault.Dangling, "performer_id", "type_id", "client_id", "deal_id")

	missing.Number, missing.Date = a.Number, a.Date
	l.dangles, l.missing = &missing, []string{"performer_id", "type_id", "client_id", "deal_id"}
	l.wrong = invoice.Attributes{Lines: optional.Some([]invoice.LineAttributes{{}})}
	l.blames = []string{"number", "date", "performer_id", "client_id", "type_id", "items[0].name"}
	l.write = func(r command.Request, _ invoice.ID, a invoice.Attributes) error {
		_, err := o.invoices.Create(t.Context(), r, a)
		return err
	}
	l.climbNew(t, o, o.manager(), "paid")
}

func TestLineRejectionsAreOrdered(t *testing.T) {
	o := open(t)
	a := fixture.Invoice(o.Office)
	a.Status = optional.Some(invoice.Cancelled)
	id := issue(o, a)
	full := fixture.Line("Neu")
	l := ladder[invoice.LineID, invoice.LineAttributes]{
		write: func(r command.Request, id invoice.LineID, a invoice.LineAttributes) error {
			return o.invoices.ChangeLine(t.Context(), r, id, a)
		},
		id:      o.invoice(id).Lines[0].ID,
		wrong:   invoice.LineAttributes{Name: optional.Some(""), Count: optional.Some(fixture.Quantity("0"))},
		blames:  []string{"name", "count"},
		clashes: &full,
	}
	l.climb(t, o, o.manager(), "price")
	climbDown(t, o, o.manager(), l.id, func(r command.Request, id invoice.LineID) error { return o.invoices.RemoveLine(t.Context(), r, id) })

	to := invoice.ID(nowhere)
	l.dangles, l.missing = &full, []string{"invoice_id"}
	l.write = func(r command.Request, _ invoice.LineID, a invoice.LineAttributes) error {
		_, err := o.invoices.AddLine(t.Context(), r, to, a)
		return err
	}
	l.blames = append(l.blames, l.missing...)
	l.climbNew(t, o, o.manager(), "price")
	to = 0
	rejected(t, l.write(o.manager(), 0, l.wrong), fault.Invalid, "invoice_id", "name", "count")
	to = id
	rejected(t, l.write(o.manager(), 0, full), fault.Conflict)
}
