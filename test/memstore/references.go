package memstore

import (
	"context"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/repository"
)

// references looks up what records refer to.
type references struct {
	*unit
	deals repository.Deals
}

// Find implements repository.References.
func (r references) Find(ctx context.Context, ids repository.ReferenceIDs) (found repository.Referred, err error) {
	var missing []fault.Field
	for _, ref := range []reference{
		refersTo("client_id", r.clients, ids.Client),
		refersTo("deal_id", r.data.deals, ids.Deal),
		refersTo("deal_id", r.data.deals, ids.LockedDeal),
		refersTo("user", r.users, ids.User),
		refersTo("performer_id", r.performers, ids.Performer),
		refersTo("type_id", r.dealTypes, ids.DealType),
		refersTo("type_id", r.invoiceTypes, ids.InvoiceType),
		refersTo("status_id", r.statuses, ids.Status),
	} {
		if ref.missing {
			missing = append(missing, fault.Field{Name: ref.field, Message: fault.DoesNotExist})
		}
	}
	if r.users.rows[ids.User].Disabled {
		missing = append(missing, fault.Field{Name: "user", Message: fault.IsDisabled})
	}
	found.Missing = fault.ForFields(fault.Dangling, missing...)
	found.ClientUser = r.clients.rows[ids.Client].UserID
	found.Terms = r.performers.rows[ids.Performer].Terms
	if ids.DefaultStatus {
		initial, _ := r.statuses.find(isDefault)
		found.DefaultStatus = initial.ID
	}
	if _, ok := r.data.deals.rows[ids.LockedDeal]; ok {
		found.Deal, err = r.deals.Lock(ctx, ids.LockedDeal)
	}
	return found, err
}
