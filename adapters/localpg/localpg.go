package localpg

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"
)

// ErrInUse is returned by Start when another process owns the data directory. The message names both.
var ErrInUse = errors.New("the data directory is in use")

// ErrNoPrograms is returned when the PostgreSQL programs, of a version that fits the data, are not installed.
// The message has the command that installs them.
var ErrNoPrograms = errors.New("PostgreSQL's programs are missing")

// Options are the location and the settings of the private PostgreSQL.
type Options struct {
	Dir      string            // data directory; DefaultDir() when empty
	Log      *slog.Logger      // nil: slog.Default()
	Settings map[string]string // extra PostgreSQL settings for this start, such as fsync=off in tests

	places *places // where programs are searched; nil: the usual folders
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
	url string

	// The rest is set only for a server that this process started.
	instance instance
	lock     *folderLock
	cancel   context.CancelFunc // tells the supervisor to stop the database
	done     chan struct{}      // closed when it has
	stopErr  error              // set before done is closed
}

// Start takes ownership of the data directory, creates the database on first use, starts PostgreSQL and returns
// when the database `kontor` accepts connections. From then on it is supervised until Stop. The context
// bounds only the start, crash recovery included; when it ends, nothing is left running or locked.
//
// Errors are ErrInUse, ErrNoPrograms, or say what could not be done.
func Start(ctx context.Context, o Options) (*Server, error) {
	o = o.withDefaults()
	found, err := o.places.find(folderAt(o.Dir).dataVersion())
	if err != nil {
		return nil, err
	}
	dir, err := createFolder(o.Dir)
	if err != nil {
		return nil, err
	}
	socket, err := dir.socketFolder()
	if err != nil {
		return nil, err
	}
	lock, err := dir.lock(socket)
	if err != nil {
		return nil, err
	}
	in, process, err := startLocked(ctx, o, dir, socket, found)
	if err != nil {
		return nil, errors.Join(err, lock.release())
	}
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s := &Server{url: urlOf(socket, database), instance: in, lock: lock, cancel: cancel, done: make(chan struct{})}
	go s.supervise(life, process)
	return s, nil
}

// startLocked returns the part of Start for which the folder must be ours.
func startLocked(ctx context.Context, o Options, dir folder, socket string, found programs) (instance, *process, error) {
	runAs, err := dir.account()
	if err != nil {
		return instance{}, nil, err
	}
	bin, err := found.choose(ctx, runAs, dir.dataVersion())
	if err != nil {
		return instance{}, nil, err
	}
	in := instance{folder: dir, socket: socket, account: runAs, bin: bin, settings: o.Settings, log: o.Log}
	if err := in.prepare(ctx); err != nil {
		return instance{}, nil, err
	}
	process, err := in.bringUp(ctx)
	return in, process, err
}

// Attach uses the PostgreSQL that another process already runs on the folder, waiting for it until the
// context ends if it is just starting. Where none runs, it starts one for the life of the returned Server.
func Attach(ctx context.Context, o Options) (*Server, error) {
	o = o.withDefaults()
	for {
		owner, known := folderAt(o.Dir).owner()
		if known && answers(ctx, owner.socket) {
			return &Server{url: urlOf(owner.socket, database)}, nil
		}
		s, err := Start(ctx, o)
		if !errors.Is(err, ErrInUse) {
			return s, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("the owner's PostgreSQL does not answer: %w: %w", context.Cause(ctx), err)
		case <-time.After(25 * time.Millisecond):
		}
	}
}

// URL returns the URL of the database `kontor`, with the folder of the socket.
func (s *Server) URL() string { return s.url }

// Stop shuts PostgreSQL down, closing all connections, and unlocks the folder. It does nothing for a server
// that Attach found running. It may be called more than once and always returns the same error, which is
// not nil when the database had to be killed; its data is safe, the next start recovers it.
func (s *Server) Stop() error {
	if s.cancel == nil {
		return nil
	}
	s.cancel()
	<-s.done
	return s.stopErr
}

func (o Options) withDefaults() Options {
	if o.Dir == "" {
		o.Dir = DefaultDir()
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.places == nil {
		o.places = usualPlaces()
	}
	return o
}
