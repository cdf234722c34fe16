package pgtest

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Pooler is a PgBouncer in front of the tests' server, reachable through a socket.
type Pooler struct {
	folder string
	cmd    *exec.Cmd
	ended  chan struct{}
	output bytes.Buffer // can be read when the process has ended
}

// StartPooler starts a PgBouncer that pools transactions, with the settings in addition,
// until the test ends. The test is skipped on a machine without PgBouncer.
func StartPooler(t testing.TB, settings ...string) *Pooler {
	t.Helper()
	cluster := start(t)
	p, err := startPooler(cluster.server.url, settings)
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip("PgBouncer is not installed: apt-get install pgbouncer")
	}
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	t.Cleanup(func() {
		if err := p.stop(); err != nil {
			t.Errorf("pgtest: %v", err)
		}
	})
	return p
}

// URL is the address of a database of the tests' server through the pooler.
func (p *Pooler) URL(databaseURL string) string {
	u, err := url.Parse(databaseURL)
	if err != nil {
		panic("pgtest: " + err.Error())
	}
	return "postgres://kontor@" + u.Path + "?host=" + url.QueryEscape(p.folder) + "&port=6432&sslmode=disable"
}

// startPooler starts PgBouncer as a user other than root, as which it does not run.
func startPooler(serverURL string, settings []string) (*Pooler, error) {
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		return nil, fmt.Errorf("find PgBouncer: %w", err)
	}
	server, err := pgx.ParseConfig(serverURL)
	if err != nil {
		return nil, fmt.Errorf("read the server's URL: %w", err)
	}
	p := &Pooler{ended: make(chan struct{})}
	if p.folder, err = os.MkdirTemp("", "kontor-pooler-"); err != nil {
		return nil, fmt.Errorf("make a folder for PgBouncer: %w", err)
	}
	file := filepath.Join(p.folder, "pgbouncer.ini")
	p.cmd = exec.Command(program, file)
	p.cmd.Stdout, p.cmd.Stderr = &p.output, &p.output
	if err := errors.Join(os.WriteFile(file, []byte(poolerSettings(server, p.folder, settings)), 0o600), p.leaveRoot(server.Host, file)); err != nil {
		return nil, errors.Join(err, os.RemoveAll(p.folder))
	}
	if err := p.cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start PgBouncer: %w", err), os.RemoveAll(p.folder))
	}
	go func() {
		_ = p.cmd.Wait()
		close(p.ended)
	}()
	if err := p.await(); err != nil {
		return nil, errors.Join(err, p.stop())
	}
	return p, nil
}

// poolerSettings is the file of settings. Any client may connect, as the server's user.
func poolerSettings(server *pgx.ConnConfig, folder string, more []string) string {
	database := fmt.Sprintf("* = host='%s' port=%d user='%s'", server.Host, server.Port, server.User)
	if server.Password != "" {
		database += fmt.Sprintf(" password='%s'", server.Password)
	}
	return strings.Join(append([]string{
		"[databases]", database,
		"[pgbouncer]",
		"unix_socket_dir = " + folder,
		"listen_addr =",
		"listen_port = 6432",
		"auth_type = any",
		"admin_users = kontor",
		"pool_mode = transaction",
		"default_pool_size = 20",
		"max_client_conn = 1000",
		"server_login_retry = 0.1",
	}, more...), "\n") + "\n"
}

// leaveRoot has root's PgBouncer run as the owner of the server's socket, or else as
// postgres, or else as nobody.
func (p *Pooler) leaveRoot(host, file string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	uid, gid, err := accountFor(host)
	if err != nil {
		return err
	}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: gid}}
	return errors.Join(os.Chown(p.folder, int(uid), int(gid)), os.Chown(file, int(uid), int(gid)))
}

func accountFor(host string) (uid, gid uint32, err error) {
	if info, statErr := os.Stat(host); statErr == nil && strings.HasPrefix(host, "/") {
		if stat, ok := info.Sys().(*syscall.Stat_t); ok && stat.Uid != 0 {
			return stat.Uid, stat.Gid, nil
		}
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, lookUpErr := user.Lookup(name)
		if lookUpErr != nil {
			continue
		}
		uid, uidErr := strconv.ParseUint(u.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(u.Gid, 10, 32)
		return uint32(uid), uint32(gid), errors.Join(uidErr, gidErr)
	}
	return 0, 0, errors.New("there is no user to run PgBouncer as")
}

// await returns when PgBouncer accepts connections.
func (p *Pooler) await() error {
	for range 500 {
		conn, err := net.Dial("unix", filepath.Join(p.folder, ".s.PGSQL.6432"))
		if err == nil {
			return conn.Close()
		}
		select {
		case <-p.ended:
			return errors.New("PgBouncer has ended")
		case <-time.After(20 * time.Millisecond):
		}
	}
	return errors.New("PgBouncer does not accept connections")
}

// stop ends PgBouncer at once. It is an error if it has ended before.
func (p *Pooler) stop() error {
	var crashed error
	select {
	case <-p.ended:
		crashed = fmt.Errorf("PgBouncer has ended:\n%s", &p.output)
	default:
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
		<-p.ended
	}
	return errors.Join(crashed, os.RemoveAll(p.folder))
}
