// Command bench-data fills a database with the records of a made-up company for
// benchmarks; package data describes them.
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
	"runtime"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/localpg"
	"github.com/kontor-crm/kontor/test/bench/data"
)

const help = `bench-data fills a database with the records of a made-up company: for each client 2 deals, 1.5
contacts, 3 invoices and 9 lines. The same size and seed give the same rows.

Without -database it fills a private PostgreSQL, which is stopped but remains in -folder: kontor serve
--data-dir runs on it. The database at -database must be empty.

`

type options struct {
	data.Options

	database    string
	folder      string
	connections int
}

func main() {
	var o options
	flag.IntVar(&o.Clients, "clients", 10_000, "`number` of clients")
	flag.Uint64Var(&o.Seed, "seed", 1, "`number` that all random numbers derive from")
	flag.StringVar(&o.database, "database", "", "`URL` of an empty PostgreSQL database to fill instead of a private one")
	flag.StringVar(&o.folder, "folder", localpg.DefaultDir()+"-bench", "`path` of the folder of the private PostgreSQL")
	flag.IntVar(&o.connections, "connections", max(2, runtime.NumCPU()), "`number` of connections to fill over")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), help)
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := o.Validate(); err != nil || o.connections < 1 || flag.NArg() > 0 {
		flag.Usage()
		if err != nil {
			fmt.Fprintln(os.Stderr, "bench-data:", err)
		}
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench-data:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) (err error) {
	if o.database == "" {
		server, err := private(ctx, o.folder)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, server.Stop()) }()
		o.database = server.URL()
	}
	start := time.Now()
	err = data.Fill(ctx, o.database, o.Options, o.connections, func(stage string) {
		fmt.Fprintf(os.Stderr, "%6.1f s: %s\n", time.Since(start).Seconds(), stage)
	})
	if errors.Is(err, data.ErrNotEmpty) {
		return fmt.Errorf("%w, or another -folder", err)
	}
	if err != nil {
		return err
	}
	size, err := sizeOf(ctx, o.database)
	if err != nil {
		return err
	}
	fmt.Printf("Filled with %d clients in %.1f s over %d connections; the database has %s.\n",
		o.Clients, time.Since(start).Seconds(), o.connections, size)
	return nil
}

// private starts a PostgreSQL with settings for fast filling, which end with it.
func private(ctx context.Context, folder string) (*localpg.Server, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(os.Stderr, "The database is in", folder)
	return localpg.Start(ctx, localpg.Options{
		Dir: folder,
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Settings: map[string]string{
			"shared_buffers":       "1GB",
			"maintenance_work_mem": "256MB",
			"wal_level":            "minimal",
			"max_wal_senders":      "0",
			"max_wal_size":         "8GB",
			"checkpoint_timeout":   "1h",
			"autovacuum":           "off",
		},
	})
}

func sizeOf(ctx context.Context, databaseURL string) (size string, err error) {
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return "", fmt.Errorf("connect to the database: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	err = conn.QueryRow(ctx, "select pg_size_pretty(pg_database_size(current_database()))").Scan(&size)
	return size, err
}
