package load

import (
	"fmt"
	"strings"
)

func (b *bench) printf(format string, values ...any) { fmt.Fprintf(b.Output, format, values...) }

func (b *bench) printDatabase(d *database, settings []string) {
	b.printf("%s: %d clients; %s\n", d.label, d.facts.clients, strings.Join(settings, ", "))
}

func (b *bench) printComparisonHead() {
	other, ratios := "the baseline server", "program / baseline"
	if b.ProgramB != "" {
		other, ratios = "program B", "B / A"
	}
	b.printf("\nThe program (left) and %s (right), medians of %d rounds of %s in turn. p50, p99: ms. cpu, db: microseconds of processor\n"+
		"time of the server and of PostgreSQL per request. MB: peak memory of the server. Last columns: %s, of the rate\n"+
		"(higher is faster), of cpu and of db.\n", other, b.Rounds, b.Duration, ratios)
	b.printf("%-22s %4s%[3]s%[3]s | %5s %5s %5s\n", "kind", "conn",
		fmt.Sprintf(" | %8s %7s %7s %6s %6s %4s", "req/s", "p50", "p99", "cpu", "db", "MB"), "rate", "cpu", "db")
}

func (b *bench) printComparison(c Comparison) {
	b.printf("%-22s %4d%s", c.Kind, c.Connections, columns(c.A))
	if c.Other != nil {
		b.printf("%s | %5.2f %5.2f %5.2f", columns(*c.Other), c.Rate, c.CPU, c.DatabaseCPU)
	}
	b.printf("\n")
}

func columns(s Sample) string {
	return fmt.Sprintf(" | %8.0f %7.2f %7.2f %6.0f %6.0f %4.0f", s.Rate, s.P50, s.P99, s.CPU, s.DatabaseCPU, s.MemoryMB)
}

// slowest is the smallest ratio of rates that is not reported as slower.
const slowest = 0.95

// printSlower prints the kinds in which program B is more than 5 % slower.
func (b *bench) printSlower() {
	if b.ProgramB == "" {
		return
	}
	var slower []string
	for _, c := range b.report.Comparisons {
		if c.Rate < slowest {
			slower = append(slower, fmt.Sprintf("%s/%d %.2f", c.Kind, c.Connections, c.Rate))
		}
	}
	if len(slower) == 0 {
		b.printf("\nProgram B is more than 5 %% slower in no kind.\n")
		return
	}
	b.printf("\nProgram B is more than 5 %% slower in: %s\n", strings.Join(slower, ", "))
}

func (b *bench) printGrowthHead() {
	b.printf("\nGrowth: p50 in ms over one connection and requests per second over %d, on each database. The last columns say how\n"+
		"many times slower the largest is than the smallest.\n%-22s", b.Connections[0], "kind")
	for _, d := range b.databases {
		b.printf(" %10s %10s", d.label+" ms", d.label+" /s")
	}
	b.printf(" %7s %7s\n", "p50", "rate")
}

func (b *bench) printGrowth(g Growth) {
	b.printf("%-22s", g.Kind)
	for i := range g.One {
		b.printf(" %10.3f %10.0f", g.One[i].P50, g.Many[i].Rate)
	}
	b.printf(" %7.2f %7.2f\n", g.Latency, g.Rate)
}

func (b *bench) printWritersHead() {
	b.printf("\nWriters: requests per second over %d and over %d connections.\n", fewWriters, manyWriters)
}

func (b *bench) printWriters(w Writers) {
	b.printf("%-22s %8.0f %8.0f, ratio %.2f\n", w.Kind, w.Few.Rate, w.Many.Rate, w.Rate)
}

func (b *bench) printRestart() {
	b.printf("\nAfter a restart: ready in %.0f ms, the first list in %.1f ms (medians of %d).\n",
		b.report.Restart.Ready, b.report.Restart.FirstList, restarts)
}
