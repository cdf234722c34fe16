package citus

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
)

// ErrNotInstalled is the error of a machine without Citus.
var ErrNotInstalled = errors.New("no PostgreSQL with Citus is installed here (citus.so)")

// programs is the folder of the programs of a PostgreSQL that has Citus.
func programs() (string, error) {
	libraries, err := filepath.Glob("/usr/lib/postgresql/*/lib/citus.so")
	if err != nil || len(libraries) == 0 {
		return "", ErrNotInstalled
	}
	return filepath.Join(filepath.Dir(filepath.Dir(libraries[len(libraries)-1])), "bin"), nil
}

// Node is a server of a cluster.
type Node struct {
	Port    int
	folder  string
	bin     string
	account *account
	process *exec.Cmd
	ended   chan struct{}
}

// URL is the address of a database on this node alone.
func (n *Node) URL(database string) string {
	return fmt.Sprintf("postgres://postgres@%s/%s?sslmode=disable", net.JoinHostPort(Host, strconv.Itoa(n.Port)), database)
}

// PID is the process that has started all others of the node.
func (n *Node) PID() int { return n.process.Process.Pid }

func (n *Node) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "TZ=UTC"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // an interrupt in the terminal is for the tests
	if n.account != nil {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: n.account.uid, Gid: n.account.gid}
	}
	return cmd
}

func (n *Node) initialise(ctx context.Context) error {
	return run(n.command(ctx, filepath.Join(n.bin, "initdb"), "-D", n.folder, "--username=postgres", "--auth=trust",
		"--encoding=UTF8", "--locale=C", "--lc-ctype=C.UTF-8", "--no-sync", "--no-instructions"))
}

// copyOf copies the files of a node that has just been started, and has no data yet.
func (n *Node) copyOf(ctx context.Context, other *Node) error {
	return run(n.command(ctx, filepath.Join(n.bin, "pg_basebackup"), "-D", n.folder, "-X", "fetch", "--no-sync", "-c", "fast",
		"-h", Host, "-p", strconv.Itoa(other.Port), "-U", "postgres"))
}

func run(cmd *exec.Cmd) error {
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(cmd.Path), err, out)
	}
	return nil
}

// Start starts the node and waits until it accepts connections.
func (n *Node) Start(ctx context.Context) error {
	args := []string{"-D", n.folder, "-c", "port=" + strconv.Itoa(n.Port), "-c", "unix_socket_directories="}
	for _, s := range settings {
		args = append(args, "-c", s)
	}
	n.process = n.command(context.WithoutCancel(ctx), filepath.Join(n.bin, "postgres"), args...)
	log, err := os.Create(n.folder + ".log")
	if err != nil {
		return fmt.Errorf("create the log of a node: %w", err)
	}
	defer log.Close()
	n.process.Stdout, n.process.Stderr = log, log
	if err := n.process.Start(); err != nil {
		return fmt.Errorf("start a node: %w", err)
	}
	ended := make(chan struct{})
	n.ended = ended
	process := n.process
	go func() {
		_ = process.Wait()
		close(ended)
	}()
	return n.await(ctx)
}

func (n *Node) await(ctx context.Context) (err error) {
	for range 1500 {
		var conn *pgx.Conn
		if conn, err = pgx.Connect(ctx, n.URL("postgres")); err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-n.ended:
			return fmt.Errorf("the node has ended: %s", n.lastLog())
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
	return fmt.Errorf("the node does not accept connections: %w", err)
}

func (n *Node) lastLog() []byte {
	log, _ := os.ReadFile(n.folder + ".log")
	lines := bytes.Split(bytes.TrimSpace(log), []byte("\n"))
	return bytes.Join(lines[max(0, len(lines)-10):], []byte("\n"))
}

// Kill stops the node at once, as a crash would: its connections break.
func (n *Node) Kill() {
	if n.process == nil || n.process.Process == nil {
		return
	}
	_ = n.process.Process.Signal(syscall.SIGQUIT)
	<-n.ended
}

// killLeft stops the server of another process that has gone.
func (n *Node) killLeft() {
	lock, err := os.ReadFile(filepath.Join(n.folder, "postmaster.pid"))
	if err != nil {
		return
	}
	first, _, _ := strings.Cut(string(lock), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		return
	}
	arguments, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if !bytes.Contains(arguments, []byte(n.folder)) { // the number belongs to another process by now
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

func freePort() (int, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort(Host, "0"))
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	return listener.Addr().(*net.TCPAddr).Port, listener.Close()
}

// account is the user that servers run as if this process is root's: PostgreSQL refuses to.
type account struct{ uid, gid uint32 }

func accountOfServers() (*account, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.ParseUint(u.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(u.Gid, 10, 32)
		return &account{uid: uint32(uid), gid: uint32(gid)}, errors.Join(uidErr, gidErr)
	}
	return nil, errors.New("there is no user to run PostgreSQL as")
}

func (a *account) own(folder string) error {
	if a == nil {
		return nil
	}
	return os.Chown(folder, int(a.uid), int(a.gid))
}
