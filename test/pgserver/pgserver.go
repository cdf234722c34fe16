// Package pgserver starts PostgreSQL servers for tests, which listen on a port of this machine and can be killed, copied
// and started again. They run as the user postgres if this process is root's: PostgreSQL refuses to run as root.
package pgserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/test/memfolder"
)

// Host is the address of all servers.
const Host = "127.0.0.1"

// ErrNotInstalled is the error of a machine without PostgreSQL's programs.
var ErrNotInstalled = errors.New("PostgreSQL's programs (initdb, postgres) are missing: make postgres installs them")

// Programs is the folder of the newest PostgreSQL that has the file, such as bin/initdb or lib/citus.so. Debian has the
// programs of each version in a folder of their own, and clients' programs also without a server's.
func Programs(file string) (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/" + file)
	if err == nil && len(found) > 0 {
		return filepath.Join(filepath.Dir(filepath.Dir(found[len(found)-1])), "bin"), nil
	}
	if path, err := exec.LookPath("initdb"); err == nil && file == "bin/initdb" {
		return filepath.Dir(path), nil
	}
	return "", ErrNotInstalled
}

// Server is a server, which may be stopped.
type Server struct {
	Port     int
	Folder   string   // of its data; its log is beside it
	Settings []string // for the next start, such as fsync=off

	programs   string
	credential *syscall.Credential // nil: this process's
	process    *exec.Cmd           // nil: it was not started
	ended      chan struct{}
}

// New is a server without data below the parent, a folder of MakeFolder.
func New(programs, parent, name string, settings ...string) (*Server, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort(Host, "0"))
	if err != nil {
		return nil, fmt.Errorf("find a free port: %w", err)
	}
	s := &Server{Port: listener.Addr().(*net.TCPAddr).Port, Folder: filepath.Join(parent, name), Settings: settings, programs: programs}
	s.credential, err = credential()
	return s, errors.Join(err, listener.Close())
}

// MakeFolder makes a folder for servers, in memory if there is room. Its name begins with the prefix and the id of this
// process, by which Sweep knows later that its servers are left over.
func MakeFolder(prefix string) (string, error) {
	account, err := credential()
	if err != nil {
		return "", err
	}
	folder, err := os.MkdirTemp(memfolder.Parent(), prefix+strconv.Itoa(os.Getpid())+"-")
	if err != nil || account == nil {
		return folder, err
	}
	return folder, os.Chown(folder, int(account.Uid), int(account.Gid))
}

// credential is whom PostgreSQL runs as; nil: as this process.
func credential() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		return nil, fmt.Errorf("PostgreSQL does not run as root: run the tests as another user: %w", err)
	}
	uid, uidErr := strconv.ParseUint(account.Uid, 10, 32)
	gid, gidErr := strconv.ParseUint(account.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, errors.Join(uidErr, gidErr)
}

// Init creates the data of a new cluster, with further options of initdb.
func (s *Server) Init(options ...string) error {
	return s.Run("initdb", append(options, "-D", s.Folder, "--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C",
		"--lc-ctype=C.UTF-8", "--no-sync", "--no-instructions")...)
}

// CopyFrom copies the data of a running server.
func (s *Server) CopyFrom(other *Server) error {
	return s.Run("pg_basebackup", "-D", s.Folder, "-X", "stream", "--no-sync", "-c", "fast",
		"-h", Host, "-p", strconv.Itoa(other.Port), "-U", "postgres")
}

// URL is the address of a database on this server.
func (s *Server) URL(database string) string {
	return fmt.Sprintf("postgres://postgres@%s/%s?sslmode=disable", net.JoinHostPort(Host, strconv.Itoa(s.Port)), database)
}

// PID is the process that has started all others of the server.
func (s *Server) PID() int { return s.process.Process.Pid }

// Start starts the server and waits until it accepts connections.
func (s *Server) Start(ctx context.Context) error {
	arguments := []string{"-D", s.Folder, "-c", "port=" + strconv.Itoa(s.Port), "-c", "listen_addresses=" + Host, "-c", "unix_socket_directories="}
	for _, setting := range s.Settings {
		arguments = append(arguments, "-c", setting)
	}
	process := s.Command("postgres", arguments...)
	log, err := os.OpenFile(s.Folder+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open the log of a server: %w", err)
	}
	defer log.Close()
	process.Stdout, process.Stderr = log, log
	if err := process.Start(); err != nil {
		return fmt.Errorf("start PostgreSQL: %w", err)
	}
	ended := make(chan struct{})
	s.process, s.ended = process, ended
	go func() {
		_ = process.Wait() // the log says why it has ended
		close(ended)
	}()
	for limit := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		conn, err := pgx.Connect(ctx, s.URL("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-ended:
			return fmt.Errorf("PostgreSQL has ended: %s", s.LastLog())
		case <-ctx.Done():
			return context.Cause(ctx)
		default:
		}
		if time.Now().After(limit) {
			return fmt.Errorf("PostgreSQL does not accept connections: %w: %s", err, s.LastLog())
		}
	}
}

// Stop shuts the server down, which ends its connections.
func (s *Server) Stop() { s.end(syscall.SIGINT) }

// Kill stops the server at once, as a crash would.
func (s *Server) Kill() { s.end(syscall.SIGQUIT) }

func (s *Server) end(signal syscall.Signal) {
	if s.process != nil {
		_ = s.process.Process.Signal(signal) // fails if it has ended
		<-s.ended
	}
}

// LastLog is the end of the server's log.
func (s *Server) LastLog() []byte {
	log, _ := os.ReadFile(s.Folder + ".log")
	lines := bytes.Split(bytes.TrimSpace(log), []byte("\n"))
	return bytes.Join(lines[max(0, len(lines)-10):], []byte("\n"))
}

// Run runs one of PostgreSQL's programs as the user of the server.
func (s *Server) Run(program string, arguments ...string) error {
	if out, err := s.Command(program, arguments...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", program, err, out)
	}
	return nil
}

// Command is a command of one of PostgreSQL's programs, or of another one by its path, as the user of the server.
func (s *Server) Command(program string, arguments ...string) *exec.Cmd {
	if !filepath.IsAbs(program) {
		program = filepath.Join(s.programs, program)
	}
	cmd := exec.Command(program, arguments...)
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "TZ=UTC"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: s.credential} // an interrupt in the terminal is for the tests
	return cmd
}

// Sweep stops the servers of test processes that were killed, and removes their folders of the prefix.
func Sweep(prefix string) {
	folders, _ := filepath.Glob(filepath.Join(memfolder.Parent(), prefix+"*")) // fails for a malformed pattern only
	for _, folder := range folders {
		pid, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(folder), prefix), "-")
		if number, err := strconv.Atoi(pid); err != nil || syscall.Kill(number, 0) == nil {
			continue
		}
		locks, _ := filepath.Glob(filepath.Join(folder, "*", "postmaster.pid"))
		for _, lock := range locks {
			killLeft(lock)
		}
		_ = os.RemoveAll(folder)
	}
}

// killLeft stops the server of a lock file, unless its number belongs to another process by now.
func killLeft(lock string) {
	text, _ := os.ReadFile(lock)
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		return
	}
	command, err := exec.Command("ps", "-o", "command=", "-p", first).Output()
	if err != nil || !bytes.Contains(command, []byte(filepath.Dir(lock))) {
		return
	}
	_ = syscall.Kill(pid, syscall.SIGQUIT)
	for range 500 {
		if syscall.Kill(pid, 0) != nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}
