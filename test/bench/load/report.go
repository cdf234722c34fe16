package load

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"
)

// Report is all that was measured. Rates are requests in a second.
type Report struct {
	At          time.Time
	CPUs        int
	Rounds      int
	Seconds     float64 // of a round
	Connections []int
	Sites       []SiteReport
	Scripts     int          `json:",omitempty"` // that the floor was given
	Floor       []Comparison `json:",omitempty"`
	Ceiling     []Ceiling    `json:",omitempty"` // the floor beside pgbench
	Growth      []Growth     `json:",omitempty"`
	Restart     *Restart     `json:",omitempty"`
	Snapshot    *Snapshot    `json:",omitempty"` // Kontor while a transaction keeps an old one
	Widening    []Widening   `json:",omitempty"`
	Plain       []Comparison `json:",omitempty"` // Kontor beside a store without read models
}

// SiteReport is a database that was measured on.
type SiteReport struct {
	Label    string
	Clients  int64
	Settings []string
}

func newReport(o Options) *Report {
	return &Report{
		At: time.Now().UTC().Truncate(time.Second), CPUs: runtime.NumCPU(),
		Rounds: o.Rounds, Seconds: o.Duration.Seconds(), Connections: o.Connections,
	}
}

func (r *Report) writeSettings(w io.Writer) {
	fmt.Fprintf(w, "\n%d processors, shared by the servers, PostgreSQL and who asks; %d rounds of %.1f s, medians of the rounds.\n",
		r.CPUs, r.Rounds, r.Seconds)
	for i, s := range r.Sites {
		fmt.Fprintf(w, "%s: %d clients", s.Label, s.Clients)
		if i == 0 || strings.Join(s.Settings, ",") != strings.Join(r.Sites[i-1].Settings, ",") {
			fmt.Fprintf(w, "; PostgreSQL: %s", strings.Join(s.Settings, ", "))
		}
		fmt.Fprintln(w)
	}
}

const (
	comparisonHead = "%-22s %4s | %8s %7s %7s %6s %6s | %8s %7s %7s %6s %6s | %5s %5s %5s %5s\n"
	comparisonLine = "%-22s %4d | %8.0f %7.2f %7.2f %6.0f %6.0f | %8.0f %7.2f %7.2f %6.0f %6.0f | %5.2f %5.2f %5s %5.0f\n"
)

func (r *Report) writeComparisonHead(w io.Writer) {
	fmt.Fprint(w, "\nKontor (left) and the floor (right). p50, p99: ms. cpu, db: microseconds of the server and of PostgreSQL for each\n"+
		"request. rate, CPU: Kontor's over the floor's. A/A: Kontor's rate over its own. MB: Kontor's memory.\n")
	writeHead(w)
}

func (r *Report) writePlainHead(w io.Writer) {
	fmt.Fprint(w, "\nKontor (left) and the same without read models (right).\n")
	writeHead(w)
}

func writeHead(w io.Writer) {
	fmt.Fprintf(w, comparisonHead, "kind", "conn", "req/s", "p50", "p99", "cpu", "db", "req/s", "p50", "p99", "cpu", "db", "rate", "CPU", "A/A", "MB")
}

const megabyte = 1 << 20

func (r *Report) writeComparison(w io.Writer, c Comparison) {
	noise := "-"
	if c.Noise > 0 {
		noise = fmt.Sprintf("%.2f", c.Noise)
	}
	k, f := c.Kontor, c.Other
	fmt.Fprintf(w, comparisonLine, c.Kind, c.Connections, k.Rate(), k.P50, k.P99, k.CPU, k.Database,
		f.Rate(), f.P50, f.P99, f.CPU, f.Database, c.Rate, c.CPU, noise, float64(k.Memory)/megabyte)
}

func (r *Report) writeGrowthHead(w io.Writer) {
	fmt.Fprint(w, "\nGrowth: p50 in ms over one connection, and requests in a second over several, at each size; the last two columns are\n"+
		"how many times slower the biggest is than the smallest.\n")
	fmt.Fprintf(w, "%-22s", "kind")
	for _, s := range r.Sites {
		fmt.Fprintf(w, " %10s %10s", s.Label+" ms", s.Label+" /s")
	}
	fmt.Fprintf(w, " %7s %7s\n", "p50", "rate")
}

func (r *Report) writeGrowth(w io.Writer, g Growth) {
	fmt.Fprintf(w, "%-22s", g.Kind)
	for i := range g.Alone {
		fmt.Fprintf(w, " %10.3f %10.0f", g.Alone[i].P50, g.Many[i].Rate())
	}
	fmt.Fprintf(w, " %7.2f %7.2f\n", g.Latency, g.Rate)
}

func (r *Report) writeRestart(w io.Writer) {
	fmt.Fprintf(w, "\nAfter a restart: ready after %.0f ms, the first list in %.1f ms (at worst %.1f ms; %d restarts). The program has %.1f MB.\n",
		r.Restart.Ready, r.Restart.First, r.Restart.Worst, r.Restart.Runs, r.Restart.Size)
}

func (r *Report) writeWideningHead(w io.Writer) {
	fmt.Fprintf(w, "\n%-22s %10s %10s %6s\n", "Kontor, writers", fmt.Sprint(fewWriters, " /s"), fmt.Sprint(manyWriters, " /s"), "ratio")
}

func (r *Report) writeWidening(w io.Writer, n Widening) {
	fmt.Fprintf(w, "%-22s %10.0f %10.0f %6.2f\n", n.Kind, n.Few.Rate(), n.Many.Rate(), n.Ratio)
}
