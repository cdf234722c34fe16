package workload

import (
	"context"
	"time"

	"github.com/kontor-crm/kontor/domain/agreement"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Work is part of a unit of work.
type Work = func(ctx context.Context, s repository.Stores) error

// Adding stores a record and appends its ID to known.
func Adding[ID, A any](known *[]ID, in func(repository.Stores) repository.Store[ID, A], a A) Work {
	return func(ctx context.Context, s repository.Stores) error {
		id, err := in(s).Add(ctx, a)
		if err == nil {
			*known = append(*known, id)
		}
		return err
	}
}

// Changing changes a record.
func Changing[ID, A any](id ID, in func(repository.Stores) repository.Store[ID, A], change func(A) error) Work {
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

// Removing removes a record.
func Removing[ID, A any](id ID, in func(repository.Stores) repository.Store[ID, A]) Work {
	return func(ctx context.Context, s repository.Stores) error {
		a, err := in(s).Lock(ctx, id)
		if err != nil {
			return err
		}
		return in(s).Remove(ctx, a)
	}
}

// Invoices is the store of invoices.
func Invoices(s repository.Stores) repository.Store[invoice.ID, *invoice.Invoice] {
	return invoices{s.Invoices}
}

type invoices struct{ repository.Invoices }

func (s invoices) Save(ctx context.Context, inv *invoice.Invoice) error {
	_, err := s.Invoices.Save(ctx, inv)
	return err
}

// invoiceHeaders is the store of invoices that loads no lines.
func invoiceHeaders(s repository.Stores) repository.Store[invoice.ID, *invoice.Invoice] {
	return headers{invoices{s.Invoices}}
}

type headers struct{ invoices }

func (s headers) Lock(ctx context.Context, id invoice.ID) (*invoice.Invoice, error) {
	return s.LockHeader(ctx, id)
}

// removingFirstLine removes the first line of an invoice, if it has one.
func removingFirstLine(id invoice.ID, at time.Time) Work {
	return func(ctx context.Context, s repository.Stores) error {
		inv, err := s.Invoices.Lock(ctx, id)
		if err != nil || len(inv.State().Lines) == 0 {
			return err
		}
		first := inv.State().Lines[0].ID
		if inv, err = s.Invoices.LockByLine(ctx, first); err != nil {
			return err
		}
		if err := inv.RemoveLine(first, performer.Terms{}, at); err != nil {
			return err
		}
		_, err = s.Invoices.Save(ctx, inv)
		return err
	}
}

// Clients is the store of clients.
func Clients(s repository.Stores) repository.Store[client.ID, *client.Client] { return s.Clients }

// Deals is the store of deals.
func Deals(s repository.Stores) repository.Store[deal.ID, *deal.Deal] { return s.Deals }

// Offers is the store of offers.
func Offers(s repository.Stores) repository.Store[agreement.OfferID, *agreement.Offer] {
	return s.Offers
}

// Contracts is the store of contracts.
func Contracts(s repository.Stores) repository.Store[agreement.ContractID, *agreement.Contract] {
	return s.Contracts
}
