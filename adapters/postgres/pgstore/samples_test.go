package pgstore_test

import (
	"context"
	"errors"
	"reflect"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/agreement"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/domain/payment"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/workload"
)

// record is a record of any kind, outside of a unit of work.
type record interface {
	add(ctx context.Context, s repository.Stores) (id int64, err error)
	// lock loads the record and takes the loaded state.
	lock(ctx context.Context, s repository.Stores, id int64) error
	save(ctx context.Context, s repository.Stores) error
	// remove is errKept if records of the kind are never removed.
	remove(ctx context.Context, s repository.Stores) error
	// change changes all that a writer can change.
	change() error
	// final names the fields that no writer changes.
	final() []string
	// stored is the state with that id and version.
	stored(id, version int64) any
	// loaded is the loaded state.
	loaded() any
}

// sample is a record of the kind of its types.
type sample[ID ~int64, A interface{ State() S }, S any] struct {
	a     A
	in    func(s repository.Stores) repository.Store[ID, A]
	alter func(a A) error
	fixed []string
}

func (r *sample[ID, A, S]) add(ctx context.Context, s repository.Stores) (int64, error) {
	id, err := r.in(s).Add(ctx, r.a)
	return int64(id), err
}

func (r *sample[ID, A, S]) lock(ctx context.Context, s repository.Stores, id int64) error {
	a, err := r.in(s).Lock(ctx, ID(id))
	if err == nil {
		r.a = a
	}
	return err
}

func (r *sample[ID, A, S]) save(ctx context.Context, s repository.Stores) error {
	return r.in(s).Save(ctx, r.a)
}

func (r *sample[ID, A, S]) remove(ctx context.Context, s repository.Stores) error {
	return r.in(s).Remove(ctx, r.a)
}

func (r *sample[ID, A, S]) change() error   { return r.alter(r.a) }
func (r *sample[ID, A, S]) final() []string { return r.fixed }
func (r *sample[ID, A, S]) loaded() any     { return r.a.State() }

func (r *sample[ID, A, S]) stored(id, version int64) any {
	s := r.a.State()
	if inv, ok := any(&s).(*invoice.State); ok {
		for i := range inv.Lines {
			inv.Lines[i].Version = max(inv.Lines[i].Version, 1)
		}
	}
	fields := reflect.ValueOf(&s).Elem()
	fields.FieldByName("ID").SetInt(id)
	if field := fields.FieldByName("Version"); field.IsValid() {
		field.SetInt(version)
	}
	return s
}

var errKept = errors.New("such records are never removed")

type keptUsers struct{ repository.Users }

func (keptUsers) Remove(context.Context, *user.User) error { return errKept }

// tokensByID locks a token, which is found by its public id only, like other records.
type tokensByID struct {
	repository.Tokens
	publicID string
}

func (k tokensByID) Lock(ctx context.Context, _ token.ID) (*token.Token, error) {
	return k.LockByPublicID(ctx, k.publicID)
}

func (tokensByID) Remove(context.Context, *token.Token) error { return errKept }

func statuses(s repository.Stores) repository.Store[catalog.StatusID, *catalog.Status] {
	return s.Statuses
}

func dealTypes(s repository.Stores) repository.Store[catalog.DealTypeID, *catalog.DealType] {
	return s.DealTypes
}

func invoiceTypes(s repository.Stores) repository.Store[catalog.InvoiceTypeID, *catalog.InvoiceType] {
	return s.InvoiceTypes
}

func performers(s repository.Stores) repository.Store[performer.ID, *performer.Performer] {
	return s.Performers
}

func contacts(s repository.Stores) repository.Store[contact.ID, *contact.Contact] { return s.Contacts }

// later is when records are changed.
var later = fixture.At.Add(36*time.Hour + time.Microsecond)

var refs atomic.Int64

// newRef returns a ref that no other record has.
func newRef() domain.Optional[string] {
	return domain.Some("Ключ 7/" + strconv.FormatInt(refs.Add(1), 10))
}

// samples are records of all kinds, new each time. Those with everything in
// them lose what they can when they change, and the terse ones gain it.
func samples(o fixture.Office) map[string]record {
	return map[string]record{
		"user":             aUser(user.Attributes{Username: domain.Some("Björn")}),
		"user, disabled":   aDisabledUser(),
		"token":            aToken(o.Manager, "cafe01", time.Hour),
		"token, for ever":  aToken(o.Viewer, "cafe02", 0),
		"status":           aStatus(fixture.Status(), catalog.StatusAttributes{Name: domain.Some("S"), Color: domain.Some("")}),
		"status, terse":    aStatus(catalog.StatusAttributes{Name: domain.Some("S")}, fixture.Status()),
		"deal type":        aLabel(dealTypes),
		"invoice type":     aLabel(invoiceTypes),
		"performer":        aPerformer(fixture.Performer(), tersePerformer()),
		"performer, terse": aPerformer(performer.Attributes{Name: domain.Some("P")}, fixture.Performer()),
		"company":          aClient(o, fixture.Company(), terseClient(client.Company)),
		"company, terse":   aClient(o, terseClient(client.Company), fixture.Company()),
		"person":           aClient(o, fixture.Person(), terseClient(client.Person)),
		"client's contact": aContact(o, contact.ToClient(o.Client), fixture.Contact(), terseContact()),
		"deal's contact":   aContact(o, contact.ToDeal(o.Inquiry), terseContact(), fixture.Contact()),
		"deal":             aDeal(o, fixture.Deal(o.Client, o.DealType), terseDeal()),
		"deal, terse":      aDeal(o, fixture.Deal(0, 0), fixture.Deal(o.Client, o.DealType)),
		"offer":            anAgreement(workload.Offers, fixture.Agreement(o.Deal), terseAgreement(o)),
		"offer, terse":     anAgreement(workload.Offers, terseAgreement(o), fixture.Agreement(o.Deal)),
		"contract":         anAgreement(workload.Contracts, fixture.Agreement(o.Deal), terseAgreement(o)),
		"contract, terse":  anAgreement(workload.Contracts, terseAgreement(o), fixture.Agreement(o.Deal)),
		"payment":          aPayment(fullPayment(o), tersePayment(o)),
		"payment, terse":   aPayment(tersePayment(o), fullPayment(o)),
		"invoice, paid":    anInvoice(o, fullInvoice(o), terseInvoice(o)),
		"invoice, terse":   anInvoice(o, terseInvoice(o), fullInvoice(o)),
		"invoice, issued":  anIssuedInvoice(o),
		"invoice, settled": aSettledInvoice(o),
	}
}

func aUser(a user.Attributes) record {
	return newUser(fixture.Must(user.New(a, fixture.At)))
}

func aDisabledUser() record {
	u := fixture.User("b", user.Manager)
	u.Disable(fixture.At)
	return newUser(u)
}

func newUser(u *user.User) record {
	return &sample[user.ID, *user.User, user.State]{
		a:  u,
		in: func(s repository.Stores) repository.Store[user.ID, *user.User] { return keptUsers{s.Users} },
		alter: func(u *user.User) error {
			u.Assign(user.Viewer, later)
			if u.State().Disabled {
				u.Enable(later)
				return nil
			}
			u.Disable(later)
			return nil
		},
		fixed: []string{"ID", "Username", "FirstName", "LastName", "Email", "CreatedAt"},
	}
}

func aToken(owner user.ID, publicID string, ttl time.Duration) record {
	issued := fixture.Must(token.New(owner, publicID, token.Hash{0, 1, 254, 255}, ttl, fixture.At))
	if err := issued.Restrict("client:write,invoice:read", "Läden"); err != nil {
		panic(err)
	}
	return &sample[token.ID, *token.Token, token.State]{
		a: issued,
		in: func(s repository.Stores) repository.Store[token.ID, *token.Token] {
			return tokensByID{s.Tokens, publicID}
		},
		alter: func(t *token.Token) error {
			t.Revoke(later)
			return nil
		},
		fixed: []string{"ID", "UserID", "PublicID", "Hash", "CreatedAt", "ExpiresAt", "LastUsedAt", "Label", "Scopes"},
	}
}

func aStatus(a, changed catalog.StatusAttributes) record {
	return &sample[catalog.StatusID, *catalog.Status, catalog.StatusState]{
		a:     fixture.Must(catalog.NewStatus(a)),
		in:    statuses,
		alter: func(s *catalog.Status) error { return s.Update(changed) },
		fixed: []string{"ID", "Default"},
	}
}

func aLabel[ID catalog.LabelID](in func(s repository.Stores) repository.Store[ID, *catalog.Label[ID]]) record {
	return &sample[ID, *catalog.Label[ID], catalog.LabelState[ID]]{
		a:     fixture.Must(catalog.NewLabel[ID](fixture.Label("Öl"))),
		in:    in,
		alter: func(l *catalog.Label[ID]) error { return l.Update(fixture.Label("Fett")) },
		fixed: []string{"ID"},
	}
}

func aPerformer(a, changed performer.Attributes) record {
	a.Ref, changed.Ref = newRef(), newRef()
	return &sample[performer.ID, *performer.Performer, performer.State]{
		a:     fixture.Must(performer.New(a, fixture.At)),
		in:    performers,
		alter: func(p *performer.Performer) error { return p.Update(changed, later) },
		fixed: []string{"ID", "CreatedAt"},
	}
}

func aClient(o fixture.Office, a, changed client.Attributes) record {
	a.Ref, changed.Ref = newRef(), newRef()
	changed.UserID = domain.Some(o.Other)
	return &sample[client.ID, *client.Client, client.State]{
		a:     fixture.Client(o.Manager, a),
		in:    workload.Clients,
		alter: func(c *client.Client) error { return c.Update(changed, later) },
		fixed: []string{"ID", "Type", "CreatedAt"},
	}
}

func aContact(o fixture.Office, link contact.Link, a, changed contact.Attributes) record {
	a.Ref, changed.Ref = newRef(), newRef()
	return &sample[contact.ID, *contact.Contact, contact.State]{
		a:  fixture.Must(contact.New(link, a)),
		in: contacts,
		alter: func(c *contact.Contact) error {
			c.HandTo(o.Client)
			return c.Update(changed)
		},
		fixed: []string{"ID"},
	}
}

func aDeal(o fixture.Office, a, changed deal.Attributes) record {
	a.Ref, changed.Ref = newRef(), newRef()
	changed.UserID = domain.Some(o.Other)
	changed.StatusID = domain.Some(o.Status)
	return &sample[deal.ID, *deal.Deal, deal.State]{
		a:     fixture.Must(deal.New(o.Manager, o.Default, a, fixture.At)),
		in:    workload.Deals,
		alter: func(d *deal.Deal) error { return d.Update(changed, deal.Facts{}, later) },
		fixed: []string{"ID", "CreatedAt"},
	}
}

func anAgreement[ID agreement.Identifier](in func(s repository.Stores) repository.Store[ID, *agreement.Agreement[ID]], a, changed agreement.Attributes) record {
	return &sample[ID, *agreement.Agreement[ID], agreement.State[ID]]{
		a:     fixture.Must(agreement.New[ID](a, fixture.At)),
		in:    in,
		alter: func(d *agreement.Agreement[ID]) error { return d.Update(changed) },
		fixed: []string{"ID", "CreatedOn"},
	}
}

// anIssuedInvoice is an invoice that is issued by its change.
func anIssuedInvoice(o fixture.Office) record {
	r := anInvoice(o, fullInvoice(o), terseInvoice(o))
	r.alter = func(inv *invoice.Invoice) error {
		defer inv.SetNumber("2024-0001")
		return inv.Issue(domain.Optional[time.Time]{}, nil, party.Discount{}, later)
	}
	return r
}

func aPayment(a, changed payment.Attributes) record {
	a.Ref, changed.Ref = newRef(), newRef()
	return &sample[payment.ID, *payment.Payment, payment.State]{
		a:     fixture.Must(payment.New(a, fixture.At)),
		in:    func(s repository.Stores) repository.Store[payment.ID, *payment.Payment] { return s.Payments },
		alter: func(p *payment.Payment) error { return p.Update(changed, later) },
		fixed: []string{"ID", "CreatedOn", "AutomaticOf", "Items"},
	}
}

func fullPayment(o fixture.Office) payment.Attributes {
	return payment.Attributes{
		PerformerID: domain.Some(o.Performer), ClientID: domain.Some(o.Client), Date: domain.Some(time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)),
		Amount: domain.Some(fixture.Amount("-999999999999.99")), Method: domain.Some("Lastschrift"), Reference: newRef(),
		Notice: domain.Some("zurück"),
	}
}

func tersePayment(o fixture.Office) payment.Attributes {
	empty := domain.Some("")
	return payment.Attributes{
		PerformerID: domain.Some(o.OtherPerformer), ClientID: domain.Some(client.ID(0)), Amount: domain.Some(fixture.Amount("0")),
		Date: domain.Some(time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC)), Method: empty, Reference: empty, Notice: empty,
	}
}

// aSettledInvoice is an invoice of which a part is waived at first, and by its change less.
func aSettledInvoice(o fixture.Office) record {
	a := fullInvoice(o)
	a.Status = domain.Optional[invoice.Status]{}
	r := anInvoice(o, a, terseInvoice(o))
	part := invoice.Allocation{Paid: fixture.Amount("-0.01"), Waived: fixture.Amount("-0.02"), IsSetOff: true}
	if err := r.a.Allocate(part, fixture.At); err != nil {
		panic(err)
	}
	r.alter = func(inv *invoice.Invoice) error {
		return inv.Allocate(invoice.Allocation{Waived: fixture.Amount("-0.01"), Before: &part}, later)
	}
	return r
}

func anInvoice(o fixture.Office, a, changed invoice.Attributes) *sample[invoice.ID, *invoice.Invoice, invoice.State] {
	a.Ref, changed.Ref = newRef(), newRef()
	return &sample[invoice.ID, *invoice.Invoice, invoice.State]{
		a:  newInvoice(o, a),
		in: workload.Invoices,
		alter: func(inv *invoice.Invoice) error {
			if err := inv.Update(changed, termsOf(o, changed), later); err != nil {
				return err
			}
			return inv.AttachToDeal(dealOf(o, changed))
		},
		fixed: []string{"ID", "UserID", "CreatedOn", "Credits"},
	}
}

func tersePerformer() performer.Attributes {
	empty := domain.Some("")
	return performer.Attributes{
		Status: domain.Some(int64(5)), Name: domain.Some("P"),
		CompanyName: empty, CompanyAddress: empty, RealAddress: empty, BankDetails: empty, CompanyDetails: empty,
		Leader: empty, LeaderRank: empty, Booker: empty, Phone: empty, Email: empty,
		VATUse: domain.Some(false), VATPercent: domain.Some(fixture.Percent("0")),
		StampFile: empty, LeaderSigFile: empty, BookerSigFile: empty, Logo: empty,
	}
}

func terseClient(t client.Type) client.Attributes {
	empty := domain.Some("")
	return client.Attributes{
		Type: domain.Some(t), Name: domain.Some("C"),
		Email: empty, Phone: empty, RealAddress: empty, Description: empty,
		CompanyAddress: empty, BankDetails: empty, PersonDetails: empty,
	}
}

func terseContact() contact.Attributes {
	empty := domain.Some("")
	return contact.Attributes{Name: domain.Some("E"), Phone: empty, Mobile: empty, Email: empty, Rank: empty}
}

func terseDeal() deal.Attributes {
	a := fixture.Deal(0, 0)
	a.Name = domain.Some("D")
	return a
}

func terseAgreement(o fixture.Office) agreement.Attributes {
	return agreement.Attributes{
		DealID: domain.Some(o.OtherDeal), Number: domain.Some("1"), Date: domain.Some(time.Time{}), Notice: domain.Some(""),
	}
}

// fullInvoice has all that an invoice and its lines can have.
func fullInvoice(o fixture.Office) invoice.Attributes {
	a := fixture.Invoice(o)
	line := fixture.Line("Kabine")
	line.Discount = domain.Some(fixture.Percent("33.33"))
	line.VAT.Percent = domain.Some(domain.Some(fixture.Percent("7")))
	line.BaseCount = domain.Some(fixture.Quantity("100"))
	line.Adjustments = domain.Some([]invoice.AdjustmentAttributes{{Reason: domain.Some("Treue"), Percent: domain.Some(fixture.Must(money.ParseChange("-2.5")))}})
	line.Item = invoice.ItemAttributes{
		Description: domain.Some("außen"), ItemNumber: domain.Some("K-1"), BuyerItemNumber: domain.Some("9"), GTIN: domain.Some("96385074"),
		Note: domain.Some("ruhig"), PeriodFrom: domain.Some("2024-02-01"), PeriodTo: domain.Some("2024-02-29"),
	}
	exempt := fixture.Line("Pfand")
	exempt.VAT.Category = domain.Some(performer.Exempt)
	a.Lines = domain.Some(append(a.Lines.Or(nil), line, exempt))
	a.Discount = domain.Some(fixture.Percent("0.01"))
	a.Adjustments = domain.Some([]invoice.AdjustmentAttributes{{
		Reason: domain.Some("Fracht"), Amount: domain.Some(fixture.Amount("4.95")), VAT: line.VAT,
	}})
	a.Currency, a.Exchange = domain.Some("CHF"), domain.Some(fixture.Quantity("1.05"))
	a.EarlyRate, a.EarlyUntil = domain.Some(fixture.Percent("2.25")), domain.Some(time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC))
	a.Trade = func(invoice.TradeTerms) invoice.TradeTerms {
		return invoice.TradeTerms{
			DeliveryDate: "2024-02-29", DeliveryCountry: "DE", Project: "Ü", PaymentTerms: "2 %\n14 Tage", PaymentMeans: "59", Mandate: "M-1",
			Notes: party.NotesOf([]party.Note{{Text: "Hinweis", SubjectCode: "AAI"}, {Text: "zwei\nZeilen"}}),
		}
	}
	return a
}

// terseInvoice is one that is not paid and has no lines.
func terseInvoice(o fixture.Office) invoice.Attributes {
	return invoice.Attributes{
		Number:      domain.Some("1"),
		Date:        domain.Some(time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC)),
		DueDate:     domain.Some(time.Time{}),
		EarlyRate:   domain.Some(money.Percent{}),
		EarlyUntil:  domain.Some(time.Time{}),
		PerformerID: domain.Some(o.OtherPerformer),
		ClientID:    domain.Some(o.OtherClient),
		DealID:      domain.Some(o.OtherDeal),
		TypeID:      domain.Some(o.OtherInvoiceType),
		Notice:      domain.Some(""),
		Discount:    domain.Some(fixture.Percent("0")),
		Adjustments: domain.Some([]invoice.AdjustmentAttributes{}),
		Currency:    domain.Some(""),
		Exchange:    domain.Some(money.Quantity{}),
		Trade:       func(invoice.TradeTerms) invoice.TradeTerms { return invoice.TradeTerms{} },
		Status:      domain.Some(invoice.NotPaid),
		Lines:       domain.Some([]invoice.LineAttributes{}),
	}
}

// newInvoice is an invoice of the manager's, filed under the deal of its client.
func newInvoice(o fixture.Office, a invoice.Attributes) *invoice.Invoice {
	inv := fixture.Must(invoice.New(o.Manager, a, termsOf(o, a), fixture.At))
	if err := inv.AttachToDeal(dealOf(o, a)); err != nil {
		panic(err)
	}
	return inv
}

// termsOf is the terms of the performer that the attributes name.
func termsOf(o fixture.Office, a invoice.Attributes) performer.Terms {
	if a.PerformerID.Or(0) == o.OtherPerformer {
		return performer.Terms{}
	}
	return performer.Terms{VATUse: true, VATPercent: fixture.Percent("7.25")}
}

// dealOf is the deal of the client that the attributes name.
func dealOf(o fixture.Office, a invoice.Attributes) deal.State {
	if a.ClientID.Or(0) == o.OtherClient {
		return deal.State{ID: o.OtherDeal, ClientID: o.OtherClient}
	}
	return deal.State{ID: o.Deal, ClientID: o.Client}
}
