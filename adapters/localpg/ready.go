package localpg

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// The only role and the only database. Every user who can enter the socket's folder can be this role: there is no
// password.
const (
	role     = "kontor"
	database = "kontor"
)

// The states of PostgreSQL that readiness turns on.
const (
	unknownDatabase = "3D000"
	startingUp      = "57P03"
	crashShutdown   = "57P02"
	adminShutdown   = "57P01"
	tooManyClients  = "53300"
)

// attempt is how long one connection may take; a live server answers on its socket within milliseconds.
const attempt = 2 * time.Second

func urlOf(socket, database string) string {
	query := url.Values{"host": {socket}, "port": {"5432"}}.Encode()
	u := url.URL{
		Scheme:   "postgres",
		User:     url.User(role),
		Path:     "/" + database,
		RawQuery: strings.ReplaceAll(query, "+", "%20"), // psql does not read + as a space
	}
	return u.String()
}

// try connects to a database and runs one statement there, none when it is empty.
func try(ctx context.Context, socket, database, sql string) error {
	ctx, cancel := context.WithTimeout(ctx, attempt)
	defer cancel()
	conn, err := pgconn.Connect(ctx, urlOf(socket, database))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	if sql == "" {
		return nil
	}
	_, err = conn.Exec(ctx, sql).ReadAll()
	return err
}

func answers(ctx context.Context, socket string) bool {
	return try(ctx, socket, database, "") == nil
}

// awaitReady returns when the database accepts connections, making it where it is missing: on the first
// start, and when that one was interrupted. It gives up when the context or the process ends.
func (in instance) awaitReady(ctx context.Context, p *process) error {
	pause := 5 * time.Millisecond
	for {
		err := try(ctx, in.socket, database, "")
		if stateOf(err) == unknownDatabase {
			err = try(ctx, in.socket, "postgres", "create database "+database)
		}
		if err == nil {
			return nil
		}
		if !passing(err) {
			return fmt.Errorf("PostgreSQL runs but rejects Kontor: %w", err)
		}
		select {
		case <-p.ended:
			return p.failure()
		case <-ctx.Done():
			return fmt.Errorf("PostgreSQL is not ready yet: %w: %w", context.Cause(ctx), err)
		case <-time.After(pause):
			pause = min(2*pause, 100*time.Millisecond) // recovery after a crash may take minutes
		}
	}
}

// passing reports whether waiting may help: no socket yet, starting, recovering from a crash.
func passing(err error) bool {
	if _, malformed := errors.AsType[*pgconn.ParseConfigError](err); malformed {
		return false // a PG… variable of the environment that pgx cannot read
	}
	switch stateOf(err) {
	case "", startingUp, crashShutdown, adminShutdown, tooManyClients:
		return true
	}
	return false
}

// stateOf returns the SQLSTATE the server answered with, empty when it did not answer.
func stateOf(err error) string {
	if answer, ok := errors.AsType[*pgconn.PgError](err); ok {
		return answer.Code
	}
	return ""
}
