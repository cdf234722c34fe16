package httpapi

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/kontor-crm/kontor/domain/fault"
)

// Stopping tells the API that the service comes to its end. The zero value is ready;
// one that is nil never begins.
type Stopping struct{ begun atomic.Bool }

// Begin has /readyz answer 503 and every answer ask for its connection to be closed,
// so that a proxy sends new requests elsewhere. Requests are served as before.
func (s *Stopping) Begin() { s.begun.Store(true) }

func (s *Stopping) hasBegun() bool { return s != nil && s.begun.Load() }

// ErrStopping is the cause to cancel the contexts of requests with that still run when
// the service ends.
var ErrStopping = fault.New(fault.Unavailable, "the service is stopping; try again")

// isCutOff tells whether the end of the service has cancelled the request, and not its
// caller.
func isCutOff(ctx context.Context) bool { return errors.Is(context.Cause(ctx), ErrStopping) }

// isGivenUp tells whether it is for the cancelled request alone that it has failed. The
// database says of a statement that was cancelled no more than that.
func isGivenUp(ctx context.Context, err error) bool {
	return errors.Is(err, context.Canceled) || ctx.Err() != nil && fault.Is(err, fault.Unavailable)
}

// whyCutOff has a request that was cut off say so, whatever it was at. What it has found
// out before stays: a refusal, or that nobody knows whether its change was stored.
func whyCutOff(ctx context.Context, err error) error {
	if isCutOff(ctx) && isGivenUp(ctx, err) && !fault.Is(err, fault.OutcomeUnknown) {
		return ErrStopping.Because(err)
	}
	return err
}
