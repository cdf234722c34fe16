package replay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/kontor-crm/kontor/adapters/postgres"
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

// Start migrates the database and serves it on a port of this machine's own,
// with as many connections to the database as callers have to it.
func Start(ctx context.Context, databaseURL string, connections int, log *slog.Logger) (*Service, error) {
	config := bootstrap.Config{
		DatabaseURL:      databaseURL,
		MaxConnections:   connections,
		StatementTimeout: 10 * time.Second,
		LockTimeout:      5 * time.Second,
		RequestTimeout:   30 * time.Second,
		TimeZone:         "UTC",
		DefaultFormat:    "documented",
		MaxBody:          1 << 20,
	}
	if err := config.Validate(); err != nil {
		return nil, err
	}
	if err := postgres.MigrateUp(ctx, config.DatabaseURL); err != nil {
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

// admit adds a user of a name that is free, and gives a token that lives for a
// day.
func admit(ctx context.Context, commands bootstrap.Commands) (token string, err error) {
	name := fmt.Sprintf("replay-%x", time.Now().UnixNano())
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
