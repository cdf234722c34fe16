package program

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

func doctorCommand(c bootstrap.Config) *cli.Command {
	var out output
	return &cli.Command{
		Name:  "doctor",
		Usage: "check the settings and the database, and say how to fix problems",
		Description: "Runs all checks and changes nothing. It needs the settings of kontor serve: call it in the same environment; the\n" +
			"service may run. The exit code is 0 if there are at most warnings, and 3 if there is something to fix. Without a\n" +
			"database URL it checks the private PostgreSQL, and starts it meanwhile if it is not running.",
		Flags: append(c.ServeFlags(), c.CompanyFlag(), out.flag()),
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
			return failure{fmt.Errorf("there is something to fix: %d of %d checks failed", wrong, len(findings)), codeFound}
		},
	}
}

func examine(ctx context.Context, c *bootstrap.Config) []doctor.Finding {
	findings := bootstrap.CheckSettings(c)
	if slices.ContainsFunc(findings, func(f doctor.Finding) bool { return strings.HasPrefix(f.Found, "--database-url") }) {
		return findings
	}
	findings = append(findings, bootstrap.CheckTransport(*c, time.Now())...)
	owner := doctor.Operator
	if c.DatabaseURL == "" {
		owner = doctor.Kontor
		if !hasData(c.DataDir) {
			return append(findings, doctor.Finding{
				Name: "database", State: doctor.Warn, Found: "there is no database in " + c.DataDir + " yet",
				Hint: "kontor serve creates one there; to use a server of your own set KONTOR_DATABASE_URL",
			})
		}
	}
	var found []doctor.Finding
	err := withDatabase(ctx, *c, slog.New(slog.DiscardHandler), localpg.Attach, func(ctx context.Context, c bootstrap.Config) error {
		c, err := bootstrap.InCompany(ctx, c)
		if err != nil {
			return err
		}
		settings, err := c.Examined()
		if err != nil {
			return err
		}
		e, err := doctor.Examine(ctx, settings, owner)
		if err != nil {
			return err
		}
		defer e.Close()
		found = e.Findings(ctx)
		return nil
	})
	if err != nil {
		found = append(found, doctor.Finding{Name: "database", State: doctor.Fail, Found: oneLine(err.Error()), Hint: checkDatabase})
	}
	return append(findings, found...)
}

// hasData reports whether the folder has data of a private PostgreSQL, or cannot be
// read: doctor must not create any.
func hasData(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, "postgresql"))
	return !errors.Is(err, fs.ErrNotExist)
}

func (o output) findings(w io.Writer, list []doctor.Finding) error {
	if o.isJSON() {
		return writeJSON(w, list)
	}
	t := newTable(w)
	for _, f := range list {
		t.row(string(f.State), f.Name, f.Found)
		if f.Hint != "" {
			t.row("", "", "-> "+f.Hint)
		}
	}
	return t.flush()
}
