package chaos

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
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
)

// Site is a PostgreSQL of its own, with fsync as in production, and the program
// on it.
type Site struct {
	Address string // of the service, the same after each start
	Token   string // of an admin
	// Settings are the operator's from the next start on, such as
	// KONTOR_MAX_REQUESTS=10.
	Settings []string

	program  string
	data     string
	database *localpg.Server
	service  *exec.Cmd
	ended    chan *os.ProcessState
}

// Open starts both on an empty folder. program is the built file, and settings
// are PostgreSQL's, where they are not to be the usual ones.
func Open(ctx context.Context, program, folder string, settings map[string]string) (*Site, error) {
	database, err := localpg.Start(ctx, localpg.Options{Dir: folder, Log: slog.New(slog.DiscardHandler), Settings: settings})
	if err != nil {
		return nil, err
	}
	address, err := freeAddress()
	if err != nil {
		return nil, errors.Join(err, database.Stop())
	}
	s := &Site{Address: address, program: program, data: filepath.Join(folder, "postgresql"), database: database}
	err = s.StartService(ctx)
	if err == nil {
		_, err = s.Command(ctx, "user add --username fault --role admin")
	}
	if err == nil {
		var issued struct{ Token string }
		var said string
		if said, err = s.Command(ctx, "token issue --user fault --output json"); err == nil {
			err = json.Unmarshal([]byte(said), &issued)
		}
		s.Token = issued.Token
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close ends both.
func (s *Site) Close() error {
	var err error
	if s.service != nil {
		err = s.KillService()
	}
	return errors.Join(err, s.database.Stop())
}

// Command runs a command of the program, and returns what it prints.
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
	all := append(os.Environ(), "KONTOR_DATABASE_URL="+s.database.URL(), "KONTOR_LISTEN="+s.Address, "KONTOR_LOG_FORMAT=json")
	return append(all, s.Settings...)
}

// DatabaseURL is where PostgreSQL is.
func (s *Site) DatabaseURL() string { return s.database.URL() }

// Connect opens a connection to the database, past the service.
func (s *Site) Connect(ctx context.Context) (*pgx.Conn, error) {
	return pgx.Connect(ctx, s.database.URL())
}

// StartService starts the program and waits until it can serve.
func (s *Site) StartService(ctx context.Context) (err error) {
	if s.service, s.ended, err = s.launch(); err != nil {
		return err
	}
	return s.awaitReady(ctx)
}

// launch starts the program, with further variables of its environment. When it ends,
// the channel has how.
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
		_ = cmd.Wait() // the state says it all
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
	ask, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ask, http.MethodGet, "http://"+address+"/readyz", nil)
	if err != nil {
		return false
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return false
	}
	answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}

// KillService ends the program as the kernel does when memory runs out.
func (s *Site) KillService() error {
	err := s.service.Process.Kill()
	<-s.ended
	s.service = nil
	return err
}

// Restart ends the program and starts it with other settings.
func (s *Site) Restart(ctx context.Context, settings ...string) error {
	s.Settings = settings
	return errors.Join(s.KillService(), s.StartService(ctx))
}

// PeakMemory is how many megabytes the program has held at most since it was
// started; 0 on a system that is not Linux.
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

// KillDatabase stops PostgreSQL at once, without writing anything more, and waits
// until its supervisor has it running again.
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

// postmaster is PostgreSQL's main process.
func (s *Site) postmaster() (int, error) {
	text, err := os.ReadFile(filepath.Join(s.data, "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strconv.Atoi(first)
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}
