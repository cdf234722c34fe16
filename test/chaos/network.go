package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/test/rest"
)

// Network is a connection to PostgreSQL that can be disturbed.
type Network struct {
	URL string // of the database through it

	proxy   *exec.Cmd
	control string
	front   *bridge // before toxiproxy, resets connections
	behind  *bridge // to the database
}

// Toxic is a kind of disturbance in terms of toxiproxy.
type Toxic struct {
	Type       string
	Attributes map[string]any
}

const proxyName = "postgres"

// NewNetwork starts toxiproxy, given as its program file, before the database.
func NewNetwork(ctx context.Context, toxiproxy, databaseURL string) (*Network, error) {
	config, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		return nil, err
	}
	n := &Network{}
	if n.behind, err = bridgeTo(database(config)); err != nil {
		return nil, err
	}
	control, err := rest.FreeAddress()
	if err != nil {
		return nil, err
	}
	listen, err := rest.FreeAddress()
	if err != nil {
		return nil, err
	}
	if n.front, err = bridgeTo("tcp", listen); err != nil {
		return nil, err
	}
	host, port, err := net.SplitHostPort(control)
	if err != nil {
		return nil, err
	}
	n.control = "http://" + control
	n.proxy = exec.CommandContext(ctx, toxiproxy, "-host", host, "-port", port)
	if err := n.proxy.Start(); err != nil {
		return nil, err
	}
	n.URL = (&url.URL{
		Scheme: "postgres", User: url.UserPassword(config.User, config.Password), Host: n.front.Addr().String(), Path: "/" + config.Database, RawQuery: "sslmode=disable",
	}).String()
	err = n.begin(ctx, listen)
	return n, err
}

// begin registers the proxy with toxiproxy as soon as that listens.
func (n *Network) begin(ctx context.Context, listen string) error {
	for {
		err := n.call(ctx, "/proxies", map[string]any{"name": proxyName, "listen": listen, "upstream": n.behind.Addr().String(), "enabled": true})
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Close closes all connections.
func (n *Network) Close() error {
	err := n.proxy.Process.Kill()
	_ = n.proxy.Wait() // it was killed
	n.front.Close()
	n.behind.Close()
	return err
}

// AddToxic disturbs both directions until Heal.
func (n *Network) AddToxic(ctx context.Context, d Toxic) error {
	for _, stream := range []string{"upstream", "downstream"} {
		err := n.call(ctx, "/proxies/"+proxyName+"/toxics", map[string]any{
			"name": stream, "type": d.Type, "stream": stream, "toxicity": 1, "attributes": d.Attributes,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Cut closes all connections and accepts none until Heal.
func (n *Network) Cut(ctx context.Context) error {
	return n.call(ctx, "/proxies/"+proxyName, map[string]any{"enabled": false})
}

// Reset resets all connections, new ones too, until Heal.
func (n *Network) Reset(context.Context) error {
	n.front.setResets(true)
	return nil
}

// Heal undoes AddToxic, Cut and Reset.
func (n *Network) Heal(ctx context.Context) error {
	n.front.setResets(false)
	return n.call(ctx, "/reset", nil)
}

func (n *Network) call(ctx context.Context, path string, body any) error {
	content, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, n.control+path, bytes.NewReader(content))
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode >= http.StatusBadRequest {
		message, _ := io.ReadAll(response.Body)
		return fmt.Errorf("%s: %d: %s", path, response.StatusCode, message)
	}
	return nil
}
