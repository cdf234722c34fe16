package program

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"

	"github.com/kontor-crm/kontor/adapters/postgres"
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

// failure is the error of a command, with the exit code. Errors of the CLI library, which
// are those of incorrect calls, are none.
type failure struct {
	error
	code int
}

func (f failure) Unwrap() error { return f.error }

// failed gives the error of a command an exit code, unless it has one.
func failed(err error) error {
	if _, ok := errors.AsType[failure](err); ok || err == nil {
		return err
	}
	return failure{err, codeFailed}
}

// misused returns the error of a command that was called incorrectly.
func misused(format string, args ...any) error {
	return failure{fmt.Errorf(format, args...), codeMisuse}
}

func validate(c *bootstrap.Config) error {
	if err := c.Validate(); err != nil {
		return failure{err, codeMisuse}
	}
	return nil
}

func exitCode(err error) int {
	if err == nil {
		return codeDone
	}
	if f, ok := errors.AsType[failure](err); ok {
		return f.code
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

const (
	checkURL      = "check " + urlSetting
	checkDatabase = "check that the database is running, and " + urlSetting
	urlSetting    = "--database-url (KONTOR_DATABASE_URL), such as postgres://user:password@host:5432/name"
)

// explainConnect says why there is no connection, and what to check: a server that refuses one is running. The
// database's own text, which repeats itself for each attempt, is left for what is not foreseen.
func explainConnect(err error) (found, hint string) {
	if refused := postgres.Refusal(err); refused != "" {
		return "the database server refuses the connection: " + oneLine(refused), checkURL
	}
	return cmp.Or(postgres.Unreachable(err), oneLine(err.Error())), checkDatabase
}

// explain returns the text of an error for an operator. The cause of a rejection, which is for
// developers, is left out, unless it is a failure of the database.
func explain(err error) string {
	f := fault.As(err)
	switch {
	case postgres.IsConnectError(err):
		found, hint := explainConnect(err)
		return found + "; " + hint
	case f != nil && f.Kind >= fault.Unavailable && f.Cause != nil:
		return f.Message + " (" + oneLine(f.Cause.Error()) + ")"
	case f != nil:
		return f.Message + rulesOf(f)
	}
	return explainValue(err)
}

// rulesOf names the business rules that refuse a change.
func rulesOf(f *fault.Error) string {
	var names []string
	for _, field := range f.Fields {
		if field.Rule != "" && !slices.Contains(names, field.Rule) {
			names = append(names, field.Rule)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " (refused by: " + strings.Join(names, ", ") + ")"
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
