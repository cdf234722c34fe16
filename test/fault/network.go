package fault

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
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// Network is the way from the service to PostgreSQL, which can be disturbed.
type Network struct {
	URL string // of the database, by this way

	proxy   *exec.Cmd
	control string
	bridge  net.Listener
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
	if n.bridge, err = bridge(config); err != nil {
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
		Scheme: "postgres", User: url.UserPassword(config.User, config.Password), Host: way, Path: "/" + config.Database, RawQuery: "sslmode=disable",
	}).String()
	err = n.begin(ctx, way)
	return n, err
}

// begin tells toxiproxy of the way, as soon as it listens.
func (n *Network) begin(ctx context.Context, way string) error {
	for {
		err := n.order(ctx, "/proxies", map[string]any{"name": proxyName, "listen": way, "upstream": n.bridge.Addr().String(), "enabled": true})
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
	n.bridge.Close()
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

// Heal undoes Disturb and Cut.
func (n *Network) Heal(ctx context.Context) error {
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

// bridge leads connections on to the database, which may only be reached by a
// socket in a folder.
func bridge(to *pgx.ConnConfig) (net.Listener, error) {
	network, address := "tcp", net.JoinHostPort(to.Host, strconv.Itoa(int(to.Port)))
	if strings.HasPrefix(to.Host, "/") {
		network, address = "unix", filepath.Join(to.Host, ".s.PGSQL."+strconv.Itoa(int(to.Port)))
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return // it was closed
			}
			far, err := net.Dial(network, address)
			if err != nil {
				near.Close()
				continue
			}
			go pass(near, far)
			go pass(far, near)
		}
	}()
	return l, nil
}

// pass hands on what comes until one of them ends, and ends both.
func pass(from, to net.Conn) {
	_, _ = io.Copy(to, from)
	from.Close()
	to.Close()
}
