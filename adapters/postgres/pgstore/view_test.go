package pgstore_test

import (
	"context"
	"testing"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
)

// writable are the resources whose writes respond with the record.
var writable = []*readmodel.Resource{
	readmodel.Statuses, readmodel.DealTypes, readmodel.InvoiceTypes, readmodel.Performers, readmodel.Clients, readmodel.Contacts,
	readmodel.Deals, readmodel.Offers, readmodel.Contracts, readmodel.Invoices, readmodel.InvoiceItems, readmodel.Payments,
	readmodel.PerformerParties, readmodel.ClientParties,
}

// contract 4.2
func TestViewReadsWhatItsUnitOfWorkHasChanged(t *testing.T) {
	onStore(t, func(s store) {
		o := s.office
		names := &readmodel.Selection{Paths: []string{"name"}, Type: -1}
		s.do(func(ctx context.Context, st repository.Stores) error {
			a := fixture.Company()
			a.Name = domain.Some("Neu")
			id, err := st.Clients.Add(ctx, fixture.Client(o.Manager, a))
			if err != nil {
				return err
			}
			rows, err := st.View.Read(ctx, readmodel.Clients, int64(id), names)
			if err != nil {
				return err
			}
			if name, _ := rows.Cell(0, 0); rows.Len() != 1 || string(name) != "Neu" {
				s.t.Errorf("%d rows, of which the first is %q", rows.Len(), name)
			}
			return nil
		})
	})
}

func TestViewKnowsEveryWritableResource(t *testing.T) {
	onStore(t, func(s store) {
		ids := &readmodel.Selection{Paths: []string{"id"}, Type: -1}
		for _, resource := range writable {
			s.rejects(0, fault.NotFound, func(ctx context.Context, st repository.Stores) error {
				_, err := st.View.Read(ctx, resource, nowhere, ids)
				return err
			})
		}
	})
}
