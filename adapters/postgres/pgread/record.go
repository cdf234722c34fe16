package pgread

import (
	"context"
	"fmt"

	sq "github.com/Masterminds/squirrel"

	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Records reads single records of every resource that can be written, for a
// caller with a connection of its own: the writing transaction.
type Records struct {
	readers map[*readmodel.Resource]*recordReader
}

// NewRecords makes the readers of all resources that can be written.
func NewRecords() *Records {
	r := &Records{readers: map[*readmodel.Resource]*recordReader{}}
	for _, m := range []*mapping{
		statuses, labels(readmodel.DealTypes, "deal_types", "name"), labels(readmodel.InvoiceTypes, "invoice_types", "title"),
		performers, clients, contacts, deals, documents(readmodel.Offers, listdef.Offers), documents(readmodel.Contracts, listdef.Contracts),
		invoices, invoiceItems,
	} {
		r.readers[m.resource] = &recordReader{mapping: m}
	}
	return r
}

// Read is the Read of readmodel.Reader over the connection.
func (r *Records) Read(ctx context.Context, db Querier, resource *readmodel.Resource, id int64, s *readmodel.Selection) (*readmodel.Rows, error) {
	reader, ok := r.readers[resource]
	if !ok {
		return nil, fmt.Errorf("there is no reader of single records of %s", resource.Name)
	}
	return reader.read(ctx, db, id, s)
}

// recordReader reads single records of one resource.
type recordReader struct {
	mapping    *mapping
	statements statements[recordKey]
}

// recordKey is what the statement of one record depends on.
type recordKey struct {
	source    source
	selection string
}

// read fetches a record; read models are asked only for attributes that need them.
func (r *recordReader) read(ctx context.Context, db Querier, id int64, s *readmodel.Selection) (rows *readmodel.Rows, err error) {
	isFound := false
	if r.mapping.hasSums(s) {
		// No row: there is no such record, or the read models cannot be read.
		rows, isFound, err = r.readFrom(ctx, db, id, s, readModels)
	}
	if err == nil && !isFound {
		rows, isFound, err = r.readFrom(ctx, db, id, s, records)
	}
	if err == nil && !isFound {
		err = fault.New(fault.NotFound, "there is no such %s", r.mapping.resource.Name)
	}
	return rows, err
}

func (r *recordReader) readFrom(ctx context.Context, db Querier, id int64, s *readmodel.Selection, from source) (rows *readmodel.Rows, isFound bool, err error) {
	stmt, err := r.statement(s, from)
	if err != nil {
		return nil, false, err
	}
	rows = readmodel.NewRows(len(s.Paths))
	rows.Total = 1
	var values [commonParams]any
	values[paramID] = id
	err = stmt.run(ctx, db, values[:], func(cells [][]byte) error {
		return appendRow(rows, s, cells)
	})
	return rows, rows.Len() > 0, err
}

// statement is the statement of one record. From the read models it has no row while
// these cannot be read.
func (r *recordReader) statement(s *readmodel.Selection, from source) (*statement, error) {
	return r.statements.get(recordKey{from, s.Key()}, func() (*statement, error) {
		one := sq.Select(r.mapping.expressions(s, from)...).From(r.mapping.table + " r").Where("r.id = :id")
		for _, join := range r.mapping.joined(s, from) {
			one = one.JoinClause(join)
		}
		if from == readModels {
			one = one.Where("exists (select from read_model_state m where m.id = 1 and m.lists_ready)")
		}
		return prepare(commonNames[:], one, layout{})
	})
}
