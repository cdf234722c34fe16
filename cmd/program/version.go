package program

import (
	"context"
	"fmt"
	"io"
	"runtime"

	"github.com/urfave/cli/v3"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

func versionCommand() *cli.Command {
	var out output
	return &cli.Command{
		Name:     "version",
		Category: ofProgram,
		Usage:    "print the version and build information",
		Metadata: examples("kontor version", "kontor version --output json"),
		Flags:    []cli.Flag{out.flag()},
		Action: func(_ context.Context, cmd *cli.Command) error {
			return out.version(cmd.Root().Writer, thisRelease())
		},
	}
}

// release is a version and its platform.
type release struct {
	bootstrap.Version
	Platform string `json:"platform"`
}

func thisRelease() release {
	return release{bootstrap.BuildVersion(), runtime.GOOS + "/" + runtime.GOARCH}
}

func (o output) version(w io.Writer, r release) error {
	if o.isJSON() {
		return writeJSON(w, r)
	}
	t := newTable(w)
	for _, line := range [][]string{
		{"kontor", r.Version.Version}, {"commit", known(r.Commit)}, {"date", known(r.Date)}, {"go", r.Go}, {"platform", r.Platform},
	} {
		t.row(line...)
	}
	return t.flush()
}

func known(text string) string {
	if text == "" {
		return "unknown"
	}
	return text
}

// printVersion prints the line of --version.
func printVersion(cmd *cli.Command) {
	r := thisRelease()
	fmt.Fprintf(cmd.Root().Writer, "kontor %s (commit %s, %s, %s)\n", r.Version.Version, known(r.Commit), r.Go, r.Platform)
}
