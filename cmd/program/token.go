package program

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
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
	var scopes []string
	var label string
	return &cli.Command{
		Name:  "issue",
		Usage: "issue a token for a user; it is shown only once",
		Flags: append(c.RecordFlags(), out.flag(), usernameFlag("user", &username),
			&daysFlag{
				Name: "ttl", Destination: &ttl, Value: token.DefaultTTL, Usage: "`duration` for which the token is valid, such as 30d or 12h",
			},
			&cli.BoolFlag{Name: "never", Destination: &never, Usage: "the token does not expire"},
			&cli.StringSliceFlag{
				Name: "scope", Destination: &scopes,
				Usage: "what the token may do, as `RESOURCE:read` or RESOURCE:write, which includes reading: of what its user may; " +
					"the resources are the paths below /rest/",
			},
			&cli.StringFlag{Name: "label", Destination: &label, Usage: "`text` that says what the token is for"},
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
			allowed, err := token.ParseScopes(scopes, bootstrap.ScopeResources())
			if err != nil {
				return misused("%s", fault.As(err).Message)
			}
			if cmd.IsSet("scope") && allowed == "" {
				return misused("--scope needs a scope; without the option, the token may do what its user may")
			}
			return operate(ctx, &c, func(ctx context.Context, op *bootstrap.Operation) error {
				secret, state, err := op.Commands.Tokens.IssueScoped(ctx, username, ttl, allowed, label)
				if err != nil {
					return fault.Named(err, username)
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
				return list(ctx, cmd, out, readmodel.Tokens, op.Tokens, readmodel.TokenFilter{Username: username}, domain.Optional[string]{})
			})
		},
	}
}

func tokenRevokeCommand(c bootstrap.Config) *cli.Command {
	return &cli.Command{
		Name:      "revoke",
		Usage:     "revoke a token",
		ArgsUsage: "<id or public id>",
		Description: "kontor token list shows both. The public id is the part between the first two underscores of a token.\n" +
			"A running service rejects the token within five seconds.",
		Flags: c.RecordFlags(),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			given := cmd.Args().First()
			if given == "" || cmd.Args().Len() > 1 {
				return misused("one id or public id is required, as kontor token list shows it")
			}
			return operate(ctx, &c, func(ctx context.Context, op *bootstrap.Operation) error {
				publicID, err := publicIDOf(ctx, op, given)
				if err != nil {
					return fault.Named(err, given)
				}
				return fault.Named(op.Commands.Tokens.Revoke(ctx, publicID), given)
			})
		},
	}
}

// shortestPublicID is the number of digits of a public id; one of a company has more.
const shortestPublicID = 12

// publicIDOf returns the public id of a token, which is given by it or by its id.
func publicIDOf(ctx context.Context, op *bootstrap.Operation, given string) (string, error) {
	if len(given) >= shortestPublicID || strings.Trim(given, "0123456789") != "" {
		return given, nil
	}
	id, err := strconv.ParseInt(given, 10, 64)
	if err != nil {
		return "", err
	}
	selection, err := query.Select(readmodel.Tokens, query.Parameters{Fields: domain.Some("public_id")})
	if err != nil {
		return "", err
	}
	rows, err := op.Tokens.Read(ctx, id, selection)
	if err != nil {
		return "", err
	}
	return cellText(rows, 0, selection.Nodes[0]), nil
}

// daysFlag is a flag for a duration that may begin with a number of days, such as 30d or 1d12h.
type daysFlag = cli.FlagBase[time.Duration, cli.NoConfig, daysValue]

type daysValue time.Duration

// Create implements cli.ValueCreator.
func (daysValue) Create(value time.Duration, p *time.Duration, _ cli.NoConfig) cli.Value {
	*p = value
	return (*daysValue)(p)
}

// ToString implements cli.ValueCreator.
func (daysValue) ToString(value time.Duration) string {
	d := daysValue(value)
	return d.String()
}

// Set implements cli.Value.
func (d *daysValue) Set(s string) error {
	parsed, err := token.ParseLife(s)
	if err != nil || s == token.Forever {
		return errors.New("must be a duration, such as 30d, 12h or 1d12h")
	}
	*d = daysValue(parsed)
	return nil
}

// Get implements cli.Value.
func (d *daysValue) Get() any { return time.Duration(*d) }

// String implements cli.Value: it returns whole days as such.
func (d *daysValue) String() string {
	const day = daysValue(24 * time.Hour)
	if *d > 0 && *d%day == 0 {
		return strconv.FormatInt(int64(*d/day), 10) + "d"
	}
	return time.Duration(*d).String()
}
