package model_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/document"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
)

// writer writes at random to records of its own and to the office's, which all
// writers share.
type writer struct {
	company
	chance    *rand.Rand
	clients   []client.ID
	deals     []deal.ID
	offers    []document.OfferID
	contracts []document.ContractID
	invoices  []invoice.ID
}

func (c company) writer(seed uint64) *writer {
	o := c.office
	return &writer{
		company: c, chance: rand.New(rand.NewPCG(seed, 7)),
		clients: []client.ID{o.Client, o.OtherClient}, deals: []deal.ID{o.Deal, o.OtherDeal, o.Inquiry},
	}
}

// write has that many writers write until the function returns, and returns how
// much they have written.
func (c company) write(writers int, while func()) int64 {
	var written atomic.Int64
	stop := make(chan struct{})
	var all sync.WaitGroup
	for i := range writers {
		w := c.writer(uint64(i + 1))
		all.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if w.step() {
					written.Add(1)
				}
			}
		})
	}
	while()
	close(stop)
	all.Wait()
	return written.Load()
}

// steps is so many random changes, one after the other.
func (w *writer) steps(n int) {
	for range n {
		w.step()
	}
}

// step is one unit of work; written tells whether it was granted. What the
// others have removed or hold together is refused now and then.
func (w *writer) step() (written bool) {
	do := w.draw()
	err := w.tx.Do(context.WithoutCancel(w.t.Context()), repository.Meta{UserID: w.office.Manager, At: w.at()}, do)
	if f := fault.As(err); f != nil && (f.Kind == fault.NotFound || f.Kind == fault.Invalid || f.Kind == fault.Conflict || f.Kind == fault.Dangling) {
		return false
	}
	if err != nil {
		w.t.Errorf("a writer ends with %v", err)
	}
	return err == nil
}

type work = func(ctx context.Context, s repository.Stores) error

func (w *writer) draw() work {
	at := w.at()
	switch w.chance.IntN(16) {
	case 0, 1:
		return func(ctx context.Context, s repository.Stores) error { return w.addClient(ctx, s, at) }
	case 2, 3:
		return func(ctx context.Context, s repository.Stores) error { return w.addDeal(ctx, s, at) }
	case 4:
		return adding(&w.offers, fixture.Must(document.New[document.OfferID](w.paper(), at)), offersOf)
	case 5:
		return adding(&w.contracts, fixture.Must(document.New[document.ContractID](w.paper(), at)), contractsOf)
	case 6, 7, 8:
		return func(ctx context.Context, s repository.Stores) error { return w.addInvoice(ctx, s, at) }
	case 9:
		a := client.Attributes{Name: optional.Some(w.name()), UserID: optional.Some(w.user())}
		return changing(w.one(w.clients), func(s repository.Stores) store[client.ID, *client.Client] { return s.Clients },
			func(c *client.Client) error { return c.Update(a, at) })
	case 10, 11:
		return func(ctx context.Context, s repository.Stores) error { return w.changeDeal(ctx, s, at) }
	case 12:
		paper := w.paper()
		return changing(pick(w.chance, w.offers), offersOf, func(d *document.Offer) error { return d.Update(paper) })
	case 13:
		a := w.payment()
		return changing(pick(w.chance, w.invoices), invoicesOf, func(inv *invoice.Invoice) error { return inv.Update(a, performer.Terms{}, at) })
	case 14:
		less := w.chance.IntN(2) == 0
		return changing(pick(w.chance, w.invoices), invoicesOf, func(inv *invoice.Invoice) error {
			if lines := inv.State().Lines; less && len(lines) > 0 {
				return inv.RemoveLine(lines[0].ID, performer.Terms{}, at)
			}
			return inv.AddLine(fixture.Line("Fracht"), performer.Terms{}, at)
		})
	}
	return w.removal()
}

// store is what all repositories have in common here.
type store[ID, A any] interface {
	Lock(ctx context.Context, id ID) (A, error)
	Add(ctx context.Context, a A) (ID, error)
	Save(ctx context.Context, a A) error
	Remove(ctx context.Context, a A) error
}

func offersOf(s repository.Stores) store[document.OfferID, *document.Offer] { return s.Offers }

func contractsOf(s repository.Stores) store[document.ContractID, *document.Contract] {
	return s.Contracts
}

func invoicesOf(s repository.Stores) store[invoice.ID, *invoice.Invoice] {
	return invoiceStore{s.Invoices}
}

type invoiceStore struct{ repository.Invoices }

func (s invoiceStore) Save(ctx context.Context, inv *invoice.Invoice) error {
	_, err := s.Invoices.Save(ctx, inv)
	return err
}

func adding[ID, A any](known *[]ID, a A, in func(repository.Stores) store[ID, A]) work {
	return func(ctx context.Context, s repository.Stores) error {
		id, err := in(s).Add(ctx, a)
		if err == nil {
			*known = append(*known, id)
		}
		return err
	}
}

func changing[ID, A any](id ID, in func(repository.Stores) store[ID, A], change func(A) error) work {
	return func(ctx context.Context, s repository.Stores) error {
		a, err := in(s).Lock(ctx, id)
		if err == nil {
			err = change(a)
		}
		if err != nil {
			return err
		}
		return in(s).Save(ctx, a)
	}
}

func removing[ID, A any](id ID, in func(repository.Stores) store[ID, A]) work {
	return func(ctx context.Context, s repository.Stores) error {
		a, err := in(s).Lock(ctx, id)
		if err != nil {
			return err
		}
		return in(s).Remove(ctx, a)
	}
}

func (w *writer) removal() work {
	switch w.chance.IntN(5) {
	case 0:
		return removing(w.one(w.clients[2:]), func(s repository.Stores) store[client.ID, *client.Client] { return s.Clients })
	case 1:
		return removing(pick(w.chance, w.deals[3:]), func(s repository.Stores) store[deal.ID, *deal.Deal] { return s.Deals })
	case 2:
		return removing(pick(w.chance, w.offers), offersOf)
	case 3:
		return removing(pick(w.chance, w.contracts), contractsOf)
	}
	return removing(pick(w.chance, w.invoices), invoicesOf)
}

func (w *writer) addClient(ctx context.Context, s repository.Stores, at time.Time) error {
	a := fixture.Company()
	if w.chance.IntN(2) == 0 {
		a = fixture.Person()
	}
	a.Name = optional.Some(w.name())
	return adding(&w.clients, fixture.Must(client.New(w.user(), a, at)),
		func(s repository.Stores) store[client.ID, *client.Client] { return s.Clients })(ctx, s)
}

func (w *writer) addDeal(ctx context.Context, s repository.Stores, at time.Time) error {
	a := deal.Attributes{Name: optional.Some(w.name()), UserID: optional.Some(w.user())}
	if w.chance.IntN(3) > 0 {
		a.ClientID, a.TypeID = optional.Some(w.one(w.clients)), optional.Some(w.office.DealType)
	}
	return adding(&w.deals, fixture.Must(deal.New(w.user(), w.office.Default, a, at)),
		func(s repository.Stores) store[deal.ID, *deal.Deal] { return s.Deals })(ctx, s)
}

// addInvoice gives a deal that has none a client, as issuing does.
func (w *writer) addInvoice(ctx context.Context, s repository.Stores, at time.Time) error {
	of := pick(w.chance, w.deals)
	d, err := s.Deals.Lock(ctx, of)
	if err != nil {
		return err
	}
	if d.State().ClientID == 0 {
		if err := d.GainClient(w.one(w.clients), at); err != nil {
			return err
		}
		if err := s.Deals.Save(ctx, d); err != nil {
			return err
		}
	}
	a := fixture.Invoice(w.office)
	a.Number, a.Date = optional.Some(w.name()), optional.Some(w.at().Truncate(time.Second))
	a.DealID, a.ClientID = optional.Some(of), optional.Some(d.State().ClientID)
	a.Status = w.payment().Status
	return adding(&w.invoices, fixture.Must(invoice.New(w.user(), a, performer.Terms{}, at)), invoicesOf)(ctx, s)
}

func (w *writer) changeDeal(ctx context.Context, s repository.Stores, at time.Time) error {
	id := pick(w.chance, w.deals)
	d, err := s.Deals.Lock(ctx, id)
	if err != nil {
		return err
	}
	has, err := s.Deals.HasInvoices(ctx, id)
	if err != nil {
		return err
	}
	a := deal.Attributes{UserID: optional.Some(w.user()), StatusID: optional.Some(w.office.Status)}
	if !has {
		a.ClientID = optional.Some([]client.ID{0, w.one(w.clients)}[w.chance.IntN(2)])
	}
	if err := d.Update(a, deal.Facts{HasInvoices: has}, at); err != nil {
		return err
	}
	return s.Deals.Save(ctx, d)
}

func (w *writer) paper() document.Attributes {
	a := fixture.Document(pick(w.chance, w.deals))
	a.Number = optional.Some(w.name())
	return a
}

// payment is a change of an invoice's state, and of how many lines it has.
func (w *writer) payment() invoice.Attributes {
	lines := make([]invoice.LineAttributes, w.chance.IntN(3))
	for i := range lines {
		lines[i] = fixture.Line("Stück")
	}
	states := []invoice.Status{invoice.NotPaid, invoice.Paid, invoice.Closed, invoice.Cancelled}
	return invoice.Attributes{Status: optional.Some(states[w.chance.IntN(len(states))]), Lines: optional.Some(lines)}
}

// at is a time in two years, the last hours of a month in one zone or another
// among them.
func (w *writer) at() time.Time {
	return fixture.At.Add(time.Duration(w.chance.IntN(2*365*24)) * time.Hour)
}

func (w *writer) user() user.ID {
	return []user.ID{w.office.Manager, w.office.Other}[w.chance.IntN(2)]
}

func (w *writer) name() string { return fmt.Sprintf("Nº %d", w.chance.IntN(1000)) }

func (w *writer) one(ids []client.ID) client.ID { return pick(w.chance, ids) }

// pick is one of the ids; one that does not exist if there are none.
func pick[ID ~int64](chance *rand.Rand, ids []ID) ID {
	if len(ids) == 0 {
		return 1 << 40
	}
	return ids[chance.IntN(len(ids))]
}
