package program

import (
	"context"

	"github.com/urfave/cli/v3"

	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

func userCommand(c bootstrap.Config) *cli.Command {
	return &cli.Command{
		Name:  "user",
		Usage: "add, list and change users",
		Commands: []*cli.Command{
			userAddCommand(c),
			userListCommand(c),
			userChangeCommand(c, "disable", "disable a user and all tokens of the user", (*command.Users).Disable),
			userChangeCommand(c, "enable", "enable a disabled user", (*command.Users).Enable),
			userRoleCommand(c),
		},
	}
}

func usernameFlag(name string, target *string) cli.Flag {
	return &cli.StringFlag{Name: name, Destination: target, Required: true, Usage: "user `name`"}
}

func userAddCommand(c bootstrap.Config) *cli.Command {
	var out output
	var username, fname, lname, email, role string
	return &cli.Command{
		Name:  "add",
		Usage: "add a user",
		Description: "An admin may do everything. A manager reads everything, and writes clients, contacts, deals, offers, contracts and\n" +
			"invoices. A viewer reads everything.",
		Flags: append(c.RecordFlags(), out.flag(),
			usernameFlag("username", &username),
			&cli.StringFlag{Name: "fname", Destination: &fname, Usage: "first `name`"},
			&cli.StringFlag{Name: "lname", Destination: &lname, Usage: "last `name`"},
			&cli.StringFlag{Name: "email", Destination: &email, Usage: "email `address`"},
			&cli.StringFlag{Name: "role", Destination: &role, Value: "manager", Usage: "`role`: admin, manager or viewer"},
		),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			r, err := parseRole(role)
			if err != nil {
				return err
			}
			return operate(ctx, &c, func(ctx context.Context, op *bootstrap.Operation) error {
				id, err := op.Commands.Users.Add(ctx, user.Attributes{
					Username:  domain.Some(username),
					FirstName: domain.Some(fname),
					LastName:  domain.Some(lname),
					Email:     domain.Some(email),
					Role:      domain.Some(r),
				})
				if err != nil {
					return fault.Named(err, username)
				}
				return showAccount(ctx, cmd, op, out, int64(id))
			})
		},
	}
}

func parseRole(name string) (user.Role, error) {
	role, err := user.ParseRole(name)
	if err != nil {
		return role, misused("--role: %q is not a role: must be admin, manager or viewer", name)
	}
	return role, nil
}

func showAccount(ctx context.Context, cmd *cli.Command, op *bootstrap.Operation, out output, id int64) error {
	selection, err := query.Select(readmodel.Accounts, query.Parameters{})
	if err != nil {
		return err
	}
	rows, err := op.Accounts.Read(ctx, id, selection)
	if err != nil {
		return err
	}
	return out.record(cmd.Root().Writer, rows, selection)
}

func userListCommand(c bootstrap.Config) *cli.Command {
	var out output
	return &cli.Command{
		Name:  "list",
		Usage: "list all users",
		Flags: append(c.RecordFlags(), out.flag()),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			return operate(ctx, &c, func(ctx context.Context, op *bootstrap.Operation) error {
				return list(ctx, cmd, out, readmodel.Accounts, op.Accounts, readmodel.NoFilter{}, domain.Optional[string]{})
			})
		},
	}
}

func userChangeCommand(c bootstrap.Config, name, usage string, change func(*command.Users, context.Context, string) error) *cli.Command {
	var username string
	return &cli.Command{
		Name:  name,
		Usage: usage,
		Flags: append(c.RecordFlags(), usernameFlag("username", &username)),
		Action: func(ctx context.Context, _ *cli.Command) error {
			return operate(ctx, &c, func(ctx context.Context, op *bootstrap.Operation) error {
				return fault.Named(change(op.Commands.Users, ctx, username), username)
			})
		},
	}
}

func userRoleCommand(c bootstrap.Config) *cli.Command {
	var username, role string
	return &cli.Command{
		Name:  "role",
		Usage: "change the role of a user",
		Flags: append(c.RecordFlags(), usernameFlag("username", &username),
			&cli.StringFlag{Name: "role", Destination: &role, Required: true, Usage: "`role`: admin, manager or viewer"},
		),
		Action: func(ctx context.Context, _ *cli.Command) error {
			r, err := parseRole(role)
			if err != nil {
				return err
			}
			return operate(ctx, &c, func(ctx context.Context, op *bootstrap.Operation) error {
				return fault.Named(op.Commands.Users.Assign(ctx, username, r), username)
			})
		},
	}
}
