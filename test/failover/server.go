package failover

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/test/pgserver"
)

const database = "kontor"

// settings are those of every server: nothing outlives a test.
var settings = []string{
	"fsync=off", "wal_level=replica", "hot_standby=on", "max_wal_senders=8", "max_connections=200", "shared_buffers=16MB",
	"wal_retrieve_retry_interval=50ms", "max_wal_size=256MB", "autovacuum=off",
	"wal_receiver_timeout=2s", "wal_sender_timeout=2s", "restart_after_crash=on",
}

// Server is a PostgreSQL of a test.
type Server struct {
	*pgserver.Server

	t testing.TB
}

// newServer is a server without data. A machine without PostgreSQL's programs fails, so that these tests are not left out
// unnoticed: a container has no place for a server that is stopped, copied and followed.
func newServer(t testing.TB) *Server {
	t.Helper()
	programs, err := pgserver.Programs("bin/initdb")
	if err != nil {
		t.Fatal(err)
	}
	folder, err := pgserver.MakeFolder("kontor-failover-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	s, err := pgserver.New(programs, folder, "data", settings...)
	if err != nil {
		t.Fatal(err)
	}
	return &Server{s, t}
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
		first.Stop()
		pack := exec.Command("tar", "-C", filepath.Dir(first.Folder), "-cf", "-", filepath.Base(first.Folder))
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
	unpack := s.Command("/usr/bin/env", "tar", "-C", filepath.Dir(s.Folder), "-xpf", "-")
	unpack.Stdin = bytes.NewReader(template.data)
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
	if err := s.Init("--wal-segsize=1"); err != nil {
		t.Fatal(err)
	}
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
	if err := r.CopyFrom(s.Server); err != nil {
		s.t.Fatal(err)
	}
	r.Follow(s, name)
	r.Start()
	return r
}

// Follow makes the stopped server a replica of the other.
func (s *Server) Follow(primary *Server, name string) {
	s.t.Helper()
	conninfo := fmt.Sprintf("primary_conninfo = 'host=%s port=%d user=postgres application_name=%s'\nrecovery_target_timeline = 'latest'\n",
		pgserver.Host, primary.Port, name)
	for file, text := range map[string]string{"standby.signal": "", "postgresql.auto.conf": conninfo} {
		write := s.Command("/usr/bin/env", "tee", filepath.Join(s.Folder, file)) // as the server's user
		write.Stdin = strings.NewReader(text)
		if err := write.Run(); err != nil {
			s.t.Fatal(err)
		}
	}
}

// URL is the address of the database on this server.
func (s *Server) URL() string { return s.Server.URL(database) }

// AllURLs is the address of the database on whichever of the servers is the primary.
func AllURLs(servers ...*Server) string {
	var hosts []string
	for _, s := range servers {
		hosts = append(hosts, net.JoinHostPort(pgserver.Host, strconv.Itoa(s.Port)))
	}
	return "postgres://postgres@" + strings.Join(hosts, ",") + "/" + database + "?sslmode=disable&target_session_attrs=read-write&connect_timeout=1"
}

// Start starts the server, which ends with the test, and waits until it accepts connections.
func (s *Server) Start() {
	s.t.Helper()
	s.t.Cleanup(s.Kill)
	if err := s.Server.Start(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// Crash stops the server at once: its connections break, and it loses what is in no log.
func (s *Server) Crash() { s.Kill() }

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
			s.t.Fatalf("%s: not within a minute\n%s", what, s.LastLog())
		}
	}
}
