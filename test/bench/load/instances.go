package load

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/kontor-crm/kontor/test/rest"
)

// instanceCounts are how many instances are measured behind haproxy.
var instanceCounts = []int{1, 2, 4}

// instanceKinds are a read, a list and a write.
var instanceKinds = []string{"client-read", "clients-first", "client-create"}

// Instances measures one, two and four instances behind haproxy in turn, and an instance without it. All instances
// run all the time, so that only the distribution of the requests differs.
func Instances(ctx context.Context, o Options) (err error) {
	if o.Kinds, err = KindsNamed(instanceKinds); err != nil {
		return err
	}
	b := &bench{Options: o}
	defer func() { err = errors.Join(err, b.close()) }()
	d, err := b.openDatabase(ctx, o.Databases[len(o.Databases)-1])
	if err != nil {
		return err
	}
	for len(b.programs) < instanceCounts[len(instanceCounts)-1] {
		t, err := startProgram(ctx, "direct", o.Program, d)
		if err != nil {
			return err
		}
		b.programs = append(b.programs, t)
	}
	targets := b.programs[:1:1]
	var stops []func()
	defer func() {
		for _, stop := range stops {
			stop()
		}
	}()
	for _, n := range instanceCounts {
		t, stop, err := startProxy(ctx, o.HAProxy, b.programs[:n])
		if err != nil {
			return err
		}
		targets, stops = append(targets, t), append(stops, stop)
	}
	return b.compareInstances(ctx, targets)
}

// startProxy starts haproxy in front of the instances, with the documented configuration except for the addresses.
func startProxy(ctx context.Context, configuration string, instances []*target) (t *target, stop func(), err error) {
	text, err := os.ReadFile(configuration)
	if err != nil {
		return nil, nil, err
	}
	address, err := rest.FreeAddress()
	if err != nil {
		return nil, nil, err
	}
	proxied := *instances[0]
	proxied.name, proxied.address, proxied.words = fmt.Sprintf("haproxy, %d", len(instances)), address, map[*Kind]int{}
	settings, _, found := strings.Cut(string(text), "    server ")
	if !found || strings.Count(settings, "bind :8000\n") != 1 {
		return nil, nil, fmt.Errorf("%s has no servers, or does not bind :8000", configuration)
	}
	settings = strings.Replace(settings, "bind :8000\n", "bind "+address+"\n", 1)
	for i, instance := range instances {
		settings += fmt.Sprintf("    server instance%d %s\n", i+1, instance.address)
		if i > 0 {
			proxied.others = append(proxied.others, instance.pid)
		}
	}
	folder, err := os.MkdirTemp("", "kontor-bench-")
	if err != nil {
		return nil, nil, err
	}
	file := filepath.Join(folder, "haproxy.cfg")
	process := exec.Command("haproxy", "-db", "-f", file) // killed by stop
	if err = os.WriteFile(file, []byte(settings), 0o600); err == nil {
		err = process.Start()
	}
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(folder))
	}
	stop = func() {
		_ = process.Process.Kill()
		_ = process.Wait() // it was killed
		_ = os.RemoveAll(folder)
	}
	proxied.proxy = process.Process.Pid
	for range 500 {
		if _, err = proxied.get(ctx, "/readyz"); err == nil {
			return &proxied, stop, nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	stop()
	return nil, nil, fmt.Errorf("haproxy does not serve: %w", err)
}

// compareInstances prints the figures of each target, and their ratios to those of one instance behind haproxy.
func (b *bench) compareInstances(ctx context.Context, targets []*target) error {
	b.printf("\nInstances behind haproxy, medians of %d rounds of %s in turn. p50, p99: ms. cpu, proxy, db: microseconds of\n"+
		"CPU time of all instances, of haproxy and of PostgreSQL per request. Last columns: ratios of the rate (higher\n"+
		"is faster), of p99 and of the sum of CPU time to those of one instance behind haproxy.\n", b.Rounds, b.Duration)
	b.printf("%-14s %4s %-11s | %7s %7s %7s %6s %6s %6s | %5s %5s %5s\n",
		"kind", "conn", "instances", "req/s", "p50", "p99", "cpu", "proxy", "db", "rate", "p99", "cpu")
	for _, k := range b.Kinds {
		for _, connections := range b.Connections {
			samples, err := b.interleaved(ctx, k, connections, b.Duration, targets...)
			if err != nil {
				return err
			}
			for i, t := range targets {
				s, one := medians(samples[i]), samples[1]
				b.printf("%-14s %4d %-11s | %7.0f %7.2f %7.2f %6.0f %6.0f %6.0f | %5.2f %5.2f %5.2f\n",
					k.Name, connections, t.name, s.Rate, s.P50, s.P99, s.CPU, s.ProxyCPU, s.DatabaseCPU,
					ratio(samples[i], one, Sample.rate), ratio(samples[i], one, func(s Sample) float64 { return s.P99 }),
					ratio(samples[i], one, func(s Sample) float64 { return s.CPU + s.ProxyCPU + s.DatabaseCPU }))
			}
		}
	}
	return nil
}
