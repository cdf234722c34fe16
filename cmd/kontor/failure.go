package main

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
	codeFound  = 3 // doctor has found something to mend
)

// failure is the error of a command that was called rightly.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

// misuse is the error of a command that was called wrongly: arguments, or values of
// settings.
type misuse struct{ error }

func (m misuse) Unwrap() error { return m.error }

func misused(format string, args ...any) error { return misuse{fmt.Errorf(format, args...)} }

// validate refuses settings that make no sense.
func validate(c *bootstrap.Config) error {
	if err := c.Validate(); err != nil {
		return misuse{err}
	}
	return nil
}

// exitCode is what the program ends with. What no command has reported is about the
// way it was called.
func exitCode(err error) int {
	_, isMisuse := errors.AsType[misuse](err)
	_, isFailure := errors.AsType[failure](err)
	switch {
	case err == nil:
		return codeDone
	case isMisuse:
		return codeMisuse
	case errors.Is(err, errToMend):
		return codeFound
	case isFailure:
		return codeFailed
	}
	return codeMisuse
}

// report says what went wrong, a line to each thing, and is the exit code.
func report(w io.Writer, err error) int {
	if err != nil && !errors.Is(err, syscall.EPIPE) { // nobody reads on, as behind head
		for line := range strings.Lines(explain(err)) {
			fmt.Fprintln(w, "kontor: "+strings.TrimSpace(line))
		}
	}
	return exitCode(err)
}

// explain is an error as an operator reads it: what is wrong, and what to do about
// it if that is known.
func explain(err error) string {
	what, mend := diagnose(err)
	if mend == "" {
		return what
	}
	return what + "; " + mend
}

// about is an error that concerns the user or token of that name.
type about struct {
	name string
	error
}

func (a about) Unwrap() error { return a.error }

// named says which user or token an error is about.
func named(err error, name string) error {
	if err == nil {
		return nil
	}
	return about{name, err}
}

// diagnose parts what is wrong from what to do about it.
func diagnose(err error) (what, mend string) {
	if errors.Is(err, context.Canceled) {
		return "stopped", ""
	}
	if what, ok := ofVariable(err); ok {
		return what, ""
	}
	if code := doctor.SQLState(err); code != "" {
		if what, mend = ofDatabase(code, lastOf(err)); mend != "" {
			return what, mend
		}
	}
	if what, mend = ofListening(err); mend != "" {
		return what, mend
	}
	if what, mend = ofConnecting(err); mend != "" {
		return what, mend
	}
	path, ok := errors.AsType[*fs.PathError](err)
	saysMore := strings.Contains(err.Error(), "KONTOR_DATA_DIR") || strings.Contains(err.Error(), "--tls-")
	if ok && errors.Is(err, fs.ErrPermission) && !saysMore {
		return fmt.Sprintf("the user that Kontor runs as may not %s %s", path.Op, path.Path),
			"give it the right to, or name another folder with --data-dir (KONTOR_DATA_DIR)"
	}
	return plainly(err), ""
}

// plainly is the text of an error: of a refusal its message without its inner
// workings, of anything else all.
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

// ofDatabase is about errors that PostgreSQL answers with, by their code.
func ofDatabase(code, said string) (what, mend string) {
	switch code {
	case "28P01":
		return said, "correct the user and the password in " + databaseSetting
	case "28000":
		return said, "correct " + databaseSetting + ", or allow it in pg_hba.conf of PostgreSQL"
	case "3D000":
		return said, "create it with PostgreSQL's createdb, or correct " + databaseSetting
	case "53300":
		return "the database gives no more connections: " + said, "lower KONTOR_MAX_CONNECTIONS, or raise max_connections of PostgreSQL"
	case "42501":
		return "the database does not let this user do that: " + said, "name the owner of the database in " + databaseSetting
	case "42P01":
		return "the database is not migrated: " + said, "kontor migrate up"
	case "25006":
		return "the database is read only: " + said, "name the primary server, not a replica, in " + databaseSetting
	case "57P03":
		return "the database is starting or stopping: " + said, "try again in a minute"
	}
	return "", ""
}

// lastOf is what the database itself said, without the code.
func lastOf(err error) string {
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

// ofListening is about the address that the service listens on.
func ofListening(err error) (what, mend string) {
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
		return "another program listens on " + address, "stop it, or choose another port with " + setting
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return address + " is no address of this machine", "correct " + setting
	case errors.Is(err, os.ErrPermission):
		return "this user may not listen on " + address, "choose a port of 1024 or more with " + setting
	}
	return "cannot listen on " + address + ": " + op.Err.Error(), "correct " + setting
}

// ofConnecting is about a database that cannot be asked.
func ofConnecting(err error) (what, mend string) {
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return "the database's host " + dns.Name + " is not known", "correct " + databaseSetting
	}
	if certificate, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "the certificate of the database is not trusted: " + certificate.Err.Error(),
			"name the file of its authority as sslrootcert, and the host that it was made for, in " + databaseSetting
	}
	op, ok := errors.AsType[*net.OpError](err)
	address := "the database"
	if ok && op.Addr != nil {
		address += " at " + op.Addr.String()
	}
	switch {
	case ok && op.Op == "dial" && (errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, fs.ErrNotExist)):
		return address + " does not run", "start it, or correct " + databaseSetting
	case ok && op.Op == "dial" && errors.Is(err, fs.ErrPermission):
		return address + " is closed to this user", "run Kontor as another user, or correct " + databaseSetting
	case errors.Is(err, context.DeadlineExceeded), ok && op.Timeout():
		return address + " does not answer", "see whether it runs and a firewall lets it through, or correct " + databaseSetting
	case ok && op.Op == "dial":
		return address + " cannot be reached: " + op.Err.Error(), "correct " + databaseSetting
	case strings.Contains(err.Error(), "refused TLS"):
		return address + " does not encrypt", "switch TLS on in PostgreSQL, or put another sslmode into " + databaseSetting
	}
	return "", ""
}
