package program

import (
	"bytes"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// contract 1.67, 12.115
func TestFailureReportHidesCausesOfRejections(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{fault.Named(fault.New(fault.NotFound, "there is no such user").WithCause(errors.New("SQLSTATE")), "mira"), "mira: there is no such user"},
		{fault.New(fault.Unavailable, "try again").WithCause(errors.New("a lock")), "try again (a lock)"},
		{fault.Named(fault.New(fault.Invalid, "no").ByRule("stays"), "mira"), "mira: no (refused by: stays)"},
		{errors.Join(errors.New("one"), errors.New("two")), "one\nkontor: two"},
	} {
		var output bytes.Buffer
		if code := report(&output, failed(c.err)); code != codeFailed || output.String() != "kontor: "+c.want+"\n" {
			t.Errorf("%v ends with %d and is reported as\n%swant\nkontor: %s", c.err, code, &output, c.want)
		}
	}
}

func TestFailureReportIsEmptyAfterAClosedPipe(t *testing.T) {
	var output bytes.Buffer
	if code := report(&output, failed(&fs.PathError{Op: "write", Path: "stdout", Err: syscall.EPIPE})); code != codeFailed || output.Len() != 0 {
		t.Errorf("ends with %d, and reports %s", code, &output)
	}
}

// contract 1.66, 1.67
func TestCommandFailuresAreExplained(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	other, err := net.Listen("tcp", "127.0.0.1:0") // of another protocol
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	go func() {
		for {
			conn, err := other.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
			_ = conn.Close()
		}
	}()
	t.Setenv("KONTOR_DATABASE_URL", "")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		words []string
		want  string
	}{
		{[]string{"user", "list", "--database-url=postgres://ann:hush@127.0.0.1:1/kontor"}, "nothing listens at 127.0.0.1:1: connection refused; check that the database is running, and --database-url"},
		{[]string{"migrate", "up", "--database-url=postgres://ann:hush@/kontor?host=/nowhere"}, "there is no socket /nowhere/.s.PGSQL.5432; "},
		{[]string{"user", "list", "--database-url=postgres://ann:hush@" + other.Addr().String() + "/kontor"}, "is no PostgreSQL server; "},
		{[]string{"user", "list", "--database-url=postgres://ann:hush@nowhere.invalid/kontor"}, "there is no host nowhere.invalid; "},
		{[]string{"readmodel", "verify", "--database-url=" + nowhere}, checkDatabase},
		{[]string{"timezone", "show", "--database-url=" + nowhere}, checkDatabase},
		{[]string{"demo", "--database-url=" + nowhere}, checkDatabase},
		{[]string{"serve", "--database-url=" + nowhere}, checkDatabase},
		{[]string{"serve", "--migrate=false", "--database-url=" + nowhere, "--listen=" + taken.Addr().String()}, "--listen (KONTOR_LISTEN): listen tcp"},
		{[]string{"user", "list", "--data-dir=" + filepath.Join(file, "data")}, "create the data directory"},
	} {
		code, _, reported := called(t, c.words...)
		if code != codeFailed || !strings.Contains(reported, c.want) || strings.Count(reported, "\n") != 1 || strings.Contains(reported, "hush") {
			t.Errorf("kontor %s ends with %d and reports\n%swant %s", strings.Join(c.words, " "), code, reported, c.want)
		}
	}
}

// contract 1.67
func TestRefusedConnectionsAreQuoted(t *testing.T) {
	url := pgtest.URL(t)
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"user list", "migrate up", "doctor"} {
		missing := strings.ReplaceAll(url, config.Database, "kontor_missing")
		_, printed, reported := called(t, append(strings.Fields(line), "--database-url="+missing)...)
		all := printed + reported
		if !strings.Contains(all, `refuses the connection: database "kontor_missing" does not exist`) || strings.Contains(all, "is running") {
			t.Errorf("without its database kontor %s prints %s", line, all)
		}
	}
}
