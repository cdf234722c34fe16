package traffic

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/kontor-crm/kontor/domain/fault"
)

// Shutdown tells the API that the service is shutting down. The zero value is ready to use;
// a nil one never begins.
type Shutdown struct{ begun atomic.Bool }

// Begin makes /readyz a 503 and has every response close its connection, so that a proxy
// sends new requests elsewhere. Requests are served as before.
func (s *Shutdown) Begin() { s.begun.Store(true) }

// HasBegun reports whether the service is shutting down.
func (s *Shutdown) HasBegun() bool { return s != nil && s.begun.Load() }

// ErrShutdown is the cause with which the contexts of requests are canceled if they still
// run at the end of the shutdown.
var ErrShutdown = fault.New(fault.Unavailable, "the service is stopping; try again")

// IsShutdown reports whether the shutdown canceled the request, and not its client.
func IsShutdown(ctx context.Context) bool { return errors.Is(context.Cause(ctx), ErrShutdown) }

// IsCanceled reports whether the request failed only because it was canceled. The database
// reports a canceled statement as unavailable.
func IsCanceled(ctx context.Context, err error) bool {
	return errors.Is(err, context.Canceled) || ctx.Err() != nil && fault.Is(err, fault.Unavailable)
}

// ShutdownError returns ErrShutdown instead of the error of a request that the shutdown
// canceled. It returns other rejections, and an unknown outcome, unchanged.
func ShutdownError(ctx context.Context, err error) error {
	if IsShutdown(ctx) && IsCanceled(ctx, err) && !fault.Is(err, fault.OutcomeUnknown) {
		return ErrShutdown.WithCause(err)
	}
	return err
}
