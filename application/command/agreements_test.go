package command_test

import (
	"testing"

	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/agreement"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/test/fixture"
)

// contract 7.20, 7.18, 4.58, 5.13
func TestAgreementIsCreatedChangedAndDeleted(t *testing.T) {
	t.Parallel()
	o := open(t)
	agreementLife(t, o, o.offers, o.offer)
	agreementLife(t, o, o.contracts, o.contract)
}

func agreementLife[ID agreement.Identifier](t *testing.T, o *office, agreements *command.Agreements[ID], stored func(id ID) agreement.State[ID]) {
	t.Helper()
	a := fixture.Agreement(o.Deal)
	id := done[ID](t)(agreements.Create(t.Context(), o.manager(), a))
	want := agreement.State[ID]{
		ID: id, Version: 1, DealID: o.Deal, Number: a.Number.Or(""), Date: a.Date.Or(o.clock.Now()), Notice: a.Notice.Or(""), CreatedOn: o.clock.Now(),
	}
	expect(t, want, stored(id))

	succeed(t, agreements.Update(t.Context(), o.other(), id, a)) // unchanged
	expect(t, want, stored(id))
	succeed(t, agreements.Update(t.Context(), o.other(), id, agreement.Attributes{DealID: domain.Some(o.Inquiry)}))
	want.Version, want.DealID = 2, o.Inquiry
	expect(t, want, stored(id))

	rejected(t, o.deals.Delete(t.Context(), o.manager(), o.Inquiry), fault.Conflict)
	succeed(t, agreements.Delete(t.Context(), o.other(), id))
	rejected(t, agreements.Delete(t.Context(), o.other(), id), fault.NotFound)

	gone := done[deal.ID](t)(o.deals.Create(t.Context(), o.manager(), fixture.Deal(o.Client, o.DealType)))
	succeed(t, o.deals.Delete(t.Context(), o.manager(), gone))
	_, err := agreements.Create(t.Context(), o.manager(), fixture.Agreement(gone))
	rejected(t, err, fault.Dangling, "deal_id")
}
