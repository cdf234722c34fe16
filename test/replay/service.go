package replay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/rest"
)

// Service is a running Kontor.
type Service struct {
	rest.Client

	close func()
}

// ErrNotEmpty is the error for a database with a table in it.
var ErrNotEmpty = errors.New("the database is not empty: name one without any table")

// Start migrates an empty database and serves it on a local port, with that many connections to the database. The
// error is ErrNotEmpty for a database with any table in it, which is not touched.
func Start(ctx context.Context, databaseURL string, connections int, log *slog.Logger) (*Service, error) {
	config := bootstrap.Defaults(databaseURL)
	config.MaxConnections = 2 * connections
	err := errors.Join(config.Validate(), CheckEmpty(ctx, databaseURL))
	if err != nil {
		return nil, err
	}
	if err := bootstrap.Migrate(ctx, config); err != nil {
		return nil, err
	}
	service, closeService, err := bootstrap.NewService(ctx, config, log)
	if err != nil {
		return nil, err
	}
	token, err := issueToken(ctx, service.Commands)
	if err != nil {
		closeService()
		return nil, err
	}
	server := httptest.NewServer(service.Handler)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections}, Timeout: 2 * time.Minute}
	return &Service{rest.Client{URL: server.URL, Token: token, HTTP: client}, func() { server.Close(); closeService() }}, nil
}

// Close ends the service.
func (s *Service) Close() { s.close() }

// CheckEmpty returns ErrNotEmpty for a database with any table in it.
func CheckEmpty(ctx context.Context, databaseURL string) error {
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return fmt.Errorf("connect to the database: %w", err)
	}
	defer conn.Close(ctx)
	var filled bool
	err = conn.QueryRow(ctx, "select exists (select from pg_tables where schemaname = current_schema)").Scan(&filled)
	if err == nil && filled {
		err = ErrNotEmpty
	}
	return err
}

func issueToken(ctx context.Context, commands bootstrap.Commands) (string, error) {
	const name = "replay"
	if _, err := commands.Users.Add(ctx, user.Attributes{Username: optional.Some(name), Role: optional.Some(user.Admin)}); err != nil {
		return "", fmt.Errorf("add the user %s: %w", name, err)
	}
	secret, _, err := commands.Tokens.Issue(ctx, name, 24*time.Hour)
	return secret.Token, err
}

// Parallel calls do for all items by several workers, until one call fails, and returns its error.
func Parallel[T any](ctx context.Context, workers int, items []T, do func(context.Context, T) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	queue := make(chan T)
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			for item := range queue {
				if err := do(ctx, item); err != nil {
					cancel(err)
				}
			}
		})
	}
	for _, item := range items {
		if ctx.Err() != nil {
			break
		}
		queue <- item
	}
	close(queue)
	running.Wait()
	return context.Cause(ctx)
}
