package load

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"
)

// reading asks for several kinds in turn while others write.
type reading struct {
	bench   *bench
	names   []string // of the kinds
	kontor  *Process
	writers *writers
}

// window is what was done in a time.
type window struct {
	seconds float64
	reads   [][]time.Duration // by kind
	writes  []int64
}

// window reads for a time, in rounds: writers move the last page, which each round finds anew.
func (r *reading) window(ctx context.Context, d time.Duration) (*window, error) {
	all := &window{reads: make([][]time.Duration, len(r.names)), writes: make([]int64, len(r.writers.kinds))}
	for end := time.Now().Add(d); time.Now().Before(end); {
		if err := r.round(ctx, min(r.bench.Duration, time.Until(end)), all); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (r *reading) round(ctx context.Context, d time.Duration, to *window) error {
	site := r.bench.big()
	kinds, err := chosen(kindsOf(site.facts), r.names)
	if err != nil {
		return err
	}
	finder := &watcher{site: site, process: r.kontor}
	for _, k := range kinds {
		if err := finder.settleAddresses(ctx, k); err != nil {
			return err
		}
	}
	callers, hangUp, err := dialAll(r.kontor, site.Token, snapshotReaders)
	if err != nil {
		return err
	}
	defer hangUp()
	written := r.writers.counts()
	times, seconds, err := allAtOnce(ctx, callers, d, inTurn(kinds))
	if err != nil {
		return err
	}
	to.add(times, seconds, written, r.writers.counts())
	return nil
}

// inTurn asks for one kind after the other, every connection from another one on.
func inTurn(kinds []*Kind) source {
	return func(connection, n int) (Request, bool) {
		uris := kinds[(connection+n)%len(kinds)].uris
		return Request{Method: "GET", URI: uris[n%len(uris)]}, true
	}
}

// add takes times in the order of inTurn, and what was written until before and until after.
func (w *window) add(times [][]time.Duration, seconds float64, before, after []int64) {
	w.seconds += seconds
	for connection, ofOne := range times {
		for n, took := range ofOne {
			kind := (connection + n) % len(w.reads)
			w.reads[kind] = append(w.reads[kind], took)
		}
	}
	for kind := range w.writes {
		w.writes[kind] += after[kind] - before[kind]
	}
}

// read is how one kind of read went: the time is what it took each reader.
func (w *window) read(kind int) Sample {
	var sum time.Duration
	for _, took := range w.reads[kind] {
		sum += took
	}
	return timed(w.reads[kind], sum.Seconds()/snapshotReaders)
}

// written is a number of writes, whose times nobody took.
func (w *window) written(counts ...int64) Sample {
	s := Sample{Seconds: w.seconds}
	for _, n := range counts {
		s.Requests += int(n)
	}
	return s
}

func timed(times []time.Duration, seconds float64) Sample {
	if len(times) == 0 {
		return Sample{Seconds: seconds}
	}
	sorted := slices.Sorted(slices.Values(times))
	return Sample{
		Requests: len(sorted), Seconds: seconds,
		P50: milliseconds(quantile(sorted, 0.5)), P99: milliseconds(quantile(sorted, 0.99)),
	}
}

// steadiness compares what was before, during and after.
func steadiness(what string, of [3]Sample) Steadiness {
	s := Steadiness{What: what, Before: of[0], During: of[1], After: of[2]}
	if s.Before.Requests > 0 && s.During.Requests > 0 {
		s.Ratio = s.During.Rate() / s.Before.Rate()
	}
	return s
}

// held is what three windows show: before, during and after.
func (r *reading) held(open time.Duration, windows ...*window) *Snapshot {
	h := &Snapshot{
		Seconds: open.Seconds(), Window: r.bench.Window.Seconds(), Readers: snapshotReaders, Writers: snapshotWriters,
	}
	var reads, writes [3]Sample
	for i, w := range windows {
		reads[i], writes[i] = timed(slices.Concat(w.reads...), w.seconds), w.written(w.writes...)
	}
	h.AllReads, h.AllWrites = steadiness("all reads", reads), steadiness("all writes", writes)
	for kind, name := range r.names {
		for i, w := range windows {
			reads[i] = w.read(kind)
		}
		h.Reads = append(h.Reads, steadiness(name, reads))
	}
	for kind, k := range r.writers.kinds {
		for i, w := range windows {
			writes[i] = w.written(w.writes[kind])
		}
		h.Writes = append(h.Writes, steadiness(k.Name, writes))
	}
	return h
}

func (r *Report) writeSnapshot(w io.Writer) {
	h := r.Snapshot
	fmt.Fprintf(w, "\n%d readers, who ask for these kinds in turn, beside %d writers: before, at the end of a transaction that kept its\n"+
		"snapshot for %.0f s, and when it was gone; ratio: of the rates at the end and before. A kind's rate is that of the time\n"+
		"it was asked for.\n", h.Readers, h.Writers, h.Seconds)
	fmt.Fprintf(w, "%-22s | %8s %7s %7s | %8s %7s %7s | %8s %7s %7s | %5s\n",
		"kind", "before/s", "p50", "p99", "during/s", "p50", "p99", "after/s", "p50", "p99", "ratio")
	for _, s := range slices.Concat(h.Reads, []Steadiness{h.AllReads}, h.Writes, []Steadiness{h.AllWrites}) {
		fmt.Fprintf(w, "%-22s", s.What)
		for _, one := range []Sample{s.Before, s.During, s.After} {
			if one.P50 == 0 {
				fmt.Fprintf(w, " | %8.0f %7s %7s", one.Rate(), "-", "-")
				continue
			}
			fmt.Fprintf(w, " | %8.0f %7.2f %7.2f", one.Rate(), one.P50, one.P99)
		}
		fmt.Fprintf(w, " | %5.2f\n", s.Ratio)
	}
}
