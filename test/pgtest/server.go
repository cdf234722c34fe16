package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// A server is a PostgreSQL server that tests may make databases on.
type server struct {
	name string // for people: where it came from
	url  string // of a database whose user may create others
	stop func(context.Context) error
}

// errNoDocker is the error of a machine without Docker, which is not worth a
// word.
var errNoDocker = errors.New("docker does not answer")

// settings make a server fast and forgetful, with connections for all tests of
// a package at once.
var settings = map[string]string{
	"fsync":              "off",
	"full_page_writes":   "off",
	"synchronous_commit": "off",
	"max_connections":    "300",
}

// A starter gives a server, or says why it cannot.
type starter func(context.Context) (server, error)

// choose gives the server at the given URL if there is one, else a container,
// else a local server. If Docker is there and gave none, the server's name
// tells why.
func choose(ctx context.Context, givenURL string, container, local starter) (server, error) {
	if givenURL != "" {
		return server{name: "the server of KONTOR_TEST_DATABASE_URL", url: givenURL, stop: leave}, nil
	}
	s, err := container(ctx)
	if err == nil {
		return s, nil
	}
	s, localErr := local(ctx)
	if localErr != nil {
		return server{}, fmt.Errorf("no PostgreSQL for the tests: set KONTOR_TEST_DATABASE_URL, start Docker or install PostgreSQL: %w",
			errors.Join(err, localErr))
	}
	if !errors.Is(err, errNoDocker) {
		s.name = fmt.Sprintf("%s, as Docker gave none: %v", s.name, err)
	}
	return s, nil
}

func leave(context.Context) error { return nil }

// announce says which server the tests use, and adds it to the file, unless
// its name is empty.
func announce(out io.Writer, name, file string) error {
	fmt.Fprintln(out, "pgtest: PostgreSQL is", name)
	if file == "" {
		return nil
	}
	log, err := os.OpenFile(filepath.Clean(file), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("note the server in KONTOR_TEST_SERVERS: %w", err)
	}
	_, err = fmt.Fprintln(log, "PostgreSQL is", name)
	return errors.Join(err, log.Close())
}
