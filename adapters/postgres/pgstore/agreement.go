package pgstore

import (
	"context"

	"github.com/kontor-crm/kontor/adapters/textkey"
	"github.com/kontor-crm/kontor/domain/agreement"
	"github.com/kontor-crm/kontor/ports/repository"
)

type agreements[ID agreement.Identifier] struct {
	tracker[ID, agreement.State[ID]]
	sql tableSQL
}

func agreementKey[ID agreement.Identifier](s agreement.State[ID]) ID { return s.ID }

// keepDeal locks a deal against deletion and a change of its client until the end of
// the unit of work.
const keepDeal = "select id from deals where id = $1 for key share"

var (
	offerSQL    = agreementsIn("offers", "offer")
	contractSQL = agreementsIn("contracts", "contract")
)

func agreementsIn(table, what string) tableSQL {
	return tableSQL{
		table: table, what: what,
		rows: `
select id, version, deal_id, number, date, coalesce(notice, ''), created_on
from ` + table + "\n",
		add: `
insert into ` + table + ` (id, deal_id, number, number_key, date, notice, notice_key, created_on, updated_at)
values (coalesce($8, nextval('` + table + `_id_seq')), $1, $2, $3, $4, $5, $6, $7, $7)
returning id, version`,
		save: `
update ` + table + `
set
    version = version + 1,
    deal_id = $2, number = $3, number_key = $4, date = $5, notice = $6, notice_key = $7,
    updated_at = greatest(updated_at, $8)
where id = $1`,
		remove: "delete from " + table + " where id = $1",
	}
}

func agreementColumns[ID agreement.Identifier](s *agreement.State[ID]) []any {
	return []any{&s.ID, &s.Version, &s.DealID, &s.Number, zeroTime(&s.Date), &s.Notice, &s.CreatedOn}
}

func trackedAgreements[ID agreement.Identifier](u *unit, changes *[]repository.Change[agreement.State[ID]], sql tableSQL) *agreements[ID] {
	return &agreements[ID]{tracker: tracked(u, changes, agreementKey[ID], agreement.Same[ID]), sql: sql}
}

// Lock does not lock the key of the row: a writer that deletes the deal has locked
// it, checks its agreements, and must not wait for a writer of one of them that in
// turn waits for the deal.
func (r *agreements[ID]) Lock(ctx context.Context, id ID) (*agreement.Agreement[ID], error) {
	var s agreement.State[ID]
	if err := r.existing(ctx, r.sql.what, agreementColumns(&s), r.sql.rows+forNoKeyUpdate, id); err != nil {
		return nil, err
	}
	r.locked(s)
	return agreement.Restore(s), nil
}

func (r *agreements[ID]) Add(ctx context.Context, d *agreement.Agreement[ID]) (ID, error) {
	s := d.State()
	_, err := r.one(ctx, []any{&s.ID, &s.Version}, r.sql.add,
		s.DealID, s.Number, textkey.Of(s.Number), instant(s.Date), missing(s.Notice), key(s.Notice), s.CreatedOn, r.newID())
	if err != nil {
		return 0, err
	}
	r.added(s)
	return s.ID, nil
}

func (r *agreements[ID]) Save(_ context.Context, d *agreement.Agreement[ID]) error {
	s := d.State()
	if r.saved(s) {
		r.Store(r.sql.save,
			s.ID, s.DealID, s.Number, textkey.Of(s.Number), instant(s.Date), missing(s.Notice), key(s.Notice), r.meta.At)
	}
	return nil
}

// Remove locks the deal before it deletes the row, for the same reason.
func (r *agreements[ID]) Remove(_ context.Context, d *agreement.Agreement[ID]) error {
	s := d.State()
	r.removed(s)
	r.Store(keepDeal, s.DealID)
	r.Writer.Remove(r.sql.remove, s.ID)
	return nil
}
