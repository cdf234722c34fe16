// Command kontor is the CRM and invoicing service, and what an operator needs
// to run it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // one binary: time zones must not depend on the machine

	"github.com/urfave/cli/v3"

	"github.com/kontor-crm/kontor/domain/fault"
)

func main() {
	// A reader of the output that goes away must not end the service as SIGKILL
	// would, and leave its private PostgreSQL behind: the write fails instead.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := newCommand().Run(ctx, os.Args)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "kontor: "+explain(err))
		os.Exit(1)
	}
}

// newCommand is the whole command line.
func newCommand() *cli.Command {
	return &cli.Command{
		Name:  "kontor",
		Usage: "CRM and invoicing over HTTP: one binary, PostgreSQL, and sleep",
		Description: "Every flag can also be given as an environment variable: --database-url is KONTOR_DATABASE_URL.\n" +
			"Without a database URL, Kontor starts a private PostgreSQL of its own in --data-dir.",
		Commands: []*cli.Command{
			serveCommand(),
			migrateCommand(),
			userCommand(),
			tokenCommand(),
			demoCommand(),
			timezoneCommand(),
			readmodelCommand(),
		},
		// main says what went wrong, once.
		ExitErrHandler: func(context.Context, *cli.Command, error) {},
	}
}

// explain is an error as an operator reads it: a refusal's message without its
// inner workings, anything else whole.
func explain(err error) string {
	if f := fault.As(err); f != nil {
		if f.Cause != nil && f.Kind >= fault.Unavailable {
			return f.Message + " (" + f.Cause.Error() + ")"
		}
		return f.Message
	}
	if errors.Is(err, context.Canceled) {
		return "stopped"
	}
	return err.Error()
}
