package lists_test

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
// writers share. What it writes is often alike, so that orders have ties, and
// lacks what it may lack.
type writer struct {
	company
	*rand.Rand
	clients   []client.ID
	deals     []deal.ID
	offers    []document.OfferID
	contracts []document.ContractID
	invoices  []invoice.ID
}

func (c company) writer(seed uint64) *writer {
	o := c.office
	return &writer{
		company: c, Rand: rand.New(rand.NewPCG(seed, 7)),
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
			for !isClosed(stop) {
				if w.step() {
					written.Add(1)
				}
				time.Sleep(10 * time.Millisecond) // the readers need the processor too
			}
		})
	}
	while()
	close(stop)
	all.Wait()
	return written.Load()
}

func isClosed(stop <-chan struct{}) bool {
	select {
	case <-stop:
		return true
	default:
		return false
	}
}

// steps is so many random changes, one after the other.
func (w *writer) steps(n int) {
	for range n {
		w.step()
	}
}

// step is one unit of work of up to three changes; written tells whether it was
// granted. What others have removed or hold together is refused now and then.
func (w *writer) step() (written bool) {
	works := make([]work, 1+w.IntN(3))
	for i := range works {
		works[i] = w.draw()
	}
	err := w.tx.Do(context.WithoutCancel(w.t.Context()), repository.Meta{UserID: w.office.Manager, At: w.at()},
		func(ctx context.Context, s repository.Stores) error {
			for _, do := range works {
				if err := do(ctx, s); err != nil {
					return err
				}
			}
			return nil
		})
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
	switch w.IntN(16) {
	case 0, 1:
		return adding(&w.clients, clientsOf, fixture.Must(client.New(w.user(), w.client(), at)))
	case 2, 3:
		return adding(&w.deals, dealsOf, fixture.Must(deal.New(w.user(), w.office.Default, w.deal(), at)))
	case 4:
		return adding(&w.offers, offersOf, fixture.Must(document.New[document.OfferID](w.paper(), at)))
	case 5:
		return adding(&w.contracts, contractsOf, fixture.Must(document.New[document.ContractID](w.paper(), at)))
	case 6, 7, 8:
		return w.issue(at)
	case 9:
		a := client.Attributes{Name: optional.Some(w.name()), UserID: optional.Some(w.user())}
		return changing(pick(w.Rand, w.clients), clientsOf, func(c *client.Client) error { return c.Update(a, at) })
	case 10, 11:
		return w.move(at)
	case 12:
		a := w.paper()
		return changing(pick(w.Rand, w.offers), offersOf, func(d *document.Offer) error { return d.Update(a) })
	case 13, 14:
		a := w.invoice()
		return changing(pick(w.Rand, w.invoices), invoicesOf, func(inv *invoice.Invoice) error { return inv.Update(a, performer.Terms{}, at) })
	}
	return w.removal()
}

func (w *writer) removal() work {
	switch w.IntN(5) {
	case 0:
		return removing(pick(w.Rand, w.clients[2:]), clientsOf)
	case 1:
		return removing(pick(w.Rand, w.deals[3:]), dealsOf)
	case 2:
		return removing(pick(w.Rand, w.offers), offersOf)
	case 3:
		return removing(pick(w.Rand, w.contracts), contractsOf)
	}
	return removing(pick(w.Rand, w.invoices), invoicesOf)
}

// issue adds an invoice to a deal, which gets a client if it has none.
func (w *writer) issue(at time.Time) work {
	of, payer, issuer := pick(w.Rand, w.deals), pick(w.Rand, w.clients), w.user()
	a := w.invoice()
	a.PerformerID = optional.Some(w.office.Performer)
	return func(ctx context.Context, s repository.Stores) error {
		d, err := s.Deals.Lock(ctx, of)
		if err != nil {
			return err
		}
		if d.State().ClientID == 0 {
			if err := d.GainClient(payer, at); err != nil {
				return err
			}
			if err := s.Deals.Save(ctx, d); err != nil {
				return err
			}
		}
		a.DealID, a.ClientID = optional.Some(of), optional.Some(d.State().ClientID)
		return adding(&w.invoices, invoicesOf, fixture.Must(invoice.New(issuer, a, performer.Terms{}, at)))(ctx, s)
	}
}

// move changes a deal, and its client unless it has invoices: its papers go
// along.
func (w *writer) move(at time.Time) work {
	id, a := pick(w.Rand, w.deals), w.deal()
	return func(ctx context.Context, s repository.Stores) error {
		d, err := s.Deals.Lock(ctx, id)
		if err != nil {
			return err
		}
		has, err := s.Deals.HasInvoices(ctx, id)
		if err != nil {
			return err
		}
		a := a
		if has {
			a.ClientID = optional.Of[client.ID]{}
		}
		if err := d.Update(a, deal.Facts{HasInvoices: has}, at); err != nil {
			return err
		}
		return s.Deals.Save(ctx, d)
	}
}

func (w *writer) client() client.Attributes {
	a := fixture.Company()
	if w.IntN(2) == 0 {
		a = fixture.Person()
	}
	a.Name, a.Email, a.Phone = optional.Some(w.name()), optional.Some(one(w.Rand, emails...)), optional.Some(one(w.Rand, "", "11", "22"))
	return a
}

func (w *writer) deal() deal.Attributes {
	return deal.Attributes{
		Name: optional.Some(w.name()), UserID: optional.Some(w.user()),
		ClientID: optional.Some(one(w.Rand, 0, pick(w.Rand, w.clients))),
		TypeID:   optional.Some(one(w.Rand, 0, w.office.DealType)),
		StatusID: optional.Some(one(w.Rand, w.office.Default, w.office.Status)),
	}
}

func (w *writer) paper() document.Attributes {
	a := document.Attributes{DealID: optional.Some(pick(w.Rand, w.deals)), Number: optional.Some(w.name()), Notice: optional.Some(one(w.Rand, "", "a", "B"))}
	if w.IntN(2) == 0 {
		a.Date = optional.Some(w.at().Truncate(time.Second))
	}
	return a
}

func (w *writer) invoice() invoice.Attributes {
	lines := make([]invoice.LineAttributes, w.IntN(3))
	for i := range lines {
		lines[i] = fixture.Line("Stück")
	}
	return invoice.Attributes{
		Number: optional.Some(w.name()), Date: optional.Some(w.at().Truncate(time.Second)), Notice: optional.Some(one(w.Rand, "", "a", "B")),
		TypeID: optional.Some(one(w.Rand, w.office.InvoiceType, w.office.OtherInvoiceType)), Lines: optional.Some(lines),
		Status: optional.Some(one(w.Rand, invoice.NotPaid, invoice.Paid, invoice.Paid, invoice.Closed, invoice.Cancelled)),
	}
}

var (
	words  = []string{"Süd", "Nord", "Straße", "100%", "Ost_West"}
	emails = []string{"", "büro@zolw.example", "Büro@Zolw.example", "post@nord.example"}
)

func (w *writer) name() string { return fmt.Sprintf("%s %d", one(w.Rand, words...), w.IntN(40)) }

func (w *writer) user() user.ID {
	return one(w.Rand, w.office.Manager, w.office.Manager, w.office.Other)
}

// at is one of some times in two years, the last hours of a month in one zone or
// another among them.
func (w *writer) at() time.Time {
	return fixture.At.Add(time.Duration(w.IntN(400)) * 44 * time.Hour)
}

// store is what all repositories have in common here.
type store[ID, A any] interface {
	Lock(ctx context.Context, id ID) (A, error)
	Add(ctx context.Context, a A) (ID, error)
	Save(ctx context.Context, a A) error
	Remove(ctx context.Context, a A) error
}

func clientsOf(s repository.Stores) store[client.ID, *client.Client]        { return s.Clients }
func dealsOf(s repository.Stores) store[deal.ID, *deal.Deal]                { return s.Deals }
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

func adding[ID, A any](known *[]ID, in func(repository.Stores) store[ID, A], a A) work {
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

func one[V any](chance *rand.Rand, of ...V) V { return of[chance.IntN(len(of))] }

// pick is one of the ids; one that does not exist if there are none.
func pick[ID ~int64](chance *rand.Rand, ids []ID) ID {
	if len(ids) == 0 {
		return 1 << 40
	}
	return one(chance, ids...)
}
