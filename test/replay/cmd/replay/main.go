// Command replay sends a file of a real retailer's sales through Kontor and checks that everything is there
// afterwards; package replay describes how.
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

	"github.com/schollz/progressbar/v3"

	"github.com/kontor-crm/kontor/adapters/localpg"
	"github.com/kontor-crm/kontor/test/replay"
)

const help = `replay sends the sales of a CSV file through Kontor, over HTTP, and compares what Kontor then shows
with the file: the clients, the invoices, their lines, and the sum of all totals. Then it computes every
amount again from its explanation.

Without -database it starts a private PostgreSQL in a temporary folder and removes it afterwards. The
database at -database must be empty, and stays.

`

func main() {
	file := flag.String("file", "", "`path` of the file: CSV, plain or compressed with gzip")
	database := flag.String("database", "", "`URL` of an empty PostgreSQL database to use instead of a private one")
	connections := flag.Int("connections", 8, "`number` of connections to send with")
	invoices := flag.Int("invoices", 0, "`number` of invoices to send, the first of the file; 0: all")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), help)
		flag.PrintDefaults()
	}
	flag.Parse()
	if *file == "" || *connections < 1 || *invoices < 0 || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *file, *database, *connections, *invoices)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "replay:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, path, database string, connections, invoices int) (err error) {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	sales, err := replay.Read(file, invoices)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	if database == "" {
		server, remove, failed := startPrivate(ctx, log)
		if failed != nil {
			return failed
		}
		defer func() { err = errors.Join(err, remove()) }()
		database = server.URL()
	}
	service, err := replay.Start(ctx, database, connections, log)
	if err != nil {
		return err
	}
	defer service.Close()
	return sendAndCompare(ctx, service, sales, connections)
}

// startPrivate starts a PostgreSQL that is removed with all its data.
func startPrivate(ctx context.Context, log *slog.Logger) (server *localpg.Server, remove func() error, err error) {
	folder, err := os.MkdirTemp("", "kontor-replay-")
	if err != nil {
		return nil, nil, err
	}
	// Started by root, PostgreSQL runs as another user, who needs to enter the folder.
	if err := os.Chmod(folder, 0o711); err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(folder))
	}
	server, err = localpg.Start(ctx, localpg.Options{Dir: filepath.Join(folder, "data"), Log: log})
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(folder))
	}
	return server, func() error { return errors.Join(server.Stop(), os.RemoveAll(folder)) }, nil
}

func sendAndCompare(ctx context.Context, service *replay.Service, sales *replay.Sales, connections int) error {
	want, err := sales.Content()
	if err != nil {
		return err
	}
	fmt.Printf("The file has %s.\n", want.Totals)
	start := time.Now()
	if err := replay.Send(ctx, service, sales, connections, progress); err != nil {
		return err
	}
	seconds := time.Since(start).Seconds()
	fmt.Printf("Sent in %.1f s over %d connections: %.0f invoices/s, %.0f lines/s.\n", seconds, connections,
		float64(want.Totals.Invoices)/seconds, float64(want.Totals.Lines)/seconds)
	start = time.Now()
	got, err := replay.ReadBack(ctx, service, progress)
	if err != nil {
		return err
	}
	fmt.Printf("Read back in %.1f s: %s.\n", time.Since(start).Seconds(), got.Totals)
	differences := replay.Differences(want, got)
	start = time.Now()
	wrong, err := replay.Recompute(ctx, service, connections, progress)
	if err != nil {
		return err
	}
	fmt.Printf("Recomputed every amount from its explanation in %.1f s.\n", time.Since(start).Seconds())
	differences = append(differences, wrong...)
	const shown = 50
	for _, difference := range differences[:min(len(differences), shown)] {
		fmt.Println("DIFFERENT:", difference)
	}
	if len(differences) > 0 {
		return fmt.Errorf("the service and the file differ in %d points", len(differences))
	}
	fmt.Println("Every client, invoice and line is as in the file, and so is the sum. Every amount is as explained.")
	return nil
}

// progress shows a bar for each stage on a terminal, and its name elsewhere.
func progress(stage string, records int) func(int) {
	if info, err := os.Stderr.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		fmt.Fprintf(os.Stderr, "%s: %d\n", stage, records)
		return func(int) {}
	}
	bar := progressbar.NewOptions(records,
		progressbar.OptionSetDescription(fmt.Sprintf("%-10s", stage)),
		progressbar.OptionSetWriter(os.Stderr),
		progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionOnCompletion(func() { fmt.Fprintln(os.Stderr) }),
	)
	return func(n int) { _ = bar.Add(n) } // more records than expected are a difference, and reported as such
}
