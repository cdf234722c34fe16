package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v3"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/ports/company"
)

func companyExportCommand() *cli.Command {
	var c bootstrap.Config
	var file string
	return &cli.Command{
		Name:      "export",
		Usage:     "write all records of a company, from one snapshot; the service may run",
		ArgsUsage: "<name>",
		Description: "The export contains the hashes of tokens, and everything that the company has stored: keep it as safe as the\n" +
			"database. It is text, and compresses well.",
		Flags: append(c.ConnectionFlags(), &cli.StringFlag{
			Name: "file", Destination: &file, DefaultText: "the standard output",
			Usage: "`file` to write, which must not exist",
		}),
		Action: companyAction(&c, 1, func(ctx context.Context, cmd *cli.Command, all *bootstrap.Companies) error {
			name := cmd.Args().First()
			if file != "" {
				return newFile(file, func(to io.Writer) error { return all.Export(ctx, name, to) })
			}
			if isTerminal(cmd.Root().Writer) {
				return misused("give a file with --file, or redirect the output")
			}
			return all.Export(ctx, name, cmd.Root().Writer)
		}),
	}
}

// newFile writes a file that only its owner can read, whole or not at all.
func newFile(name string, write func(io.Writer) error) (err error) {
	if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return misused("--file: %s exists already", name)
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close(), os.Remove(f.Name()))
		}
	}()
	if err := write(f); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), name); err != nil {
		return err
	}
	return f.Close()
}

func companyRestoreCommand() *cli.Command {
	var c bootstrap.Config
	var out output
	var file string
	return &cli.Command{
		Name:      "restore",
		Usage:     "add a company from an export",
		ArgsUsage: "<name>",
		Description: "If the exported company was removed, the restored one has its tokens. If it still exists, the restored one is a\n" +
			"copy with another code, its tokens are revoked, and its users need new ones. From a damaged file nothing is\n" +
			"restored. If the command is interrupted, repeat it.",
		Flags: append(c.ConnectionFlags(), out.flag(), &cli.StringFlag{
			Name: "file", Destination: &file, Required: true, Usage: "`file` that kontor company export has written; - is the standard input",
		}),
		Action: companyAction(&c, 1, func(ctx context.Context, cmd *cli.Command, all *bootstrap.Companies) error {
			from := io.ReadCloser(os.Stdin)
			if file != "-" {
				opened, err := os.Open(file)
				if err != nil {
					return fmt.Errorf("open the export: %w", err)
				}
				from = opened
			}
			defer from.Close()
			restored, err := all.Restore(ctx, cmd.Args().First(), from)
			if err != nil {
				return err
			}
			return out.companies(cmd.Root().Writer, []company.Company{restored}, nil)
		}),
	}
}
