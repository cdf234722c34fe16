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

// prepare rebuilds what is not ready.
func (k *Keeper) prepare(ctx context.Context) error {
	var haveLists, haveSearch bool
	err := k.pool.QueryRow(ctx, "select lists_ready, search_ready from read_model_state").Scan(&haveLists, &haveSearch)
	if err != nil {
		return fmt.Errorf("ask what is ready: %w", postgres.Fault(err, postgres.Storing))
	}
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
