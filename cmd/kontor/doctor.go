package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/kontor-crm/kontor/adapters/doctor"
	"github.com/kontor-crm/kontor/adapters/localpg"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

// errToMend is how an examination ends that found something wrong.
var errToMend = errors.New("there is something to mend")

func doctorCommand() *cli.Command {
	var c bootstrap.Config
	var out output
	return &cli.Command{
		Name:     "doctor",
		Category: ofService,
		Usage:    "look for what is wrong with the settings and the database, and say how to mend it",
		Description: "Checks one thing after the other, and changes nothing. Give it the settings of kontor serve, best in the same\n" +
			"environment; the service may run. The exit code is 0 if all is well or could be better, and 3 if something is\n" +
			"to be mended. Without a database URL it examines the private PostgreSQL, and starts it for as long if it does\n" +
			"not run.",
		Metadata: examples(
			"kontor doctor",
			"kontor doctor --output json",
			"kontor doctor --database-url postgres://kontor@db.example.org/kontor --timezone Europe/Berlin",
		),
		Flags: append(c.ServeFlags(), out.flag()),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			findings := examine(ctx, &c)
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := out.findings(cmd.Root().Writer, findings); err != nil {
				return err
			}
			wrong := 0
			for _, f := range findings {
				if f.State == doctor.Fail {
					wrong++
				}
			}
			if wrong == 0 {
				return nil
			}
			return fmt.Errorf("%w: %d of %d checks failed", errToMend, wrong, len(findings))
		},
	}
}

// examine makes all checks that can be made.
func examine(ctx context.Context, c *bootstrap.Config) []doctor.Finding {
	findings := bootstrap.CheckSettings(c)
	if slices.ContainsFunc(findings, func(f doctor.Finding) bool { return strings.HasPrefix(f.Found, "--database-url") }) {
		return findings
	}
	findings = append(findings, bootstrap.CheckTransport(*c, time.Now())...)
	owner := doctor.Operator
	if c.DatabaseURL == "" {
		owner = doctor.Kontor
		if !begun(c.DataDir) {
			return append(findings, doctor.Finding{
				Name: "database", State: doctor.Warn, Found: "there is none in " + c.DataDir + " yet",
				Mend: "kontor serve makes one there; for one of your own set KONTOR_DATABASE_URL",
			})
		}
	}
	var found []doctor.Finding
	err := withDatabase(ctx, *c, slog.New(slog.DiscardHandler), localpg.Attach, func(ctx context.Context, c bootstrap.Config) error {
		e, err := doctor.Examine(ctx, c.Examined(), owner)
		if err != nil {
			return err
		}
		defer e.Close()
		found = e.Findings(ctx)
		return nil
	})
	if err != nil {
		what, mend := diagnose(err)
		found = append(found, doctor.Finding{Name: "database", State: doctor.Fail, Found: what, Mend: mend})
	}
	return append(findings, found...)
}

// begun tells whether there are data of a private PostgreSQL in the folder, or
// nobody may look: an examination makes none.
func begun(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, "postgresql"))
	return !errors.Is(err, fs.ErrNotExist)
}

// paints are how the states are shown on a terminal.
var paints = map[doctor.State]paint{doctor.OK: green, doctor.Warn: yellow, doctor.Fail: red}

func (o output) findings(w io.Writer, list []doctor.Finding) error {
	if o.isJSON() {
		return writeJSON(w, list)
	}
	wide := 0
	for _, f := range list {
		wide = max(wide, len(f.Name))
	}
	for _, f := range list {
		state := paints[f.State].on(w, fmt.Sprintf("%-4s", f.State))
		if _, err := fmt.Fprintf(w, "%s  %-*s  %s\n", state, wide, f.Name, f.Found); err != nil {
			return err
		}
		if f.Mend != "" {
			fmt.Fprintf(w, "      %-*s  -> %s\n", wide, "", f.Mend)
		}
	}
	return nil
}
