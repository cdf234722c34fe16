package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Comparison is Kontor beside another server, in rounds that take turns.
type Comparison struct {
	Kind        string
	Say         string
	IsWrite     bool
	Connections int
	Kontor      Sample // medians
	Other       Sample
	Rate        float64 // Kontor's over the other's
	CPU         float64 // the same of the CPU time of a request
	Noise       float64 // Kontor's rate over Kontor's own, in rounds that take turns; 0: not measured

	KontorRates, OtherRates []float64 // of the rounds
}

// compareReads measures all kinds on the big site against the floor, those that change data last.
func (b *bench) compareReads(ctx context.Context) (err error) {
	site := b.big()
	kinds, err := chosen(kindsOf(site.facts), b.Kinds)
	if err != nil {
		return err
	}
	b.say("\n%s: watching what Kontor says to the database", site.Label)
	w, err := watch(ctx, b.Program, site)
	if err != nil {
		return err
	}
	for _, k := range kinds {
		if err := w.learn(ctx, k); err != nil {
			return errors.Join(fmt.Errorf("learn %s: %w", k.Name, err), w.close())
		}
	}
	if err := w.close(); err != nil {
		return err
	}
	floor, stop, err := startFloor(ctx, w)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	kontor, err := b.kontor(ctx, len(b.sites)-1)
	if err != nil {
		return err
	}
	b.report.Scripts = len(w.book.file.Scripts)
	b.report.writeComparisonHead(b.Out)
	for _, k := range kinds {
		if err := b.against(ctx, k, site, kontor, floor); err != nil {
			return err
		}
	}
	if b.Parts[Pgbench] {
		return b.ceiling(ctx, w, kinds, floor)
	}
	return nil
}

// against measures one kind at all numbers of connections. Both servers must give the same bytes.
func (b *bench) against(ctx context.Context, k *Kind, site *Site, kontor, floor *Process) error {
	if k.way != anew { // whose words must not be asked for before
		if err := same(k, site, kontor, floor, b.state(k)); err != nil {
			return err
		}
	}
	for i, connections := range b.Connections {
		if i > 0 && k.atRest {
			continue
		}
		c, err := b.compare(ctx, k, site, kontor, floor, connections)
		if err != nil {
			return err
		}
		b.report.Floor = append(b.report.Floor, c)
		b.report.writeComparison(b.Out, c)
	}
	if k.way == anew {
		return same(k, site, kontor, floor, b.state(k))
	}
	return nil
}

// compare is A B A, A B A and so on: every round of the one has a round of the other beside it, and
// the ratios are medians of those of such neighbours, so that a machine that grows slower in between
// spoils none. Only with the fewest connections does Kontor have two rounds each time.
func (b *bench) compare(ctx context.Context, k *Kind, site *Site, kontor, other *Process, connections int) (Comparison, error) {
	var firsts, others, seconds []Sample
	once := func(p *Process, server string, d time.Duration, to *[]Sample) error {
		s, err := b.measure(ctx, p, server, site, k, connections, d)
		*to = append(*to, s)
		return err
	}
	var unread []Sample
	if k.way != anew { // statements get prepared on all connections
		warm := errors.Join(once(kontor, site.Label, b.Duration/4, &unread), once(other, other.Name, b.Duration/4, &unread))
		if warm != nil {
			return Comparison{}, warm
		}
	}
	for range b.Rounds {
		err := errors.Join(once(kontor, site.Label, b.Duration, &firsts), once(other, other.Name, b.Duration, &others))
		if err == nil && connections == b.Connections[0] {
			err = once(kontor, site.Label, b.Duration, &seconds)
		}
		if err != nil {
			return Comparison{}, err
		}
	}
	all := slices.Concat(firsts, seconds)
	return Comparison{
		Kind: k.Name, Say: k.Say, IsWrite: k.IsWrite(), Connections: connections, Kontor: mid(all), Other: mid(others),
		Rate:        paired(Sample.Rate, others, firsts, seconds),
		CPU:         paired(func(s Sample) float64 { return s.CPU }, others, firsts, seconds),
		Noise:       paired(Sample.Rate, firsts, seconds),
		KontorRates: ratesOf(all), OtherRates: ratesOf(others),
	}, nil
}

// paired is the median of the ratios of each round's figures to that of the round of below beside
// them; 0 if there are none.
func paired(figure func(Sample) float64, below []Sample, above ...[]Sample) float64 {
	var ratios []float64
	for i := range below {
		sum, n := 0.0, 0
		for _, samples := range above {
			if i < len(samples) {
				sum += figure(samples[i])
				n++
			}
		}
		if n > 0 {
			ratios = append(ratios, ratio(sum/float64(n), figure(below[i])))
		}
	}
	return median(ratios)
}

// cutLabel takes a site apart: its name for people, and its place.
func cutLabel(site string) (label, place string) {
	label, place, ok := strings.Cut(site, "=")
	if !ok || strings.ContainsAny(label, "/:") {
		return site, site
	}
	return label, place
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

func ratesOf(samples []Sample) []float64 {
	rates := make([]float64, len(samples))
	for i, s := range samples {
		rates[i] = s.Rate()
	}
	return rates
}

// what differs from one write to the next: numbers, times and words.
var varying = regexp.MustCompile(`zq[0-9a-z]{10}|[0-9]+`)

// same is nil if both servers answer with the same bytes; to a write, but for what is new in it.
func same(k *Kind, site *Site, kontor, floor *Process, st *state) error {
	requests := probes(k, st)
	theirs, err := bodies(k, site, kontor, requests)
	if err != nil {
		return err
	}
	own, err := bodies(k, site, floor, requests)
	if err != nil {
		return err
	}
	for i, r := range requests {
		if !bytes.Equal(theirs[i], own[i]) {
			return fmt.Errorf("%s: to %s %s Kontor answers\n%s\nand the floor\n%s", k.Name, r.Method, r.URI, theirs[i], own[i])
		}
	}
	return nil
}

// bodies are a server's answers, to writes without what varies.
func bodies(k *Kind, site *Site, p *Process, requests []Request) (all [][]byte, err error) {
	c, err := dial(p.Address, site.Token)
	if err != nil {
		return nil, err
	}
	defer c.close()
	for _, r := range requests {
		var body []byte
		if err := c.send(r, &body); err != nil {
			return nil, fmt.Errorf("%s on %s: %w", k.Name, p.Name, err)
		}
		if k.IsWrite() {
			body = varying.ReplaceAll(body, []byte("*"))
		}
		all = append(all, body)
	}
	return all, nil
}

// probes are some requests of a kind. Those that change records to and fro come in pairs.
func probes(k *Kind, st *state) (requests []Request) {
	const enough = 10
	if k.way == anew {
		for _, word := range k.words[:min(enough, len(k.words))] {
			requests = append(requests, Request{Method: "GET", URI: k.uris[0] + url.QueryEscape(word)})
		}
		return requests
	}
	next := (&stream{kind: k}).source(st)
	for n := range enough {
		r, _ := next(0, n)
		requests = append(requests, r)
	}
	return requests
}
