package pgtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// server is a PostgreSQL server that tests may create databases on.
type server struct {
	name string // for people: its kind
	url  string // of a database whose user may create others
	stop func(context.Context) error
}

// errNoDocker is the error of a machine without Docker, which is not reported.
var errNoDocker = errors.New("docker does not answer")

// settings make a server fast and not durable, with connections for the parallel
// tests of all packages.
var settings = map[string]string{
	"fsync":              "off",
	"full_page_writes":   "off",
	"synchronous_commit": "off",
	"max_connections":    "1000",
}

// starter starts a server.
type starter func(context.Context) (server, error)

// choose returns the server at the given URL if there is one, else a container,
// else a local server. If Docker is there but the container failed, the server's
// name includes the reason.
func choose(ctx context.Context, givenURL, givenName string, container, local starter) (server, error) {
	if givenURL != "" {
		return server{name: cmp.Or(givenName, "the server of "+envURL), url: givenURL, stop: leave}, nil
	}
	s, err := container(ctx)
	if err == nil {
		return s, nil
	}
	s, localErr := local(ctx)
	if localErr != nil {
		return server{}, fmt.Errorf("no PostgreSQL for the tests: set %s, start Docker or install PostgreSQL: %w",
			envURL, errors.Join(err, localErr))
	}
	if !errors.Is(err, errNoDocker) {
		s.name = fmt.Sprintf("%s, as Docker failed: %v", s.name, err)
	}
	return s, nil
}

func leave(context.Context) error { return nil }

// envServers is the file for the lines that processes announce.
const envServers = "KONTOR_TEST_SERVERS"

// announce writes a line about the server that the tests use to out, and appends it to the
// file, unless its name is empty.
func announce(out io.Writer, line, file string) error {
	fmt.Fprintln(out, "pgtest:", line)
	if file == "" {
		return nil
	}
	log, err := os.OpenFile(filepath.Clean(file), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("record the server in %s: %w", envServers, err)
	}
	_, err = fmt.Fprintln(log, line)
	return errors.Join(err, log.Close())
}
