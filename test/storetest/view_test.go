package storetest_test

import (
	"context"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/postgres/pgstore"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
)

// writable are the resources whose writes respond with the record.
var writable = []*readmodel.Resource{
	readmodel.Statuses, readmodel.DealTypes, readmodel.InvoiceTypes, readmodel.Performers, readmodel.Clients, readmodel.Contacts,
	readmodel.Deals, readmodel.Offers, readmodel.Contracts, readmodel.Invoices, readmodel.InvoiceItems,
}

// contract 4.2
func TestViewReadsWhatItsUnitOfWorkHasChanged(t *testing.T) {
	t.Parallel()
	s := store{Tx: pgstore.NewTx(openPool(t, 5*time.Second), nil), t: t}
	o := fixture.Open(t, s)
	names := &readmodel.Selection{Paths: []string{"name"}, Type: -1}
	s.do(func(ctx context.Context, st repository.Stores) error {
		a := fixture.Company()
		a.Name = optional.Some("Neu")
		id, err := st.Clients.Add(ctx, fixture.Client(o.Manager, a))
		if err != nil {
			return err
		}
		rows, err := st.View.Read(ctx, readmodel.Clients, int64(id), names)
		if err != nil {
			return err
		}
		if name, _ := rows.Cell(0, 0); rows.Len() != 1 || string(name) != "Neu" {
			t.Errorf("%d rows, of which the first is %q", rows.Len(), name)
		}
		return nil
	})
}

// contract 4.2
func TestViewReadsAnExpectedRecordAsItIsAfterFurtherChanges(t *testing.T) {
	t.Parallel()
	s := store{Tx: pgstore.NewTx(openPool(t, 5*time.Second), []pgstore.Projection{pgstore.ReadModels{}}), t: t}
	o := fixture.Open(t, s)
	names := &readmodel.Selection{Paths: []string{"name"}, Type: -1}
	for want, change := range map[string]func(c *client.Client) error{
		"Neu": func(*client.Client) error { return nil },
		"Umbenannt": func(c *client.Client) error {
			return c.Update(client.Attributes{Name: optional.Some("Umbenannt")}, fixture.At)
		},
	} {
		s.do(func(ctx context.Context, st repository.Stores) error {
			st.View.Expect(readmodel.Clients, names)
			a := fixture.Company()
			a.Name = optional.Some("Neu")
			c := fixture.Client(o.Manager, a)
			id, err := st.Clients.Add(ctx, c)
			if err == nil {
				c, err = st.Clients.Lock(ctx, id)
			}
			if err == nil {
				err = change(c)
			}
			if err == nil {
				err = st.Clients.Save(ctx, c)
			}
			if err != nil {
				return err
			}
			rows, err := st.View.Read(ctx, readmodel.Clients, int64(id), names)
			if err != nil {
				return err
			}
			if name, _ := rows.Cell(0, 0); rows.Len() != 1 || string(name) != want {
				t.Errorf("%d rows, of which the first is %q, want %q", rows.Len(), name, want)
			}
			return nil
		})
	}
}

func TestViewKnowsEveryWritableResource(t *testing.T) {
	t.Parallel()
	s := store{Tx: pgstore.NewTx(openPool(t, 5*time.Second), nil), t: t}
	ids := &readmodel.Selection{Paths: []string{"id"}, Type: -1}
	for _, resource := range writable {
		s.rejects(0, fault.NotFound, func(ctx context.Context, st repository.Stores) error {
			_, err := st.View.Read(ctx, resource, nowhere, ids)
			return err
		})
	}
}
