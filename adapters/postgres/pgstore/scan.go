package pgstore

import "github.com/jackc/pgx/v5"

// forNoKeyUpdate locks one row. A writer does not lock the key of a row: those who add records that refer to it
// would have to wait, and one after the other they could keep a writer waiting for ever. A deletion locks the key
// when it deletes the row, or before, where it deletes what goes with it.
const forNoKeyUpdate = "where id = $1\nfor no key update"

// scan reads all records of a resource.
type scan struct {
	table string
	sql   string // selects the records, and lacks a condition
	// reader returns a function that returns the id and a pointer to the state of the current row.
	reader func() func(rows pgx.Rows) (id int64, state any, err error)
}

// scans are the scans of the resources with a table, by name; each table adds its own.
var scans = map[string]scan{
	"invoice": invoices.scan(func(s *invoiceHeader) (int64, any) { return int64(s.ID), &s.State }),
}

// scan is the scan of a table; found returns the id and the state of a record.
func (m *mapping[S]) scan(found func(s *S) (id int64, state any)) scan {
	return scan{m.name, m.selects, func() func(rows pgx.Rows) (int64, any, error) {
		read := m.reader()
		return func(rows pgx.Rows) (int64, any, error) {
			s, err := read(rows)
			id, state := found(&s)
			return id, state, err
		}
	}}
}
