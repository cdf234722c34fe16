package program

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kontor-crm/kontor/domain/fault"
)

// contract 1.67
func TestFailureReportSaysWhatToDo(t *testing.T) {
	said := func(code, message string) error {
		return fmt.Errorf("migrate: %w", &pgconn.PgError{Severity: "FATAL", Code: code, Message: message})
	}
	listening := func(err error) error {
		at := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80}
		return fmt.Errorf("listen: %w", &net.OpError{Op: "listen", Net: "tcp", Addr: at, Err: os.NewSyscallError("bind", err)})
	}
	const setting = "--database-url (KONTOR_DATABASE_URL)"
	for _, c := range []struct {
		err  error
		want string
	}{
		{said("28P01", `password authentication failed for user "ann"`), `password authentication failed for user "ann"; correct the user and the password in ` + setting},
		{said("28000", "no pg_hba.conf entry"), "no pg_hba.conf entry; correct " + setting + ", or allow it in pg_hba.conf of PostgreSQL"},
		{said("3D000", `database "x" does not exist`), `database "x" does not exist; create it with PostgreSQL's createdb, or correct ` + setting},
		{said("53300", "too many clients"), "the database accepts no more connections: too many clients; lower KONTOR_MAX_CONNECTIONS, or raise max_connections of PostgreSQL"},
		{said("42501", "permission denied"), "permission denied by the database: permission denied; use the owner of the database in " + setting},
		{said("42P01", `relation "users" does not exist`), `the database is not migrated: relation "users" does not exist; run kontor migrate up`},
		{said("25006", "read-only"), "the database is read-only: read-only; use the primary server, not a replica, in " + setting},
		{
			said("08P01", "unsupported startup parameter: jit"),
			"a connection pooler rejects the connection: unsupported startup parameter: jit; use the database itself in " + setting +
				", and the pooler in --pooler-url (KONTOR_POOLER_URL)",
		},
		{said("57P03", "starting up"), "the database is starting or stopping: starting up; try again in a minute"},
		{listening(syscall.EADDRINUSE), "another program is listening on 127.0.0.1:80; stop it, or choose another port with --listen (KONTOR_LISTEN)"},
		{listening(syscall.EACCES), "permission denied to listen on 127.0.0.1:80; choose port 1024 or higher with --listen (KONTOR_LISTEN)"},
		{listening(syscall.EADDRNOTAVAIL), "127.0.0.1:80 is not an address of this machine; correct --listen (KONTOR_LISTEN)"},
		{&net.DNSError{Name: "db.example.org", IsNotFound: true}, "the database host db.example.org is unknown; correct " + setting},
		{
			fmt.Errorf("connect: %w", &tls.CertificateVerificationError{Err: errors.New("unknown authority")}),
			"the certificate of the database is not trusted: unknown authority; set sslrootcert to the file of its CA, and the host to one that it is valid for, in " + setting,
		},
		{fmt.Errorf("connect: %w", context.DeadlineExceeded), "the database does not respond; check that it is running and no firewall blocks it, or correct " + setting},
		{&fs.PathError{Op: "mkdir", Path: "/srv/x", Err: syscall.EACCES}, "permission denied: the user that Kontor runs as cannot mkdir /srv/x; grant the permission, or choose another folder with --data-dir (KONTOR_DATA_DIR)"},
		{fmt.Errorf("it is ann's, see KONTOR_DATA_DIR: %w", &fs.PathError{Op: "open", Path: "x", Err: syscall.EACCES}), "it is ann's, see KONTOR_DATA_DIR: open x: permission denied"},
		{named(fault.New(fault.NotFound, "there is no such user"), "mira"), "mira: there is no such user"},
		{fault.New(fault.Unavailable, "try again").WithCause(errors.New("a lock")), "try again (a lock)"},
		{fmt.Errorf("wait: %w", context.Canceled), "stopped"},
		{errors.Join(errors.New("one"), errors.New("two")), "one\nkontor: two"},
	} {
		var output bytes.Buffer
		if code := report(&output, failure{c.err}); code != codeFailed || output.String() != "kontor: "+c.want+"\n" {
			t.Errorf("%v ends with %d and is reported as\n%swant\nkontor: %s", c.err, code, &output, c.want)
		}
	}
}

func TestFailureReportIsEmptyAfterAClosedPipe(t *testing.T) {
	var output bytes.Buffer
	if code := report(&output, failure{&fs.PathError{Op: "write", Path: "stdout", Err: syscall.EPIPE}}); code != codeFailed || output.Len() != 0 {
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
	t.Setenv("KONTOR_DATABASE_URL", "")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		words []string
		want  string
	}{
		{[]string{"user", "list", "--database-url=postgres://ann:hush@127.0.0.1:1/kontor"}, "the database at 127.0.0.1:1 is not running; start it, or correct --database-url (KONTOR_DATABASE_URL)"},
		{[]string{"migrate", "up", "--database-url=postgres://ann:hush@/kontor?host=/nowhere"}, "the database at /nowhere/.s.PGSQL.5432 is not running; start it"},
		{[]string{"readmodel", "verify", "--database-url=" + nowhere}, "the database at 127.0.0.1:1 is not running"},
		{[]string{"timezone", "show", "--database-url=" + nowhere}, "the database at 127.0.0.1:1 is not running"},
		{[]string{"demo", "--database-url=" + nowhere}, "the database at 127.0.0.1:1 is not running"},
		{[]string{"serve", "--database-url=" + nowhere}, "the database at 127.0.0.1:1 is not running"},
		{[]string{"serve", "--migrate=false", "--database-url=" + nowhere, "--listen=" + taken.Addr().String()}, "another program is listening on " + taken.Addr().String()},
		{[]string{"user", "list", "--data-dir=" + filepath.Join(file, "data")}, "create the data directory"},
	} {
		code, _, reported := called(t, c.words...)
		if code != codeFailed || !strings.HasPrefix(reported, "kontor: "+c.want) || strings.Count(reported, "\n") != 1 || strings.Contains(reported, "hush") {
			t.Errorf("kontor %s ends with %d and reports\n%swant %s", strings.Join(c.words, " "), code, reported, c.want)
		}
	}
}
