package localpg

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"
)

// ErrInUse is returned by Start when another process owns the data directory, which the message names.
var ErrInUse = errors.New("the data directory is in use")

// Options are the location and the settings of the private PostgreSQL.
type Options struct {
	Dir      string            // data directory; DefaultDir() when empty
	Log      *slog.Logger      // nil: slog.Default()
	Settings map[string]string // extra PostgreSQL settings for this start, such as fsync=off in tests
}

const systemDir = "/var/lib/kontor"

// DefaultDir returns the data directory used when none is named: /var/lib/kontor for root, .kontor
// in the working directory for everybody else.
func DefaultDir() string {
	if os.Geteuid() == 0 {
		return systemDir
	}
	return "./.kontor"
}

// Server is a PostgreSQL that Start or Attach made available. Its methods may be called from any goroutine.
type Server struct {
	url  string
	stop func() error // nil for a server of another process
}

// Start takes ownership of the data directory, creates the database on first use, starts PostgreSQL unless it runs
// already, left by a Kontor that was killed, and returns when the database accepts connections. From then on a
// server that ends is started again, until Stop. The context bounds only the start, crash recovery included.
//
// Errors are ErrInUse, ErrNoPrograms, or say what could not be done.
func Start(ctx context.Context, o Options) (*Server, error) {
	c := &cluster{folder: folderOf(o), settings: o.Settings, log: cmp.Or(o.Log, slog.Default())}
	lock, err := c.lock()
	if err != nil {
		return nil, err
	}
	if err = c.prepare(ctx); err == nil {
		err = c.start(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, unlock(lock))
	}
	socket, _ := c.running()
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.keepRunning(life)
	}()
	return &Server{url: urlOf(socket), stop: sync.OnceValue(func() error {
		cancel()
		<-ended
		return errors.Join(c.stop(), unlock(lock))
	})}, nil
}

// Attach uses the PostgreSQL that runs on the folder, waiting for it until the context ends if another process is
// just starting it. Where none runs, it starts one for the life of the returned Server.
func Attach(ctx context.Context, o Options) (*Server, error) {
	for {
		if socket, ok := (&cluster{folder: folderOf(o)}).running(); ok {
			return &Server{url: urlOf(socket)}, nil
		}
		s, err := Start(ctx, o)
		if !errors.Is(err, ErrInUse) {
			return s, err
		}
		if !sleep(ctx, 50*time.Millisecond) {
			return nil, fmt.Errorf("the PostgreSQL of another process does not accept connections: %w: %w", context.Cause(ctx), err)
		}
	}
}

// URL returns the URL of the database `kontor`, with the folder of the socket.
func (s *Server) URL() string { return s.url }

// Stop shuts PostgreSQL down, closing all connections, and releases the folder. It does nothing for a server
// that Attach found running. It may be called more than once and always returns the same error.
func (s *Server) Stop() error {
	if s.stop == nil {
		return nil
	}
	return s.stop()
}

// The only role and the only database.
const (
	role     = "kontor"
	database = "kontor"
)

func urlOf(socket string) string {
	query := url.Values{"host": {socket}, "port": {"5432"}}.Encode()
	u := url.URL{
		Scheme:   "postgres",
		User:     url.User(role),
		Path:     "/" + database,
		RawQuery: strings.ReplaceAll(query, "+", "%20"), // psql does not read + as a space
	}
	return u.String()
}

// keepRunning starts the server again when it has ended, with growing pauses if it does not start, until the context
// ends.
func (c *cluster) keepRunning(ctx context.Context) {
	const first, longest = time.Second, 30 * time.Second
	for pause := first; sleep(ctx, pause); {
		if c.alive() {
			pause = first
			continue
		}
		c.log.Error("starting PostgreSQL again, which ended unexpectedly")
		if err := c.start(ctx); err != nil {
			pause = min(2*pause, longest)
			c.log.Error("PostgreSQL cannot be started again", "retry_in", pause, "error", err)
		}
	}
}

// sleep waits, and reports false if the context ends before.
func sleep(ctx context.Context, pause time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(pause):
		return true
	}
}
