package pgstore

import (
	"github.com/kontor-crm/kontor/domain/invoice"
)

// isAutomatic is whether an allocation belongs to the automatic payment of the invoice $1.
const isAutomatic = "payment_id = (select p.id from payments p where p.automatic_of = $1)"

// countPayments counts the payments that refer to the invoice $1.
const countPayments = "select 'payments', count(distinct payment_id) from allocations where invoice_id = $1 and reversed_at is null"

const (
	reverseAutomatic = `
update allocations
set reversed_at = greatest(recorded_at, $2)
where invoice_id = $1 and reversed_at is null and ` + isAutomatic

	detachAutomatic = "update allocations set payment_id = null where invoice_id = $1 and " + isAutomatic

	// The date is the day on which the invoice was paid, in the zone of the connection; one that is not paid keeps it.
	storeAutomatic = `
with p as (
    insert into payments (id, automatic_of, performer_id, client_id, date, amount, rest, created_on, updated_on)
    values (coalesce($7, nextval('payments_id_seq')), $1, $2, $3, coalesce($4::timestamptz, $6)::date, $5, 0, $6, $6)
    on conflict (automatic_of) do update
    set version = payments.version + 1, performer_id = excluded.performer_id, client_id = excluded.client_id,
        date = case when $4::timestamptz is null then payments.date else excluded.date end,
        amount = excluded.amount, updated_on = greatest(payments.updated_on, excluded.updated_on)
    returning id, date
)
insert into allocations (id, payment_id, invoice_id, date, amount, recorded_at)
select coalesce($8, nextval('allocations_id_seq')), p.id, $1, p.date, $5, $6
from p`
)

// saveAutomatic queues what makes the automatic payment of an invoice the one that the invoice has. Nothing else changes it: the lock of
// the invoice is its lock.
func (u *unit) saveAutomatic(before, s invoice.State) {
	hasPayer := before.PerformerID == s.PerformerID && before.ClientID == s.ClientID
	if before.AutomaticPrice.Equal(s.AutomaticPrice) && (hasPayer || s.AutomaticPrice.IsZero()) {
		return
	}
	if !before.AutomaticPrice.IsZero() {
		u.Store(reverseAutomatic, s.ID, u.meta.At)
	}
	if s.AutomaticPrice.IsZero() {
		u.Remove(detachAutomatic, s.ID)
		u.Remove("delete from payments where automatic_of = $1", s.ID)
		return
	}
	u.Store(storeAutomatic, s.ID, s.PerformerID, s.ClientID, instant(s.PaidOn), s.AutomaticPrice.String(), u.meta.At, u.newID(), u.newID())
}
