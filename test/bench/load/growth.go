package load

import (
	"context"
	"os"
	"slices"
	"time"
)

// Growth is what a kind costs at several sizes, over one connection and over many.
type Growth struct {
	Kind    string
	Say     string
	Cold    bool // what is asked for was never asked for before: no promise of a constant time
	Clients []int64
	Alone   []Sample // one connection
	Many    []Sample
	Latency float64 // the median time at the biggest over that at the smallest
	Rate    float64 // the rate at the smallest over that at the biggest
}

// growth measures the reads on every site, in rounds that take turns.
func (b *bench) growth(ctx context.Context) error {
	if len(b.sites) < 2 {
		b.say("\nNo growth: only one size was given.")
		return nil
	}
	var perSite [][]*Kind
	for i, site := range b.sites {
		if _, err := b.kontor(ctx, i); err != nil {
			return err
		}
		kinds, err := chosen(kindsOf(site.facts), b.Kinds)
		if err != nil {
			return err
		}
		perSite = append(perSite, slices.DeleteFunc(kinds, (*Kind).IsWrite))
	}
	b.report.writeGrowthHead(b.Out)
	for n := range perSite[0] {
		g, err := b.grown(ctx, n, perSite)
		if err != nil {
			return err
		}
		b.report.Growth = append(b.report.Growth, g)
		b.report.writeGrowth(b.Out, g)
	}
	return nil
}

func (b *bench) grown(ctx context.Context, n int, perSite [][]*Kind) (Growth, error) {
	g := Growth{Kind: perSite[0][n].Name, Say: perSite[0][n].Say, Cold: perSite[0][n].way == anew}
	alone, many := make([][]Sample, len(b.sites)), make([][]Sample, len(b.sites))
	for i, site := range b.sites {
		g.Clients = append(g.Clients, site.Clients)
		if err := b.settle(ctx, perSite[i][n], i); err != nil {
			return g, err
		}
	}
	for turn := range b.growthRounds() + 1 {
		for i, site := range b.sites {
			s, err := b.measure(ctx, b.kontors[i], site.Label, site, perSite[i][n], 1, b.Duration/2)
			if err != nil {
				return g, err
			}
			if turn == 0 { // statements get prepared, and the database finds its pages
				continue
			}
			alone[i] = append(alone[i], s)
			if s, err = b.measure(ctx, b.kontors[i], site.Label, site, perSite[i][n], b.Connections[0], b.Duration/2); err != nil {
				return g, err
			}
			many[i] = append(many[i], s)
		}
	}
	for i := range b.sites {
		g.Alone, g.Many = append(g.Alone, mid(alone[i])), append(g.Many, mid(many[i]))
	}
	last := len(b.sites) - 1
	g.Latency = paired(func(s Sample) float64 { return s.P50 }, alone[0], alone[last])
	g.Rate = paired(Sample.Rate, many[last], many[0])
	return g, nil
}

// settle finds the addresses of a kind that are said in words, and the kind that is measured with
// them.
func (b *bench) settle(ctx context.Context, k *Kind, site int) error {
	w := &watcher{site: b.sites[site], process: b.kontors[site]}
	if err := w.settleAddresses(ctx, k); err != nil {
		return err
	}
	s := b.stream(b.sites[site].Label, k)
	s.kind = k // the words of both are the same, and in the same order
	return nil
}

// Restart is how soon a service that was just started answers.
type Restart struct {
	Ready float64 // milliseconds from its start until /readyz says so
	First float64 // milliseconds of the first list
	Worst float64
	Runs  int
	Size  float64 // of the program's file, in MB
}

// restarts starts the service on the big site some times, and asks each for a list at once.
func (b *bench) restarts(ctx context.Context) error {
	if err := b.retire(); err != nil {
		return err
	}
	file, err := os.Stat(b.Program)
	if err != nil {
		return err
	}
	site := b.big()
	var ready, first []float64
	const runs = 5
	for range runs {
		start := time.Now()
		p, err := Kontor(ctx, b.Program, site.URL)
		if err != nil {
			return err
		}
		ready = append(ready, milliseconds(time.Since(start)))
		took, err := firstList(p, site.Token)
		if err != nil {
			return err
		}
		first = append(first, milliseconds(took))
		if err := p.Stop(); err != nil {
			return err
		}
	}
	b.report.Restart = &Restart{
		Ready: median(ready), First: median(first), Worst: slices.Max(first), Runs: runs, Size: float64(file.Size()) / megabyte,
	}
	b.report.writeRestart(b.Out)
	return nil
}

func firstList(p *Process, token string) (time.Duration, error) {
	start := time.Now()
	c, err := dial(p.Address, token)
	if err != nil {
		return 0, err
	}
	defer c.close()
	err = c.send(Request{Method: "GET", URI: clientList}, nil)
	return time.Since(start), err
}
