package program

import (
	"context"
	"log/slog"
	"net"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/kontor-crm/kontor/adapters/localpg"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/cmd/demo"
)

func demoCommand() *cli.Command {
	var c bootstrap.Config
	return &cli.Command{
		Name:  "demo",
		Usage: "load demo data, once, and issue a token",
		Flags: append(c.DatabaseFlags(), c.AddressFlags()...),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := validate(&c); err != nil {
				return err
			}
			log := slog.New(slog.DiscardHandler)
			return withDatabase(ctx, c, log, localpg.Attach, func(ctx context.Context, _ bootstrap.Config) error { // creates the private one
				return operate(ctx, &c, func(ctx context.Context, op *bootstrap.Operation) error {
					return demo.Run(ctx, cmd.Root().Writer, op.Commands, op.Transaction, publicAddress(c, c.Listen))
				})
			})
		},
	}
}

// publicAddress returns the address of a service with that listener: the
// configured public one, or else one that works on this machine.
func publicAddress(c bootstrap.Config, listen string) string {
	if c.BaseURL != nil {
		return strings.TrimRight(c.BaseURL.String(), "/")
	}
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return c.Scheme() + "://" + listen
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return c.Scheme() + "://" + net.JoinHostPort(host, port)
}
