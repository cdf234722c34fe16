// Package service runs the program for benchmarks with companies.
package service

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"time"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/user"
)

// Service is the running program.
type Service struct{ command *exec.Cmd }

// Start starts the program on the database, and waits for up to 10 seconds until it is ready.
func Start(ctx context.Context, program, address, database string) (*Service, error) {
	s := &Service{exec.CommandContext(ctx, program, "serve", "--listen", address, "--log-level", "error")}
	s.command.Env = append(os.Environ(), "KONTOR_DATABASE_URL="+database)
	s.command.Stderr = os.Stderr
	if err := s.command.Start(); err != nil {
		return nil, err
	}
	for range 100 {
		if response, err := http.Get("http://" + address + "/readyz"); err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return s, nil
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	s.Stop()
	return nil, errors.New("the service does not start")
}

// PID is the id of the process.
func (s *Service) PID() int { return s.command.Process.Pid }

// Stop stops the service, and waits until it has ended.
func (s *Service) Stop() {
	_ = s.command.Process.Signal(os.Interrupt)
	_ = s.command.Wait()
}

// Token is a token of a new admin of the company, valid for a day.
func Token(ctx context.Context, config bootstrap.Config, company string) (string, error) {
	config.CompanyName = company
	config, err := bootstrap.InCompany(ctx, config)
	if err != nil {
		return "", err
	}
	operation, closeAll, err := bootstrap.NewOperation(ctx, config)
	if err != nil {
		return "", err
	}
	defer closeAll()
	username := fmt.Sprint("bench", rand.Uint32())
	if _, err := operation.Commands.Users.Add(ctx, user.Attributes{
		Username: optional.Some(username), FirstName: optional.Some("Mira"), LastName: optional.Some("Berg"),
		Email: optional.Some(username + "@example.org"), Role: optional.Some(user.Admin),
	}); err != nil {
		return "", err
	}
	secret, _, err := operation.Commands.Tokens.Issue(ctx, username, 24*time.Hour)
	return secret.Token, err
}
