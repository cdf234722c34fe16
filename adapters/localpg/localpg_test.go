package localpg

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/test/executable"
	"github.com/kontor-crm/kontor/test/memfolder"
)

// childFolder names the data directory when the test binary is run again as a Kontor of its own.
const childFolder = "LOCALPG_TEST_CHILD_FOLDER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childFolder); dir != "" {
		os.Exit(beChild(dir))
	}
	code := m.Run()
	if parent := filepath.Dir(usedOnce.path); usedOnce.path != "" {
		if err := os.RemoveAll(parent); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// beChild is a small Kontor: it starts the database, says so, and when interrupted uses its connection once
// more, as a request in flight would, before it stops the database.
func beChild(dir string) int {
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, syscall.SIGINT)
	s, err := Start(context.Background(), fastOptions(dir, slog.New(slog.DiscardHandler)))
	if err != nil {
		fmt.Println("failed:", err)
		return 1
	}
	conn, err := pgx.Connect(context.Background(), s.URL())
	if err != nil {
		fmt.Println("failed:", err)
		return 1
	}
	fmt.Println("ready")
	<-interrupted
	time.Sleep(500 * time.Millisecond) // more than a database that got the signal too needs to end connections
	if _, err := conn.Exec(context.Background(), "select 1"); err != nil {
		fmt.Println("failed:", err)
		return 1
	}
	fmt.Println("answered")
	if err := s.Stop(); err != nil {
		fmt.Println("failed:", err)
		return 1
	}
	fmt.Println("stopped")
	return 0
}

// child is the test binary running as beChild in a process group of its own, like a shell's foreground job.
type child struct {
	cmd   *exec.Cmd
	lines *bufio.Scanner
}

func startChild(t *testing.T, dir string) *child {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childFolder+"="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := &child{cmd: cmd, lines: bufio.NewScanner(out)}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGINT) // it may have ended already
		_ = cmd.Wait()
	})
	c.expect(t, "ready")
	return c
}

func (c *child) expect(t *testing.T, want string) {
	t.Helper()
	if !c.lines.Scan() || c.lines.Text() != want {
		t.Fatalf("the child said %q, want %q", c.lines.Text(), want)
	}
}

// kill ends the child without a chance to clean up: its database lives on.
func (c *child) kill() {
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait() // reports the kill
}

// newFolder is a data directory yet to be made.
func newFolder(t *testing.T) string {
	t.Helper()
	dir, err := temporaryFolder()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(filepath.Dir(dir)); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// temporaryFolder names a data directory that, unlike one in t.TempDir, has a short path and can be reached by the
// account that root runs the database as.
func temporaryFolder() (string, error) {
	parent, err := os.MkdirTemp(memfolder.Parent(), "kontor-test-")
	if err != nil {
		return "", err
	}
	return filepath.Join(parent, "data"), os.Chmod(parent, 0o755)
}

// usedOnce is a data directory as a first start and a clean stop leave it, made once and copied by usedFolder.
var usedOnce struct {
	sync.Once
	path string
	err  error
}

// usedFolder is a data directory that an earlier start has filled.
func usedFolder(t *testing.T) string {
	t.Helper()
	usedOnce.Do(func() {
		if usedOnce.path, usedOnce.err = temporaryFolder(); usedOnce.err != nil {
			return
		}
		s, err := Start(deadline(t), optionsOf(t, usedOnce.path))
		if err != nil {
			usedOnce.err = err
			return
		}
		usedOnce.err = s.Stop()
	})
	if usedOnce.err != nil {
		t.Fatal(usedOnce.err)
	}
	dir := newFolder(t)
	if out, err := exec.Command("cp", "-a", usedOnce.path, dir).CombinedOutput(); err != nil {
		t.Fatalf("copy a used folder: %v: %s", err, out)
	}
	return dir
}

func fastOptions(dir string, log *slog.Logger) Options {
	return Options{Dir: dir, Log: log, Settings: map[string]string{"fsync": "off", "shared_buffers": "16MB"}}
}

func optionsOf(t *testing.T, dir string) Options {
	t.Helper()
	return fastOptions(dir, slog.New(slog.NewTextHandler(t.Output(), nil)))
}

// deadline is generous: tests run side by side on small machines, and only failures wait for it.
func deadline(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// start starts a server that the test's end stops.
func start(t *testing.T, o Options) *Server {
	t.Helper()
	s, err := Start(deadline(t), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, s) })
	return s
}

func stop(t *testing.T, s *Server) {
	t.Helper()
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
}

// ask returns the one value of the one row that a query gives.
func ask[T any](ctx context.Context, s *Server, query string) (T, error) {
	var value T
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.URL())
	if err != nil {
		return value, err
	}
	defer conn.Close(ctx)
	err = conn.QueryRow(ctx, query).Scan(&value)
	return value, err
}

func mustAsk[T any](t *testing.T, s *Server, query string) T {
	t.Helper()
	value, err := ask[T](deadline(t), s, query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return value
}

func do(t *testing.T, s *Server, statement string) {
	t.Helper()
	conn, err := pgx.Connect(deadline(t), s.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(deadline(t))
	if _, err := conn.Exec(deadline(t), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// postmasterOf is the process number of the server that runs on a folder.
func postmasterOf(t *testing.T, dir string) int {
	t.Helper()
	pid, err := strconv.Atoi((&cluster{folder: dir}).postmaster()[0])
	if err != nil {
		t.Fatalf("no server runs on %s: %v", dir, err)
	}
	return pid
}

// ended waits until a process has ended.
func ended(t *testing.T, pid int) {
	t.Helper()
	eventually(t, "the server's process has ended", func() bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) })
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatal("never came true: " + what)
}

// contract 11.1
func TestStopEndsTheDatabaseAndIsRepeatable(t *testing.T) {
	t.Parallel()
	dir := usedFolder(t)
	s := start(t, optionsOf(t, dir))
	pid := postmasterOf(t, dir)
	stop(t, s)
	stop(t, s)
	ended(t, pid)
	if _, err := ask[int](deadline(t), s, "select 1"); err == nil {
		t.Error("the database still answers")
	}
}

// contract 11.3
func TestDatabaseIsReachableThroughAPrivateSocketOnly(t *testing.T) {
	t.Parallel()
	dir := usedFolder(t)
	o := optionsOf(t, dir)
	o.Settings["listen_addresses"] = "127.0.0.1" // even if asked for
	s := start(t, o)
	if got := mustAsk[string](t, s, "show listen_addresses"); got != "" {
		t.Errorf("the server listens on %q", got)
	}
	if got, want := mustAsk[string](t, s, "show unix_socket_directories"), filepath.Join(dir, "socket"); got != want {
		t.Errorf("the socket is in %s, want %s", got, want)
	}
	for _, private := range []string{"socket", "postgresql"} {
		info, err := os.Stat(filepath.Join(dir, private))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o700 {
			t.Errorf("%s has mode %v, want 0700", private, info.Mode().Perm())
		}
	}
}

// contract 11.2
func TestDatabaseIgnoresTheMachinesLocaleAndZone(t *testing.T) {
	t.Parallel()
	s := start(t, optionsOf(t, usedFolder(t)))
	if got, want := mustAsk[string](t, s, settingsOfDatabase), "UTF8 C C.UTF-8 UTC kontor"; got != want {
		t.Errorf("the database is %q, want %q", got, want)
	}
	do(t, s, "create extension pg_trgm")
	for _, word := range []string{"Ялта", "Ήπειρος", "東京都"} {
		if got := mustAsk[int](t, s, "select cardinality(show_trgm('"+word+"'))"); got == 0 {
			t.Errorf("%s has no trigrams", word)
		}
	}
}

const settingsOfDatabase = "select concat_ws(' ', pg_encoding_to_char(encoding), datcollate, datctype, current_setting('timezone'), current_user) from pg_database where datname = 'kontor'"

// The initdb of a system without the locale.
func TestDatabaseIsCreatedWithoutTheLocaleOfAllLetters(t *testing.T) {
	installed := programFolders(os.Getenv("PATH"), places)[0]
	dir := newFolder(t)
	bin := filepath.Join(filepath.Dir(dir), "bin")
	script := "#!/bin/sh\ncase \"$*\" in *C.UTF-8*) exit 1 ;; esac\nexec " + installed + "/initdb \"$@\"\n"
	err := errors.Join(os.Mkdir(bin, 0o755), executable.Write(filepath.Join(bin, "initdb"), []byte(script)),
		os.Symlink(filepath.Join(installed, "pg_ctl"), filepath.Join(bin, "pg_ctl")),
		os.Symlink(filepath.Join(installed, "postgres"), filepath.Join(bin, "postgres")))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	s := start(t, optionsOf(t, dir))
	if got, want := mustAsk[string](t, s, settingsOfDatabase), "UTF8 C C UTC kontor"; got != want {
		t.Errorf("the database is %q, want %q", got, want)
	}
}

// contract 11.3: where the path would be too long for a socket
func TestSocketWithALongPathIsUnderTheTemporaryFolder(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{"too long": strings.Repeat("long/", 25), "with a comma": "a, b"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			socketUnderTemporaryFolder(t, filepath.Join(newFolder(t), path))
		})
	}
}

func socketUnderTemporaryFolder(t *testing.T, dir string) {
	t.Helper()
	s := start(t, optionsOf(t, dir))
	socket := mustAsk[string](t, s, "show unix_socket_directories")
	if filepath.Dir(socket) != filepath.Clean(os.TempDir()) {
		t.Errorf("the socket is in %s, want a folder of its own in %s", socket, os.TempDir())
	}
	info, err := os.Stat(socket)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o700 {
		t.Errorf("%s has mode %v, want 0700", socket, info.Mode().Perm())
	}
	attached, err := Attach(deadline(t), optionsOf(t, dir))
	if err != nil || attached.URL() != s.URL() {
		t.Errorf("attaching gives %v, %v", attached, err)
	}
	stop(t, s)
	if err := os.Remove(socket); err != nil {
		t.Errorf("the socket was left behind: %v", err)
	}
}

// contract 11.8: requests in flight still have a database after Ctrl-C
func TestCtrlCReachesKontorFirst(t *testing.T) {
	t.Parallel()
	dir := usedFolder(t)
	c := startChild(t, dir)
	pid := postmasterOf(t, dir)
	if err := syscall.Kill(-c.cmd.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	c.expect(t, "answered")
	c.expect(t, "stopped")
	ended(t, pid)
}

func TestDatabaseLogContainsNoValues(t *testing.T) {
	t.Parallel()
	dir := usedFolder(t)
	s := start(t, optionsOf(t, dir))
	do(t, s, "create table person (email text unique)")
	do(t, s, "insert into person values ('ann@example.org')")
	if _, err := ask[string](deadline(t), s, "insert into person values ('ann@example.org') returning email"); err == nil {
		t.Fatal("the constraint does not hold")
	}
	stop(t, s)
	logs, err := filepath.Glob(filepath.Join(dir, "postgresql", "log", "postgresql-*.log"))
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	for _, log := range logs {
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		said.Write(text)
	}
	if !strings.Contains(said.String(), "person_email_key") {
		t.Errorf("the log does not hold the server's messages:\n%s", said.String())
	}
	if strings.Contains(said.String(), "ann@example.org") {
		t.Errorf("the log holds data:\n%s", said.String())
	}
}
