package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"
)

// Mixed is a kind of quick request without slow queries beside it, and with them.
type Mixed struct {
	Program      string
	Kind         string
	Idle, Loaded Sample  // of these, the rate and the latencies
	Ratio        float64 // of p99
	Slow         float64 // slow queries answered per second
}

const (
	slowCallers = 64 // connections that send slow queries, one after the other
	slowTokens  = 8  // that they share
	newTokens   = 64 // each is used after it has left the caches
	forgotten   = 2200 * time.Millisecond
	settling    = 2 * time.Second // between the beginning of the slow queries and that of a round
)

// newTokenKind is the kind of reads by id whose tokens have to be looked up.
const newTokenKind = "client-read-token"

// quickKinds are the others, one connection each.
var quickKinds = []string{"client-read", "clients-first", "invoices-first", "client-create"}

// slowQuery is a slow query that has probably not been sent before.
func slowQuery() string {
	switch rand.IntN(3) {
	case 0:
		return "/rest/invoice-items?name=" + letters(5)
	case 1:
		return "/rest/client?sort=description&page=" + fmt.Sprint(1+rand.IntN(1000))
	}
	return "/rest/client?name=" + url.QueryEscape(letters(2))
}

func letters(n int) string {
	text := make([]byte, n)
	for i := range text {
		text[i] = "abcdefghijklmnopqrstuvwxyz0123456789"[rand.IntN(36)]
	}
	return string(text)
}

// mixedRounds are the rounds of one target: samples by kind, and the rates of slow queries.
type mixedRounds struct {
	*target

	idle, loaded map[string][]Sample
	slow         []float64
}

func (b *bench) measureMixed(ctx context.Context) error {
	if b.Mixed == 0 {
		return nil
	}
	targets := []*target{b.program()}
	if b.ProgramB != "" {
		targets = append(targets, b.other)
	}
	var all []*mixedRounds
	for _, t := range targets {
		if err := t.issueTokens(ctx, slowTokens+newTokens); err != nil {
			return err
		}
		all = append(all, &mixedRounds{target: t, idle: map[string][]Sample{}, loaded: map[string][]Sample{}})
	}
	b.printMixedHead()
	for range b.Rounds {
		for _, r := range all {
			if err := b.mixedRound(ctx, r); err != nil {
				return err
			}
		}
	}
	for _, kind := range append(slices.Clone(quickKinds), newTokenKind) {
		for _, r := range all {
			m := r.result(kind)
			b.report.Mixed = append(b.report.Mixed, m)
			b.printMixed(m)
		}
	}
	return nil
}

// mixedRound is a round without slow queries, and one with them.
func (b *bench) mixedRound(ctx context.Context, r *mixedRounds) error {
	if err := b.quickRound(ctx, r.target, r.idle); err != nil {
		return err
	}
	rate, err := b.beside(ctx, r.target, func() error { return b.quickRound(ctx, r.target, r.loaded) })
	r.slow = append(r.slow, rate)
	return err
}

func (r *mixedRounds) result(kind string) Mixed {
	idle, loaded := r.idle[kind], r.loaded[kind]
	return Mixed{
		Program: r.name, Kind: kind, Idle: medians(idle), Loaded: medians(loaded), Slow: Median(r.slow),
		Ratio: ratio(loaded, idle, func(s Sample) float64 { return s.P99 }),
	}
}

// issueTokens issues tokens until there are n.
func (t *target) issueTokens(ctx context.Context, n int) error {
	for len(t.tokens) < n {
		token, err := t.issue(ctx)
		if err != nil {
			return err
		}
		t.tokens = append(t.tokens, token)
	}
	return nil
}

// quickRound adds a sample of each kind. All are measured at the same time.
func (b *bench) quickRound(ctx context.Context, t *target, to map[string][]Sample) error {
	kinds, err := KindsNamed(quickKinds)
	if err != nil {
		return err
	}
	samples, failures := make([]Sample, len(kinds)+1), make([]error, len(kinds)+1)
	var running sync.WaitGroup
	for i, k := range kinds {
		running.Go(func() { samples[i], failures[i] = b.measure(ctx, t, k, 1, b.Mixed) })
	}
	running.Go(func() { samples[len(kinds)], failures[len(kinds)] = newTokenRound(ctx, t, b.Mixed) })
	running.Wait()
	for i, k := range kinds {
		to[k.Name] = append(to[k.Name], samples[i])
	}
	to[newTokenKind] = append(to[newTokenKind], samples[len(kinds)])
	return errors.Join(failures...)
}

// newTokenRound reads records with each of the new tokens, spread evenly over the time
// after which they are forgotten.
func newTokenRound(ctx context.Context, t *target, d time.Duration) (Sample, error) {
	latencies, failures := make([][]time.Duration, newTokens), make([]error, newTokens)
	paths := clientPaths(t)
	start := time.Now()
	var running sync.WaitGroup
	for i, token := range t.tokens[slowTokens:] {
		running.Go(func() {
			c, err := dialAs(t, token)
			if err != nil {
				failures[i] = err
				return
			}
			defer c.conn.Close()
			next := start.Add(forgotten * time.Duration(i) / newTokens)
			for ; next.Before(start.Add(d)) && failures[i] == nil; next = next.Add(forgotten) {
				time.Sleep(time.Until(next))
				sent := time.Now()
				failures[i] = c.send(request{method: http.MethodGet, path: paths[i%len(paths)]}, io.Discard)
				latencies[i] = append(latencies[i], time.Since(sent))
			}
		})
	}
	running.Wait()
	return latenciesOf(slices.Concat(latencies...), time.Since(start)), errors.Join(errors.Join(failures...), ctx.Err())
}

// beside measures while slow queries are sent, and returns how many were answered per
// second. They may be rejected.
func (b *bench) beside(ctx context.Context, t *target, measure func() error) (rate float64, err error) {
	answered := make([]int, slowCallers)
	var open []*connection
	defer func() { closeAll(open) }()
	for i := range slowCallers {
		c, err := dialAs(t, t.tokens[i%slowTokens])
		if err != nil {
			return 0, err
		}
		open = append(open, c)
	}
	var running sync.WaitGroup
	start := time.Now()
	for i, c := range open {
		running.Go(func() {
			for ctx.Err() == nil {
				status, err := c.exchange(request{method: http.MethodGet, path: slowQuery()}, io.Discard, io.Discard)
				switch {
				case err != nil:
					return // closed below
				case status == http.StatusOK:
					answered[i]++
				default:
					time.Sleep(100 * time.Millisecond)
				}
			}
		})
	}
	time.Sleep(min(settling, b.Mixed))
	err = measure()
	seconds := time.Since(start).Seconds()
	closeAll(open) // which cancels what runs
	running.Wait()
	sum := 0
	for _, n := range answered {
		sum += n
	}
	time.Sleep(min(settling, b.Mixed))
	return float64(sum) / seconds, err
}

func (b *bench) printMixedHead() {
	b.printf("\nQuick requests, one connection of each kind at the same time, alone and beside %d callers of slow queries with %d\n"+
		"tokens. Medians of %d rounds of %s; p50, p99: ms; slow: queries answered per second.\n%-20s %-8s %8s %8s %8s %8s %8s %8s\n",
		slowCallers, slowTokens, b.Rounds, b.Mixed, "kind", "program", "p50", "beside", "p99", "beside", "ratio", "slow")
}

func (b *bench) printMixed(m Mixed) {
	b.printf("%-20s %-8s %8.2f %8.2f %8.2f %8.2f %8.2f %8.1f\n", m.Kind, m.Program, m.Idle.P50, m.Loaded.P50, m.Idle.P99, m.Loaded.P99, m.Ratio, m.Slow)
}
