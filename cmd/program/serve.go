package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/urfave/cli/v3"
	"golang.org/x/term"

	"github.com/kontor-crm/kontor/adapters/httpapi/traffic"
	"github.com/kontor-crm/kontor/adapters/localpg"
	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/cmd/demo"
)

func serveCommand(c bootstrap.Config) *cli.Command {
	var o serveOptions
	return &cli.Command{
		Name:  "serve",
		Usage: "migrate the database and serve the API until SIGTERM or Ctrl-C",
		Flags: append(c.ServeFlags(),
			&cli.BoolFlag{
				Name: "migrate", Sources: cli.EnvVars("KONTOR_MIGRATE"), Destination: &o.migrate, Value: true, DefaultText: "true",
				Usage: "apply missing migrations first",
			},
			&cli.BoolFlag{
				Name: "demo", Sources: cli.EnvVars("KONTOR_DEMO"), Destination: &o.demo,
				Usage: "load the demo data, once, and print a token and three requests to try",
			},
		),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := validate(&c); err != nil {
				return err
			}
			log := newLogger(c, os.Stderr)
			for _, sentence := range unknownVariables(cmd.Root(), os.Environ()) {
				log.Warn("unknown environment variable", "explanation", sentence)
			}
			tuneGarbageCollector()
			if c.AdminListen == "" {
				runtime.MemProfileRate = 0 // only operators can read the profile of allocations
			}
			o.private = c.DatabaseURL == ""
			return withDatabase(ctx, c, log, localpg.Start, func(ctx context.Context, c bootstrap.Config) error {
				return o.run(ctx, cmd.Root().Writer, c, log)
			})
		},
	}
}

// newLogger returns a log for people on a terminal, or if the settings ask for it, and else in JSON.
func newLogger(c bootstrap.Config, w io.Writer) *slog.Logger {
	o := &slog.HandlerOptions{Level: c.LogLevel}
	if c.LogFormat == "text" || c.LogFormat == "auto" && isTerminal(w) {
		return slog.New(slog.NewTextHandler(w, o))
	}
	return slog.New(slog.NewJSONHandler(w, o))
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

type serveOptions struct {
	migrate bool
	demo    bool // load the demo data
	private bool // the database is the private one
}

func (o serveOptions) run(ctx context.Context, w io.Writer, c bootstrap.Config, log *slog.Logger) error {
	if err := bootstrap.CheckPooler(ctx, c); err != nil {
		return err
	}
	if err := o.prepare(ctx, c); err != nil {
		return err
	}
	service, closeAll, err := bootstrap.NewService(ctx, c, log)
	if err != nil {
		return err
	}
	defer closeAll()
	defer bootstrap.StartRegistration(ctx, service.Commands, log)()
	if o.migrate {
		defer bootstrap.StartMigration(ctx, c, log)()
	}
	return serve(ctx, c, log, service, func(ctx context.Context, address string) error {
		if !o.demo {
			o.sayHowToBegin(ctx, c, log)
			return nil
		}
		return demo.Run(ctx, w, service.Commands, service.Transaction, address)
	})
}

// prepare migrates the database, or only checks that no applied migration was edited: what else it lacks, /readyz reports.
func (o serveOptions) prepare(ctx context.Context, c bootstrap.Config) error {
	if o.migrate {
		return bootstrap.Migrate(ctx, c)
	}
	if edited, ok := errors.AsType[postgres.EditedMigration](postgres.CheckMigrated(ctx, c.DatabaseURL)); ok {
		return edited
	}
	return nil
}

// sayHowToBegin logs the command that makes the first user, if there is none: nobody can call the
// service yet. What a database lacks that cannot be asked, /readyz reports.
func (o serveOptions) sayHowToBegin(ctx context.Context, c bootstrap.Config, log *slog.Logger) {
	if has, err := postgres.HasUsers(ctx, c.DatabaseURL); has || err != nil {
		return
	}
	database := ""
	if o.private {
		database = " --data-dir " + absolute(c.DataDir)
	}
	log.Warn("there are no users yet, so nobody can call the service",
		"run", "kontor user add --username NAME --role admin"+database, "then", "kontor token issue --user NAME"+database)
}

// Settings of the garbage collector while the service runs.
const (
	gcPercent   = 400
	memoryLimit = 160 << 20 // bytes
)

// tuneGarbageCollector trades memory for time. A busy service has a few megabytes
// in use and allocates many times as much: with Go's default, garbage collection is
// a good part of the cost of a request. The limit is soft, and keeps the process
// below 200 MB if that is enough; beyond it, collections become more frequent and
// nothing fails. With half of it, large documents are collected all the time. GOGC and GOMEMLIMIT take precedence.
func tuneGarbageCollector() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
}

// serve serves until the context ends, and then shuts down as described at shutDown.
// Once it listens, it calls listening with its address.
func serve(ctx context.Context, c bootstrap.Config, log *slog.Logger, service *bootstrap.Service,
	listening func(ctx context.Context, address string) error,
) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("--listen (KONTOR_LISTEN): %w", err)
	}
	stopAdmin, err := serveAdmin(ctx, c, log, service.Admin)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer stopAdmin()
	requests, cancelRequests := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancelRequests(nil)
	server := &http.Server{
		Handler:           service.Handler,
		BaseContext:       func(net.Listener) context.Context { return requests },
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       c.RequestTimeout + 5*time.Second,
		WriteTimeout:      c.RequestTimeout + 10*time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	stopReloading, err := secure(server, c, log)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer stopReloading()
	log.Info("serving", "address", c.Scheme()+"://"+listener.Addr().String())
	failed := make(chan error, 1)
	go func() { failed <- serveHTTP(server, listener) }()
	if err := listening(ctx, publicAddress(c, listener.Addr().String())); err != nil {
		return errors.Join(err, server.Close())
	}
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	return shutDown(ctx, c, log, stages{
		begin: service.Shutdown.Begin, server: server, cancel: func() { cancelRequests(traffic.ErrShutdown) },
	})
}
