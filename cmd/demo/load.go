package demo

import (
	"context"
	"fmt"
	"time"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/document"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/performer"
)

// load adds the demo data, dated before today, unless the demo's user exists: of
// several concurrent calls, the one that adds that user continues. It ignores
// cancellation; after a crash in the middle the data stays incomplete.
func load(ctx context.Context, commands bootstrap.Commands, today time.Time) error {
	l := loader{commands: commands, today: time.Date(today.Year(), today.Month(), today.Day(), 0, 0, 0, 0, time.UTC)}
	ctx = context.WithoutCancel(ctx)
	for i, a := range users {
		id, err := commands.Users.Add(ctx, a)
		if i == dana && fault.Is(err, fault.Invalid) {
			return nil // the user exists
		}
		if err != nil {
			return err
		}
		l.as = append(l.as, command.Request{Actor: access.Actor{UserID: id, Role: a.Role.Or(0)}})
	}
	if err := l.references(ctx); err != nil {
		return err
	}
	for _, c := range clients {
		if err := l.client(ctx, c); err != nil {
			return fmt.Errorf("%s: %w", c.attributes.Name.Or(""), err)
		}
	}
	return l.deal(ctx, l.as[mira], 0, inquiry)
}

// loader has the ids of added records, by their index in the demo's lists.
type loader struct {
	commands     bootstrap.Commands
	today        time.Time
	as           []command.Request
	statuses     []catalog.StatusID
	dealTypes    []catalog.DealTypeID
	invoiceTypes []catalog.InvoiceTypeID
	performers   []performer.ID
}

func (l *loader) references(ctx context.Context) (err error) {
	admin := l.as[dana]
	if l.statuses, err = addAll(ctx, admin, statuses, l.commands.Statuses.Create); err != nil {
		return err
	}
	if l.dealTypes, err = addAll(ctx, admin, labels(dealTypes), l.commands.DealTypes.Create); err != nil {
		return err
	}
	if l.invoiceTypes, err = addAll(ctx, admin, labels(invoiceTypes), l.commands.InvoiceTypes.Create); err != nil {
		return err
	}
	l.performers, err = addAll(ctx, admin, performers, l.commands.Performers.Create)
	return err
}

func labels(names []string) []catalog.LabelAttributes {
	all := make([]catalog.LabelAttributes, len(names))
	for i, name := range names {
		all[i].Name = some(name)
	}
	return all
}

func addAll[A, ID any](ctx context.Context, r command.Request, all []A,
	create func(ctx context.Context, r command.Request, a A) (ID, error),
) ([]ID, error) {
	ids := make([]ID, len(all))
	for i, a := range all {
		var err error
		if ids[i], err = create(ctx, r, a); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

func (l *loader) client(ctx context.Context, c clientData) error {
	manager := l.as[c.owner]
	id, err := l.commands.Clients.Create(ctx, manager, c.attributes)
	if err != nil {
		return err
	}
	if err := l.contacts(ctx, manager, command.ContactLink{ClientID: id}, c.contacts); err != nil {
		return err
	}
	for _, d := range c.deals {
		if err := l.deal(ctx, manager, id, d); err != nil {
			return err
		}
	}
	return nil
}

func (l *loader) contacts(ctx context.Context, r command.Request, link command.ContactLink, all []contact.Attributes) error {
	_, err := addAll(ctx, r, all, func(ctx context.Context, r command.Request, a contact.Attributes) (contact.ID, error) {
		return l.commands.Contacts.Create(ctx, r, link, a)
	})
	return err
}

// deal adds a deal with its contacts, documents and invoices; owner is zero if it
// has no client.
func (l *loader) deal(ctx context.Context, r command.Request, owner client.ID, d dealData) error {
	id, err := l.commands.Deals.Create(ctx, r, deal.Attributes{
		Name:     some(d.name),
		ClientID: optional.Some(owner),
		TypeID:   optional.Some(l.dealTypes[d.kind]),
	})
	if err != nil {
		return err
	}
	if err := l.contacts(ctx, r, command.ContactLink{DealID: id}, d.contacts); err != nil {
		return err
	}
	if _, err := addAll(ctx, r, l.documents("O-", id, d.offers), l.commands.Offers.Create); err != nil {
		return err
	}
	if _, err := addAll(ctx, r, l.documents("C-", id, d.contracts), l.commands.Contracts.Create); err != nil {
		return err
	}
	for _, inv := range d.invoices {
		if err := l.invoice(ctx, r, owner, id, inv); err != nil {
			return err
		}
	}
	// The status comes last, so that the deal has a history.
	return l.commands.Deals.Update(ctx, r, id, deal.Attributes{StatusID: optional.Some(l.statuses[d.status])})
}

// documents returns a deal's offers or contracts, numbered by their dates.
func (l *loader) documents(prefix string, of deal.ID, all []documentData) []document.Attributes {
	attributes := make([]document.Attributes, len(all))
	for i, d := range all {
		date := l.today.AddDate(0, 0, -d.daysAgo)
		attributes[i] = document.Attributes{
			DealID: optional.Some(of),
			Number: some(prefix + date.Format("20060102")),
			Date:   optional.Some(date),
			Notice: some(d.notice),
		}
	}
	return attributes
}

func (l *loader) invoice(ctx context.Context, r command.Request, owner client.ID, of deal.ID, inv invoiceData) error {
	date := l.today.AddDate(0, 0, -inv.daysAgo)
	_, err := l.commands.Invoices.Create(ctx, r, invoice.Attributes{
		Number:      some(date.Format("R-20060102")),
		Date:        optional.Some(date),
		PerformerID: optional.Some(l.performers[inv.performer]),
		ClientID:    optional.Some(owner),
		DealID:      optional.Some(of),
		TypeID:      optional.Some(l.invoiceTypes[inv.kind]),
		Notice:      some(inv.notice),
		Status:      optional.Some(inv.status),
		Lines:       optional.Some(inv.lines),
	})
	return err
}
