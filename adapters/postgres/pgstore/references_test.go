package pgstore_test

import (
	"context"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/workload"
)

// nowhere is the id of no record.
const nowhere = 4_000_000

func TestAddWithAMissingReferenceIsDangling(t *testing.T) {
	type attempt struct {
		field string // the one to blame; "" where two are equally wrong
		r     func(o fixture.Office) record
	}
	withDeal := func(change func(a *deal.Attributes)) func(o fixture.Office) record {
		return func(o fixture.Office) record {
			a := fixture.Deal(o.Client, o.DealType)
			change(&a)
			return aDeal(o, a, a)
		}
	}
	withInvoice := func(change func(o *fixture.Office)) func(o fixture.Office) record {
		return func(o fixture.Office) record {
			change(&o)
			return anInvoice(o, fixture.Invoice(o), fixture.Invoice(o))
		}
	}
	attempts := map[string]attempt{
		"token's user": {"user", func(fixture.Office) record { return aToken(nowhere, "cafe03", time.Hour) }},
		"client's user": {"user", func(o fixture.Office) record {
			o.Manager = nowhere
			return aClient(o, fixture.Company(), fixture.Company())
		}},
		"contact's client": {"client_id", func(o fixture.Office) record {
			return aContact(o, contact.ToClient(nowhere), fixture.Contact(), fixture.Contact())
		}},
		"contact's deal": {"deal_id", func(o fixture.Office) record {
			return aContact(o, contact.ToDeal(nowhere), fixture.Contact(), fixture.Contact())
		}},
		"deal's client": {"client_id", withDeal(func(a *deal.Attributes) { a.ClientID = domain.Some(client.ID(nowhere)) })},
		"deal's user":   {"user", withDeal(func(a *deal.Attributes) { a.UserID = domain.Some(user.ID(nowhere)) })},
		"deal's type":   {"type_id", withDeal(func(a *deal.Attributes) { a.TypeID = domain.Some(catalog.DealTypeID(nowhere)) })},
		"deal's status": {"status_id", withDeal(func(a *deal.Attributes) { a.StatusID = domain.Some(catalog.StatusID(nowhere)) })},
		"offer's deal": {"deal_id", func(fixture.Office) record {
			return anAgreement(workload.Offers, fixture.Agreement(nowhere), fixture.Agreement(nowhere))
		}},
		"contract's deal": {"deal_id", func(fixture.Office) record {
			return anAgreement(workload.Contracts, fixture.Agreement(nowhere), fixture.Agreement(nowhere))
		}},
		"invoice's user":                            {"user_id", withInvoice(func(o *fixture.Office) { o.Manager = nowhere })},
		"invoice's performer":                       {"performer_id", withInvoice(func(o *fixture.Office) { o.Performer = nowhere })},
		"invoice's type":                            {"type_id", withInvoice(func(o *fixture.Office) { o.InvoiceType = nowhere })},
		"invoice's deal":                            {"deal_id", withInvoice(func(o *fixture.Office) { o.Deal = nowhere })},
		"invoice's client":                          {"", withInvoice(func(o *fixture.Office) { o.Client = nowhere })},
		"deal of another client than the invoice's": {"deal_id", withInvoice(func(o *fixture.Office) { o.Deal = o.OtherDeal })},
	}
	onStore(t, func(s store) {
		o := s.office
		for name, at := range attempts {
			s.run(name, func(s store) {
				rejection := s.rejection(o.Manager, fault.Dangling, func(ctx context.Context, st repository.Stores) error {
					_, err := at.r(o).add(ctx, st)
					return err
				})
				if len(rejection.Fields) == 0 || at.field != "" && rejection.Fields[0].Name != at.field {
					s.t.Errorf("the rejection blames %v, want %q", rejection.Fields, at.field)
				}
			})
		}
	})
}

func TestReferencesFindsThoseThatExist(t *testing.T) {
	onStore(t, func(s store) {
		o := s.office
		s.do(func(ctx context.Context, st repository.Stores) error {
			found, err := st.References.Find(ctx, repository.ReferenceIDs{
				Client: o.Client, Deal: o.OtherDeal, LockedDeal: o.Deal, User: o.Viewer, Performer: o.Performer,
				DealType: o.DealType, InvoiceType: o.InvoiceType, Status: o.Status, DefaultStatus: true,
			})
			if err != nil {
				return err
			}
			locked, err := st.Deals.Lock(ctx, o.Deal)
			if err != nil {
				return err
			}
			p, err := st.Performers.Lock(ctx, o.Performer)
			if err != nil {
				return err
			}
			s.expect(locked.State(), found.Deal.State())
			found.Deal = nil
			s.expect(repository.Referred{ClientUser: o.Manager, Terms: p.Terms(), DefaultStatus: o.Default}, found)
			return nil
		})
	})
}

func TestSaveWithAMissingReferenceIsDangling(t *testing.T) {
	onStore(t, func(s store) {
		o := s.office
		lost := o
		lost.Other = nowhere
		for name, at := range map[string]struct {
			field string
			r     record
		}{
			"client's user":   {"user", aClient(lost, fixture.Company(), fixture.Company())},
			"offer's deal":    {"deal_id", anAgreement(workload.Offers, fixture.Agreement(o.Deal), fixture.Agreement(nowhere))},
			"contract's deal": {"deal_id", anAgreement(workload.Contracts, fixture.Agreement(o.Deal), fixture.Agreement(nowhere))},
		} {
			s.run(name, func(s store) {
				id := s.added(o, at.r)
				rejection := s.rejection(o.Manager, fault.Dangling, func(ctx context.Context, st repository.Stores) error {
					err := at.r.lock(ctx, st, id)
					if err == nil {
						err = at.r.change()
					}
					if err == nil {
						err = at.r.save(ctx, st)
					}
					return err
				})
				if rejection.Fields[0].Name != at.field {
					s.t.Errorf("the rejection blames %v, want %s", rejection.Fields, at.field)
				}
			})
		}
	})
}

// contract 6.15, 6.20, 7.18, 9.32
func TestRemoveOfAReferencedRecordIsAConflict(t *testing.T) {
	onStore(t, func(s store) {
		o := s.office
		past := formerStatus(s, o)
		s.added(o, anInvoice(o, fixture.Invoice(o), fixture.Invoice(o)))
		s.added(o, aContact(o, contact.ToDeal(o.Inquiry), fixture.Contact(), fixture.Contact()))
		lonely := client.ID(s.added(o, aClient(o, fixture.Person(), fixture.Person())))
		s.added(o, aContact(o, contact.ToClient(lonely), fixture.Contact(), fixture.Contact()))

		offered := s.dealWith(o, func(id deal.ID) record {
			return anAgreement(workload.Offers, fixture.Agreement(id), fixture.Agreement(id))
		})
		contracted := s.dealWith(o, func(id deal.ID) record {
			return anAgreement(workload.Contracts, fixture.Agreement(id), fixture.Agreement(id))
		})

		for name, remove := range map[string]func(ctx context.Context, st repository.Stores) error{
			"status of a deal":          workload.Removing(o.Default, statuses),
			"status in a deal's past":   workload.Removing(past, statuses),
			"type of a deal":            workload.Removing(o.DealType, dealTypes),
			"type of an invoice":        workload.Removing(o.InvoiceType, invoiceTypes),
			"performer with an invoice": workload.Removing(o.Performer, performers),
			"client with a deal":        workload.Removing(o.OtherClient, workload.Clients),
			"client with a contact":     workload.Removing(lonely, workload.Clients),
			"deal with an invoice":      workload.Removing(o.Deal, workload.Deals),
			"deal with a contact":       workload.Removing(o.Inquiry, workload.Deals),
			"deal with an offer":        workload.Removing(offered, workload.Deals),
			"deal with a contract":      workload.Removing(contracted, workload.Deals),
		} {
			s.run(name, func(s store) { s.rejects(o.Manager, fault.Conflict, remove) })
		}
	})
}

// A deal's client is part of what its invoices refer to. Which of the two ends
// is to blame, the stores may see differently.
func TestDealWithInvoicesKeepsItsClient(t *testing.T) {
	onStore(t, func(s store) {
		o := s.office
		s.added(o, anInvoice(o, fixture.Invoice(o), fixture.Invoice(o)))
		err := s.Do(s.t.Context(), repository.Meta{UserID: o.Manager, At: later}, func(ctx context.Context, st repository.Stores) error {
			d, err := st.Deals.Lock(ctx, o.Deal)
			if err == nil {
				err = d.Update(deal.Attributes{ClientID: domain.Some(o.OtherClient)}, deal.Facts{}, later)
			}
			if err == nil {
				err = st.Deals.Save(ctx, d)
			}
			return err
		})
		if !fault.Is(err, fault.Conflict) && !fault.Is(err, fault.Dangling) {
			s.t.Errorf("the deal moved to another client than its invoice's: %v", err)
		}
	})
}

func TestRemoveAfterTheLastReferenceSucceeds(t *testing.T) {
	onStore(t, func(s store) {
		o := s.office
		id := invoice.ID(s.added(o, anInvoice(o, fixture.Invoice(o), fixture.Invoice(o))))
		s.doAs(o.Manager, func(ctx context.Context, st repository.Stores) error {
			d, err := st.Deals.Lock(ctx, o.Deal)
			if err != nil {
				return err
			}
			if err := workload.Removing(id, workload.Invoices)(ctx, st); err != nil {
				return err
			}
			return st.Deals.Remove(ctx, d)
		})
		s.rejects(0, fault.NotFound, func(ctx context.Context, st repository.Stores) error {
			_, err := st.Deals.Lock(ctx, o.Deal)
			return err
		})
	})
}

// dealWith is a deal that has nothing but that record.
func (s store) dealWith(o fixture.Office, r func(id deal.ID) record) deal.ID {
	s.t.Helper()
	id := deal.ID(s.added(o, aDeal(o, fixture.Deal(o.Client, o.DealType), terseDeal())))
	s.added(o, r(id))
	return id
}

// formerStatus is a status that a deal has had and left.
func formerStatus(s store, o fixture.Office) (id catalog.StatusID) {
	s.t.Helper()
	id = catalog.StatusID(s.added(o, aStatus(fixture.Status(), fixture.Status())))
	for _, status := range []catalog.StatusID{id, o.Status} {
		s.doAs(o.Manager, func(ctx context.Context, st repository.Stores) error {
			return moveDeal(ctx, st, o.Inquiry, status)
		})
	}
	return id
}

// moveDeal gives the deal that status.
func moveDeal(ctx context.Context, st repository.Stores, id deal.ID, status catalog.StatusID) error {
	d, err := st.Deals.Lock(ctx, id)
	if err != nil {
		return err
	}
	if err := d.Update(deal.Attributes{StatusID: domain.Some(status)}, deal.Facts{}, later); err != nil {
		return err
	}
	return st.Deals.Save(ctx, d)
}
