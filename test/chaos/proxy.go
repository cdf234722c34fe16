package chaos

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/kontor-crm/kontor/test/rest"
)

// servedBy is the header in which haproxy names the instance that served a request, "a" or "b".
const servedBy = "X-Served-By"

// startHAProxy starts haproxy with the configuration from a page of documentation, except for the addresses in it and for
// retries, which could hide a failure. It ends with the context.
func startHAProxy(ctx context.Context, page, folder, a, b string) (address string, err error) {
	text, err := os.ReadFile(page)
	if err != nil {
		return "", err
	}
	_, config, _ := strings.Cut(string(text), "\n```haproxy\n")
	config, _, _ = strings.Cut(config, "```\n")
	if address, err = rest.FreeAddress(); err != nil {
		return "", err
	}
	for from, to := range map[string]string{
		"bind :8000\n": "bind " + address + "\n", "server a 10.0.0.11:8080\n": "server a " + a + "\n", "server b 10.0.0.12:8080\n": "server b " + b + "\n",
		"retries 3\n": "retries 0\n",
	} {
		if strings.Count(config, from) != 1 {
			return "", fmt.Errorf("the documented configuration does not contain %q", from)
		}
		config = strings.Replace(config, from, to, 1)
	}
	config += "    http-response set-header " + servedBy + " %s\n" // belongs to its last section, the instances
	file := filepath.Join(folder, "haproxy.cfg")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "haproxy", "-db", "-f", file)
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("install the package haproxy: %w", err)
	}
	go func() { _ = cmd.Wait() }() // it is killed
	for {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
		if err == nil {
			return address, conn.Close()
		}
		select {
		case <-ctx.Done():
			return "", errors.Join(context.Cause(ctx), err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}
