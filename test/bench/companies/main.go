// Command companies measures a service with many companies of which some are busy: its
// throughput as a ratio to the same load on one company, its memory and connections, and what
// a company that writes at full rate costs another one.
//
//	go run ./test/bench/companies -program .bin/kontor -database postgres://… -companies 1000 -busy 50
//
// The database must be empty, or that of an earlier run.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/test/bench/load"
	"github.com/kontor-crm/kontor/test/bench/service"
	"github.com/kontor-crm/kontor/test/rest"
)

var (
	program   = flag.String("program", ".bin/kontor", "`path` of the program")
	database  = flag.String("database", "", "`URL` of the database")
	companies = flag.Int("companies", 1000, "`number` of companies")
	busy      = flag.Int("busy", 50, "`number` of companies that are busy")
	workers   = flag.Int("workers", 16, "`number` of requests at the same time")
	rounds    = flag.Int("rounds", 3, "`number` of rounds")
	duration  = flag.Duration("duration", 4*time.Second, "`duration` of a measurement")
	address   = flag.String("listen", "127.0.0.1:18094", "`address` of the service")
)

// alone is how long other companies must not have sent requests before one has its whole share.
const alone = 10500 * time.Millisecond

// fewCallers keep the service busy although often none of their requests waits.
const fewCallers = 2

// records is how many clients each busy company has at first.
const records = 50

func main() {
	flag.Parse()
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	config := bootstrap.Defaults(*database)
	if err := bootstrap.Migrate(ctx, config); err != nil {
		return err
	}
	tokens, err := prepare(ctx, config)
	if err != nil {
		return err
	}
	running, err := service.Start(ctx, *program, *address, *database)
	if err != nil {
		return err
	}
	defer running.Stop()
	fmt.Printf("memory without companies in use: %.0f MB\n", load.MemoryMB(running.PID(), load.Resident))
	for _, token := range tokens {
		for range records {
			if err := send(http.MethodPost, "/rest/client", token, `{"name":"Acme","type":1}`); err != nil {
				return err
			}
		}
	}
	fmt.Printf("memory with %d companies in use: %.0f MB\n", *busy, load.MemoryMB(running.PID(), load.Resident))
	used := func() (times, error) { return processorTimes(ctx, config.DatabaseURL, running) }
	for name, share := range map[string]int{"reads": 0, "3 reads and a write": 4} {
		if err := compareThroughput(name, share, tokens, used); err != nil {
			return err
		}
	}
	fmt.Printf("memory after the load: %.0f MB, at most %.0f MB\n", load.MemoryMB(running.PID(), load.Resident), load.MemoryMB(running.PID(), load.PeakResident))
	if err := printConnections(ctx, config.DatabaseURL); err != nil {
		return err
	}
	return errors.Join(
		compareNeighbours("another company", tokens[1], tokens[2]),
		compareNeighbours("the default company", tokens[1], tokens[0]),
	)
}

// prepare adds companies, and returns the tokens of those that are busy: of the default company
// first, and of companies.
func prepare(ctx context.Context, config bootstrap.Config) (tokens []string, err error) {
	all, closeAll, err := bootstrap.NewCompanies(ctx, config)
	if err != nil {
		return nil, err
	}
	defer closeAll()
	began := time.Now()
	known, err := all.List(ctx)
	if err != nil {
		return nil, err
	}
	waiting := make(chan string, *companies)
	for i := len(known); i < *companies; i++ {
		waiting <- fmt.Sprintf("bench-%04d", i)
	}
	close(waiting)
	var adding sync.WaitGroup
	for range 4 {
		adding.Go(func() {
			for name := range waiting {
				if _, err := all.Add(ctx, name, "UTC"); err != nil {
					log.Fatal(err)
				}
			}
		})
	}
	adding.Wait()
	fmt.Printf("%d companies added in %s\n", *companies-len(known), time.Since(began).Round(time.Second))
	names := []string{""}
	for i := range *busy {
		names = append(names, fmt.Sprintf("bench-%04d", i**companies / *busy))
	}
	for _, name := range names {
		token, err := service.Token(ctx, config, name)
		if err != nil {
			return nil, err
		}
		tokens = append(tokens, token)
	}
	return tokens, nil
}

var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}

// send sends a request, and returns an error unless it succeeds.
func send(method, path, token, body string) error {
	_, err := rest.Client{URL: "http://" + *address, Token: token, HTTP: client}.Call(context.Background(), method, path, body, nil)
	return err
}

// mixed sends one request of a load in which one in share requests is a write.
func mixed(share int, token string) error {
	switch {
	case share > 0 && rand.IntN(share) == 0:
		return send(http.MethodPost, "/rest/client", token, `{"name":"Acme","type":1}`)
	case rand.IntN(2) == 0:
		return send(http.MethodGet, "/rest/client?per_page=20", token, "")
	}
	return send(http.MethodGet, fmt.Sprintf("/rest/client/%d", 1+rand.IntN(records)), token, "")
}

// repeat sends requests until the time is over, and returns how long each took.
func repeat(connections int, request func() error) (took []time.Duration, err error) {
	var mu sync.Mutex
	var sending sync.WaitGroup
	end := time.Now().Add(*duration)
	for range connections {
		sending.Go(func() {
			for time.Now().Before(end) {
				began := time.Now()
				failed := request()
				mu.Lock()
				took, err = append(took, time.Since(began)), failed
				mu.Unlock()
				if failed != nil {
					return
				}
			}
		})
	}
	sending.Wait()
	return took, err
}

// compareThroughput compares the busy companies with one, and with the default one.
func compareThroughput(name string, share int, tokens []string, used func() (times, error)) error {
	for range 5 { // until the statements are prepared on all connections
		if _, err := repeat(*workers, func() error { return mixed(share, tokens[rand.IntN(len(tokens))]) }); err != nil {
			return err
		}
	}
	settings := []struct {
		name  string
		pause time.Duration // before
		token func() string
	}{
		{"the default company", alone, func() string { return tokens[0] }},
		{"one company", alone, func() string { return tokens[1] }},
		{fmt.Sprint(*busy, " companies"), 0, func() string { return tokens[1+rand.IntN(*busy)] }},
	}
	results := make([][]result, len(settings))
	for range *rounds {
		for i, s := range settings {
			time.Sleep(s.pause)
			r, err := measure(func() error { return mixed(share, s.token()) }, used)
			if err != nil {
				return err
			}
			results[i] = append(results[i], r)
			fmt.Printf("%s: %.0f/s on %s, with %s a request\n", name, r.perSecond, s.name, r.each)
		}
	}
	for i, s := range settings[:2] {
		fmt.Printf("%s: %s have %.2f of the throughput of %s, with %.2f times the CPU time a request\n",
			name, settings[2].name, ratio(results[2], results[i], func(r result) float64 { return r.perSecond }),
			s.name, ratio(results[2], results[i], func(r result) float64 { return float64(r.each.service + r.each.database) }))
	}
	return nil
}

// result is that of a load.
type result struct {
	perSecond float64
	each      times // of a request
}

// measure sends a load, and measures it.
func measure(request func() error, used func() (times, error)) (r result, err error) {
	before, err := used()
	if err != nil {
		return r, err
	}
	took, err := repeat(*workers, request)
	if err != nil {
		return r, err
	}
	after, err := used()
	n := time.Duration(len(took))
	return result{
		perSecond: float64(n) / duration.Seconds(),
		each:      times{(after.service - before.service) / n, (after.database - before.database) / n},
	}, err
}

// ratio is the median of the ratios of each round.
func ratio(of, to []result, figure func(result) float64) float64 {
	var all []float64
	for i := range of {
		all = append(all, figure(of[i])/figure(to[i]))
	}
	return load.Median(all)
}

// compareNeighbours measures a company that sends one request after the other while the other one
// writes at full rate, with few callers and with many.
func compareNeighbours(other, quiet, noisy string) error {
	for _, callers := range []int{fewCallers, *workers} {
		var ratios []float64
		for range *rounds {
			time.Sleep(alone)
			before, beside, err := besideWriter(callers, quiet, noisy)
			if err != nil {
				return err
			}
			fmt.Printf("a company alone: p99 %s; beside %s with %d callers: %s\n", before, other, callers, beside)
			ratios = append(ratios, float64(beside)/float64(before))
		}
		fmt.Printf("p99 beside %s, which writes at full rate with %d callers: %.2f times that alone\n", other, callers, load.Median(ratios))
	}
	return nil
}

// besideWriter returns the p99 of the quiet company alone, and while callers of the noisy one write.
func besideWriter(callers int, quiet, noisy string) (before, beside time.Duration, err error) {
	took, err := repeat(1, func() error { return mixed(4, quiet) })
	if err != nil {
		return 0, 0, err
	}
	writing := make(chan error, 1)
	go func() {
		_, err := repeat(callers, func() error { return mixed(1, noisy) })
		writing <- err
	}()
	tookBeside, err := repeat(1, func() error { return mixed(4, quiet) })
	return percentile(took), percentile(tookBeside), errors.Join(err, <-writing)
}

func percentile(all []time.Duration) time.Duration {
	slices.Sort(all)
	return load.Quantile(all, 0.99).Round(10 * time.Microsecond)
}
