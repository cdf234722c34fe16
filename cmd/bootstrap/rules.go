package bootstrap

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/expression"
	"github.com/kontor-crm/kontor/adapters/postgres/pgstore"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain/ruledef"
)

// RegisterRules stores the rules that are compiled into the program, so that they are listed
// with the others, and logs the differences between the stored rules and the program. A failure
// is logged.
func RegisterRules(ctx context.Context, c Commands, log *slog.Logger) {
	if err := registerRules(ctx, c, log); err != nil {
		logRegistration(log, err)
	}
}

func registerRules(ctx context.Context, c Commands, log *slog.Logger) error {
	d, err := c.Rules.Register(ctx)
	if err != nil {
		return err
	}
	for _, s := range d.Missing {
		log.Warn("the program does not contain a rule whose mode is stored: the rule is not evaluated", "rule", s.Name, "mode", s.Mode.String())
	}
	for _, s := range d.Clashes {
		log.Error("a typed rule has the name of a rule or reaction of the program: rename it", "rule", s.Name, "id", int64(s.ID))
	}
	for _, b := range d.Broken {
		level := slog.LevelError // it fails for each change
		if b.Mode == ruledef.Off {
			level = slog.LevelWarn
		}
		log.Log(ctx, level, "a typed rule cannot be compiled: correct it, or delete it", "rule", b.Name, "id", int64(b.ID),
			"resource", b.Resource, "mode", b.Mode.String(), "reason", b.Reason)
	}
	return nil
}

// BrokenRules returns the typed rules that cannot be compiled, of the company of the connection's search path.
func BrokenRules(ctx context.Context, conn *pgx.Conn) ([]command.BrokenRule, error) {
	compiler, err := expression.NewCompiler(time.UTC)
	if err != nil {
		return nil, err
	}
	stored, err := pgstore.ReadRules(ctx, conn)
	return command.BrokenRules(compiler, stored.Rules), err
}

func logRegistration(log *slog.Logger, err error) {
	log.Error("the rules of the program could not be stored", "error", err)
}

// registration stores the rules of the program until it succeeds.
type registration struct {
	register func(ctx context.Context) error
	log      *slog.Logger
	wait     time.Duration // of the start, for the first attempt
	pause    time.Duration // between attempts
}

// StartRegistration runs RegisterRules in the background and retries it until it succeeds. It
// returns after the first attempt, or after a second. The returned function stops it.
func StartRegistration(ctx context.Context, c Commands, log *slog.Logger) (stop func()) {
	r := registration{
		register: func(ctx context.Context) error { return registerRules(ctx, c, log) },
		log:      log, wait: time.Second, pause: 5 * time.Second,
	}
	return r.start(ctx)
}

func (r registration) start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	tried := make(chan struct{})
	var worker sync.WaitGroup
	worker.Go(func() {
		err := r.register(ctx)
		close(tried)
		if err != nil && ctx.Err() == nil {
			logRegistration(r.log, err)
		}
		for err != nil {
			select {
			case <-ctx.Done():
				return
			case <-time.After(r.pause):
			}
			err = r.register(ctx)
		}
	})
	select {
	case <-tried:
	case <-time.After(r.wait):
	}
	return func() {
		cancel()
		worker.Wait()
	}
}
