// Command bench measures Kontor; package load describes how.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/kontor-crm/kontor/test/bench/baseline"
	"github.com/kontor-crm/kontor/test/bench/load"
)

const help = `bench measures a program on databases of make bench-data, the smallest first:

	bench -program .bin/kontor 10k=/tmp/bench-10k 1m=/tmp/bench-1m

It compares the program with the baseline server on the last database, and measures the growth from the first
database to the last, writers, and restarts. Or it compares two programs:

	bench -program old/kontor -database-a /tmp/old-1m -program-b new/kontor -database-b /tmp/new-1m

Or it measures 1, 2 and 4 instances behind haproxy, with the documented configuration:

	bench -haproxy deploy/haproxy.cfg -program .bin/kontor 10k=/tmp/bench-10k

A database is a URL, or the folder of a private PostgreSQL, which is started. DATABASES ARE WRITTEN TO: use copies.

`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run measures, or is the baseline server that the measurement starts.
func run(ctx context.Context, args []string) error {
	if len(args) > 0 && args[0] == "baseline" {
		return serveBaseline(ctx, args[1:])
	}
	o, jsonPath, plotPath, err := parse(args)
	if err != nil {
		return err
	}
	if o.HAProxy != "" {
		return load.Instances(ctx, o)
	}
	report, err := load.Run(ctx, o)
	if report == nil {
		return err
	}
	err = errors.Join(err, write(jsonPath, func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "\t")
		return encoder.Encode(report)
	}))
	if len(report.Growth) == 0 {
		return err
	}
	return errors.Join(err, write(plotPath, func(w io.Writer) error { return load.Plot(w, report.Growth) }))
}

func serveBaseline(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("baseline", flag.ContinueOnError)
	listen := flags.String("listen", "", "")
	databaseURL := flags.String("database", "", "")
	token := flags.String("token", "", "")
	statements := flags.String("statements", "", "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	handler, err := baseline.New(ctx, *databaseURL, *token, os.DirFS(*statements))
	if err != nil {
		return err
	}
	defer handler.Close()
	server := &http.Server{Addr: *listen, Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.ListenAndServe() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return server.Close()
	}
}

func write(path string, content func(io.Writer) error) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return content(file)
}

func parse(args []string) (o load.Options, jsonPath, plotPath string, err error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.StringVar(&o.Program, "program", ".bin/kontor", "`path` of the program")
	flags.StringVar(&o.ProgramB, "program-b", "", "`path` of a program to compare it with, instead of the baseline server")
	databaseA := flags.String("database-a", "", "`database` of the program, as if it was the last argument")
	flags.StringVar(&o.DatabaseB, "database-b", "", "`database` of program B; without one, that of the program")
	flags.StringVar(&o.HAProxy, "haproxy", "", "`path` of the configuration of haproxy, to measure instances behind it and nothing else")
	flags.IntVar(&o.Rounds, "rounds", 5, "`number` of rounds")
	flags.DurationVar(&o.Duration, "duration", time.Second, "`time` of a round")
	flags.DurationVar(&o.Mixed, "mixed", 5*time.Second, "`time` of a round of quick requests beside slow queries; 0: none")
	flags.StringVar(&jsonPath, "json", ".bin/bench.json", "`path` of the file with all results")
	flags.StringVar(&plotPath, "plot", ".bin/latency.svg", "`path` of the plot of the growth")
	flags.StringVar(&o.Statements, "statements", "adapters/postgres/pgread/testdata", "`path` of the statements for the baseline server")
	kinds := flags.String("kinds", "", "comma-separated `names` of the kinds of requests; without, all")
	connections := flags.String("connections", "16,64", "comma-separated `numbers` of connections, the smallest first")
	settings := flags.String("settings", "shared_buffers=2GB,max_wal_size=8GB,checkpoint_timeout=1h",
		"comma-separated `settings` of a PostgreSQL that is started")
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), help)
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return o, "", "", err
	}
	o.Output, o.Databases = os.Stdout, flags.Args()
	if *databaseA != "" {
		o.Databases = append(o.Databases, *databaseA)
	}
	if len(o.Databases) == 0 || o.Rounds < 1 || o.Duration <= 0 {
		flags.Usage()
		return o, "", "", errors.New("a database, at least one round and a duration are needed")
	}
	for _, text := range commaSeparated(*connections) {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return o, "", "", fmt.Errorf("%q is no number of connections", text)
		}
		o.Connections = append(o.Connections, n)
	}
	if len(o.Connections) == 0 {
		return o, "", "", errors.New("-connections is empty")
	}
	o.Settings = map[string]string{}
	for _, text := range commaSeparated(*settings) {
		name, value, _ := strings.Cut(text, "=")
		o.Settings[name] = value
	}
	o.Kinds, err = load.KindsNamed(commaSeparated(*kinds))
	return o, jsonPath, plotPath, err
}

func commaSeparated(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
}
