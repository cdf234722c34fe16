package pgstore

import (
	"context"

	"github.com/kontor-crm/kontor/adapters/textkey"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/ports/repository"
)

type labels[ID catalog.LabelID] struct {
	tracker[ID, catalog.LabelState[ID]]
	sql tableSQL
}

func labelKey[ID catalog.LabelID](s catalog.LabelState[ID]) ID { return s.ID }

// tableSQL is the statements for one of several tables of the same form.
type tableSQL struct {
	table                   string
	what                    string // a record, in a message
	rows, add, save, remove string
	referrer                referrer // of a label
}

var (
	dealTypeSQL    = labelsIn("deal_types", "deal type", "deals")
	invoiceTypeSQL = labelsIn("invoice_types", "invoice type", "invoices")
)

func labelsIn(table, what, labelled string) tableSQL {
	return tableSQL{
		table:  table,
		what:   what,
		rows:   "select id, version, name\nfrom " + table + "\n",
		add:    "insert into " + table + " (id, name, name_key) values (coalesce($3, nextval('" + table + "_id_seq')), $1, $2) returning id",
		save:   "update " + table + " set version = version + 1, name = $2, name_key = $3 where id = $1",
		remove: "delete from " + table + " where id = $1",

		referrer: referrer{labelled, "type_id"},
	}
}

func labelColumns[ID catalog.LabelID](s *catalog.LabelState[ID]) []any {
	return []any{&s.ID, &s.Version, &s.Name}
}

func trackedLabels[ID catalog.LabelID](u *unit, changes *[]repository.Change[catalog.LabelState[ID]], sql tableSQL) *labels[ID] {
	return &labels[ID]{tracker: tracked(u, changes, labelKey[ID], same), sql: sql}
}

func (r *labels[ID]) Lock(ctx context.Context, id ID) (*catalog.Label[ID], error) {
	var s catalog.LabelState[ID]
	if err := r.existing(ctx, r.sql.what, labelColumns(&s), r.sql.rows+forNoKeyUpdate, id); err != nil {
		return nil, err
	}
	r.locked(s)
	return catalog.RestoreLabel(s), nil
}

func (r *labels[ID]) Add(ctx context.Context, l *catalog.Label[ID]) (ID, error) {
	s := l.State()
	if _, err := r.one(ctx, []any{&s.ID}, r.sql.add, s.Name, textkey.Of(s.Name), r.newID()); err != nil {
		return 0, err
	}
	r.added(s)
	return s.ID, nil
}

func (r *labels[ID]) Save(_ context.Context, l *catalog.Label[ID]) error {
	s := l.State()
	if r.saved(s) {
		r.Store(r.sql.save, s.ID, s.Name, textkey.Of(s.Name))
	}
	return nil
}

func (r *labels[ID]) Remove(_ context.Context, l *catalog.Label[ID]) error {
	s := l.State()
	r.removed(s)
	r.removeUnused(r.sql.remove, int64(s.ID), r.sql.referrer)
	return nil
}
