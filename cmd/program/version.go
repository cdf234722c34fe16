package program

import (
	"cmp"
	"context"
	"io"
	"runtime"
	"strconv"

	"github.com/urfave/cli/v3"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

func versionCommand() *cli.Command {
	var out output
	return &cli.Command{
		Name:  "version",
		Usage: "print the version and build information",
		Flags: []cli.Flag{out.flag()},
		Action: func(_ context.Context, cmd *cli.Command) error {
			return out.version(cmd.Root().Writer, thisRelease())
		},
	}
}

// release is a version and its platform, and of a team's program the version of Kontor inside.
type release struct {
	bootstrap.Version
	Schema   int64           `json:"schema"` // the number of the newest migration that the program knows
	Platform string          `json:"platform"`
	Team     *bootstrap.Team `json:"team,omitempty"`
}

func thisRelease() release {
	return release{bootstrap.BuildVersion(), postgres.Version, runtime.GOOS + "/" + runtime.GOARCH, bootstrap.BuildTeam()}
}

func (r release) lines() [][]string {
	if r.Team == nil {
		return [][]string{{"kontor", r.Version.Version}}
	}
	return [][]string{{r.Team.Module, r.Version.Version}, {"kontor", r.Team.Kontor}}
}

func (o output) version(w io.Writer, r release) error {
	if o.isJSON() {
		return writeJSON(w, r)
	}
	t := newTable(w)
	for _, line := range append(r.lines(), [][]string{
		{"commit", known(r.Commit)}, {"date", known(r.Date)}, {"schema", strconv.FormatInt(r.Schema, 10)}, {"go", r.Go}, {"platform", r.Platform},
	}...) {
		t.row(line...)
	}
	return t.flush()
}

func known(text string) string { return cmp.Or(text, "unknown") }
