package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"
)

// Options say what is measured.
type Options struct {
	Program   string   // Kontor
	Databases []string // label=place, the smallest first; the last one is used for everything but the growth

	// A second program, which is compared with the first instead of the baseline server. Without a database it
	// uses the last one of the first program.
	ProgramB, DatabaseB string

	HAProxy    string // path of its configuration, for Instances
	Statements string // folder of the golden statements, for the baseline server

	Kinds       []*Kind
	Connections []int // the smallest first
	Rounds      int
	Duration    time.Duration     // of a round
	Mixed       time.Duration     // of a round beside slow queries; 0: none
	Settings    map[string]string // of a PostgreSQL that is started
	Output      io.Writer
}

// Report is what was measured.
type Report struct {
	At          time.Time
	Rounds      int
	Seconds     float64 // of a round
	Comparisons []Comparison
	Growth      []Growth `json:",omitempty"`
	Writers     []Writers
	Mixed       []Mixed  `json:",omitempty"`
	Rules       []Ruled  `json:",omitempty"`
	Restart     *Restart `json:",omitempty"`
}

type bench struct {
	Options

	report    *Report
	databases []*database
	programs  []*target // the program on each database
	other     *target   // program B or the baseline server
}

// Run measures, prints the results as they come, and returns them.
func Run(ctx context.Context, o Options) (report *Report, err error) {
	b := &bench{Options: o, report: &Report{At: time.Now().UTC(), Rounds: o.Rounds, Seconds: o.Duration.Seconds()}}
	defer func() { err = errors.Join(err, b.close()) }()
	if err := b.open(ctx); err != nil {
		return nil, err
	}
	parts := []func(context.Context) error{b.compareAll, b.measureMixed, b.measureRules, b.measureGrowth, b.measureWriters, b.measureRestarts}
	if o.ProgramB != "" {
		parts = parts[:2]
	}
	for _, part := range parts {
		if err := part(ctx); err != nil {
			return b.report, err
		}
	}
	return b.report, nil
}

// open opens the databases and starts the servers.
func (b *bench) open(ctx context.Context) error {
	for _, named := range b.Databases {
		d, err := b.openDatabase(ctx, named)
		if err != nil {
			return err
		}
		t, err := startProgram(ctx, "a", b.Program, d)
		if err != nil {
			return err
		}
		b.programs = append(b.programs, t)
	}
	largest := b.databases[len(b.databases)-1]
	var err error
	if b.ProgramB == "" {
		b.other, err = startBaseline(ctx, b.program(), largest, b.Statements)
		return err
	}
	if b.DatabaseB != "" {
		if largest, err = b.openDatabase(ctx, b.DatabaseB); err != nil {
			return err
		}
	}
	b.other, err = startProgram(ctx, "b", b.ProgramB, largest)
	return err
}

// openDatabase opens a database, which close closes, and prints its settings.
func (b *bench) openDatabase(ctx context.Context, named string) (*database, error) {
	d, err := openDatabase(ctx, named, b.Settings)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", named, err)
	}
	b.databases = append(b.databases, d)
	settings, err := d.settings(ctx)
	if err == nil {
		b.printDatabase(d, settings)
	}
	return d, err
}

func (b *bench) close() (err error) {
	for _, t := range append(slices.Clone(b.programs), b.other) {
		if t != nil {
			err = errors.Join(err, t.stop())
		}
	}
	for _, d := range b.databases {
		err = errors.Join(err, d.close())
	}
	return err
}

// program is the program on the largest database.
func (b *bench) program() *target { return b.programs[len(b.programs)-1] }

// measure is one round of a kind.
func (b *bench) measure(ctx context.Context, t *target, k *Kind, connections int, d time.Duration) (Sample, error) {
	share := 0
	if k.words != nil {
		planned := b.Rounds * (len(b.Connections) + 2)
		share = len(k.words(&t.facts)) / planned
	}
	s, err := round(ctx, t, k, connections, d, share)
	if err != nil {
		return s, fmt.Errorf("%s: %w", k.Name, err)
	}
	return s, nil
}

// interleaved measures a kind on several targets in turn, after a shorter round that is not counted.
func (b *bench) interleaved(ctx context.Context, k *Kind, connections int, d time.Duration, targets ...*target) ([][]Sample, error) {
	samples := make([][]Sample, len(targets))
	for n := range b.Rounds + 1 {
		length := d
		if n == 0 {
			if length = d / 4; k.words != nil {
				continue // words are scarce
			}
		}
		for i := range targets {
			at := (i + n) % len(targets) // none is always the first
			s, err := b.measure(ctx, targets[at], k, connections, length)
			if err != nil {
				return nil, err
			}
			if n > 0 {
				samples[at] = append(samples[at], s)
			}
		}
	}
	return samples, nil
}

// Comparison is a kind on two servers, in rounds that alternate.
type Comparison struct {
	Kind        string
	Connections int
	A           Sample
	Other       *Sample // program B or the baseline server; nil if that does not answer the kind
	Rate        float64 // of B, divided by that of A; or of A, divided by that of the baseline server
	CPU         float64 // the same of the CPU time per request
	DatabaseCPU float64
}

func (b *bench) compareAll(ctx context.Context) error {
	b.printComparisonHead()
	for _, k := range b.Kinds {
		for i, connections := range b.Connections {
			if i > 0 && k.Slow {
				continue
			}
			c, err := b.compare(ctx, k, connections)
			if err != nil {
				return err
			}
			b.report.Comparisons = append(b.report.Comparisons, c)
			b.printComparison(c)
		}
	}
	b.printSlower()
	return nil
}

func (b *bench) compare(ctx context.Context, k *Kind, connections int) (Comparison, error) {
	targets := []*target{b.program()}
	if b.ProgramB != "" || k.Baseline {
		targets = append(targets, b.other)
	}
	samples, err := b.interleaved(ctx, k, connections, b.Duration, targets...)
	if err != nil {
		return Comparison{}, err
	}
	c := Comparison{Kind: k.Name, Connections: connections, A: medians(samples[0])}
	if len(targets) == 1 {
		return c, nil
	}
	other := medians(samples[1])
	c.Other = &other
	subject, reference := samples[0], samples[1]
	if b.ProgramB != "" {
		subject, reference = reference, subject
	}
	c.Rate, c.CPU = ratio(subject, reference, Sample.rate), ratio(subject, reference, Sample.cpu)
	c.DatabaseCPU = ratio(subject, reference, func(s Sample) float64 { return s.DatabaseCPU })
	return c, nil
}

// Growth is a kind on databases of several sizes.
type Growth struct {
	Kind    string
	Clients []int64
	One     []Sample // over one connection
	Many    []Sample
	Latency float64 // the median latency on the largest database, divided by that on the smallest
	Rate    float64 // the rate on the smallest, divided by that on the largest
}

func (b *bench) measureGrowth(ctx context.Context) error {
	if len(b.databases) < 2 {
		return nil
	}
	b.printGrowthHead()
	last := len(b.programs) - 1
	for _, k := range b.Kinds {
		if k.IsWrite() {
			continue
		}
		one, err := b.interleaved(ctx, k, 1, b.Duration/2, b.programs...)
		if err != nil {
			return err
		}
		many, err := b.interleaved(ctx, k, b.Connections[0], b.Duration/2, b.programs...)
		if err != nil {
			return err
		}
		g := Growth{
			Kind:    k.Name,
			Latency: ratio(one[last], one[0], Sample.p50), Rate: ratio(many[0], many[last], Sample.rate),
		}
		for i, d := range b.databases {
			g.Clients = append(g.Clients, d.facts.clients)
			g.One, g.Many = append(g.One, medians(one[i])), append(g.Many, medians(many[i]))
		}
		b.report.Growth = append(b.report.Growth, g)
		b.printGrowth(g)
	}
	return nil
}

// Writers is a creation over few connections and over many.
type Writers struct {
	Kind      string
	Few, Many Sample
	Rate      float64 // over many connections, divided by that over few
}

const fewWriters, manyWriters = 4, 16

func (b *bench) measureWriters(ctx context.Context) error {
	b.printWritersHead()
	for _, k := range b.Kinds {
		if k.Method != http.MethodPost {
			continue
		}
		var few, many []Sample
		for range b.Rounds {
			for connections, to := range map[int]*[]Sample{fewWriters: &few, manyWriters: &many} {
				s, err := b.measure(ctx, b.program(), k, connections, b.Duration)
				if err != nil {
					return err
				}
				*to = append(*to, s)
			}
		}
		w := Writers{Kind: k.Name, Few: medians(few), Many: medians(many), Rate: ratio(many, few, Sample.rate)}
		b.report.Writers = append(b.report.Writers, w)
		b.printWriters(w)
	}
	return nil
}

// Restart is how soon a program answers, in milliseconds.
type Restart struct {
	Ready     float64 // from the start of the process until /readyz succeeds
	FirstList float64 // the first list after that
}

const restarts = 5

func (b *bench) measureRestarts(ctx context.Context) error {
	largest := len(b.databases) - 1
	var ready, first []float64
	for range restarts {
		if err := b.program().stop(); err != nil {
			return err
		}
		t := newTarget("a", b.databases[largest])
		t.token = b.program().token
		start := time.Now()
		if err := t.start(ctx, b.Program, "serve", "--database-url", b.databases[largest].url, "--listen"); err != nil {
			return err
		}
		b.programs[largest] = t
		ready = append(ready, milliseconds(time.Since(start)))
		start = time.Now()
		if _, err := t.get(ctx, "/rest/client"); err != nil {
			return err
		}
		first = append(first, milliseconds(time.Since(start)))
	}
	b.report.Restart = &Restart{Ready: Median(ready), FirstList: Median(first)}
	b.printRestart()
	return nil
}
