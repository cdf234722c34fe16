// Package program is the program kontor: the CRM and invoicing service and the commands
// to operate it, one file each.
//
// Chose a package over code in cmd/kontor, because another module can then build Kontor
// with its own rules in a few lines; costs a public function.
package program

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // one binary: time zones must not depend on the machine

	"github.com/urfave/cli/v3"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

// Main runs the command in os.Args and exits with its exit code. The rules and reactions
// are added after Kontor's own.
func Main(rules ...rule.Option) {
	// A closed output must not kill the service and leave its private PostgreSQL
	// running: the write fails instead.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := newCommand(rules...).Run(ctx, os.Args)
	stop()
	os.Exit(report(os.Stderr, err))
}

func newCommand(rules ...rule.Option) *cli.Command {
	c := bootstrap.Config{Rules: rules}
	root := &cli.Command{
		Name:    "kontor",
		Usage:   "CRM and invoicing service over HTTP",
		Version: bootstrap.BuildVersion().Version,
		Description: "Kontor stores clients, contacts, deals and invoices for other programs, which read and write them in JSON or\n" +
			"XML. kontor <command> --help describes a command and its options.",
		Metadata: examples(
			"kontor serve --demo                                # try it: no database needed, a token is printed",
			"kontor serve --listen 0.0.0.0:8080 --base-url https://crm.example.org",
			"kontor user add --username ann --role admin        # add a user",
			"kontor token issue --user ann --ttl 720h           # issue a token for programs",
			"kontor doctor                                      # find problems and how to fix them",
			"kontor user list --output json                     # for scripts",
		),
		Commands: []*cli.Command{
			serveCommand(c),
			demoCommand(),
			healthCommand(),
			doctorCommand(c),
			userCommand(c),
			tokenCommand(c),
			ruleCommand(c),
			migrateCommand(c),
			companyCommand(),
			timezoneCommand(),
			readmodelCommand(),
			versionCommand(),
			helpCommand(),
		},
		HideHelpCommand:                 true, // helpCommand replaces it
		EnableShellCompletion:           true,
		ConfigureShellCompletionCommand: customizeCompletion,
		// Main reports the error.
		ExitErrHandler: func(context.Context, *cli.Command, error) {},
	}
	guard(root)
	return root
}
