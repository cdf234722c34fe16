package pgstore

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/gate"
	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Snapshots implements repository.Snapshots, for trials of rules.
//
// Chose: pages by the primary key over one streamed result. Because: facts about the records of a
// page have to be read in the same snapshot, and so on the same connection. Costs: a round trip for
// each page of up to 1,000 records.
//
// Chose: a connection of the pool for requests, behind the gate of slow queries. Because: a trial is
// one. Costs: requests have one fewer for as long as it takes.
type Snapshots struct {
	db   *postgres.DB
	gate *gate.Gate
}

// NewSnapshots returns Snapshots of the database, each of which holds a connection, and counts as a
// slow query at the gate.
func NewSnapshots(db *postgres.DB, gate *gate.Gate) *Snapshots { return &Snapshots{db, gate} }

var _ repository.Snapshots = (*Snapshots)(nil)

// The limits of a page. It ends early if it has many bytes, including all lines of its
// invoices, which a rule may ask for.
const (
	maxRecords = 1000
	maxBytes   = 4 << 20
	lineBytes  = 512 // of a line in memory, without its texts
)

// idleTimeout is how long a trial may judge the records of a page.
const idleTimeout = "set local idle_in_transaction_session_timeout = '15min'"

// Take implements repository.Snapshots.
func (s *Snapshots) Take(ctx context.Context, resource string) (repository.Snapshot, error) {
	source, ok := scans[resource]
	if !ok {
		return nil, fmt.Errorf("the resource %q has no table", resource)
	}
	leave, err := s.gate.Enter(ctx)
	if err != nil {
		return nil, err
	}
	options := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	tx, err := postgres.Repeat(ctx, s.db, func() (pgx.Tx, error) { return s.db.BeginTx(ctx, options) })
	if err != nil {
		leave()
		return nil, postgres.Fault(err, postgres.Storing)
	}
	taken := &snapshot{tx: tx, leave: leave, scan: source, limit: maxRecords}
	if err := taken.begin(ctx); err != nil {
		taken.Close(ctx)
		return nil, postgres.Fault(err, postgres.Storing)
	}
	return taken, nil
}

// snapshot is a transaction whose statements all see the same records.
type snapshot struct {
	tx          pgx.Tx
	leave       func() // the gate
	scan        scan
	limit       int   // of records of the next page
	first, last int64 // ids of the snapshot
	after       int64 // id of the last record read
	ended       bool
}

// begin takes the snapshot: its first statement that reads does.
func (s *snapshot) begin(ctx context.Context) error {
	if _, err := s.tx.Exec(ctx, idleTimeout); err != nil {
		return err
	}
	err := s.tx.QueryRow(ctx, "select coalesce(min(id), 0), coalesce(max(id), 0) from "+s.scan.table).Scan(&s.first, &s.last)
	s.after = s.first - 1
	return err
}

func (s *snapshot) Close(ctx context.Context) {
	defer s.leave()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	_ = s.tx.Rollback(ctx) // if it fails, the pool closes the connection
}

func (s *snapshot) Next(ctx context.Context) (repository.Batch, error) {
	if s.ended {
		return repository.Batch{}, nil
	}
	page, err := s.page(ctx)
	if err != nil {
		return repository.Batch{}, postgres.Fault(err, postgres.Storing)
	}
	return page, nil
}

// page reads the next page. What is left of one that is too large is read again, by a
// smaller page.
func (s *snapshot) page(ctx context.Context) (page repository.Batch, err error) {
	rows, err := s.tx.Query(ctx, s.scan.sql+"where id > $1\norder by id\nlimit $2", s.after, s.limit)
	if err != nil {
		return page, err
	}
	defer rows.Close()
	bytes, read := 0, s.scan.reader()
	page.IDs, page.States = make([]int64, 0, s.limit), make([]any, 0, s.limit)
	for bytes < maxBytes && rows.Next() {
		id, state, err := read(rows)
		if err != nil {
			return page, err
		}
		page.IDs, page.States = append(page.IDs, id), append(page.States, state)
		bytes += sizeOf(rows.RawValues(), state)
	}
	isLarge := bytes >= maxBytes
	rows.Close()
	if err := rows.Err(); err != nil {
		return page, err
	}
	n := len(page.IDs)
	s.ended = n < s.limit && !isLarge
	s.limit = min(2*n, maxRecords)
	if isLarge {
		s.limit = n
	}
	if n > 0 {
		s.after = page.IDs[n-1]
	}
	page.Done = s.done()
	return page, nil
}

// Answer implements repository.Snapshot, with the statements that writes use.
func (s *snapshot) Answer(ctx context.Context, questions []repository.Question) ([]repository.Answer, error) {
	return facts{&unit{Writer: newWriter(repository.Meta{}), tx: s.tx}}.Answer(ctx, questions)
}

// sizeOf returns the approximate memory of a record in bytes.
func sizeOf(row [][]byte, state any) (bytes int) {
	for _, v := range row {
		bytes += len(v)
	}
	if s, ok := state.(*invoice.State); ok {
		bytes += s.TotalCount*lineBytes + s.TextBytes
	}
	return bytes
}

// done returns the part of the ids that has been read, 0 to 1.
func (s *snapshot) done() float64 {
	if s.ended || s.last <= s.first {
		return 1
	}
	return float64(s.after-s.first+1) / float64(s.last-s.first+1)
}
