package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

func ruleCommand(c bootstrap.Config) *cli.Command {
	return &cli.Command{
		Name:     "rule",
		Category: ofRules,
		Usage:    "write, try and list business rules",
		Metadata: examples("kontor rule new no-deals-on-sunday", "kontor rule try invoice-has-number", "kontor rule list"),
		Commands: []*cli.Command{ruleNewCommand(), ruleTryCommand(c), ruleListCommand(c)},
	}
}

func ruleListCommand(c bootstrap.Config) *cli.Command {
	var out output
	return &cli.Command{
		Name:        "list",
		Usage:       "list all rules with their modes and counts",
		Description: "The list has all typed rules, and the compiled rules that kontor serve or kontor migrate up has stored.",
		Metadata:    examples("kontor rule list", "kontor rule list --output json"),
		Flags:       append(c.RecordFlags(), out.flag()),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			return operate(ctx, &c, func(ctx context.Context, op *bootstrap.Operation) error {
				var fields optional.Of[string] // texts of any length are for scripts only
				if !out.isJSON() {
					fields = optional.Some("id,name,resource,on,mode,source,evaluated,refused,would_refuse")
				}
				return listFields(ctx, cmd, out, readmodel.Rules, op.Rules, readmodel.RuleFilter{}, fields)
			})
		},
	}
}

func ruleNewCommand() *cli.Command {
	var s skeleton
	var reaction bool
	var folder string
	return &cli.Command{
		Name:  "new",
		Usage: "write the Go files of a new rule and of its test",
		Description: "The files contain an example that compiles, and whose test passes. They belong in a module that requires\n" +
			"github.com/kontor-crm/kontor, and have the package of the other Go files in the folder. Existing files are\n" +
			"not overwritten. A rule refuses changes; a reaction makes further changes after one.",
		ArgsUsage: "<name>",
		Metadata: examples(
			"kontor rule new no-deals-on-sunday",
			"kontor rule new paid-deals-move --on invoice --reaction",
		),
		Flags: []cli.Flag{
			&cli.StringFlag{
				Name: "on", Destination: &s.resource, Value: "deal", Usage: "`resource` whose changes the rule judges, or the reaction follows",
				Validator: func(name string) error {
					if _, ok := subjects[name]; !ok {
						return errors.New("must be one of " + strings.Join(ruledef.Resources, ", "))
					}
					return nil
				},
			},
			&cli.StringFlag{Name: "dir", Destination: &folder, Value: ".", Usage: "`folder` of the files"},
			&cli.BoolFlag{Name: "reaction", Destination: &reaction, Usage: "write a reaction instead of a rule"},
		},
		Action: func(_ context.Context, cmd *cli.Command) (err error) {
			if cmd.Args().Len() != 1 {
				return misused("one name is required; see %s --help", cmd.FullName())
			}
			s.kind = ruleSkeleton
			if reaction {
				s.kind = reactionSkeleton
			}
			if s.Name = cmd.Args().First(); !ruledef.IsName(s.Name) || s.Name[0] < 'a' {
				return misused("%q is not a name: it must begin with a letter, and have at most %d lower-case letters, digits, hyphens, dots and underscores",
					s.Name, ruledef.MaxName)
			}
			if s.Package, err = packageIn(folder, s.Type()); err != nil {
				return err
			}
			return s.write(cmd.Root().Writer, folder)
		},
	}
}

// write writes the files into the folder, both or none, and says what to do next.
func (s skeleton) write(w io.Writer, folder string) error {
	code, err := s.render(s.kind.code)
	if err != nil {
		return err
	}
	test, err := s.render(s.kind.test)
	if err != nil {
		return err
	}
	codeFile, testFile := filepath.Join(folder, s.File()+".go"), filepath.Join(folder, s.File()+"_test.go")
	if err := create(codeFile, code); err != nil {
		return err
	}
	if err := create(testFile, test); err != nil {
		return errors.Join(err, os.Remove(codeFile))
	}
	fmt.Fprintf(w, "%s has an example of a %s to replace, and %s its test.\nAdd it to the arguments of program.Main:\n\n\trule.%s.%s(%s{}),\n",
		codeFile, s.kind.name, testFile, s.Subject().Kind, s.kind.method, s.Type())
	return nil
}

func create(name string, text []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // source code, which others may read
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists: choose another name, or remove the file", name)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}
