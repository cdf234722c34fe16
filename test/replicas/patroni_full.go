//go:build full

package replicas

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

const patroniPage = "../../docs/replicas.md"

// envPatroniTimes has the clusters keep the times of the page, if its value is page. Others fail over
// sooner, so that tests are short.
const envPatroniTimes = "KONTOR_TEST_PATRONI_TIMES"

// Patroni is a cluster of servers that Patroni manages, with the configuration and the statements of
// docs/replicas.md. The page's addresses, folders and times are replaced.
type Patroni struct {
	t     testing.TB
	Nodes []*Node
}

// Node is a server that Patroni runs. Its role for connections is that of the service.
type Node struct {
	*Server
	admin  *Server // the same one, as its superuser
	config string  // file
	api    string  // address of Patroni
}

// NewPatroni starts etcd and a cluster with a migrated database. The test is skipped on a machine without Patroni.
func NewPatroni(t testing.TB, nodes int) *Patroni {
	t.Helper()
	for _, program := range []string{"patroni", "patronictl", "etcd"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed: apt-get install patroni etcd-server", program)
		}
	}
	etcd := startEtcd(t)
	p := &Patroni{t: t}
	for i := range nodes {
		p.Nodes = append(p.Nodes, newNode(t, fmt.Sprintf("db%d", i+1), etcd))
	}
	for _, n := range p.Nodes {
		n.Start()
		p.Nodes[0].Await("there is a leader", func(ctx context.Context) bool { return p.leader(ctx) != nil })
	}
	for statement := range strings.Lines(block(t, "sql")) {
		p.Leader().admin.Exec("postgres", statement)
	}
	migrate(t, AllURLs(p.Servers()...))
	p.AwaitSynchronous()
	return p
}

// startEtcd starts a single member and returns the address of its clients.
func startEtcd(t testing.TB) (address string) {
	t.Helper()
	s := newServer(t)
	clients, peers := "http://"+s.address(), "http://"+net.JoinHostPort(host, strconv.Itoa(freePort(t)))
	s.launch(s.commandOf("etcd", "--name=one", "--data-dir="+s.folder, "--unsafe-no-fsync",
		"--listen-client-urls="+clients, "--advertise-client-urls="+clients, "--listen-peer-urls="+peers,
		"--initial-advertise-peer-urls="+peers, "--initial-cluster=one="+peers))
	return s.address()
}

func newNode(t testing.TB, name, etcd string) *Node {
	t.Helper()
	s := newServer(t)
	s.login = url.UserPassword("kontor", "secret")
	admin := &Server{t: t, port: s.port, folder: s.folder, login: url.UserPassword("postgres", "secret")}
	api := net.JoinHostPort(host, strconv.Itoa(freePort(t)))
	n := &Node{Server: s, admin: admin, config: filepath.Join(filepath.Dir(s.folder), "config.yml"), api: api}
	text := replace(t, block(t, "yaml"),
		"name: db1", "name: "+name,
		`"*:8008"`, `"`+api+`"`,
		"db1.example.org:8008", api,
		"etcd1.example.org:2379,etcd2.example.org:2379,etcd3.example.org:2379", etcd,
		`"*:5432"`, `"`+s.address()+`"`,
		"db1.example.org:5432", s.address(),
		"/var/lib/postgresql/15/kontor", s.folder,
		"/usr/lib/postgresql/15/bin", programs(t),
	)
	if os.Getenv(envPatroniTimes) != "page" {
		text = replace(t, text, "ttl: 20", "ttl: 6", "loop_wait: 5", "loop_wait: 1", "retry_timeout: 5", "retry_timeout: 2")
	}
	text += "  parameters:\n    unix_socket_directories: ''\n" // that of Debian belongs to another user
	if err := os.WriteFile(n.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if c := credential(t); c != nil {
		if err := os.Chown(n.config, int(c.Uid), int(c.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(n.stop)
	return n
}

// replace replaces texts, each of which the configuration has once, by the ones that follow them.
func replace(t testing.TB, text string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if strings.Count(text, pairs[i]) != 1 {
			t.Fatalf("the configuration in %s does not have %s once", patroniPage, pairs[i])
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	return text
}

// block is the block of that language below the heading Patroni.
func block(t testing.TB, language string) string {
	t.Helper()
	page, err := os.ReadFile(patroniPage)
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n### Patroni\n")
	_, text, _ := strings.Cut(section, "\n```"+language+"\n")
	text, _, isThere := strings.Cut(text, "\n```\n")
	if !isThere {
		t.Fatalf("%s has no block of %s below Patroni", patroniPage, language)
	}
	return text + "\n"
}

// Start starts Patroni, which starts the server.
func (n *Node) Start() {
	n.t.Helper()
	n.launch(n.commandOf("patroni", n.config))
}

// Kill kills Patroni and the server: no process of them does anything more.
func (n *Node) Kill() {
	n.KillPatroni()
	if pid := n.postmaster(); pid != 0 {
		for _, process := range append([]int{pid}, children(pid)...) {
			_ = syscall.Kill(process, syscall.SIGKILL)
		}
	}
}

// KillPatroni kills Patroni, and not the server.
func (n *Node) KillPatroni() {
	_ = n.process.Process.Kill()
	<-n.ended
}

// stop ends all processes, and has the server remove its shared memory.
func (n *Node) stop() {
	if n.process != nil {
		n.KillPatroni()
	}
	for end := time.Now().Add(10 * time.Second); n.postmaster() != 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			n.Kill()
			return
		}
		_ = syscall.Kill(n.postmaster(), syscall.SIGQUIT)
	}
}

// postmaster is the process ID of the server; 0 if it does not run.
func (n *Node) postmaster() int {
	text, _ := os.ReadFile(filepath.Join(n.folder, "postmaster.pid"))
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		return 0
	}
	if works, _ := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid)); works != n.folder {
		return 0 // the file has outlived the server
	}
	return pid
}

// Servers are those of all nodes.
func (p *Patroni) Servers() (all []*Server) {
	for _, n := range p.Nodes {
		all = append(all, n.Server)
	}
	return all
}

// Leader is the primary, which there is.
func (p *Patroni) Leader() *Node {
	p.t.Helper()
	leader := p.leader(p.t.Context())
	if leader == nil {
		p.t.Fatal("there is no primary")
	}
	return leader
}

func (p *Patroni) leader(ctx context.Context) *Node {
	for _, n := range p.Nodes {
		if n.IsPrimary(ctx) {
			return n
		}
	}
	return nil
}

// AwaitPromotion waits until another node than this one is the primary.
func (p *Patroni) AwaitPromotion(former *Node) (next *Node) {
	p.t.Helper()
	former.Await("another server is promoted", func(ctx context.Context) bool {
		for _, n := range p.Nodes {
			if n != former && n.IsPrimary(ctx) {
				next = n
			}
		}
		return next != nil
	})
	return next
}

// IsPrimary reports whether the server accepts writes.
func (n *Node) IsPrimary(ctx context.Context) (is bool) {
	err := n.admin.connect(ctx, "postgres", func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, "select not pg_is_in_recovery()").Scan(&is)
	})
	return err == nil && is
}

// AwaitSynchronous waits until all replicas stream, and Patroni would promote one.
func (p *Patroni) AwaitSynchronous() {
	p.t.Helper()
	leader := p.Leader()
	streaming := fmt.Sprintf("select from pg_stat_replication where state = 'streaming' having count(*) = %d", len(p.Nodes)-1)
	leader.Await("a replica is synchronous", func(ctx context.Context) bool {
		return leader.Is(ctx, streaming) && slices.ContainsFunc(p.Nodes, func(n *Node) bool { return n.isSynchronous(ctx) })
	})
}

// isSynchronous reports whether Patroni has the server as a synchronous replica.
func (n *Node) isSynchronous(ctx context.Context) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+n.api+"/sync", nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	return err == nil && response.Body.Close() == nil && response.StatusCode == http.StatusOK
}

// SwitchOver runs patronictl switchover.
func (p *Patroni) SwitchOver() {
	p.t.Helper()
	n := p.Nodes[0]
	out, err := n.commandOf("patronictl", "-c", n.config, "switchover", "--force").CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("Successfully switched over")) {
		p.t.Fatalf("patronictl: %v\n%s", err, out)
	}
}
