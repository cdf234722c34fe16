package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"github.com/kontor-crm/kontor/test/rest"
)

// program is a running service.
type program struct {
	name, path, url    string
	place              []string // the arguments that name its database
	tokens, slowTokens []string
	sample             *sample
	http               *http.Client
	command            *exec.Cmd
}

// slowTokens is how many tokens the callers of slow queries share.
const slowTokens = 8

var token = regexp.MustCompile(`kt_[0-9A-Za-z_-]+`)

// start starts the program, and issues tokens.
func start(ctx context.Context, name, path, database string, o options) (*program, error) {
	p, err := serve(ctx, name, path, database, o)
	if err != nil {
		return nil, err
	}
	p.tokens, p.slowTokens = make([]string, o.tokens), make([]string, slowTokens)
	for _, tokens := range [][]string{p.tokens, p.slowTokens} {
		for i := range tokens {
			if tokens[i], err = p.issue(ctx); err != nil {
				return nil, errors.Join(err, p.stop(io.Discard))
			}
		}
	}
	return p, nil
}

// serve starts the program as an operator does: only the address and the database are set.
func serve(ctx context.Context, name, path, database string, o options) (*program, error) {
	place := []string{"--data-dir", database}
	if strings.Contains(database, "://") {
		place = []string{"--database-url", database}
	}
	address, err := rest.FreeAddress()
	if err != nil {
		return nil, err
	}
	p := &program{name: name, path: path, place: place, url: "http://" + address}
	p.http = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: int(o.connections + o.slow), DisableCompression: true}, Timeout: time.Minute}
	p.command = exec.Command(path, append([]string{"serve", "--log-level", "error", "--listen", address}, place...)...)
	p.command.Stderr = os.Stderr
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	ready := func() error {
		_, err := rest.Client{URL: p.url, HTTP: p.http}.Call(ctx, http.MethodGet, "/readyz", nil, nil)
		return err
	}
	for deadline := time.Now().Add(2 * time.Minute); ready() != nil; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) || ctx.Err() != nil {
			return nil, errors.Join(fmt.Errorf("%s is not ready", path), p.stop(io.Discard))
		}
	}
	return p, nil
}

// issue issues a token of the admin.
func (p *program) issue(ctx context.Context, arguments ...string) (string, error) {
	output, err := p.run(ctx, append([]string{"token", "issue", "--user", "admin", "--ttl", "24h"}, arguments...)...)
	return token.FindString(output), err
}

// run runs another command of the program on its database.
func (p *program) run(ctx context.Context, arguments ...string) (string, error) {
	command := exec.CommandContext(ctx, p.path, append(arguments, p.place...)...)
	output, err := command.Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%s: %w: %s", command, err, failed.Stderr)
	}
	return string(output), err
}

func (p *program) client() rest.Client {
	return rest.Client{URL: p.url, Token: p.tokens[0], HTTP: p.http}
}

// stop stops the program as an operator does, and prints the most memory that it had.
func (p *program) stop(out io.Writer) error {
	if err := p.command.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	err := p.command.Wait()
	if usage, ok := p.command.ProcessState.SysUsage().(*syscall.Rusage); ok {
		fmt.Fprintf(out, "%s had at most %d MB.\n", p.name, usage.Maxrss/1024)
	}
	return err
}

// targeter makes the requests of a sequence, with the tokens in turn.
func (p *program) targeter(requests sequence, tokens []string) vegeta.Targeter {
	var sent atomic.Int64
	return func(t *vegeta.Target) error {
		n := int(sent.Add(1) - 1)
		path, body := requests.next(n)
		t.Method, t.URL, t.Header = http.MethodGet, p.url+path, http.Header{"Authorization": {"Bearer " + tokens[n%len(tokens)]}}
		if body != "" {
			t.Method, t.Body = http.MethodPost, []byte(body)
			t.Header.Set("Content-Type", "application/json")
		}
		return nil
	}
}

// processorTime is the CPU time of the program; 0 where it cannot be read.
func (p *program) processorTime() time.Duration {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.command.Process.Pid)) // Linux only
	_, behindName, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(behindName)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11]) // the kernel writes numbers, of hundredths of a second
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * time.Second / 100
}
