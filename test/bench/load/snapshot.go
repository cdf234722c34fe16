package load

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/test/bench/data"
)

// Snapshot is how Kontor bears a transaction that stays open, beside which nothing can be cleaned up
// that writers leave behind. Writers go on all the time, and so do readers.
type Snapshot struct {
	Seconds          float64 // that it was open
	Window           float64 // seconds that were measured before, at the end of these, and once more when it was gone
	Readers, Writers int     // connections
	AllReads         Steadiness
	Reads            []Steadiness // by kind
	AllWrites        Steadiness
	Writes           []Steadiness
}

// Steadiness is one kind, or all of them, before the transaction, at its end, and when it was gone: what
// is slower then, too, has other reasons, such as a machine that others use. The rate of one kind of read
// is that of the time it was asked for, by all readers.
type Steadiness struct {
	What                  string
	Before, During, After Sample
	Ratio                 float64 // the rate during over that before
}

const snapshotReaders, snapshotWriters = 8, 8

// What readers ask in turn for, and what they watch: figures that writers change, in all shapes.
var snapshotKinds = []string{
	"clients-first", "invoices-first", "clients-counts", "invoices-month-status", "clients-last", "clients-common-same",
}

// holdSnapshot measures reads beside writers, then opens a snapshot, and measures them again when it
// has grown old.
func (b *bench) holdSnapshot(ctx context.Context) error {
	site := b.big()
	names := snapshotKinds
	if len(b.Kinds) > 0 {
		names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !slices.Contains(b.Kinds, name) })
	}
	if len(names) == 0 {
		b.say("\nNo old snapshot: none of its kinds was named.")
		return nil
	}
	kontor, err := b.kontor(ctx, len(b.sites)-1)
	if err != nil {
		return err
	}
	kinds, err := spreadWrites(ctx, site)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w, err := startWriters(ctx, cancel, kontor, site.Token, kinds)
	if err != nil {
		return err
	}
	r := &reading{bench: b, names: names, kontor: kontor, writers: w}
	held, err := r.watchSnapshot(ctx, site)
	failure := context.Cause(ctx) // of a writer, or an interruption
	cancel(nil)
	w.all.Wait()
	if err := errors.Join(failure, err); err != nil {
		return err
	}
	b.report.Snapshot = held
	b.report.writeSnapshot(b.Out)
	return nil
}

// watchSnapshot measures before, during and after.
func (r *reading) watchSnapshot(ctx context.Context, site *Site) (*Snapshot, error) {
	if _, err := r.window(ctx, r.bench.Window/3); err != nil { // statements get prepared
		return nil, err
	}
	before, err := r.window(ctx, r.bench.Window)
	if err != nil {
		return nil, err
	}
	var during *window
	opened := time.Now()
	err = site.with(ctx, func(conn *pgx.Conn) error {
		return aging(ctx, conn, func() error {
			if _, err := r.window(ctx, r.bench.Hold-r.bench.Window); err != nil {
				return err
			}
			var err error
			during, err = r.window(ctx, r.bench.Window)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	open := time.Since(opened)
	if _, err := r.window(ctx, r.bench.Window); err != nil { // what it held up is cleaned away
		return nil, err
	}
	after, err := r.window(ctx, r.bench.Window)
	if err != nil {
		return nil, err
	}
	return r.held(open, before, during, after), nil
}

// aging does something while a snapshot stays as it is.
func aging(ctx context.Context, conn *pgx.Conn, meanwhile func() error) error {
	return pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		newest := func() (id int64, err error) {
			err = tx.QueryRow(ctx, "select coalesce(max(id), 0) from clients").Scan(&id)
			return id, err
		}
		first, err := newest()
		if err != nil {
			return err
		}
		if err := meanwhile(); err != nil {
			return err
		}
		last, err := newest()
		if err == nil && last != first {
			err = fmt.Errorf("the snapshot did not last: it has seen client %d, and then %d", first, last)
		}
		return err
	})
}

// writers change records until their context ends.
type writers struct {
	kinds []*Kind
	done  []atomic.Int64 // requests, by kind
	all   sync.WaitGroup
}

func newWriters(kinds []*Kind) *writers {
	return &writers{kinds: kinds, done: make([]atomic.Int64, len(kinds))}
}

// spreadRecords is how many clients and invoices writers change.
const spreadRecords = 4096

// spreadWrites are the kinds of writes, of many records.
func spreadWrites(ctx context.Context, site *Site) ([]*Kind, error) {
	f := site.facts
	if err := site.with(ctx, func(conn *pgx.Conn) error { return f.findRecords(ctx, conn, spreadRecords) }); err != nil {
		return nil, err
	}
	kinds := writesOf(f)
	for _, k := range kinds {
		switch {
		case k.Name == "client-create":
			k.bodies = withCommonWord(k.bodies[0])
		case k.way == turns && len(k.uris) < snapshotWriters/len(kinds):
			return nil, fmt.Errorf("there are not enough records to change: %s", k.Say)
		}
	}
	return kinds, nil
}

// withCommonWord makes bodies of one, some of them with the word that many names have.
func withCommonWord(body string) []string {
	const share = 23 // one of so many names has it
	bodies := slices.Repeat([]string{body}, share)
	bodies[0] = strings.Replace(body, "%s", "%s "+data.CommonWord, 1)
	return bodies
}

// startWriters lets as many connections each create, and change to and fro. One that fails ends the
// context.
func startWriters(ctx context.Context, fail context.CancelCauseFunc, kontor *Process, token string, kinds []*Kind) (*writers, error) {
	w := newWriters(kinds)
	callers, _, err := dialAll(kontor, token, snapshotWriters)
	if err != nil {
		return nil, err
	}
	sources := make([]source, len(kinds))
	for n, k := range kinds {
		// Each record's first turn is the one that changes it.
		sources[n] = (&stream{kind: k}).source(&state{turn: slices.Repeat([]int{1}, max(len(k.uris), 1))})
		if k.way == turns {
			sources[n] = overAll(sources[n], len(k.uris), snapshotWriters/len(kinds))
		}
	}
	for i, c := range callers {
		n := i % len(kinds)
		w.all.Go(func() {
			defer c.close()
			w.write(ctx, fail, c, n, i/len(kinds), sources[n])
		})
	}
	return w, nil
}

// overAll gives each of several connections its share of the records to change in turn: no record to
// two.
func overAll(from source, records, connections int) source {
	share := records / connections
	return func(connection, n int) (Request, bool) { return from(connection+connections*(n%share), n) }
}

// write sends until the context ends, or a request fails: then it ends the context for all.
func (w *writers) write(ctx context.Context, fail context.CancelCauseFunc, c *caller, kind, connection int, from source) {
	for n := 0; ctx.Err() == nil; n++ {
		r, _ := from(connection, n)
		if err := c.send(r, nil); err != nil {
			fail(fmt.Errorf("%s: %w", w.kinds[kind].Name, err))
			return
		}
		w.done[kind].Add(1)
	}
}

func (w *writers) counts() []int64 {
	counts := make([]int64, len(w.done))
	for i := range w.done {
		counts[i] = w.done[i].Load()
	}
	return counts
}
