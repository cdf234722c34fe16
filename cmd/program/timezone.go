package program

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/fault"
)

func timezoneCommand() *cli.Command {
	return &cli.Command{
		Name:     "timezone",
		Usage:    "show or change the time zone of the database",
		Commands: []*cli.Command{timezoneShowCommand(), timezoneSetCommand()},
	}
}

func timezoneShowCommand() *cli.Command {
	var c bootstrap.Config
	var out output
	return &cli.Command{
		Name:  "show",
		Usage: "print the zone",
		Flags: append(c.ConnectionFlags(), c.CompanyFlag(), out.flag()),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			return withSchema(ctx, &c, func(ctx context.Context, c bootstrap.Config) error {
				zone, err := postgres.Zone(ctx, c.DatabaseURL)
				if err != nil {
					return err
				}
				if out.isJSON() {
					return writeJSON(cmd.Root().Writer, map[string]string{"timezone": zone})
				}
				_, err = fmt.Fprintln(cmd.Root().Writer, zone)
				return err
			})
		},
	}
}

func timezoneSetCommand() *cli.Command {
	var c bootstrap.Config
	return &cli.Command{
		Name:      "set",
		Usage:     "change the zone while no service runs",
		ArgsUsage: "<IANA name>",
		Description: "Stop all services before, and start them with the new zone afterwards. With --company it changes the zone of that\n" +
			"company.",
		Flags: append(c.ConnectionFlags(), c.CompanyFlag()),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			zone := cmd.Args().First()
			if zone == "" || cmd.Args().Len() > 1 {
				return misused("one time zone is required, such as: kontor timezone set Europe/Berlin")
			}
			if err := bootstrap.ValidateZone(zone); err != nil {
				return misused("%w", err)
			}
			if c.CompanyName != "" {
				return setCompanyZone(ctx, cmd, c, zone)
			}
			return withSchema(ctx, &c, func(ctx context.Context, c bootstrap.Config) error {
				if err := postgres.SetZone(ctx, c.DatabaseURL, zone); err != nil {
					return err
				}
				_, err := fmt.Fprintf(cmd.Root().Writer,
					"the time zone of the database is %s: start the service with --timezone %s (KONTOR_TIMEZONE)\n", zone, zone)
				return err
			})
		},
	}
}

// setCompanyZone changes the zone of a company.
func setCompanyZone(ctx context.Context, cmd *cli.Command, c bootstrap.Config, zone string) error {
	name := c.CompanyName
	c.CompanyName = "" // the catalogue is needed, not the records
	return withSchema(ctx, &c, func(ctx context.Context, c bootstrap.Config) error {
		all, closeAll, err := bootstrap.NewCompanies(ctx, c)
		if err != nil {
			return err
		}
		defer closeAll()
		if err := all.SetZone(ctx, name, zone); err != nil {
			return fault.Named(err, name)
		}
		_, err = fmt.Fprintf(cmd.Root().Writer, "the time zone of the company %s is %s\n", name, zone)
		return err
	})
}
