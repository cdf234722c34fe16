package replay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/user"
)

// Service is a running Kontor and an administrator's token for it.
type Service struct {
	URL   string
	Token string

	server *http.Server
	close  func()
}

// ErrNotEmpty is the error of a database that has something in it.
var ErrNotEmpty = errors.New("the database is not empty: name one without any table")

// Start makes an empty database Kontor's and serves it on a port of this
// machine's own, with as many connections to the database as callers have to
// it. A database with any table in it is left alone: the error is ErrNotEmpty.
func Start(ctx context.Context, databaseURL string, connections int, log *slog.Logger) (*Service, error) {
	config := bootstrap.Defaults(databaseURL)
	config.MaxConnections = connections
	if err := config.Validate(); err != nil {
		return nil, err
	}
	if err := CheckEmpty(ctx, databaseURL); err != nil {
		return nil, err
	}
	if err := bootstrap.Migrate(ctx, config); err != nil {
		return nil, err
	}
	built, closeAll, err := bootstrap.NewService(ctx, config, log)
	if err != nil {
		return nil, err
	}
	s, err := listen(ctx, built)
	if err != nil {
		closeAll()
		return nil, err
	}
	s.close = closeAll
	return s, nil
}

// CheckEmpty is ErrNotEmpty for a database with any table in it.
func CheckEmpty(ctx context.Context, databaseURL string) error {
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return fmt.Errorf("connect to the database: %w", err)
	}
	defer conn.Close(ctx)
	var full bool
	err = conn.QueryRow(ctx, "select exists (select from pg_tables where schemaname = current_schema)").Scan(&full)
	if err != nil {
		return fmt.Errorf("look into the database: %w", err)
	}
	if full {
		return ErrNotEmpty
	}
	return nil
}

func listen(ctx context.Context, built *bootstrap.Service) (*Service, error) {
	token, err := admit(ctx, built.Commands)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	server := &http.Server{Handler: built.Handler, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }() // its end is Stop's doing
	return &Service{URL: "http://" + listener.Addr().String(), Token: token, server: server}, nil
}

// admit adds the user who sends, and gives a token that lives for a day.
func admit(ctx context.Context, commands bootstrap.Commands) (token string, err error) {
	const name = "replay"
	if _, err := commands.Users.Add(ctx, user.Attributes{
		Username: optional.Some(name),
		Role:     optional.Some(user.Admin),
	}); err != nil {
		return "", fmt.Errorf("add the user %s: %w", name, err)
	}
	secret, _, err := commands.Tokens.Issue(ctx, name, 24*time.Hour)
	if err != nil {
		return "", fmt.Errorf("issue a token for %s: %w", name, err)
	}
	return secret.Token, nil
}

// Stop lets the requests in flight finish and closes everything.
func (s *Service) Stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	err := s.server.Shutdown(ctx)
	if err != nil {
		err = errors.Join(fmt.Errorf("stop the service: %w", err), s.server.Close())
	}
	s.close()
	return err
}
