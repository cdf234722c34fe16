// Package testserver runs the service inside a test.
package testserver

import (
	"log/slog"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/user"
)

// Service is a running Kontor.
type Service struct {
	*bootstrap.Service

	URL string
}

// On runs the service on a migrated database until the test ends. The options
// change its configuration.
func On(t testing.TB, database string, options ...func(*bootstrap.Config)) Service {
	t.Helper()
	built := Build(t, database, options...)
	server := httptest.NewServer(built.Handler)
	t.Cleanup(server.Close)
	return Service{built, server.URL}
}

// Build is On without a listener.
func Build(t testing.TB, database string, options ...func(*bootstrap.Config)) *bootstrap.Service {
	t.Helper()
	config := bootstrap.Defaults(database)
	for _, option := range options {
		option(&config)
	}
	if err := config.Validate(); err != nil {
		t.Fatal(err)
	}
	built, closeAll, err := bootstrap.NewService(t.Context(), config, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeAll)
	return built
}

// Token returns a token of a new user of the role, who is called Mira Berg.
func Token(t testing.TB, s *bootstrap.Service, username string, role user.Role) string {
	t.Helper()
	return TokenOf(t, s, user.Attributes{
		Username:  domain.Some(username),
		FirstName: domain.Some("Mira"),
		LastName:  domain.Some("Berg"),
		Email:     domain.Some(username + "@example.org"),
		Role:      domain.Some(role),
	})
}

// TokenOf returns a token of a new user.
func TokenOf(t testing.TB, s *bootstrap.Service, a user.Attributes) string {
	t.Helper()
	if _, err := s.Commands.Users.Add(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	secret, _, err := s.Commands.Tokens.Issue(t.Context(), a.Username.Or(""), 12*time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return secret.Token
}
