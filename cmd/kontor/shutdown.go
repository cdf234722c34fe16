package main

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

// lastWords is how long requests that are cut off have to say so.
const lastWords = 2 * time.Second

// stages are what it takes to stop, in this order.
type stages struct {
	begin  func() // tells whoever asks that the service is stopping
	server *http.Server
	cut    func() // cancels the requests that still run
}

// shutDown stops the service so that no request is lost behind a proxy that asks
// whether it is ready. It says that it is not, and goes on to serve until proxies have
// noticed. It takes no more requests, and lets those in flight finish. What still runs
// then is cut off: it is answered with an error, and the return is one. A second
// signal goes straight to that.
//
// Connections that are kept open stay so until proxies have noticed, as one may be
// sending a request at this moment; an answer tells it to use that connection no more.
func shutDown(ctx context.Context, c bootstrap.Config, log *slog.Logger, s stages) error {
	ctx = context.WithoutCancel(ctx)
	patience, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	s.begin()
	log.Info("stopping", "drain", c.DrainDelay.String(), "grace", c.ShutdownAfter.String())
	select {
	case <-patience.Done():
	case <-time.After(c.DrainDelay):
	}
	grace, cancel := context.WithTimeout(patience, c.ShutdownAfter)
	defer cancel()
	if s.server.Shutdown(grace) == nil {
		log.Info("stopped")
		return nil
	}
	when := "after " + c.ShutdownAfter.String()
	if patience.Err() != nil {
		when = "at the second signal"
	}
	s.cut()
	last, cancelLast := context.WithTimeout(ctx, lastWords)
	defer cancelLast()
	if s.server.Shutdown(last) != nil {
		_ = s.server.Close() // there is nobody left to tell
	}
	return fmt.Errorf("requests were still running %s and were cut off", when)
}
