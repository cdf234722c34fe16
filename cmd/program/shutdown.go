package program

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

// cancelGrace is how long cancelled requests have to send their 503.
const cancelGrace = 2 * time.Second

// settleTime is how long a connection whose response was just sent has to close: it
// is no request that still runs.
const settleTime = 250 * time.Millisecond

// stages are the steps of a shutdown, in this order.
type stages struct {
	begin  func() // makes /readyz return 503
	server *http.Server
	cancel func() // cancels the requests that still run
}

// shutDown stops the service without losing a request behind a proxy that checks
// readiness. For the drain delay it reports that it is not ready, and keeps serving.
// Then it accepts no more requests, and lets those in flight finish. Requests that
// exceed the grace period are cancelled and get an error, and so does the caller. A
// second signal skips to the cancellation.
//
// Idle connections stay open during the drain delay, because a proxy may be sending
// a request on one; responses ask it not to reuse the connection.
func shutDown(ctx context.Context, c bootstrap.Config, log *slog.Logger, s stages) error {
	ctx = context.WithoutCancel(ctx)
	signals, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	s.begin()
	log.Info("stopping", "drain", c.DrainDelay.String(), "grace", c.ShutdownAfter.String())
	select {
	case <-signals.Done():
	case <-time.After(c.DrainDelay):
	}
	grace, cancel := context.WithTimeout(signals, c.ShutdownAfter)
	defer cancel()
	err := s.server.Shutdown(grace)
	if err != nil {
		settled, cancelSettled := context.WithTimeout(ctx, settleTime)
		defer cancelSettled()
		err = s.server.Shutdown(settled)
	}
	if err == nil {
		log.Info("stopped")
		return nil
	}
	when := "after " + c.ShutdownAfter.String()
	if signals.Err() != nil {
		when = "at the second signal"
	}
	s.cancel()
	final, cancelFinal := context.WithTimeout(ctx, cancelGrace)
	defer cancelFinal()
	if s.server.Shutdown(final) != nil {
		_ = s.server.Close() // requests had their time
	}
	return fmt.Errorf("requests were still running %s and were cancelled", when)
}
