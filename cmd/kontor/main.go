// Command kontor is the CRM and invoicing service, and what an operator needs
// to run it.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // one binary: time zones must not depend on the machine

	"github.com/urfave/cli/v3"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

func main() {
	// A reader of the output that goes away must not end the service as SIGKILL
	// would, and leave its private PostgreSQL behind: the write fails instead.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := newCommand().Run(ctx, os.Args)
	stop()
	os.Exit(report(os.Stderr, err))
}

// newCommand is the whole command line.
func newCommand() *cli.Command {
	root := &cli.Command{
		Name:    "kontor",
		Usage:   "CRM and invoicing over HTTP: one binary, PostgreSQL, and sleep",
		Version: bootstrap.BuildVersion().Version,
		Description: "Kontor keeps managers, clients, contacts, deals and invoices for other programs, which read and write them in\n" +
			"JSON or XML. kontor <command> --help tells what a command does and takes.",
		Metadata: examples(
			"kontor serve --demo                                # try it: no database needed, a token is printed",
			"kontor serve --listen 0.0.0.0:8080 --base-url https://crm.example.org",
			"kontor user add --username ann --role admin        # who may use it",
			"kontor token issue --user ann --ttl 720h           # and how their programs come in",
			"kontor doctor                                      # what is wrong, and how to mend it",
			"kontor user list --output json                     # for scripts",
		),
		Commands: []*cli.Command{
			serveCommand(),
			demoCommand(),
			doctorCommand(),
			userCommand(),
			tokenCommand(),
			migrateCommand(),
			timezoneCommand(),
			readmodelCommand(),
			versionCommand(),
			helpCommand(),
		},
		HideHelpCommand:                 true, // there is one here
		EnableShellCompletion:           true,
		ConfigureShellCompletionCommand: offerCompletion,
		// main says what went wrong, once.
		ExitErrHandler: func(context.Context, *cli.Command, error) {},
	}
	guard(root)
	return root
}
