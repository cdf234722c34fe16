package data

import (
	"fmt"
	"time"

	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/user"
)

// invoice is the n-th invoice, counted from 0, with its lines.
func (b *Company) invoice(n uint64) (invoice.State, error) {
	s, err := b.issued(n)
	if err != nil {
		return invoice.State{}, fmt.Errorf("invoice %d: %w", n+1, err)
	}
	s.ID = invoice.ID(n + 1)
	first := b.linesBefore(n)
	for i := range s.Lines {
		s.Lines[i].ID = invoice.LineID(first + uint64(i) + 1)
		s.Lines[i].Version = 1
	}
	return s, nil
}

// issued is the n-th invoice without the ids of its lines and itself.
func (b *Company) issued(n uint64) (invoice.State, error) {
	d := b.random(ofInvoice, n)
	m := b.moment(ofInvoice, n, b.count.invoices)
	at := b.calendar.at(m)
	of := b.dealAt(&d, m)
	o := b.dealSummary(of)
	issuer := o.user
	if d.percent(30) {
		issuer = user.ID(1 + d.skewed(writers, gentle))
	}
	by := d.skewed(Performers, gentle)
	terms := b.performers[by].Terms()
	a := invoice.Attributes{
		Number:      some(fmt.Sprintf("R%02d-%d-%07d", by+1, at.Year(), n+1)),
		Date:        optional.Some(dated(&d, at)),
		PerformerID: optional.Some(performer.ID(by + 1)),
		ClientID:    optional.Some(o.client),
		DealID:      optional.Some(deal.ID(of + 1)),
		TypeID:      optional.Some(catalog.InvoiceTypeID(1 + d.skewed(uint64(len(b.invoiceTypes)), gentle))),
		Lines:       optional.Some(b.linesOf(n)),
	}
	if d.percent(30) {
		a.Notice = some(pick(&d, remarks))
	}
	inv, err := invoice.New(issuer, a, terms, at)
	if err != nil {
		return invoice.State{}, err
	}
	updates, err := settle(&d, inv, terms, at)
	s := inv.State()
	s.Version = 1 + updates
	return s, err
}

// dated is the date of an invoice that is created at that time: mostly that day,
// sometimes to the second, sometimes an earlier day.
func dated(d *random, at time.Time) time.Time {
	day := at.Truncate(24 * time.Hour)
	switch chance := d.below(100); {
	case chance < 80:
		return day
	case chance < 90:
		return at
	default:
		return day.AddDate(0, 0, -int(1+d.below(10)))
	}
}

// settle changes the state of an invoice as far as it gets before the end of the
// history: it is paid, later closed, cancelled, or stays unpaid. It returns the
// number of updates.
func settle(d *random, inv *invoice.Invoice, terms performer.Terms, at time.Time) (updates int64, err error) {
	var states []invoice.Status
	switch chance := d.below(100); {
	case chance < 8:
		states = []invoice.Status{invoice.Cancelled}
	case chance < 18:
	case chance < 60:
		states = []invoice.Status{invoice.Paid}
	case chance < 80:
		states = []invoice.Status{invoice.Paid, invoice.Closed}
	default:
		states = []invoice.Status{invoice.Closed}
	}
	for _, status := range states {
		if at = later(d, at); !at.Before(end) {
			break
		}
		if err := inv.Update(invoice.Attributes{Status: optional.Some(status)}, terms, at); err != nil {
			return updates, err
		}
		updates++
	}
	return updates, nil
}

// later is a time one to sixty days later: in half of the cases the time of the
// bank statement in the morning, the same for all invoices of that day.
func later(d *random, at time.Time) time.Time {
	day := at.Truncate(24*time.Hour).AddDate(0, 0, int(1+d.below(60)))
	if d.percent(50) {
		return day.Add(6 * time.Hour)
	}
	return day.Add(opening + time.Duration(d.below(uint64(workingDay.Microseconds())))*time.Microsecond)
}
