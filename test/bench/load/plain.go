package load

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/kontor-crm/kontor/adapters/credential"
	"github.com/kontor-crm/kontor/adapters/httpapi"
	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgread"
	"github.com/kontor-crm/kontor/adapters/postgres/pgstore"
	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

// Plain is Kontor with a store that keeps no read models, as far as clients and invoices are
// concerned: what keeping them costs is measured against it.
func Plain(ctx context.Context, databaseURL string) (handler http.Handler, closeAll func(), err error) {
	config := bootstrap.Defaults(databaseURL)
	pool, err := postgres.Open(ctx, postgres.Config{
		URL: databaseURL, MaxConns: int32(config.MaxConnections), Zone: config.TimeZone,
		StatementTimeout: config.StatementTimeout, LockTimeout: config.LockTimeout,
	})
	if err != nil {
		return nil, nil, err
	}
	unread, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		pool.Close()
		return nil, nil, err
	}
	clock := bootstrap.Clock{}
	tx := pgstore.NewTx(pool, []pgstore.Projection{pgstore.DealHistory{}})
	resources := httpapi.Resources{
		Clients:         pgread.NewClients(pool),
		ClientCommands:  command.NewClients(tx, clock, nil),
		Invoices:        pgread.NewInvoices(pool),
		InvoiceCommands: command.NewInvoices(tx, clock, nil),
	}
	auth := access.NewAuthenticator(pgstore.NewGrants(pool), credential.Minter{}, clock)
	api := httpapi.Config{
		DefaultFormat: httpapi.Documented, MaxBody: config.MaxBody, RequestTimeout: config.RequestTimeout, RateLimit: config.RateLimit,
	}
	ready := func(ctx context.Context) error { return postgres.Ready(ctx, pool) }
	handler = httpapi.New(api, auth, resources, ready, slog.New(slog.NewJSONHandler(unread, nil)))
	return handler, func() { pool.Close(); unread.Close() }, nil
}

// Serve listens as Kontor does until the context ends.
func Serve(ctx context.Context, address string, handler http.Handler) error {
	server := &http.Server{Addr: address, Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	ended := make(chan error, 1)
	go func() { ended <- server.ListenAndServe() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return server.Shutdown(grace)
}
