// Command load measures how fast Kontor answers, and compares two programs:
//
//	load -a old/kontor -data-a postgres://… -b new/kontor -data-b postgres://…
//
// The databases are those of make bench-data, of the same size. They are written to. For each kind of request it prints
// medians of the rounds: requests per second, milliseconds, and microseconds of the program's CPU time per request; with
// -slow also how many times the p99 grows beside callers of slow queries; and the medians of the ratios B/A.
//
// With -beside it prints a table of reads beside the work of another caller, and with -starts the figures of the first seconds
// after a start.
//
// Chose rounds of the two programs in turn, because a machine that others use as well is faster in one minute than in
// the next. To see how much is noise, compare a program with itself.
//
// Chose to use programs from outside only, by their commands and over HTTP, because then two versions with different
// schemas can be compared. Costs a database for each.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"
)

type options struct {
	path, database [2]string // of the programs A and B
	connections    uint64
	rounds         int
	duration       time.Duration // of a round
	texts          int           // searched for in each program
	kinds          string        // comma-separated; empty: all
	slow           uint64        // callers of slow queries; 0: none
	tokens         int
	beside         string // the work beside which reads are measured instead of kinds, a part of its name; empty: none
	starts         int    // of the program, after which kinds are measured instead; 0: none
}

func main() {
	var o options
	flag.StringVar(&o.path[0], "a", ".bin/kontor", "`path` of the program")
	flag.StringVar(&o.database[0], "data-a", "", "`URL` of its database, or the folder of its private PostgreSQL")
	flag.StringVar(&o.path[1], "b", "", "`path` of another program, or of the baseline server, to compare it with")
	flag.StringVar(&o.database[1], "data-b", "", "`database` of the other program")
	flag.Uint64Var(&o.connections, "connections", 16, "`number` of connections")
	flag.IntVar(&o.rounds, "rounds", 5, "`number` of rounds")
	flag.DurationVar(&o.duration, "duration", 2*time.Second, "`time` of a round")
	flag.IntVar(&o.texts, "texts", 5000, "`number` of different texts to search for")
	flag.StringVar(&o.kinds, "kinds", "", "comma-separated `names` of kinds of requests; without, all")
	flag.Uint64Var(&o.slow, "slow", 0, "`number` of callers of slow queries")
	flag.IntVar(&o.tokens, "tokens", 1, "`number` of tokens that the requests use in turn")
	flag.StringVar(&o.beside, "beside", "", "measure reads beside the work of another caller, a part of its `name` or all, instead of kinds")
	flag.IntVar(&o.starts, "starts", 0, "measure the first 4 s after each of this `number` of starts")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, o, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

// run starts the programs, measures each kind, and stops them, which prints their memory.
func run(ctx context.Context, o options, out io.Writer) (err error) {
	named, err := kindsNamed(o.kinds)
	if err != nil {
		return err
	}
	if o.starts > 0 {
		return measureStarts(ctx, o, out, named)
	}
	var programs []*program
	defer func() {
		for _, p := range programs {
			err = errors.Join(err, p.stop(out))
		}
	}()
	for i, path := range o.path {
		if path == "" {
			continue
		}
		p, err := start(ctx, "AB"[i:i+1], path, o.database[i], o)
		if err != nil {
			return err
		}
		programs = append(programs, p)
		if o.beside != "" {
			return besideWorks(ctx, o, out, p)
		}
		if i > 0 && o.database[i] == o.database[0] { // the baseline server has not all lists
			p.sample = programs[0].sample
			continue
		}
		if p.sample, err = readSample(ctx, p.client(), o.texts); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "%-21s%4s%10s%10s%10s%10s%10s  failures\n", "kind", "", "req/s", "p50", "p99", "CPU", "beside")
	for _, k := range named {
		if err := measure(ctx, o, out, k, programs); err != nil {
			return err
		}
	}
	return nil
}

// figures are those of a round: requests per second, p50, p99, CPU time, and the p99 beside slow queries divided by p99.
type figures [5]float64

// measure measures a kind in rounds, after one that is not counted.
func measure(ctx context.Context, o options, out io.Writer, k kind, programs []*program) error {
	rounds, failures := make([][]figures, len(programs)), make([]map[string]int, len(programs))
	for i := range failures {
		failures[i] = map[string]int{}
	}
	for round := range o.rounds + 1 {
		for i := range programs {
			at := (i + round) % len(programs) // none is always the first
			got := programs[at].attack(o, k.requests(programs[at].sample.share(2*round, 2*o.rounds+2)), failures[at])
			if o.slow > 0 && round > 0 {
				stop := programs[at].startSlow(o)
				got[4] = programs[at].attack(o, k.requests(programs[at].sample.share(2*round+1, 2*o.rounds+2)), failures[at])[2] / got[2]
				stop()
			}
			if round > 0 {
				rounds[at] = append(rounds[at], got)
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
		}
	}
	for i, p := range programs {
		fmt.Fprintf(out, "%-21s%4s%10.0f%10.2f%10.2f%10.0f%10.2f  %v\n", k.name, p.name, median(rounds[i], 0),
			median(rounds[i], 1), median(rounds[i], 2), median(rounds[i], 3), median(rounds[i], 4), failures[i])
	}
	if len(programs) == 2 {
		ratios := make([]figures, o.rounds)
		for i := range ratios {
			for column := range ratios[i] {
				ratios[i][column] = rounds[1][i][column] / rounds[0][i][column]
			}
		}
		fmt.Fprintf(out, "%-21s%4s%10.2f%10.2f%10.2f%10.2f\n", k.name, "B/A", median(ratios, 0), median(ratios, 1), median(ratios, 2), median(ratios, 3))
	}
	return nil
}

func median(rounds []figures, column int) float64 {
	values := make([]float64, len(rounds))
	for i, f := range rounds {
		values[i] = f[column]
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// attack sends the requests over the connections, each the next one after its response, and counts failures by status.
func (p *program) attack(o options, requests sequence, failures map[string]int) figures {
	before := p.processorTime()
	var m vegeta.Metrics
	attacker := vegeta.NewAttacker(vegeta.Workers(o.connections), vegeta.MaxWorkers(o.connections), vegeta.Client(p.http))
	for result := range attacker.Attack(p.targeter(requests, p.tokens), closedLoop(requests.length), o.duration, "") {
		if m.Add(result); result.Error != "" {
			failures[result.Error]++
		}
	}
	m.Close()
	cpu := (p.processorTime() - before).Seconds() * 1e6 / float64(m.Requests)
	return figures{m.Throughput, m.Latencies.P50.Seconds() * 1000, m.Latencies.P99.Seconds() * 1000, cpu}
}

// startSlow sends slow queries until it is stopped. Their responses do not matter.
func (p *program) startSlow(o options) (stop func()) {
	attacker := vegeta.NewAttacker(vegeta.Workers(o.slow), vegeta.MaxWorkers(o.slow), vegeta.Client(p.http))
	results, ended := attacker.Attack(p.targeter(slowQueries, p.slowTokens), closedLoop(0), 0, ""), make(chan struct{})
	go func() {
		defer close(ended)
		for range results {
			continue
		}
	}()
	time.Sleep(o.duration / 2) // until queues are full
	return func() {
		attacker.Stop()
		<-ended
	}
}

// closedLoop sends at most so many requests, without pauses; 0 is no bound.
type closedLoop int

// Pace says when the next request is sent, and whether it is the last.
func (c closedLoop) Pace(_ time.Duration, sent uint64) (wait time.Duration, stop bool) {
	return 0, c > 0 && sent >= uint64(c)
}

// Rate is for reports that load does not print.
func (closedLoop) Rate(time.Duration) float64 { return 0 }
