// Command replay sends a file of a real company's sales through Kontor and
// checks that everything is there afterwards; package replay says how.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/kontor-crm/kontor/adapters/localpg"
	"github.com/kontor-crm/kontor/test/replay"
)

const help = `replay sends the sales of a CSV file through Kontor, over HTTP, and reconciles what Kontor then
shows with the file: the clients, the invoices, the lines, and the sum of all totals.

Without -database it starts a private PostgreSQL in a temporary folder, with PostgreSQL's own
settings, and removes it afterwards. The database at -database must be empty, and stays.

`

type options struct {
	file        string
	database    string
	connections int
	invoices    int
}

func main() {
	var o options
	flag.StringVar(&o.file, "file", "", "`path` of the file: CSV, plain or compressed with gzip")
	flag.StringVar(&o.database, "database", "", "`URL` of an empty PostgreSQL database to use instead of a private one")
	flag.IntVar(&o.connections, "connections", 8, "`number` of connections to send with")
	flag.IntVar(&o.invoices, "invoices", 0, "send only so many invoices, the `first` of the file; 0: all")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), help)
		flag.PrintDefaults()
	}
	flag.Parse()
	if o.file == "" || o.connections < 1 || o.invoices < 0 || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "replay:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) (err error) {
	sales, err := read(o)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	if o.database == "" {
		server, remove, err := private(ctx, log)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, remove()) }()
		o.database = server.URL()
	}
	service, err := replay.Start(ctx, o.database, o.connections, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, service.Stop()) }()
	return replayed(ctx, replay.NewCaller(service.URL, service.Token, o.connections), sales, o.connections)
}

func read(o options) (*replay.Sales, error) {
	file, err := os.Open(o.file)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	sales, err := replay.Read(file, o.invoices)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.file, err)
	}
	return sales, nil
}

// private starts a PostgreSQL that is removed with all it has stored.
func private(ctx context.Context, log *slog.Logger) (server *localpg.Server, remove func() error, err error) {
	folder, err := os.MkdirTemp("", "kontor-replay-")
	if err != nil {
		return nil, nil, err
	}
	// Started as root, the database runs as somebody else, who has to pass.
	if err := os.Chmod(folder, 0o711); err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(folder))
	}
	server, err = localpg.Start(ctx, localpg.Options{Dir: filepath.Join(folder, "data"), Log: log})
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(folder))
	}
	return server, func() error { return errors.Join(server.Stop(), os.RemoveAll(folder)) }, nil
}

// shownDifferences is how many differences are worth reading.
const shownDifferences = 50

// replayed sends and reconciles, and says how it went.
func replayed(ctx context.Context, caller *replay.Caller, sales *replay.Sales, connections int) error {
	want := sales.Tally()
	fmt.Printf("The file has %s.\n", described(want))
	start := time.Now()
	if err := replay.Send(ctx, caller, sales, connections, progress); err != nil {
		return err
	}
	sent := time.Since(start)
	start = time.Now()
	found, differences, err := replay.Reconcile(ctx, caller, sales, progress)
	if err != nil {
		return err
	}
	fmt.Printf("Sent in %.1f s over %d connections: %.0f invoices/s, %.0f lines/s.\n", sent.Seconds(), connections,
		float64(want.Invoices)/sent.Seconds(), float64(want.Lines)/sent.Seconds())
	fmt.Printf("Read back in %.1f s: %s.\n", time.Since(start).Seconds(), described(found))
	for _, difference := range differences[:min(len(differences), shownDifferences)] {
		fmt.Println("DIFFERENT:", difference)
	}
	if len(differences) > 0 {
		return fmt.Errorf("the service and the file differ in %d points", len(differences))
	}
	fmt.Println("Every client, invoice and line is as in the file, and so is the sum.")
	return nil
}

func described(t replay.Tally) string {
	return fmt.Sprintf("%d clients, %d invoices, %d lines, %s in all", t.Clients, t.Invoices, t.Lines, t.Total.FloatString(4))
}
