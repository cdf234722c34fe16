package command_test

import (
	"testing"

	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/document"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/test/fixture"
)

// contract 7.22, 7.23, 7.24, 7.25, 7.26, 7.18, 4.58, 5.14
func TestDocumentIsCreatedChangedAndDeleted(t *testing.T) {
	t.Parallel()
	o := open(t)
	documentLife(t, o, o.offers, o.offer)
	documentLife(t, o, o.contracts, o.contract)
}

func documentLife[ID document.Identifier](t *testing.T, o *office, documents *command.Documents[ID], stored func(id ID) document.State[ID]) {
	t.Helper()
	a := fixture.Document(o.Deal)
	id := done[ID](t)(documents.Create(t.Context(), o.manager(), a))
	want := document.State[ID]{
		ID: id, Version: 1, DealID: o.Deal, Number: a.Number.Or(""), Date: a.Date.Or(o.clock.Now()), Notice: a.Notice.Or(""), CreatedOn: o.clock.Now(),
	}
	expect(t, want, stored(id))

	succeed(t, documents.Update(t.Context(), o.other(), id, a)) // unchanged
	expect(t, want, stored(id))
	succeed(t, documents.Update(t.Context(), o.other(), id, document.Attributes{DealID: domain.Some(o.Inquiry)}))
	want.Version, want.DealID = 2, o.Inquiry
	expect(t, want, stored(id))

	rejected(t, o.deals.Delete(t.Context(), o.manager(), o.Inquiry), fault.Conflict)
	succeed(t, documents.Delete(t.Context(), o.other(), id))
	rejected(t, documents.Delete(t.Context(), o.other(), id), fault.NotFound)

	gone := done[deal.ID](t)(o.deals.Create(t.Context(), o.manager(), fixture.Deal(o.Client, o.DealType)))
	succeed(t, o.deals.Delete(t.Context(), o.manager(), gone))
	_, err := documents.Create(t.Context(), o.manager(), fixture.Document(gone))
	rejected(t, err, fault.Dangling, "deal_id")
}
