package program

import (
	"context"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

func tokenCommand(c bootstrap.Config) *cli.Command {
	return &cli.Command{
		Name:     "token",
		Usage:    "issue, list and revoke access tokens for programs",
		Commands: []*cli.Command{tokenIssueCommand(c), tokenListCommand(c), tokenRevokeCommand(c)},
	}
}

func tokenIssueCommand(c bootstrap.Config) *cli.Command {
	var out output
	var username string
	var ttl time.Duration
	var never bool
	return &cli.Command{
		Name:  "issue",
		Usage: "issue a token for a user; it is shown only once",
		Flags: append(c.RecordFlags(), out.flag(), usernameFlag("user", &username),
			&cli.DurationFlag{
				Name: "ttl", Destination: &ttl, Value: token.DefaultTTL, Usage: "`duration` for which the token is valid, such as 24h",
			},
			&cli.BoolFlag{Name: "never", Destination: &never, Usage: "the token does not expire"},
		),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			switch {
			case never && cmd.IsSet("ttl"):
				return misused("--ttl and --never are mutually exclusive")
			case never:
				ttl = 0
			case ttl <= 0:
				return misused("--ttl must be positive; use --never for a token that does not expire")
			}
			return operate(ctx, &c, func(ctx context.Context, op *bootstrap.Operation) error {
				secret, state, err := op.Commands.Tokens.Issue(ctx, username, ttl)
				if err != nil {
					return named(err, username)
				}
				return out.token(cmd.Root().Writer, secret.Token, state.ExpiresAt)
			})
		},
	}
}

func tokenListCommand(c bootstrap.Config) *cli.Command {
	var out output
	var username string
	return &cli.Command{
		Name:  "list",
		Usage: "list tokens without their secrets",
		Flags: append(c.RecordFlags(), out.flag(),
			&cli.StringFlag{Name: "user", Destination: &username, Usage: "only the tokens of the user with this `name`"}),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			return operate(ctx, &c, func(ctx context.Context, op *bootstrap.Operation) error {
				return list(ctx, cmd, out, readmodel.Tokens, op.Tokens, readmodel.TokenFilter{Username: username}, optional.Of[string]{})
			})
		},
	}
}

func tokenRevokeCommand(c bootstrap.Config) *cli.Command {
	return &cli.Command{
		Name:      "revoke",
		Usage:     "revoke a token",
		ArgsUsage: "<public id>",
		Description: "The public id is the part between the first two underscores of a token, and kontor token list shows it.\n" +
			"A running service rejects the token within five seconds.",
		Flags: c.RecordFlags(),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			publicID := cmd.Args().First()
			if publicID == "" || cmd.Args().Len() > 1 {
				return misused("one public id is required, as kontor token list shows it")
			}
			return operate(ctx, &c, func(ctx context.Context, op *bootstrap.Operation) error {
				return named(op.Commands.Tokens.Revoke(ctx, publicID), publicID)
			})
		},
	}
}
