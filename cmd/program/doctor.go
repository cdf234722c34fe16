package program

import (
	"context"
	"fmt"
	"io"
	"log/slog"
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

func examine(ctx context.Context, c *bootstrap.Config) (findings []doctor.Finding) {
	if err := c.Validate(); err != nil {
		for line := range strings.Lines(err.Error()) {
			findings = append(findings, doctor.Finding{
				Name: "settings", State: doctor.Fail, Found: strings.TrimSpace(line),
				Hint: "kontor serve --help explains the settings and names their variables",
			})
		}
		return findings
	}
	findings = []doctor.Finding{{Name: "settings", State: doctor.OK, Found: "all settings are valid"}}
	findings = append(findings, bootstrap.CheckTransport(*c, time.Now())...)
	isPrivate := c.DatabaseURL == ""
	if isPrivate && !hasData(c.DataDir) {
		return append(findings, doctor.Finding{
			Name: "database", State: doctor.Warn, Found: "there is no database in " + absolute(c.DataDir) + " yet",
			Hint: "kontor serve creates one there; to use a server of your own set KONTOR_DATABASE_URL",
		})
	}
	err := withDatabase(ctx, *c, slog.New(slog.DiscardHandler), localpg.Attach, func(ctx context.Context, c bootstrap.Config) error {
		c, err := bootstrap.InCompany(ctx, c)
		if err != nil {
			return err
		}
		found, err := doctor.Examine(ctx, doctor.Settings{
			DatabaseURL: c.DatabaseURL, IsPrivate: isPrivate, MaxConnections: c.MaxConnections, TimeZone: c.TimeZone,
			IsCompany: c.CompanyName != "", BrokenRules: bootstrap.BrokenRules,
		})
		findings = append(findings, found...)
		return err
	})
	if err != nil {
		found, hint := explainConnect(err)
		findings = append(findings, doctor.Finding{Name: "database", State: doctor.Fail, Found: found, Hint: hint})
	}
	return findings
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
