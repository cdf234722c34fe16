package program

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

const healthTimeout = 3 * time.Second

func healthCommand() *cli.Command {
	var c bootstrap.Config
	var ready bool
	return &cli.Command{
		Name:  "health",
		Usage: "ask the service on this machine whether it is alive, for health checks of a container",
		Description: "Requests /healthz, or with --ready /readyz, from the address that the service listens on. Give it the settings of\n" +
			"kontor serve. The exit code is 0 if the response is a 200, and 1 otherwise.",
		Flags: append(c.AddressFlags(), &cli.BoolFlag{
			Name: "ready", Destination: &ready,
			Usage: "ask whether the service can serve, which it cannot without its database",
		}),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := validate(&c); err != nil {
				return err
			}
			path := "/healthz"
			if ready {
				path = "/readyz"
			}
			if err := checkHealth(ctx, localAddress(c)+path); err != nil {
				return err
			}
			_, err := fmt.Fprintln(cmd.Root().Writer, "ok")
			return err
		},
	}
}

// localAddress is where the service responds on this machine. It has no name: an image
// without files may not know localhost.
func localAddress(c bootstrap.Config) string {
	host, port, _ := net.SplitHostPort(c.Listen) // the settings are valid
	switch ip := net.ParseIP(host); {
	case host == "", ip.Equal(net.IPv4zero):
		host = "127.0.0.1"
	case ip.Equal(net.IPv6unspecified):
		host = "::1"
	}
	return c.Scheme() + "://" + net.JoinHostPort(host, port)
}

var errUnhealthy = errors.New("the service is not healthy")

func checkHealth(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return fmt.Errorf("ask for the health of the service: %w", err)
	}
	client := http.Client{Transport: &http.Transport{
		Proxy:             nil, // whatever the environment says: it is on this machine
		DisableKeepAlives: true,
		// The certificate is valid for the public name, not for this address, and no secret is sent.
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // see above
	}}
	response, err := client.Do(request)
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return fmt.Errorf("the service does not run at %s: start it, or correct --listen (KONTOR_LISTEN)", address)
	}
	if err != nil {
		return fmt.Errorf("the service does not respond: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusOK {
		return nil
	}
	said, _ := io.ReadAll(io.LimitReader(response.Body, 1<<10))
	return fmt.Errorf("%w: %s returns %s: %s", errUnhealthy, address, response.Status, said)
}
