package pgread_test

import (
	"log/slog"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/localpg"
	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/memfolder"
	"github.com/kontor-crm/kontor/test/workload"
)

// servers starts PostgreSQL servers of its own.
type servers struct {
	*testing.T
	programs string // their folder
	uid, gid int    // whom their files belong to
}

func newServers(t *testing.T) servers {
	t.Helper()
	// Debian has the programs of each version in a folder of their own.
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/pg_basebackup")
	if path, notFound := exec.LookPath("pg_basebackup"); notFound == nil {
		found, err = append(found, path), nil
	}
	if err != nil || len(found) == 0 {
		t.Skip("PostgreSQL's programs are not installed")
	}
	s := servers{T: t, programs: filepath.Dir(found[len(found)-1]), uid: os.Getuid(), gid: os.Getgid()}
	if s.uid != 0 {
		return s
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		t.Skip("PostgreSQL does not run as root, and there is no user postgres")
	}
	s.uid, _ = strconv.Atoi(account.Uid)
	s.gid, _ = strconv.Atoi(account.Gid)
	return s
}

// folder is an empty folder of a server.
func (s servers) folder() string {
	s.Helper()
	folder, err := os.MkdirTemp(memfolder.Parent(), "kontor-servers-")
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = os.RemoveAll(folder) })
	if err := os.Chown(folder, s.uid, s.gid); err != nil {
		s.Fatal(err)
	}
	return folder
}

// start starts a server on the folder.
func (s servers) start(folder string) *localpg.Server {
	s.Helper()
	server, err := localpg.Start(s.Context(), localpg.Options{
		Dir: folder, Log: slog.New(slog.DiscardHandler), Settings: map[string]string{"fsync": "off", "hot_standby": "on", "wal_level": "replica"},
	})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = server.Stop() })
	return server
}

// standby starts a standby of the server.
func (s servers) standby(primary *localpg.Server) *localpg.Server {
	s.Helper()
	folder := s.folder()
	s.run("pg_basebackup", primary.URL(), "--pgdata="+filepath.Join(folder, "postgresql"), "--write-recovery-conf", "--checkpoint=fast")
	return s.start(folder)
}

// run runs one of PostgreSQL's programs on the database.
func (s servers) run(program, url string, args ...string) {
	s.Helper()
	at, err := pgx.ParseConfig(url)
	if err != nil {
		s.Fatal(err)
	}
	connect := []string{"--host=" + at.Host, "--port=" + strconv.Itoa(int(at.Port)), "--username=" + at.User}
	if program != "pg_basebackup" {
		connect = append(connect, "--dbname="+at.Database)
	}
	cmd := exec.CommandContext(s.Context(), filepath.Join(s.programs, program), append(connect, args...)...)
	cmd.Dir = "/"
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(s.uid), Gid: uint32(s.gid)}}
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		s.Fatalf("%s: %v\n%s", program, err, out)
	}
}

// firstCompany is a company in the server's database.
func firstCompany(t *testing.T, url string) company {
	t.Helper()
	if err := postgres.MigrateUp(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	if err := postgres.RecordZone(t.Context(), url, workload.Zone); err != nil {
		t.Fatal(err)
	}
	c := company{workload.OpenCompany(t, url)}
	c.Office = fixture.Open(t, c.Tx)
	return c
}

// at is the company in another server's copy of the database.
func (c company) at(url string) company {
	c.T.Helper()
	other := company{workload.OpenCompany(c.T, url)}
	other.Office = c.Office
	return other
}

// searches compares searches by the same readers in one database after the other.
type searches struct {
	*testing.T
	through *snapshots
	checks  []checker
}

func (c company) searches(t *testing.T) searches {
	t.Helper()
	through := &snapshots{c.Pool}
	return searches{t, through, c.listChecks(through)}
}

func (s searches) agree(when string, of company) {
	s.Helper()
	s.through.Querier = of.Pool
	for _, b := range s.checks {
		for _, text := range []string{"süd", "nord"} {
			if err := b.containing(s.Context(), of.Pool, text, 5); err != nil {
				s.Fatalf("%s: %v", when, err)
			}
		}
	}
}

// goOn writes and folds until the position is beyond the other one, which was reached
// with other changes, and searches from there on.
func (s searches) goOn(when string, c company, seed uint64, position int64) {
	s.Helper()
	for w := c.Writer(seed); c.position() < position+3; {
		w.Steps(2)
		c.Fold()
		if c.position() >= position {
			s.agree(when+" "+strconv.FormatInt(c.position(), 10), c)
		}
	}
}

func (c company) position() int64 { return c.Number("select oldest_open_batch from read_model_state") }

// catchUp waits until the standby has what the primary has, which has folded last.
func (c company) catchUp(with company) {
	c.T.Helper()
	for end := time.Now().Add(time.Minute); c.position() != with.position(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			c.T.Fatal("the standby does not catch up")
		}
	}
}

// contract 4.94
func TestSearchIsExactOnAReplicaThatIsBehindAndAfterItsPromotion(t *testing.T) {
	t.Parallel()
	s := newServers(t)
	first := s.start(s.folder())
	c := firstCompany(t, first.URL())
	w := c.Writer(91)
	w.Steps(60)
	c.Fold()
	second := s.standby(first)
	standby := c.at(second.URL())
	searches := c.searches(t)
	searches.agree("counted", c)
	searches.agree("on the replica", standby)

	standby.mustRun("select pg_wal_replay_pause()::text")
	for range 3 {
		w.Steps(4)
		c.Fold()
		searches.agree("on the primary", c)
	}
	if standby.position() >= c.position() {
		t.Fatal("the replica is not behind")
	}
	searches.agree("on the replica that is behind", standby)
	searches.agree("on the primary again", c)
	standby.mustRun("select pg_wal_replay_resume()::text")
	standby.catchUp(c)
	searches.agree("on the replica that has caught up", standby)

	standby.mustRun("alter system set primary_conninfo = ''", "select pg_reload_conf()::text")
	standby.becomesEmpty("select from pg_stat_wal_receiver")
	for range 3 {
		w.Steps(4)
		c.Fold()
		searches.agree("on the primary, before it is lost", c)
	}
	lost := c.position()
	if err := first.Stop(); err != nil {
		t.Fatal(err)
	}
	standby.mustRun("select pg_promote()::text")
	if standby.position() >= lost {
		t.Fatal("the promoted standby has everything")
	}
	searches.goOn("on the promoted standby, at position", standby, 92, lost)
}

// contract 4.94
func TestSearchIsExactAfterARestoreUnderARunningProcess(t *testing.T) {
	t.Parallel()
	s := newServers(t)
	server := s.start(s.folder())
	c := firstCompany(t, server.URL())
	w := c.Writer(93)
	w.Steps(60)
	c.Fold()
	searches := c.searches(t)
	searches.agree("counted", c)
	dump := filepath.Join(s.folder(), "dump")
	s.run("pg_dump", server.URL(), "--format=custom", "--file="+dump)
	for range 3 {
		w.Steps(4)
		c.Fold()
		searches.agree("before the restore", c)
	}
	lost := c.position()
	c.replaceDatabase(func(empty string) { s.run("pg_restore", empty, "--exit-on-error", dump) })
	if c.position() >= lost {
		t.Fatal("the restored database has everything")
	}
	searches.goOn("restored, at position", c, 94, lost)
}

// mustRun runs statements, each in a transaction of its own.
func (c company) mustRun(statements ...string) {
	c.T.Helper()
	for _, sql := range statements {
		if _, err := c.Pool.Exec(c.T.Context(), sql, pgx.QueryExecModeSimpleProtocol); err != nil {
			c.T.Fatalf("%s: %v", sql, err)
		}
	}
}

func (c company) becomesEmpty(sql string) {
	c.T.Helper()
	for end := time.Now().Add(time.Minute); c.Number("select count(*) from ("+sql+") r") > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			c.T.Fatalf("there are still rows of %s", sql)
		}
	}
}

// replaceDatabase has a new database filled, which then takes the place of the present
// one. The pool of the company stays open.
func (c company) replaceDatabase(fill func(url string)) {
	c.T.Helper()
	config := c.Pool.Config().ConnConfig.Copy()
	name := config.Database
	config.Database = "postgres"
	admin, err := pgx.ConnectConfig(c.T.Context(), config)
	if err != nil {
		c.T.Fatal(err)
	}
	defer func() { _ = admin.Close(c.T.Context()) }()
	run := func(sql string) {
		c.T.Helper()
		if _, err := admin.Exec(c.T.Context(), sql); err != nil {
			c.T.Fatalf("%s: %v", sql, err)
		}
	}
	run("create database restored template template0")
	fill("host=" + config.Host + " port=" + strconv.Itoa(int(config.Port)) + " user=" + config.User + " dbname=restored")
	run("drop database " + name + " with (force)")
	run("alter database restored rename to " + name)
	c.Pool.Reset()
}
