package chaos

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/localpg"
	"github.com/kontor-crm/kontor/test/rest"
)

// Site is a PostgreSQL and the program on it.
type Site struct {
	Address string // of the service, the same after restarts
	Token   string // of an admin
	// Settings are environment variables for the next start, such as
	// KONTOR_MAX_REQUESTS=10.
	Settings []string

	program      string
	data         string // folder of PostgreSQL's data
	url          string // of the database
	stopDatabase func() error
	service      *exec.Cmd
	ended        chan *os.ProcessState
}

// Open starts a PostgreSQL in the empty folder, with fsync as in production and
// the given settings, and the program on it.
func Open(ctx context.Context, program, folder string, settings map[string]string) (*Site, error) {
	database, err := localpg.Start(ctx, localpg.Options{Dir: folder, Log: slog.New(slog.DiscardHandler), Settings: settings})
	if err != nil {
		return nil, err
	}
	return open(ctx, &Site{program: program, data: filepath.Join(folder, "postgresql"), url: database.URL(), stopDatabase: database.Stop})
}

// OpenOn starts the program on an existing database, which KillDatabase cannot
// kill.
func OpenOn(ctx context.Context, program, databaseURL string) (*Site, error) {
	return open(ctx, &Site{program: program, url: databaseURL, stopDatabase: func() error { return nil }})
}

func open(ctx context.Context, s *Site) (*Site, error) {
	address, err := rest.FreeAddress()
	if err != nil {
		return nil, errors.Join(err, s.stopDatabase())
	}
	s.Address = address
	if err = s.StartService(ctx); err == nil {
		s.Token, err = s.issueToken(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// issueToken adds an administrator and returns a token.
func (s *Site) issueToken(ctx context.Context) (string, error) {
	if _, err := s.Command(ctx, "user add --username chaos --role admin"); err != nil {
		return "", err
	}
	return s.FurtherToken(ctx)
}

// FurtherToken issues another token of the administrator.
func (s *Site) FurtherToken(ctx context.Context) (string, error) {
	output, err := s.Command(ctx, "token issue --user chaos --output json")
	if err != nil {
		return "", err
	}
	var issued struct{ Token string }
	err = json.Unmarshal([]byte(output), &issued)
	return issued.Token, err
}

// Close stops the service, and PostgreSQL if it was started here.
func (s *Site) Close() error {
	var err error
	if s.service != nil {
		err = s.KillService()
	}
	return errors.Join(err, s.stopDatabase())
}

// client sends requests as the administrator.
func (s *Site) client(by *http.Client) rest.Client {
	return rest.Client{URL: "http://" + s.Address, Token: s.Token, HTTP: by}
}

// Command runs a command of the program and returns its output.
func (s *Site) Command(ctx context.Context, arguments string) (string, error) {
	cmd := exec.CommandContext(ctx, s.program, strings.Fields(arguments)...)
	cmd.Env = s.environment()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return string(out), fmt.Errorf("kontor %s: %w: %s", arguments, err, out)
	}
	return string(out), nil
}

func (s *Site) environment() []string {
	all := append(os.Environ(), "KONTOR_DATABASE_URL="+s.url, "KONTOR_LISTEN="+s.Address, "KONTOR_LOG_FORMAT=json")
	return append(all, s.Settings...)
}

// DatabaseURL is the URL of the database.
func (s *Site) DatabaseURL() string { return s.url }

// Connect opens a connection to the database.
func (s *Site) Connect(ctx context.Context) (*pgx.Conn, error) {
	return pgx.Connect(ctx, s.url)
}

// StartService starts the program and waits until it is ready.
func (s *Site) StartService(ctx context.Context) (err error) {
	if s.service, s.ended, err = s.launch(); err != nil {
		return err
	}
	return s.awaitReady(ctx)
}

// launch starts the program with further environment variables. The channel
// receives its state when it ends.
func (s *Site) launch(environment ...string) (*exec.Cmd, chan *os.ProcessState, error) {
	cmd := exec.Command(s.program, "serve")
	cmd.Env = append(s.environment(), environment...)
	log, err := cmd.StderrPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	ended := make(chan *os.ProcessState, 1)
	go func() {
		_, _ = io.Copy(io.Discard, bufio.NewReader(log))
		_ = cmd.Wait() // the state includes the error
		ended <- cmd.ProcessState
		close(ended)
	}()
	return cmd, ended, nil
}

func (s *Site) awaitReady(ctx context.Context) error { return awaitReady(ctx, s.Address, s.ended) }

func awaitReady(ctx context.Context, address string, ended <-chan *os.ProcessState) error {
	for {
		if isReady(ctx, address) {
			return nil
		}
		select {
		case state := <-ended:
			return fmt.Errorf("the service ended before it was ready: %s", state)
		case <-ctx.Done():
			return fmt.Errorf("the service is not ready: %w", context.Cause(ctx))
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func isReady(ctx context.Context, address string) bool {
	write, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(write, http.MethodGet, "http://"+address+"/readyz", nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return false
	}
	response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// KillService kills the program, as the kernel does when memory runs out.
func (s *Site) KillService() error {
	err := s.service.Process.Kill()
	<-s.ended
	s.service = nil
	return err
}

// Restart kills the program and starts it with other settings.
func (s *Site) Restart(ctx context.Context, settings ...string) error {
	s.Settings = settings
	return errors.Join(s.KillService(), s.StartService(ctx))
}

// PeakMemory is the peak memory of the program in megabytes; 0 on a system other
// than Linux.
func (s *Site) PeakMemory() (megabytes float64, err error) {
	if runtime.GOOS != "linux" {
		return 0, nil
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.service.Process.Pid))
	if err != nil {
		return 0, err
	}
	_, peak, _ := strings.Cut(string(text), "VmHWM:")
	var kilobytes float64
	_, err = fmt.Sscanf(peak, "%f kB", &kilobytes)
	return kilobytes * 1024 / 1e6, err
}

// KillDatabase stops PostgreSQL in immediate mode and waits until its supervisor
// has restarted it.
func (s *Site) KillDatabase(ctx context.Context) error {
	pid, err := s.postmaster()
	if err != nil {
		return err
	}
	if err := syscall.Kill(pid, syscall.SIGQUIT); err != nil {
		return fmt.Errorf("stop PostgreSQL: %w", err)
	}
	for {
		if now, err := s.postmaster(); err == nil && now != pid {
			if conn, err := s.Connect(ctx); err == nil {
				return conn.Close(ctx)
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("PostgreSQL is not back: %w", context.Cause(ctx))
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// postmaster returns the ID of PostgreSQL's main process.
func (s *Site) postmaster() (int, error) {
	text, err := os.ReadFile(filepath.Join(s.data, "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strconv.Atoi(first)
}
