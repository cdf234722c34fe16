package program

import (
	"context"

	"github.com/urfave/cli/v3"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

func ruleCommand(c bootstrap.Config) *cli.Command {
	return &cli.Command{
		Name:     "rule",
		Usage:    "try and list business rules",
		Commands: []*cli.Command{ruleTryCommand(c), ruleListCommand(c)},
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
				var fields optional.Of[string] // texts of any length are for scripts only
				if !out.isJSON() {
					fields = optional.Some("id,name,resource,on,mode,source,would_refuse")
				}
				return list(ctx, cmd, out, readmodel.Rules, op.Rules, readmodel.RuleFilter{}, fields)
			})
		},
	}
}
