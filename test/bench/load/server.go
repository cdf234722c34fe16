package load

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/kontor-crm/kontor/test/rest"
)

// target is a server that is measured, and what is requested from it.
type target struct {
	name    string
	address string // host and port
	token   string
	tokens  []string                                            // others
	issue   func(ctx context.Context) (token string, err error) // issues another one
	facts   facts
	walk    []string // paths of successive pages

	pid        int
	others     []int // further processes of the server: instances behind a proxy
	proxy      int   // the process of that proxy; 0: none
	postmaster int
	process    *exec.Cmd // nil in tests
	ended      chan error
	words      map[*Kind]int // how many have been used
}

// startProgram starts Kontor as an operator does: only the address and the database are set. Its log is discarded.
func startProgram(ctx context.Context, name, program string, d *database) (*target, error) {
	t := newTarget(name, d)
	if err := t.start(ctx, program, "serve", "--database-url", d.url, "--listen"); err != nil {
		return nil, err
	}
	t.issue = func(ctx context.Context) (string, error) { return issueToken(ctx, program, d) }
	var err error
	if t.token, err = t.issue(ctx); err == nil {
		err = t.findWalk(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, t.stop())
	}
	return t, nil
}

// processorTime is that of all processes of the server.
func (t *target) processorTime() time.Duration {
	sum := processorTime(t.pid)
	for _, pid := range t.others {
		sum += processorTime(pid)
	}
	return sum
}

// issueToken issues a token at the command line.
func issueToken(ctx context.Context, program string, d *database) (string, error) {
	issue := exec.CommandContext(ctx, program, "token", "issue", "--user", "admin", "--ttl", "24h", "--database-url", d.url)
	issue.Env = withoutSettings(os.Environ())
	output, err := issue.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", issue, err)
	}
	token := tokenPattern.FindString(string(output))
	if token == "" {
		return "", fmt.Errorf("%s printed no token", issue)
	}
	return token, nil
}

var tokenPattern = regexp.MustCompile(`kt_[0-9A-Za-z_-]+`)

// startBaseline starts this program as the baseline server, with the database and the token of the other target and
// the statements of a folder.
func startBaseline(ctx context.Context, other *target, d *database, statements string) (*target, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	t := newTarget("baseline", d)
	t.token = other.token
	err = t.start(ctx, program, "baseline", "-database", d.url, "-token", t.token, "-statements", statements, "-listen")
	return t, err
}

func newTarget(name string, d *database) *target {
	return &target{name: name, facts: d.facts, postmaster: d.postmaster, words: map[*Kind]int{}}
}

const startTimeout = 2 * time.Minute

// start runs the program with the arguments and an address, and waits until it is ready.
func (t *target) start(ctx context.Context, program string, arguments ...string) error {
	var err error
	if t.address, err = rest.FreeAddress(); err != nil {
		return err
	}
	t.process = exec.Command(program, append(arguments, t.address)...) // stopped by stop
	t.process.Env = withoutSettings(os.Environ())
	if err := t.process.Start(); err != nil {
		return fmt.Errorf("start %s: %w", t.name, err)
	}
	t.pid, t.ended = t.process.Process.Pid, make(chan error, 1)
	go func() { t.ended <- t.process.Wait() }()
	for deadline := time.Now().Add(startTimeout); time.Now().Before(deadline); {
		if _, err := t.get(ctx, "/readyz"); err == nil {
			return nil
		}
		select {
		case err := <-t.ended:
			return fmt.Errorf("%s ended (%w): to see why, run %s", t.name, err, t.process)
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), t.stop())
		case <-time.After(5 * time.Millisecond):
		}
	}
	return errors.Join(fmt.Errorf("%s is not ready after %s", t.name, startTimeout), t.stop())
}

// withoutSettings leaves out the variables that configure the service.
func withoutSettings(environment []string) []string {
	var remaining []string
	for _, entry := range environment {
		if !strings.HasPrefix(entry, "KONTOR_") {
			remaining = append(remaining, entry)
		}
	}
	return remaining
}

// stop stops the process as an operator does.
func (t *target) stop() error {
	if t.process == nil {
		return nil
	}
	if err := t.process.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop %s: %w", t.name, err)
	}
	select {
	case err := <-t.ended:
		if err != nil {
			return fmt.Errorf("stop %s: %w", t.name, err)
		}
		return nil
	case <-time.After(30 * time.Second):
		return errors.Join(fmt.Errorf("%s does not stop", t.name), t.process.Process.Kill())
	}
}

// get sends a request that is not measured. Any status but 200 is an error.
func (t *target) get(ctx context.Context, path string) (http.Header, error) {
	response, err := rest.Client{URL: "http://" + t.address, Token: t.token}.Call(ctx, http.MethodGet, path, nil, nil)
	return response.Header, err
}

const walkedPages = 100

var nextLink = regexp.MustCompile(`<https?://[^/>]*([^>]*)>; rel="next"`)

// findWalk follows the links from the page in the middle of all clients.
func (t *target) findWalk(ctx context.Context) error {
	path := "/rest/client?page=" + strconv.FormatInt(max(1, t.facts.clients/20), 10)
	for len(t.walk) < walkedPages {
		t.walk = append(t.walk, path)
		header, err := t.get(ctx, path)
		if err != nil {
			return err
		}
		next := nextLink.FindStringSubmatch(header.Get("Link"))
		if next == nil {
			return nil // a small database has fewer pages
		}
		path = next[1]
	}
	return nil
}

// nextWords are the next words of the kind, at most the share.
func (t *target) nextWords(k *Kind, share int) <-chan string {
	all := k.words(&t.facts)
	from := min(t.words[k], len(all))
	to := min(from+share, len(all))
	t.words[k] = to
	words := make(chan string, to-from)
	for _, word := range all[from:to] {
		words <- word
	}
	close(words)
	return words
}
