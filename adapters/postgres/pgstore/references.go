package pgstore

import (
	"cmp"
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/ports/repository"
)

// keepDefault locks the default status against its deletion until the end of the unit of work.
const keepDefault = "select id from statuses where is_default for key share"

const (
	selectClientTerms = `
select c.user_id, a.payment_days, coalesce(a.discount_percent, 0)::text, coalesce(a.discount_days, 0), coalesce(a.terms, '{}')
from clients c
left join parties a on a.client_id = c.id
where c.id = $1`
	selectPerformerTerms = `
select p.vat_use, p.vat_percent::text, coalesce(a.digits = 2, false), coalesce(a.numbering = 'series', false), a.payment_days,
    coalesce(a.discount_percent, 0)::text, coalesce(a.discount_days, 0), coalesce(a.terms, '{}')
from performers p
left join parties a on a.performer_id = p.id
where p.id = $1`
)

type references struct {
	*unit
	deals *records[deal.ID, *deal.Deal, deal.State]
}

func (r references) Find(ctx context.Context, ids repository.ReferenceIDs) (found repository.Referred, err error) {
	if ids == (repository.ReferenceIDs{}) {
		return found, nil
	}
	l := lookup{unit: r.unit}
	var d deal.State
	var percent string
	var disabled bool
	var clientDays, performerDays *int32
	var clientTrade, performerTrade party.TradeTerms
	var clientEarly, performerEarly party.Discount
	lookUp(&l, "client_id", ids.Client, selectClientTerms, &found.ClientUser, &clientDays,
		parsed(&clientEarly.Percent, money.ParsePercent), &clientEarly.Days, &clientTrade)
	lookUp(&l, "deal_id", ids.Deal, "select from deals where id = $1")
	lookUp(&l, "deal_id", ids.LockedDeal, lockDeal, deals.targets(&d)...)
	lookUp(&l, "user", ids.User, "select disabled from users where id = $1", &disabled)
	lookUp(&l, "performer_id", ids.Performer, selectPerformerTerms,
		&found.Terms.VATUse, &percent, &found.Terms.InCents, &found.IsSeries, &performerDays,
		parsed(&performerEarly.Percent, money.ParsePercent), &performerEarly.Days, &performerTrade)
	if ids.Performer != 0 && ids.Number != "" {
		r.queryRow(&found.IsIssued, nil, "select from issued_documents where performer_id = $1 and number = $2", ids.Performer, ids.Number)
	}
	lookUp(&l, "type_id", ids.DealType, "select from deal_types where id = $1")
	lookUp(&l, "type_id", ids.InvoiceType, "select from invoice_types where id = $1")
	lookUp(&l, "status_id", ids.Status, "select from statuses where id = $1")
	if ids.DefaultStatus {
		r.queryRow(new(bool), []any{&found.DefaultStatus}, keepDefault)
	}
	if err := r.send(ctx); err != nil {
		return found, err
	}
	if ids.DefaultStatus && found.DefaultStatus == 0 {
		// It may have waited for the deletion of a status that was the default before another one: only a new
		// statement sees that one.
		if _, err := r.one(ctx, []any{&found.DefaultStatus}, keepDefault); err != nil {
			return found, err
		}
	}
	if disabled {
		l.missing = append(l.missing, fault.Field{Name: "user", Message: fault.IsDisabled, Code: fault.Disabled})
	}
	found.Missing = fault.ForFields(fault.Dangling, l.missing...)
	found.Early = cmp.Or(clientEarly, performerEarly)
	found.PaymentDays, found.Trade = cmp.Or(clientDays, performerDays), clientTrade.Or(performerTrade)
	if d.ID != 0 {
		r.deals.locked(d)
		found.Deal = deal.Restore(d)
	}
	if percent != "" {
		if found.Terms.VATPercent, err = money.ParsePercent(percent); err != nil {
			return found, fmt.Errorf("read the VAT of performer %d: %w", ids.Performer, err)
		}
	}
	return found, nil
}

// lookup looks up references, and has the fields of those that do not exist.
type lookup struct {
	*unit
	missing []fault.Field
}

// lookUp queues the statement that looks up one reference and scans it into the targets,
// unless the id is zero.
func lookUp[ID ~int64](l *lookup, field string, id ID, sql string, targets ...any) {
	if id == 0 {
		return
	}
	l.query(func(rows pgx.Rows) error {
		if rows.Next() {
			return rows.Scan(targets...)
		}
		l.missing = append(l.missing, fault.Field{Name: field, Message: fault.DoesNotExist, Code: fault.NoRecord})
		return nil
	}, sql, id)
}

// LockByRef implements repository.References. The tables of resources with a ref have their plural as name.
func (r references) LockByRef(ctx context.Context, resource, ref string) (id int64, err error) {
	_, err = r.one(ctx, []any{&id}, "select id from "+resource+"s where ref = $1 for no key update", ref)
	return id, err
}
