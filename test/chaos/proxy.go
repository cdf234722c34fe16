package chaos

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/kontor-crm/kontor/test/rest"
)

// servedBy is the header in which a proxy names the instance that served a request,
// "a" or "b".
const servedBy = "X-Served-By"

// Proxy balances requests between two instances by their readiness, and retries
// none.
type Proxy struct {
	Address string
	Close   func() error

	stats string // haproxy's socket
}

// Backend is what haproxy knows about an instance.
type Backend struct {
	Name   string
	IsUp   bool
	Downs  int // how often it was taken out
	Failed int // failed health checks
}

// Backends asks haproxy for the state of the instances.
func (p Proxy) Backends(ctx context.Context) (all []Backend, err error) {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", p.stats)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "show stat -1 4 -1\n"); err != nil { // servers only
		return nil, err
	}
	rows, err := csv.NewReader(conn).ReadAll()
	if err != nil || len(rows) == 0 {
		return nil, fmt.Errorf("read the statistics of haproxy: %w", err)
	}
	for _, row := range rows[1:] {
		of := func(column string) string { return row[slices.Index(rows[0], column)] }
		b := Backend{Name: of("svname"), IsUp: strings.HasPrefix(of("status"), "UP")}
		for column, to := range map[string]*int{"chkdown": &b.Downs, "chkfail": &b.Failed} {
			if *to, err = strconv.Atoi(of(column)); err != nil {
				return nil, err
			}
		}
		all = append(all, b)
	}
	return all, nil
}

// Forward starts the package's own proxy, which checks readiness at an interval.
func Forward(ctx context.Context, interval time.Duration, a, b string) Proxy {
	ctx, stop := context.WithCancel(ctx)
	behind := []*backend{{name: "a", address: a}, {name: "b", address: b}}
	for _, one := range behind {
		go one.poll(ctx, interval)
	}
	var turn atomic.Uint64
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			to := behind[turn.Add(1)%2]
			if !to.ready.Load() {
				to = behind[turn.Add(1)%2]
			}
			r.SetURL(&url.URL{Scheme: "http", Host: to.address})
			r.Out.Header.Set(servedBy, to.name)
		},
		ModifyResponse: func(r *http.Response) error {
			r.Header.Set(servedBy, r.Request.Header.Get(servedBy))
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			http.Error(w, r.Header.Get(servedBy)+": "+err.Error(), http.StatusBadGateway)
		},
		Transport: &http.Transport{MaxIdleConnsPerHost: 64},
		ErrorLog:  log.New(io.Discard, "", 0),
	}
	server := httptest.NewServer(proxy)
	return Proxy{Address: server.Listener.Addr().String(), Close: func() error {
		stop()
		server.Close()
		return nil
	}}
}

// backend is an instance behind a proxy.
type backend struct {
	name, address string
	ready         atomic.Bool
}

func (b *backend) poll(ctx context.Context, interval time.Duration) {
	for tick := time.Tick(interval); ; {
		b.ready.Store(isReady(ctx, b.address))
		select {
		case <-ctx.Done():
			return
		case <-tick:
		}
	}
}

// HAProxy starts haproxy with the configuration from a page of documentation,
// except for the addresses in it and for retries, which could hide a failure.
func HAProxy(ctx context.Context, program, page, folder, a, b string) (Proxy, error) {
	text, err := os.ReadFile(page)
	if err != nil {
		return Proxy{}, err
	}
	return startHAProxy(ctx, program, block(string(text), "haproxy"), folder, a, b)
}

// HAProxyByToken is HAProxy that sends the requests of a token to one instance.
func HAProxyByToken(ctx context.Context, program, page, folder, a, b string) (Proxy, error) {
	text, err := os.ReadFile(page)
	if err != nil {
		return Proxy{}, err
	}
	config := strings.Replace(block(string(text), "haproxy"), "    balance roundrobin\n", block(string(text), "cfg"), 1)
	return startHAProxy(ctx, program, config, folder, a, b)
}

// block is the fenced block in the language.
func block(page, language string) string {
	_, rest, _ := strings.Cut(page, "\n```"+language+"\n")
	text, _, _ := strings.Cut(rest, "```\n")
	return text
}

func startHAProxy(ctx context.Context, program, config, folder, a, b string) (Proxy, error) {
	address, err := rest.FreeAddress()
	if err != nil {
		return Proxy{}, err
	}
	for from, to := range map[string]string{
		"bind :8000\n": "bind " + address + "\n", "server a 10.0.0.11:8080\n": "server a " + a + "\n", "server b 10.0.0.12:8080\n": "server b " + b + "\n",
		"retries 3\n": "retries 0\n",
	} {
		if strings.Count(config, from) != 1 {
			return Proxy{}, fmt.Errorf("the documented configuration does not contain %q", from)
		}
		config = strings.Replace(config, from, to, 1)
	}
	config += "    http-response set-header " + servedBy + " %s\n" // belongs to its last section, the instances
	stats := filepath.Join(folder, "haproxy.sock")
	config = strings.Replace(config, "global\n", "global\n    stats socket "+stats+" mode 600\n", 1)
	file := filepath.Join(folder, "haproxy.cfg")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		return Proxy{}, err
	}
	cmd := exec.CommandContext(ctx, program, "-db", "-f", file)
	if err := cmd.Start(); err != nil {
		return Proxy{}, err
	}
	end := func() error {
		err := cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
		return err
	}
	// haproxy creates its socket after it listens.
	if err := errors.Join(awaitListening(ctx, "tcp", address), awaitListening(ctx, "unix", stats)); err != nil {
		return Proxy{}, errors.Join(err, end())
	}
	return Proxy{Address: address, Close: end, stats: stats}, nil
}

func awaitListening(ctx context.Context, network, address string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(10 * time.Millisecond):
		}
	}
}
