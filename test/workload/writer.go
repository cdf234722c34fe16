package workload

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/agreement"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
)

// Writer writes at random to its own records and to those of the office, which all
// writers share. Values often repeat, so that sort orders have ties, and optional
// ones are often missing.
type Writer struct {
	Company
	Changes   int // maximum in a unit of work
	random    *rand.Rand
	clients   []client.ID
	deals     []deal.ID
	offers    []agreement.OfferID
	contracts []agreement.ContractID
	invoices  []invoice.ID
}

// Writer returns a writer whose changes depend on the seed only.
func (c Company) Writer(seed uint64) *Writer {
	o := c.Office
	return &Writer{
		Company: c, Changes: 3, random: rand.New(rand.NewPCG(seed, 7)),
		clients: []client.ID{o.Client, o.OtherClient}, deals: []deal.ID{o.Deal, o.OtherDeal, o.Inquiry},
	}
}

// Write runs concurrent writers until the function returns, each with a pause after
// every unit of work. The function can ask for the number of units committed so far;
// Write returns the number of all.
func (c Company) Write(writers int, pause time.Duration, while func(committed func() int64)) int64 {
	var committed atomic.Int64
	var done atomic.Bool
	var all sync.WaitGroup
	for i := range writers {
		w := c.Writer(uint64(i + 1))
		all.Go(func() {
			for ; !done.Load(); time.Sleep(pause) {
				if w.step() {
					committed.Add(1)
				}
			}
		})
	}
	stop := sync.OnceFunc(func() {
		done.Store(true)
		all.Wait()
	})
	defer stop() // even if the function ends the test
	while(committed.Load)
	stop()
	return committed.Load()
}

// Steps makes n random changes one after the other.
func (w *Writer) Steps(n int) {
	for range n {
		w.step()
	}
}

// step runs one unit of work of up to Changes changes and reports whether it was
// committed. A change of a record that another writer has removed or references is
// rejected.
func (w *Writer) step() (written bool) {
	works := make([]Work, 1+w.random.IntN(w.Changes))
	for i := range works {
		works[i] = w.draw()
	}
	err := w.Tx.Do(context.WithoutCancel(w.T.Context()), repository.Meta{UserID: w.Office.Manager, At: w.at()},
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
		w.T.Errorf("a writer failed: %v", err)
	}
	return err == nil
}

func (w *Writer) draw() Work {
	at := w.at()
	switch w.random.IntN(16) {
	case 0, 1:
		return Adding(&w.clients, Clients, fixture.Must(client.New(w.user(), w.client(), at)))
	case 2, 3:
		return Adding(&w.deals, Deals, fixture.Must(deal.New(w.user(), w.Office.Default, w.deal(), at)))
	case 4:
		return Adding(&w.offers, Offers, fixture.Must(agreement.New[agreement.OfferID](w.agreement(), at)))
	case 5:
		return Adding(&w.contracts, Contracts, fixture.Must(agreement.New[agreement.ContractID](w.agreement(), at)))
	case 6, 7, 8:
		return w.issue(at)
	case 9:
		a := client.Attributes{Name: domain.Some(w.name()), UserID: domain.Some(w.user())}
		return Changing(pick(w.random, w.clients), Clients, func(c *client.Client) error { return c.Update(a, at) })
	case 10, 11:
		return w.move(at)
	case 12:
		a := w.agreement()
		return Changing(pick(w.random, w.offers), Offers, func(d *agreement.Offer) error { return d.Update(a) })
	case 13:
		a := w.invoice()
		in := Invoices
		if w.random.IntN(2) == 0 {
			a.Lines, in = domain.Optional[[]invoice.LineAttributes]{}, invoiceHeaders
		}
		return Changing(pick(w.random, w.invoices), in, func(inv *invoice.Invoice) error { return inv.Update(a, performer.Terms{}, at) })
	case 14:
		if w.random.IntN(2) == 0 {
			return Changing(pick(w.random, w.invoices), invoiceHeaders, func(inv *invoice.Invoice) error {
				return inv.AddLine(fixture.Line("Fracht"), performer.Terms{}, at)
			})
		}
		return removingFirstLine(pick(w.random, w.invoices), at)
	}
	return w.removal()
}

func (w *Writer) removal() Work {
	switch w.random.IntN(5) {
	case 0:
		return Removing(pick(w.random, w.clients[2:]), Clients)
	case 1:
		return Removing(pick(w.random, w.deals[3:]), Deals)
	case 2:
		return Removing(pick(w.random, w.offers), Offers)
	case 3:
		return Removing(pick(w.random, w.contracts), Contracts)
	}
	return Removing(pick(w.random, w.invoices), Invoices)
}

// issue adds an invoice to a deal, which gets a client if it has none.
func (w *Writer) issue(at time.Time) Work {
	of, payer, issuer := pick(w.random, w.deals), pick(w.random, w.clients), w.user()
	a := w.invoice()
	a.PerformerID = domain.Some(w.Office.Performer)
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
		a.DealID, a.ClientID = domain.Some(of), domain.Some(d.State().ClientID)
		return Adding(&w.invoices, Invoices, fixture.Must(invoice.New(issuer, a, performer.Terms{}, at)))(ctx, s)
	}
}

// move changes a deal, and its client unless it has invoices, which changes the
// client of the deal's documents.
func (w *Writer) move(at time.Time) Work {
	id, a := pick(w.random, w.deals), w.deal()
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
			a.ClientID = domain.Optional[client.ID]{}
		}
		if err := d.Update(a, deal.Facts{HasInvoices: has}, at); err != nil {
			return err
		}
		return s.Deals.Save(ctx, d)
	}
}

func (w *Writer) client() client.Attributes {
	a := fixture.Company()
	if w.random.IntN(2) == 0 {
		a = fixture.Person()
	}
	a.Name, a.Email, a.Phone = domain.Some(w.name()), domain.Some(One(w.random, emails...)), domain.Some(One(w.random, "", "11", "22"))
	return a
}

func (w *Writer) deal() deal.Attributes {
	return deal.Attributes{
		Name: domain.Some(w.name()), UserID: domain.Some(w.user()),
		ClientID: domain.Some(One(w.random, 0, pick(w.random, w.clients))),
		TypeID:   domain.Some(One(w.random, 0, w.Office.DealType)),
		StatusID: domain.Some(One(w.random, w.Office.Default, w.Office.Status)),
	}
}

func (w *Writer) agreement() agreement.Attributes {
	a := agreement.Attributes{DealID: domain.Some(pick(w.random, w.deals)), Number: domain.Some(w.name()), Notice: domain.Some(One(w.random, "", "a", "B"))}
	if w.random.IntN(2) == 0 {
		a.Date = domain.Some(w.at().Truncate(time.Second))
	}
	return a
}

func (w *Writer) invoice() invoice.Attributes {
	lines := make([]invoice.LineAttributes, w.random.IntN(3))
	for i := range lines {
		lines[i] = fixture.Line("Stück")
	}
	return invoice.Attributes{
		Number: domain.Some(w.name()), Date: domain.Some(w.at().Truncate(time.Second)), Notice: domain.Some(One(w.random, "", "a", "B")),
		TypeID: domain.Some(One(w.random, w.Office.InvoiceType, w.Office.OtherInvoiceType)), Lines: domain.Some(lines),
		Status: domain.Some(One(w.random, invoice.NotPaid, invoice.Paid, invoice.Paid, invoice.Closed, invoice.Cancelled)),
	}
}

var (
	words  = []string{"Süd", "Nord", "Straße", "100%", "Ost_West"}
	emails = []string{"", "büro@zolw.example", "Büro@Zolw.example", "post@nord.example"}
)

func (w *Writer) name() string { return Name(w.random) }

// Name returns a random name.
func Name(random *rand.Rand) string {
	return fmt.Sprintf("%s %d", One(random, words...), random.IntN(40))
}

func (w *Writer) user() user.ID {
	return One(w.random, w.Office.Manager, w.Office.Manager, w.Office.Other)
}

// at returns one of some times in two years, including the last hours of a month in
// several time zones.
func (w *Writer) at() time.Time {
	return fixture.At.Add(time.Duration(w.random.IntN(400)) * 44 * time.Hour)
}

// One returns one of the values.
func One[V any](random *rand.Rand, of ...V) V { return of[random.IntN(len(of))] }

// pick returns one of the IDs, or one that does not exist if there are none.
func pick[ID ~int64](random *rand.Rand, ids []ID) ID {
	if len(ids) == 0 {
		return 1 << 40
	}
	return One(random, ids...)
}
