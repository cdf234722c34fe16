package program

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

// serveAdmin serves the admin listener, if it is configured, until stop is
// called.
func serveAdmin(ctx context.Context, c bootstrap.Config, log *slog.Logger, handler http.Handler) (stop func(), err error) {
	if c.AdminListen == "" {
		return func() {}, nil
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", c.AdminListen)
	if err != nil {
		return nil, fmt.Errorf("--admin-listen (KONTOR_ADMIN_LISTEN): %w", err)
	}
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		// No write timeout: a profile takes as long as requested.
		IdleTimeout: 2 * time.Minute,
		ErrorLog:    slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	log.Info("serving the admin listener", "address", "http://"+listener.Addr().String())
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			log.Error("the admin listener failed", "error", err.Error())
		}
	}()
	return func() { _ = server.Close() }, nil // without waiting for requests
}
