package pgread

import (
	"context"
	"fmt"
	"regexp"

	sq "github.com/Masterminds/squirrel"
	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Records reads single records of every resource that can be written, for the writing
// transaction.
type Records struct {
	readers map[*readmodel.Resource]*recordReader
}

// NewRecords returns the readers of all resources that can be written.
func NewRecords() *Records {
	r := &Records{readers: map[*readmodel.Resource]*recordReader{}}
	for _, m := range []*mapping{
		statuses, labels(readmodel.DealTypes, "deal_types", "name"), labels(readmodel.InvoiceTypes, "invoice_types", "title"),
		performers, clients, contacts, deals, documents(readmodel.Offers, listdef.Offers), documents(readmodel.Contracts, listdef.Contracts),
		invoices, invoiceItems, rules,
	} {
		r.readers[m.resource] = &recordReader{mapping: m}
	}
	return r
}

// RunQuery runs a query and calls read with its rows, in text or binary format.
type RunQuery func(ctx context.Context, sql string, args []any, read func(pgx.Rows) error) error

// Read implements readmodel.Reader by a query that may be part of a batch.
func (r *Records) Read(ctx context.Context, run RunQuery, resource *readmodel.Resource, id int64, s *readmodel.Selection) (*readmodel.Rows, error) {
	reader, ok := r.readers[resource]
	if !ok {
		return nil, fmt.Errorf("there is no reader of single records of %s", resource.Name)
	}
	return reader.read(ctx, id, s, textCells, func(ctx context.Context, stmt *statement, values params, each func(cells [][]byte) error) error {
		return stmt.runBy(ctx, run, values, each)
	})
}

type recordReader struct {
	mapping    *mapping
	statements statements[recordKey]
}

type recordKey struct {
	source    source
	selection string
	cells     cells
}

// cells is of which types the results of a statement are.
type cells uint8

const (
	// typedCells are read in the text format.
	typedCells cells = iota
	// textCells are cast, since a batch has the results of most other types in the binary
	// format.
	textCells
)

type runRecord func(ctx context.Context, stmt *statement, values params, each func(cells [][]byte) error) error

func (r *recordReader) readFrom(ctx context.Context, db Querier, id int64, s *readmodel.Selection) (*readmodel.Rows, error) {
	return r.read(ctx, id, s, typedCells, func(ctx context.Context, stmt *statement, values params, each func(cells [][]byte) error) error {
		return stmt.runOne(ctx, db, values, each)
	})
}

// read fetches a record; read models are asked only for attributes that need them.
func (r *recordReader) read(ctx context.Context, id int64, s *readmodel.Selection, as cells, run runRecord) (*readmodel.Rows, error) {
	sources := []source{records}
	if r.mapping.hasSums(s) {
		// No row: there is no such record, or the read models cannot be read.
		sources = []source{readModels, records}
	}
	for _, from := range sources {
		stmt, err := r.statement(s, from, as)
		if err != nil {
			return nil, err
		}
		rows := readmodel.NewRows(len(s.Paths))
		rows.Total = 1
		values := make(params, commonParams)
		values[paramID] = id
		err = run(ctx, stmt, values, func(cells [][]byte) error { return appendRow(rows, s, cells) })
		if err != nil || rows.Len() > 0 {
			return rows, err
		}
	}
	return nil, fault.New(fault.NotFound, "there is no such %s", r.mapping.resource.Name)
}

// instantColumn is a column with an instant; a column with a time of no zone has another name.
var instantColumn = regexp.MustCompile(`^[a-z]+\.[a-z]+_(at|on)$`)

// asText casts the expression. The zone of an instant is named, because a server that is
// forwarded the statement may have another one.
func asText(expression string) string {
	if instantColumn.MatchString(expression) {
		expression += " at time zone " + listdef.ConnectionZone
	}
	return "(" + expression + ")::text"
}

// statement returns the statement that reads one record. From the read models it has no row while
// these cannot be read.
func (r *recordReader) statement(s *readmodel.Selection, from source, as cells) (*statement, error) {
	return r.statements.prepared(recordKey{from, s.Key(), as}, func() (*statement, error) {
		columns := r.mapping.expressions(s, from)
		if as == textCells {
			for i := range columns {
				columns[i] = asText(columns[i])
			}
		}
		one := sq.Select(columns...).From(r.mapping.table + " r").Where("r.id = :id")
		for _, join := range r.mapping.joined(s, from) {
			one = one.JoinClause(join)
		}
		if from == readModels {
			one = one.Where("exists (select from read_model_state m where m.id = 1 and m.lists_ready)")
		}
		return prepare(commonNames[:], one, layout{})
	})
}
