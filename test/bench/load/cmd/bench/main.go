// Command bench measures Kontor on databases of several sizes; package load says how.
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
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/test/bench/floor"
	"github.com/kontor-crm/kontor/test/bench/load"
)

const help = `bench measures the program at -program on the databases that are named, the smallest first:

	bench -program .bin/kontor 10k=/tmp/books-10k 1m=/tmp/books-1m

A place is a URL, or the folder of a private PostgreSQL, which is started for this. Both are as make
bench-data leaves them. WHAT IS MEASURED IS WRITTEN TO: name copies.

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

// run is the measuring, or one of the servers that it starts beside Kontor.
func run(ctx context.Context, args []string) error {
	if len(args) > 0 && args[0] == "floor" {
		return serveFloor(ctx, args[1:])
	}
	if len(args) > 0 && args[0] == "plain" {
		return servePlain(ctx, args[1:])
	}
	return measure(ctx, args)
}

func serveFloor(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("floor", flag.ContinueOnError)
	listen := flags.String("listen", "", "address")
	path := flags.String("file", "", "path of the scripts")
	database := flags.String("database", "", "URL")
	if err := flags.Parse(args); err != nil {
		return err
	}
	text, err := os.ReadFile(*path)
	if err != nil {
		return err
	}
	var file floor.File
	if err := json.Unmarshal(text, &file); err != nil {
		return err
	}
	server, err := floor.New(ctx, &file, *database, bootstrap.Defaults("").MaxConnections)
	if err != nil {
		return err
	}
	defer server.Close()
	return load.Serve(ctx, *listen, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/readyz" {
			return
		}
		server.ServeHTTP(w, r)
	}))
}

func servePlain(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("plain", flag.ContinueOnError)
	listen := flags.String("listen", "", "address")
	database := flags.String("database", "", "URL")
	if err := flags.Parse(args); err != nil {
		return err
	}
	handler, closeAll, err := load.Plain(ctx, *database)
	if err != nil {
		return err
	}
	defer closeAll()
	return load.Serve(ctx, *listen, handler)
}

type paths struct{ figures, plot string }

func measure(ctx context.Context, args []string) error {
	o, p, err := read(args)
	if err != nil {
		return err
	}
	report, err := load.Run(ctx, o)
	if report == nil {
		return err
	}
	report.WriteGoals(o.Out)
	return errors.Join(err, write(p.figures, func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "\t")
		return encoder.Encode(report)
	}), plot(p.plot, report))
}

func plot(path string, report *load.Report) error {
	if len(report.Growth) == 0 {
		return nil
	}
	return write(path, func(w io.Writer) error {
		return load.Plot(w, "Time of a request over the number of clients: p50, one connection", report.Lines())
	})
}

// write makes a file; none without a path.
func write(path string, to func(io.Writer) error) (err error) {
	if path == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return to(file)
}

func read(args []string) (o load.Options, p paths, err error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.StringVar(&o.Program, "program", ".bin/kontor", "`path` of Kontor")
	flags.IntVar(&o.Rounds, "rounds", 5, "`number` of rounds")
	flags.DurationVar(&o.Duration, "duration", time.Second, "`time` of a round")
	flags.DurationVar(&o.Hold, "hold", time.Minute, "`time` for which the part snapshot keeps an old snapshot open")
	flags.DurationVar(&o.Window, "window", 15*time.Second, "`time` that it measures before, at the end of that, and after")
	flags.StringVar(&p.figures, "json", ".bin/bench.json", "`path` of the file with all figures")
	flags.StringVar(&p.plot, "plot", ".bin/latency.svg", "`path` of the picture of time over size")
	kinds := flags.String("kinds", "", "`names` of kinds, with commas between; without, all")
	parts := flags.String("parts", strings.Join(load.Parts, ","), "`parts` to run, with commas between; "+load.Pgbench+" measures the floor, too")
	connections := flags.String("connections", "16,64", "`numbers` of connections, with commas between")
	settings := flags.String("settings", "shared_buffers=2GB,max_wal_size=8GB,checkpoint_timeout=1h",
		"`settings` of a PostgreSQL that is started, with commas between")
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), help)
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return o, p, err
	}
	o.Out, o.Sites, o.Kinds = os.Stdout, flags.Args(), listed(*kinds)
	if len(o.Sites) == 0 || o.Rounds < 1 || o.Duration <= 0 {
		flags.Usage()
		return o, p, errors.New("name at least one database, and rounds that last")
	}
	if o.Window <= 0 || o.Window > o.Hold {
		return o, p, fmt.Errorf("-window %s does not fit into -hold %s", o.Window, o.Hold)
	}
	for _, text := range listed(*connections) {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return o, p, fmt.Errorf("%q is no number of connections", text)
		}
		o.Connections = append(o.Connections, n)
	}
	o.Settings, o.Parts = map[string]string{}, map[string]bool{}
	for _, text := range listed(*settings) {
		name, value, _ := strings.Cut(text, "=")
		o.Settings[name] = value
	}
	for _, part := range listed(*parts) {
		if !slices.Contains(load.Parts, part) && part != load.Pgbench {
			return o, p, fmt.Errorf("the parts are %s, %s", strings.Join(load.Parts, ", "), load.Pgbench)
		}
		o.Parts[part] = true
	}
	return o, p, nil
}

func listed(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
}
