package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/user"
)

// Service is a running Kontor.
type Service struct {
	url, token string
	http       *http.Client
	close      func()
}

// ErrNotEmpty is the error for a database with a table in it.
var ErrNotEmpty = errors.New("the database is not empty: name one without any table")

// Start migrates an empty database and serves it on a local port, with that many connections to the database. The
// error is ErrNotEmpty for a database with any table in it, which is not touched.
func Start(ctx context.Context, databaseURL string, connections int, log *slog.Logger) (*Service, error) {
	config := bootstrap.Defaults(databaseURL)
	config.MaxConnections = connections
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
	return &Service{server.URL, token, client, func() { server.Close(); closeService() }}, nil
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

// call sends a request with a JSON body, if any, and reads the response's root into result. Any status but 200 is
// an error.
func (s *Service) call(ctx context.Context, method, path string, body, result any) (http.Header, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, method, s.url+path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Content-Type", "application/json")
	response, err := s.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if text, err = io.ReadAll(response.Body); err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s %s: %s: %s", method, path, response.Status, text)
	}
	return response.Header, json.Unmarshal(text, &struct{ Response any }{result})
}

// create posts a record and returns its id.
func (s *Service) create(ctx context.Context, path string, record any) (int64, error) {
	var created struct{ ID int64 }
	_, err := s.call(ctx, http.MethodPost, path, record, &created)
	return created.ID, err
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
