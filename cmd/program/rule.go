package program

import (
	"context"

	"github.com/urfave/cli/v3"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

func ruleCommand(c bootstrap.Config) *cli.Command {
	return &cli.Command{
		Name:     "rule",
		Usage:    "try and list business rules, and set their modes",
		Commands: []*cli.Command{ruleTryCommand(c), ruleListCommand(c), ruleModeCommand(c)},
	}
}

func ruleListCommand(c bootstrap.Config) *cli.Command {
	var out output
	return &cli.Command{
		Name:        "list",
		Usage:       "list all rules with their modes and numbers of violations",
		Description: "The list has all typed rules, and the compiled rules that kontor serve or kontor migrate up has stored.",
		Flags:       append(c.RecordFlags(), out.flag()),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			return operate(ctx, &c, func(ctx context.Context, op *bootstrap.Operation) error {
				var fields domain.Optional[string] // texts of any length are for scripts only
				if !out.isJSON() {
					fields = domain.Some("id,name,resource,on,mode,source,would_refuse")
				}
				return list(ctx, cmd, out, readmodel.Rules, op.Rules, readmodel.RuleFilter{}, fields)
			})
		},
	}
}

func ruleModeCommand(c bootstrap.Config) *cli.Command {
	return &cli.Command{
		Name:      "mode",
		Usage:     "set the mode of a rule",
		ArgsUsage: "name mode",
		Description: "The mode is off, shadow, warn or enforce. No rule judges this command: with off, it turns off a rule that refuses\n" +
			"what must be done. The services apply it to the next write.",
		Flags: c.RecordFlags(),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			name, mode := cmd.Args().Get(0), cmd.Args().Get(1)
			if cmd.Args().Len() != 2 {
				return misused("the name of a rule and a mode are required; see %s --help", cmd.FullName())
			}
			if _, ok := ruledef.ParseMode(mode); !ok {
				return misused("%q is not a mode: must be off, shadow, warn or enforce", mode)
			}
			return operate(ctx, &c, func(ctx context.Context, op *bootstrap.Operation) error {
				return fault.Named(op.Commands.Rules.SetMode(ctx, name, mode), name)
			})
		},
	}
}
