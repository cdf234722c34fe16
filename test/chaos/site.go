package chaos

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/test/pgserver"
	"github.com/kontor-crm/kontor/test/rest"
)

// Site is a PostgreSQL and the program on it.
type Site struct {
	Address  string // of the service, the same after restarts
	Token    string // of an admin
	program  string
	url      string           // of the database
	database *pgserver.Server // nil: not started here
	folder   string           // of its data
	service  *exec.Cmd
	ended    chan *os.ProcessState
}

// Open starts a PostgreSQL with fsync, as in production, and the given settings, and the program on it.
func Open(ctx context.Context, program string, settings ...string) (*Site, error) {
	programs, err := pgserver.Programs("bin/initdb")
	if err != nil {
		return nil, err
	}
	pgserver.Sweep(folderPrefix)
	folder, err := pgserver.MakeFolder(folderPrefix)
	if err != nil {
		return nil, err
	}
	s := &Site{program: program, folder: folder}
	if s.database, err = pgserver.New(programs, folder, "data", settings...); err == nil {
		err = s.database.Init()
	}
	if err == nil {
		err = s.database.Start(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.url = s.database.URL("postgres")
	return open(ctx, s)
}

const folderPrefix = "kontor-chaos-"

// OpenOn starts the program on an existing database, which KillDatabase cannot
// kill.
func OpenOn(ctx context.Context, program, databaseURL string) (*Site, error) {
	return open(ctx, &Site{program: program, url: databaseURL})
}

func open(ctx context.Context, s *Site) (*Site, error) {
	address, err := rest.FreeAddress()
	if err != nil {
		return nil, errors.Join(err, s.Close())
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
	if s.database != nil {
		s.database.Kill()
	}
	return errors.Join(err, os.RemoveAll(s.folder)) // without a folder this removes nothing
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
	return append(os.Environ(), "KONTOR_DATABASE_URL="+s.url, "KONTOR_LISTEN="+s.Address, "KONTOR_LOG_FORMAT=json")
}

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

// KillDatabase stops PostgreSQL at once and starts it again.
func (s *Site) KillDatabase(ctx context.Context) error {
	s.database.Kill()
	return s.database.Start(ctx)
}
