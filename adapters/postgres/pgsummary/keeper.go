package pgsummary

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
)

// The keeper looks again after busy while changes come, and up to idle apart
// while none do. After an error it waits for troubled.
const (
	busy     = 500 * time.Millisecond
	idle     = 5 * time.Second
	troubled = 5 * time.Second
)

// Keeper does in the background what the models need: it folds what writers
// note, and makes anew what is not ready. Each process that serves may have one.
type Keeper struct {
	pool *pgxpool.Pool
	log  *slog.Logger
	last string // the kind of error that was logged
	held bool   // an older program was there the last time
}

// NewKeeper makes a keeper that does nothing yet.
func NewKeeper(pool *pgxpool.Pool, log *slog.Logger) *Keeper {
	return &Keeper{pool: pool, log: log}
}

// Run keeps the models until the context ends. Errors are tried again; of several
// of one kind in a row only the first is logged.
func (k *Keeper) Run(ctx context.Context) {
	for pause := busy; ; {
		r, err := k.keep(ctx)
		if ctx.Err() != nil {
			return
		}
		k.report(err)
		pause = next(pause, r, err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// next is how long to wait after a round.
func next(pause time.Duration, r round, err error) time.Duration {
	switch {
	case err != nil:
		return troubled
	case r.more:
		return 0
	case r.noted:
		return busy
	}
	return min(max(2*pause, busy), idle)
}

func (k *Keeper) keep(ctx context.Context) (round, error) {
	if err := k.prepare(ctx); err != nil {
		return round{}, err
	}
	r, err := fold(ctx, k.pool)
	if err == nil && r.noted {
		err = fileTexts(ctx, k.pool)
	}
	return r, err
}

// prepare makes anew what is not ready, unless an older program is connected. While
// one is, no model is whole.
func (k *Keeper) prepare(ctx context.Context) error {
	older, err := postgres.HasOlder(ctx, k.pool, writersLevel)
	if err != nil {
		return err
	}
	if older {
		return k.hold(ctx)
	}
	var haveLists, haveSearch bool
	err = k.pool.QueryRow(ctx, "select lists_ready and lists_whole, search_ready and search_whole from readmodels").Scan(&haveLists, &haveSearch)
	if err != nil {
		return fmt.Errorf("ask what is ready: %w", postgres.Fault(err, postgres.Storing))
	}
	if haveLists && haveSearch {
		k.held = false
		return nil
	}
	met, err := postgres.Require(ctx, k.pool, writersLevel)
	if err != nil {
		return err
	}
	if !met {
		return k.hold(ctx)
	}
	k.held = false
	if !haveLists {
		err := k.timed("lists", func() error { return rebuildLists(ctx, k.pool, unreadyClaim) })
		if err != nil && !errors.Is(err, errUnclaimed) {
			return err
		}
	}
	if !haveSearch {
		return k.timed("search", func() error { return rebuildSearch(ctx, k.pool) })
	}
	return nil
}

// hold keeps the models from being read, and says so once.
func (k *Keeper) hold(ctx context.Context) error {
	_, err := k.pool.Exec(ctx, `
update readmodels
set lists_whole = false, search_whole = false
where lists_whole or search_whole`)
	if err != nil {
		return fmt.Errorf("put the models aside: %w", postgres.Fault(err, postgres.Storing))
	}
	if !k.held {
		k.log.Warn("an older program is connected: the read models wait until it has gone, and lists are slower")
	}
	k.held = true
	return nil
}

func (k *Keeper) timed(model string, rebuild func() error) error {
	started := time.Now()
	err := rebuild()
	if err == nil {
		k.log.Info("read models rebuilt", "model", model, "took", time.Since(started).Round(time.Millisecond).String())
	}
	return err
}

func (k *Keeper) report(err error) {
	kind := kindOf(err)
	if kind != k.last && err != nil {
		k.log.Warn("the read models are not kept up", "error", err.Error())
	}
	if kind != k.last && err == nil {
		k.log.Info("the read models are kept up again")
	}
	k.last = kind
}

// kindOf tells errors apart that an operator would: not by what they happen to
// say.
func kindOf(err error) string {
	if err == nil {
		return ""
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code
	}
	for errors.Unwrap(err) != nil {
		err = errors.Unwrap(err)
	}
	return fmt.Sprintf("%T", err)
}
