// Package demo fills an empty service with a few realistic records to try it with.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/agreement"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/payment"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/user"
)

const (
	// admin is the username that the token belongs to. If it exists, the demo data
	// is already loaded.
	admin = "demo"

	tokenTTL = 24 * time.Hour
)

// Run loads the data, all or nothing, unless it is already loaded, and writes the address, a new token
// and three requests to try. The tokens of earlier starts stay valid, which it says. Of several concurrent calls, the
// one that adds the user loads the data. The error of a record that is refused names it and the rule.
func Run(ctx context.Context, w io.Writer, commands bootstrap.Commands, transaction bootstrap.Transaction, address string) error {
	err := transaction.Do(ctx, func(ctx context.Context, c bootstrap.Commands) error {
		l := &loader{Commands: c, ctx: ctx, today: time.Now().UTC().Truncate(24 * time.Hour)}
		dana := l.user(admin, "Dana", "Moser", user.Admin)
		if fault.Is(l.err, fault.Invalid) {
			return errLoaded
		}
		l.load(dana)
		return l.err
	})
	done, earlier := "is loaded", ""
	switch {
	case errors.Is(err, errLoaded):
		done = "was loaded before, and nothing is loaded now"
		earlier = "\nThe tokens of earlier starts are kept, each for its 24 hours, so that other terminals can go on."
	case err != nil:
		return fmt.Errorf("load the demo data: %w", err)
	}
	secret, _, err := commands.Tokens.Issue(ctx, admin, tokenTTL)
	if err != nil {
		return fmt.Errorf("issue the demo's token: %w", err)
	}
	_, err = strings.NewReplacer("DONE", done, "EARLIER", earlier, "ADDRESS", address, "SECRET", secret.Token).WriteString(w, text)
	return err
}

var errLoaded = errors.New("the demo data is already loaded")

// loader makes requests to the use cases until one fails.
type loader struct {
	bootstrap.Commands
	ctx   context.Context
	today time.Time
	err   error

	statuses     []catalog.StatusID
	dealTypes    []catalog.DealTypeID
	invoiceTypes []catalog.InvoiceTypeID
	performers   []performer.ID
}

// add adds a record; what names it in an error.
func add[ID, A any](l *loader, what string, r command.Request, create func(context.Context, command.Request, A) (ID, error), a A) (id ID) {
	if l.err != nil {
		return id
	}
	if id, l.err = create(l.ctx, r, a); l.err != nil {
		l.err = fault.Named(l.err, what)
	}
	return id
}

func (l *loader) user(username, fname, lname string, role user.Role) command.Request {
	id := add(l, "user "+username, command.Request{}, func(ctx context.Context, _ command.Request, a user.Attributes) (user.ID, error) {
		return l.Users.Add(ctx, a)
	}, user.Attributes{
		Username: some(username), FirstName: some(fname), LastName: some(lname),
		Email: some(strings.ToLower(fname) + "@nordlicht.example"), Role: domain.Some(role),
	})
	return command.Request{Actor: access.Actor{UserID: id, Role: role}}
}

// owner is a client with its manager; the id is zero for deals without a client.
type owner struct {
	*loader
	manager command.Request
	id      client.ID
}

func (l *loader) company(manager command.Request, name, email, phone, address string) owner {
	return owner{l, manager, add(l, "client "+name, manager, l.Clients.Create, client.Attributes{
		Type: domain.Some(client.Company), Name: some(name), Email: some(email), Phone: some(phone), CompanyAddress: some(address),
	})}
}

func (l *loader) person(manager command.Request, name, email, phone, description string) owner {
	return owner{l, manager, add(l, "client "+name, manager, l.Clients.Create, client.Attributes{
		Type: domain.Some(client.Person), Name: some(name), Email: some(email), Phone: some(phone), Description: some(description),
	})}
}

func (o owner) contact(name, rank, email string) {
	o.addContact(command.ContactLink{ClientID: o.id}, name, rank, email)
}

func (o owner) addContact(link command.ContactLink, name, rank, email string) {
	add(o.loader, "contact "+name, o.manager, func(ctx context.Context, r command.Request, a contact.Attributes) (contact.ID, error) {
		return o.Contacts.Create(ctx, r, link, a)
	}, contact.Attributes{Name: some(name), Rank: some(rank), Email: some(email)})
}

// part adds something to a deal.
type part func(o owner, id deal.ID)

// deal adds a deal with its parts. Its status comes last, so that the deal has a history.
func (o owner) deal(name string, kind, status int, parts ...part) {
	id := add(o.loader, "deal "+name, o.manager, o.Deals.Create, deal.Attributes{
		Name: some(name), ClientID: domain.Some(o.id), TypeID: domain.Some(o.dealTypes[kind]),
	})
	for _, addTo := range parts {
		addTo(o, id)
	}
	add(o.loader, "deal "+name, o.manager, func(ctx context.Context, r command.Request, a deal.Attributes) (deal.ID, error) {
		return id, o.Deals.Update(ctx, r, id, a)
	}, deal.Attributes{StatusID: domain.Some(o.statuses[status])})
}

func inquirer(name, rank, email string) part {
	return func(o owner, id deal.ID) { o.addContact(command.ContactLink{DealID: id}, name, rank, email) }
}

func offer(daysAgo int, notice string) part {
	return func(o owner, id deal.ID) {
		add(o.loader, "offer of a deal", o.manager, o.Offers.Create, o.agreement("O-", id, daysAgo, notice))
	}
}

func contract(daysAgo int, notice string) part {
	return func(o owner, id deal.ID) {
		add(o.loader, "contract of a deal", o.manager, o.Contracts.Create, o.agreement("C-", id, daysAgo, notice))
	}
}

func (l *loader) agreement(prefix string, id deal.ID, daysAgo int, notice string) agreement.Attributes {
	date := l.today.AddDate(0, 0, -daysAgo)
	return agreement.Attributes{
		DealID: domain.Some(id), Number: some(prefix + date.Format("20060102")), Date: domain.Some(date), Notice: some(notice),
	}
}

func bill(performer, kind, daysAgo int, status invoice.Status, notice string, lines ...invoice.LineAttributes) part {
	return func(o owner, id deal.ID) {
		date := o.today.AddDate(0, 0, -daysAgo)
		number := date.Format("R-20060102")
		a := invoice.Attributes{
			Number: some(number), Date: domain.Some(date), ClientID: domain.Some(o.id), DealID: domain.Some(id),
			PerformerID: domain.Some(o.performers[performer]), TypeID: domain.Some(o.invoiceTypes[kind]),
			Notice: some(notice), Status: domain.Some(status), Lines: domain.Some(lines),
		}
		if kind != creditNote {
			a.DueDate = domain.Some(date.AddDate(0, 0, 14))
		}
		add(o.loader, "invoice "+number, o.manager, o.Invoices.Create, a)
	}
}

// pays adds money from the client for its oldest invoices.
func (o owner) pays(performer, daysAgo int, amount, reference string) {
	add(o.loader, "payment "+reference, o.manager, o.Payments.Create, payment.Attributes{
		PerformerID: domain.Some(o.performers[performer]), ClientID: domain.Some(o.id), Date: domain.Some(o.today.AddDate(0, 0, -daysAgo)),
		Amount: domain.Some(exactly(money.ParseCents(amount))), Method: some("transfer"), Reference: some(reference), Oldest: true,
	})
}

func line(name, units, count, price string) invoice.LineAttributes {
	return invoice.LineAttributes{
		Name: some(name), Units: some(units),
		Count: domain.Some(exactly(money.ParseQuantity(count))), Price: domain.Some(exactly(money.ParseAmount(price))),
	}
}

func some(s string) domain.Optional[string] { return domain.Some(s) }

// exactly is for the numbers written in this package: one that does not parse
// is a mistake in it, found at the first start.
func exactly[T any](n T, err error) T {
	if err != nil {
		panic(err)
	}
	return n
}

// text is the output. Each request is one line, to be copied as a whole.
const text = `
The demo data DONE. The service is at ADDRESS, and the reference of its API at ADDRESS/docs
Open ADDRESS in a browser to look at the records, and log in with the token below.

Set these variables in another terminal. The token of the user "demo", an admin, is valid for 24 hours:EARLIER

  export KONTOR=ADDRESS
  export TOKEN=SECRET

Three requests to try there:

  # unpaid invoices, oldest first
  curl "$KONTOR/rest/invoice?status_id=1&sort=date&fields=number,date,pay_price,company.name&_format=json&auth_key=$TOKEN"

  # companies, three per page, with their responsible users and number of deals
  curl -H "Authorization: Bearer $TOKEN" "$KONTOR/rest/client?type=1&per_page=3&expand=user&count_deals=1"

  # a new client, only tried; without dry_run=1 it is stored
  curl -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \
     -d '{"name":"Bakery Goldkrume","type":1,"email":"shop@goldkrume.example"}' "$KONTOR/rest/client?dry_run=1"

`
