package program

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/kontor-crm/kontor/adapters/doctor"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/fault"
)

// The exit codes, as kontor --help lists them.
const (
	codeDone   = 0
	codeFailed = 1
	codeMisuse = 2
	codeFound  = 3 // doctor found something to fix, or a rule refuses records it is tried on
)

type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

// misuse is the error of a command that was called incorrectly: its arguments, or
// the values of settings.
type misuse struct{ error }

func (m misuse) Unwrap() error { return m.error }

func misused(format string, args ...any) error { return misuse{fmt.Errorf(format, args...)} }

func validate(c *bootstrap.Config) error {
	if err := c.Validate(); err != nil {
		return misuse{err}
	}
	return nil
}

// exitCode returns the exit code of the program. An error without a type comes
// from the CLI library, before any action, and is misuse.
func exitCode(err error) int {
	_, isMisuse := errors.AsType[misuse](err)
	_, isFailure := errors.AsType[failure](err)
	switch {
	case err == nil:
		return codeDone
	case isMisuse:
		return codeMisuse
	case errors.Is(err, errFound), errors.Is(err, errRefuses):
		return codeFound
	case isFailure:
		return codeFailed
	}
	return codeMisuse
}

// report writes an error, one line for each thing that is wrong, and returns the
// exit code.
func report(w io.Writer, err error) int {
	if err != nil && !errors.Is(err, syscall.EPIPE) { // the reader has gone, such as head
		for line := range strings.Lines(explain(err)) {
			fmt.Fprintln(w, "kontor: "+strings.TrimSpace(line))
		}
	}
	return exitCode(err)
}

// explain returns the text of an error for an operator: what is wrong, and what to
// do about it if that is known.
func explain(err error) string {
	what, hint := diagnose(err)
	if hint == "" {
		return what
	}
	return what + "; " + hint
}

type about struct {
	name string
	error
}

func (a about) Unwrap() error { return a.error }

// named adds to an error which user or token it is about.
func named(err error, name string) error {
	if err == nil {
		return nil
	}
	return about{name, err}
}

// diagnose is what is wrong, and what to do about it if that is known.
func diagnose(err error) (what, hint string) {
	if errors.Is(err, context.Canceled) {
		return "stopped", ""
	}
	if code := doctor.SQLState(err); code != "" {
		if what, hint = databaseError(code, messageOf(err)); hint != "" {
			return what, hint
		}
	}
	if what, hint = listenError(err); hint != "" {
		return what, hint
	}
	if what, hint = connectError(err); hint != "" {
		return what, hint
	}
	path, ok := errors.AsType[*fs.PathError](err)
	isExplained := strings.Contains(err.Error(), "KONTOR_DATA_DIR") || strings.Contains(err.Error(), "--tls-")
	if ok && errors.Is(err, fs.ErrPermission) && !isExplained {
		return fmt.Sprintf("permission denied: the user that Kontor runs as cannot %s %s", path.Op, path.Path),
			"grant the permission, or choose another folder with --data-dir (KONTOR_DATA_DIR)"
	}
	return plainly(err), ""
}

// plainly returns the text of an error: of a fault only its message, and its cause
// if the service is at fault; of any other error everything.
func plainly(err error) string {
	if a, ok := errors.AsType[about](err); ok && fault.As(err) != nil {
		return a.name + ": " + plainly(a.error)
	}
	f := fault.As(err)
	switch {
	case f == nil:
		return err.Error()
	case f.Cause != nil && f.Kind >= fault.Unavailable:
		return f.Message + " (" + f.Cause.Error() + ")"
	}
	return f.Message
}

const databaseSetting = "--database-url (KONTOR_DATABASE_URL)"

// databaseError explains an error that PostgreSQL reports, by its code.
func databaseError(code, said string) (what, hint string) {
	switch code {
	case "28P01":
		return said, "correct the user and the password in " + databaseSetting
	case "28000":
		return said, "correct " + databaseSetting + ", or allow it in pg_hba.conf of PostgreSQL"
	case "3D000":
		return said, "create it with PostgreSQL's createdb, or correct " + databaseSetting
	case "53300":
		return "the database accepts no more connections: " + said, "lower KONTOR_MAX_CONNECTIONS, or raise max_connections of PostgreSQL"
	case "42501":
		return "permission denied by the database: " + said, "use the owner of the database in " + databaseSetting
	case "42P01":
		return "the database is not migrated: " + said, "run kontor migrate up"
	case "25006":
		return "the database is read-only: " + said, "use the primary server, not a replica, in " + databaseSetting
	case "08P01": // PgBouncer's, too
		return "a connection pooler rejects the connection: " + said, "use the database itself in " + databaseSetting +
			", and the pooler in --pooler-url (KONTOR_POOLER_URL)"
	case "57P03":
		return "the database is starting or stopping: " + said, "try again in a minute"
	}
	return "", ""
}

func messageOf(err error) string {
	coded, _ := errors.AsType[interface {
		error
		SQLState() string
	}](err)
	said, _, _ := strings.Cut(coded.Error(), " (SQLSTATE")
	for _, severity := range []string{"FATAL: ", "ERROR: "} {
		said = strings.TrimPrefix(said, severity)
	}
	return said
}

func listenError(err error) (what, hint string) {
	op, ok := errors.AsType[*net.OpError](err)
	if !ok || op.Op != "listen" {
		return "", ""
	}
	setting := "--listen (KONTOR_LISTEN)"
	if strings.Contains(err.Error(), "for operators") {
		setting = "--admin-listen (KONTOR_ADMIN_LISTEN)"
	}
	address := fmt.Sprint(op.Addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return "another program is listening on " + address, "stop it, or choose another port with " + setting
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return address + " is not an address of this machine", "correct " + setting
	case errors.Is(err, os.ErrPermission):
		return "permission denied to listen on " + address, "choose port 1024 or higher with " + setting
	}
	return "cannot listen on " + address + ": " + op.Err.Error(), "correct " + setting
}

func connectError(err error) (what, hint string) {
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return "the database host " + dns.Name + " is unknown", "correct " + databaseSetting
	}
	if certificate, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "the certificate of the database is not trusted: " + certificate.Err.Error(),
			"set sslrootcert to the file of its CA, and the host to one that it is valid for, in " + databaseSetting
	}
	op, ok := errors.AsType[*net.OpError](err)
	address := "the database"
	if ok && op.Addr != nil {
		address += " at " + op.Addr.String()
	}
	switch {
	case ok && op.Op == "dial" && (errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, fs.ErrNotExist)):
		return address + " is not running", "start it, or correct " + databaseSetting
	case ok && op.Op == "dial" && errors.Is(err, fs.ErrPermission):
		return address + " denies access to this user", "run Kontor as another user, or correct " + databaseSetting
	case errors.Is(err, context.DeadlineExceeded), ok && op.Timeout():
		return address + " does not respond", "check that it is running and no firewall blocks it, or correct " + databaseSetting
	case ok && op.Op == "dial":
		return address + " cannot be reached: " + op.Err.Error(), "correct " + databaseSetting
	case strings.Contains(err.Error(), "refused TLS"):
		return address + " does not support TLS", "enable TLS in PostgreSQL, or use another sslmode in " + databaseSetting
	}
	return "", ""
}
