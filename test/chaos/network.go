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
)

// Network is the way from the service to PostgreSQL, which can be disturbed.
type Network struct {
	URL string // of the database, by this way

	proxy   *exec.Cmd
	control string
	front   *bridge // before toxiproxy, where connections are reset
	behind  *bridge // to the database
}

// Disturbance is what happens on the way, in the words of toxiproxy.
type Disturbance struct {
	Type       string
	Attributes map[string]any
}

const proxyName = "postgres"

// Between makes a way to the database. toxiproxy is the built file of its server.
func Between(ctx context.Context, toxiproxy, databaseURL string) (*Network, error) {
	config, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		return nil, err
	}
	n := &Network{}
	if n.behind, err = bridgeTo(database(config)); err != nil {
		return nil, err
	}
	control, err := freeAddress()
	if err != nil {
		return nil, err
	}
	way, err := freeAddress()
	if err != nil {
		return nil, err
	}
	if n.front, err = bridgeTo("tcp", way); err != nil {
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
	err = n.begin(ctx, way)
	return n, err
}

// begin tells toxiproxy of the way, as soon as it listens.
func (n *Network) begin(ctx context.Context, way string) error {
	for {
		err := n.order(ctx, "/proxies", map[string]any{"name": proxyName, "listen": way, "upstream": n.behind.Addr().String(), "enabled": true})
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

// Close ends the way.
func (n *Network) Close() error {
	err := n.proxy.Process.Kill()
	_ = n.proxy.Wait() // that it was killed
	n.front.Close()
	n.behind.Close()
	return err
}

// Disturb lets something happen in both directions until Heal.
func (n *Network) Disturb(ctx context.Context, d Disturbance) error {
	for _, stream := range []string{"upstream", "downstream"} {
		err := n.order(ctx, "/proxies/"+proxyName+"/toxics", map[string]any{
			"name": stream, "type": d.Type, "stream": stream, "toxicity": 1, "attributes": d.Attributes,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Cut ends all connections and lets none be made until Heal.
func (n *Network) Cut(ctx context.Context) error {
	return n.order(ctx, "/proxies/"+proxyName, map[string]any{"enabled": false})
}

// Reset breaks all connections as soon as they are made, until Heal: whoever reads
// or writes is told that the other end reset it.
func (n *Network) Reset(context.Context) error {
	n.front.resetting(true)
	return nil
}

// Heal undoes Disturb, Cut and Reset.
func (n *Network) Heal(ctx context.Context) error {
	n.front.resetting(false)
	return n.order(ctx, "/reset", nil)
}

func (n *Network) order(ctx context.Context, path string, what any) error {
	body, err := json.Marshal(what)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, n.control+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode >= http.StatusBadRequest {
		said, _ := io.ReadAll(answer.Body)
		return fmt.Errorf("%s: %d: %s", path, answer.StatusCode, said)
	}
	return nil
}
