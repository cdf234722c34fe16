package replicas

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/test/memfolder"
)

const (
	host     = "127.0.0.1"
	database = "kontor"
)

// settings are those of every server: nothing outlives a test.
var settings = []string{
	"fsync=off", "wal_level=replica", "hot_standby=on", "max_wal_senders=8", "max_connections=200", "shared_buffers=16MB",
	"wal_retrieve_retry_interval=50ms", "max_wal_size=256MB", "listen_addresses=" + host, "unix_socket_directories=", "autovacuum=off",
	"wal_receiver_timeout=2s", "wal_sender_timeout=2s", "restart_after_crash=on",
}

// Server is a PostgreSQL of a test.
type Server struct {
	t       testing.TB
	port    int
	folder  string
	process *exec.Cmd
	ended   chan struct{}
}

// programs is the folder of PostgreSQL's programs: a container has no place for a server that is stopped, copied and
// followed. A machine without them fails, so that these tests are not left out unnoticed.
func programs(t testing.TB) string {
	t.Helper()
	// Debian has the programs of each version in a folder of their own, and clients' programs also without a server's.
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if path, notFound := exec.LookPath("initdb"); notFound == nil && len(found) == 0 {
		found, err = append(found, path), nil
	}
	if err != nil || len(found) == 0 {
		t.Fatal("PostgreSQL's programs (initdb, postgres, pg_basebackup) are missing: make postgres installs them")
	}
	return filepath.Dir(found[len(found)-1])
}

// newServer is a server without data.
func newServer(t testing.TB) *Server {
	t.Helper()
	folder, err := os.MkdirTemp(memfolder.Parent(), "kontor-replicas-") //nolint:usetesting // in memory
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	if c := credential(t); c != nil {
		if err := os.Chown(folder, int(c.Uid), int(c.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	return &Server{t: t, port: freePort(t), folder: filepath.Join(folder, "data")}
}

// template is the data of a stopped server with a migrated database, as a tar archive.
var template struct {
	once sync.Once
	data []byte
}

// NewPrimary starts a server with a migrated database. All such servers of a test process have
// the system identifier of one cluster, because their data is copied.
func NewPrimary(t testing.TB) *Server {
	t.Helper()
	template.once.Do(func() {
		first := NewCluster(t)
		_ = first.process.Process.Signal(syscall.SIGINT) // a clean shutdown
		<-first.ended
		pack := exec.Command("tar", "-C", filepath.Dir(first.folder), "-cf", "-", filepath.Base(first.folder))
		data, err := pack.Output()
		if err != nil {
			t.Fatal(err)
		}
		template.data = data
	})
	if template.data == nil {
		t.Fatal("the first server could not be created")
	}
	s := newServer(t)
	unpack := exec.Command("tar", "-C", filepath.Dir(s.folder), "-xpf", "-")
	unpack.Stdin = bytes.NewReader(template.data)
	unpack.SysProcAttr = &syscall.SysProcAttr{Credential: credential(t)}
	if out, err := unpack.CombinedOutput(); err != nil {
		t.Fatalf("copy the data of a server: %v\n%s", err, out)
	}
	s.Start()
	return s
}

// NewCluster starts a server with a migrated database and a system identifier of its own.
func NewCluster(t testing.TB) *Server {
	t.Helper()
	s := newServer(t)
	s.run("initdb", "-D", s.folder, "--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--lc-ctype=C.UTF-8", "--no-sync", "--no-instructions", "--wal-segsize=1")
	s.Start()
	s.Exec("postgres", "create database "+database)
	migrate(t, s.URL())
	return s
}

func migrate(t testing.TB, databaseURL string) {
	t.Helper()
	if err := postgres.MigrateUp(t.Context(), databaseURL); err != nil {
		t.Fatal(err)
	}
	if err := postgres.RecordZone(t.Context(), databaseURL, "UTC"); err != nil {
		t.Fatal(err)
	}
}

// NewReplica starts a streaming replica of the server, which follows it also to the next timeline.
// The name is that of its connection to the primary.
func (s *Server) NewReplica(name string) *Server {
	s.t.Helper()
	r := newServer(s.t)
	r.run("pg_basebackup", "-D", r.folder, "-X", "stream", "--no-sync", "-c", "fast", "-h", host, "-p", strconv.Itoa(s.port), "-U", "postgres")
	r.Follow(s, name)
	r.Start()
	return r
}

// Follow makes the stopped server a replica of the other.
func (s *Server) Follow(primary *Server, name string) {
	s.t.Helper()
	conninfo := fmt.Sprintf("primary_conninfo = 'host=%s port=%d user=postgres application_name=%s'\nrecovery_target_timeline = 'latest'\n", host, primary.port, name)
	for file, text := range map[string]string{"standby.signal": "", "postgresql.auto.conf": conninfo} {
		path := filepath.Join(s.folder, file)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			s.t.Fatal(err)
		}
		if c := credential(s.t); c != nil {
			if err := os.Chown(path, int(c.Uid), int(c.Gid)); err != nil {
				s.t.Fatal(err)
			}
		}
	}
}

// URL is the address of the database on this server.
func (s *Server) URL() string { return urlOf(s) }

// AllURLs is the address of the database on whichever of the servers is the primary.
func AllURLs(servers ...*Server) string {
	return urlOf(servers...) + "&target_session_attrs=read-write&connect_timeout=1"
}

func urlOf(servers ...*Server) string {
	var hosts []string
	for _, s := range servers {
		hosts = append(hosts, s.address())
	}
	return "postgres://postgres@" + strings.Join(hosts, ",") + "/" + database + "?sslmode=disable"
}

func (s *Server) address() string { return net.JoinHostPort(host, strconv.Itoa(s.port)) }

// Start starts the server and waits until it accepts connections.
func (s *Server) Start() {
	s.t.Helper()
	args := []string{"-D", s.folder, "-c", "port=" + strconv.Itoa(s.port)}
	for _, setting := range settings {
		args = append(args, "-c", setting)
	}
	s.launch(s.command("postgres", args...))
	s.Await("the server accepts connections", func(ctx context.Context) bool {
		conn, err := pgx.Connect(ctx, strings.Replace(s.URL(), database, "postgres", 1))
		return err == nil && conn.Close(ctx) == nil
	})
}

// launch starts a process of the server, which ends with the test.
func (s *Server) launch(process *exec.Cmd) {
	s.t.Helper()
	log, err := os.OpenFile(s.folder+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		s.t.Fatal(err)
	}
	defer log.Close()
	process.Stdout, process.Stderr = log, log
	if err := process.Start(); err != nil {
		s.t.Fatal(err)
	}
	ended := make(chan struct{})
	s.process, s.ended = process, ended
	s.t.Cleanup(func() {
		_ = process.Process.Signal(syscall.SIGQUIT)
		<-ended
	})
	go func() {
		_ = process.Wait()
		close(ended)
	}()
}

// Crash stops the server at once: its connections break, and it loses what is in no log.
func (s *Server) Crash() {
	s.t.Helper()
	_ = s.process.Process.Signal(syscall.SIGQUIT)
	<-s.ended
}

// Freeze stops all processes of the server, whose connections stay open; the function lets them
// go on.
func (s *Server) Freeze() (thaw func()) {
	s.t.Helper()
	pids := append(children(s.process.Process.Pid), s.process.Process.Pid)
	signal := func(sig syscall.Signal) {
		for _, pid := range pids {
			_ = syscall.Kill(pid, sig)
		}
	}
	signal(syscall.SIGSTOP)
	thaw = sync.OnceFunc(func() { signal(syscall.SIGCONT) })
	s.t.Cleanup(thaw)
	return thaw
}

// children are the processes that a process has started.
func children(pid int) (all []int) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	for field := range strings.FieldsSeq(string(text)) {
		if child, err := strconv.Atoi(field); err == nil {
			all = append(all, child)
		}
	}
	return all
}

// Promote makes the replica a primary. The statement is in another database, where replayed changes
// do not cancel it.
func (s *Server) Promote() {
	s.t.Helper()
	s.Exec("postgres", "select pg_promote(true, 60)::text")
}

// Set changes a setting.
func (s *Server) Set(name, value string) {
	s.t.Helper()
	s.Exec(database, "alter system set "+name+" = '"+value+"'")
	s.Exec(database, "select pg_reload_conf()::text")
}

// Exec runs a statement.
func (s *Server) Exec(database, sql string) {
	s.t.Helper()
	if _, err := s.query(s.t.Context(), database, sql); err != nil {
		s.t.Fatalf("%s: %v", sql, err)
	}
}

// Is reports whether the server has a row for the query.
func (s *Server) Is(ctx context.Context, sql string) bool {
	rows, err := s.query(ctx, database, sql)
	return err == nil && rows > 0
}

func (s *Server) query(ctx context.Context, database, sql string) (rows int64, err error) {
	err = s.connect(ctx, database, func(conn *pgx.Conn) error {
		done, err := conn.Exec(ctx, sql)
		rows = done.RowsAffected()
		return err
	})
	return rows, err
}

func (s *Server) connect(ctx context.Context, database string, use func(*pgx.Conn) error) error {
	config, err := pgx.ParseConfig(s.URL())
	if err != nil {
		return err
	}
	config.Database = database
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	return use(conn)
}

// Await waits until the condition holds.
func (s *Server) Await(what string, holds func(context.Context) bool) {
	s.t.Helper()
	for end := time.Now().Add(time.Minute); !holds(s.t.Context()); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("%s: not within a minute\n%s", what, s.lastLog())
		}
	}
}

func (s *Server) lastLog() []byte {
	log, _ := os.ReadFile(s.folder + ".log")
	lines := bytes.Split(bytes.TrimSpace(log), []byte("\n"))
	return bytes.Join(lines[max(0, len(lines)-10):], []byte("\n"))
}

func (s *Server) run(program string, args ...string) {
	s.t.Helper()
	if out, err := s.command(program, args...).CombinedOutput(); err != nil {
		s.t.Fatalf("%s: %v\n%s", program, err, out)
	}
}

func (s *Server) command(program string, args ...string) *exec.Cmd {
	s.t.Helper()
	cmd := exec.Command(filepath.Join(programs(s.t), program), args...)
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Dir(s.folder), "LC_ALL=C.UTF-8", "TZ=UTC"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: credential(s.t)}
	return cmd
}

// credential is whom PostgreSQL runs as, which refuses to run as root; nil: as this process.
func credential(t testing.TB) *syscall.Credential {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		t.Fatal("PostgreSQL does not run as root, and there is no user postgres: run the tests as another user")
	}
	uid, _ := strconv.ParseUint(account.Uid, 10, 32)
	gid, _ := strconv.ParseUint(account.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

func freePort(t testing.TB) int {
	t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

// Name is how the service names the server.
func (s *Server) Name() string { return fmt.Sprintf("%s:%d/%s", host, s.port, database) }
