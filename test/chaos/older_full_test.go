//go:build full

package chaos_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/test/chaos"
	"github.com/kontor-crm/kontor/test/testprogram"
)

// An older is the last program of a version of the schema.
type older struct {
	version int64
	commit  string
}

// olders are the programs of every version that there was one of, oldest first, but
// for the one of today.
func olders(t *testing.T) (list []older) {
	t.Helper()
	if git(t, "rev-parse", "--is-shallow-repository") != "false" {
		t.Fatal("older programs are built from the history, and this clone has only a part of it: git fetch --unshallow")
	}
	// Commits that brought migrations, each with their names below it.
	log := git(t, "log", "--first-parent", "--reverse", "--diff-filter=A", "--format=commit %H", "--name-only", "--", "../../migrations/*.sql")
	var version int64
	for line := range strings.Lines(log) {
		line = strings.TrimSpace(line)
		if commit, ok := strings.CutPrefix(line, "commit "); ok {
			if version > 0 {
				list = append(list, older{version, commit + "^"})
			}
			continue
		}
		number, _, ok := strings.Cut(filepath.Base(line), "_")
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		version = max(version, n)
	}
	return list
}

func git(t *testing.T, arguments ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", arguments...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v: %s", strings.Join(arguments, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// build makes the program from its commit.
func (o older) build(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	archive, source := filepath.Join(folder, "source.tar"), filepath.Join(folder, "source")
	if err := os.Mkdir(source, 0o755); err != nil {
		t.Fatal(err)
	}
	root := git(t, "rev-parse", "--show-toplevel")
	git(t, "-C", root, "archive", "--output", archive, o.commit)
	for _, command := range [][]string{
		{"tar", "-x", "-f", archive, "-C", source},
		{"go", "build", "-C", source, "-buildvcs=false", "-o", filepath.Join(folder, "kontor"), "./cmd/kontor"},
	} {
		if out, err := exec.CommandContext(t.Context(), command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", strings.Join(command, " "), err, out)
		}
	}
	return filepath.Join(folder, "kontor")
}

// figures are what all older programs come to together.
type figures struct {
	programs               int
	requests, ofToday      int64
	repeated               map[int]int64 // attempts of older programs without success, by status
	looks, meanwhile       int
	wrong                  int
	lost, duplicated, bent int
}

// contract 1.75, 1.76
func TestOlderProgramsServeWhileTheDatabaseIsMigrated(t *testing.T) {
	f := figures{repeated: map[int]int64{}}
	for _, o := range olders(t) {
		t.Run(fmt.Sprintf("of version %d", o.version), func(t *testing.T) {
			f.programs++
			(&together{t: t, figures: &f, older: o}).run()
		})
	}
	t.Logf(`
old programs served beside: %d
requests of old programs: %d
requests of today's program: %d
attempts of old programs repeated, by status: %v
looks at all totals: %d
looks at one while both write: %d
wrong totals: %d
records lost: %d
records duplicated: %d
records broken: %d`, f.programs, f.requests, f.ofToday, f.repeated, f.looks, f.meanwhile, f.wrong, f.lost, f.duplicated, f.bent)
	if f.programs < 5 {
		t.Errorf("there were at least 5 older programs, and %d served", f.programs)
	}
}

// together is an older program and the one of today on one database.
type together struct {
	*figures

	t          *testing.T
	older      older
	old, today *chaos.Site
	migrating  bool
	logs       []*chaos.WriteLog
}

func (g *together) run() {
	t := g.t
	g.old = openProgram(t, g.older.build(t), nil)
	if version := g.number("select max(version_id) from schema_migrations where is_applied"); version != g.older.version {
		t.Fatalf("the program of %s has made a database of version %d", g.older.commit, version)
	}
	var err error
	if g.today, err = g.old.SecondSite(testprogram.Path(g.t)); err != nil {
		t.Fatal(err)
	}
	g.write(1, time.Second, g.old) // so that there is something to migrate
	g.migrating = true
	g.during(2, g.old, func() error {
		time.Sleep(500 * time.Millisecond)
		started := time.Now()
		if _, err := g.today.Command(t.Context(), "migrate up"); err != nil {
			return err
		}
		t.Logf("migrated within %s", time.Since(started).Round(time.Millisecond))
		time.Sleep(500 * time.Millisecond)
		return g.today.StartService(t.Context())
	})
	g.migrating = false
	t.Cleanup(func() {
		if err := g.today.KillService(); err != nil {
			t.Error(err)
		}
	})
	for round := range 3 {
		g.look("while the older one serves")
		g.during(uint64(10+round), g.old, func() error {
			g.during(uint64(20+round), g.today, g.lookMeanwhile)
			return nil
		})
	}
	if g.number("select count(*) from readmodels where lists_whole or search_whole") != 0 {
		t.Error("a read model is whole while the older program serves")
	}
	g.look("before the older one ends")
	if err := g.old.KillService(); err != nil {
		t.Fatal(err)
	}
	g.write(30, time.Second, g.today)
	g.look("when the older one has ended")
	for end := time.Now().Add(time.Minute); g.number("select count(*) from readmodels where lists_whole and search_whole") == 0; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the read models are not whole")
		}
	}
	g.look("when the read models are whole")
	g.compare()
}

// write has writers send to the program for a while, until all is answered.
func (g *together) write(seed uint64, long time.Duration, to *chaos.Site) {
	g.during(seed, to, func() error {
		time.Sleep(long)
		return nil
	})
}

// during has writers send to the program while something happens.
func (g *together) during(seed uint64, to *chaos.Site, happens func() error) {
	g.t.Helper()
	writes, err := chaos.Crashes{Writers: 3, Seed: seed}.During(g.t.Context(), to, happens)
	if err != nil {
		g.t.Fatal(err)
	}
	g.logs = append(g.logs, writes)
	if to == g.today {
		g.ofToday += writes.Acknowledged.Load()
		if n := writes.Unknown.Load(); n > 0 {
			g.t.Errorf("%d attempts of today's program were without success: %v", n, writes.Repeated())
		}
		return
	}
	g.requests += writes.Acknowledged.Load()
	for status, n := range writes.Repeated() {
		g.repeated[status] += n
		if !g.mayRefuse(status) {
			g.t.Errorf("%d attempts of the older program ended with %d", n, status)
		}
	}
}

// mayRefuse tells whether an attempt at the older program may end so, while the
// database is migrated. Programs of before 00008 can store no payment between that and
// 00011, and say 500.
func (g *together) mayRefuse(status int) bool {
	return g.migrating && (status == http.StatusServiceUnavailable || status == http.StatusInternalServerError && g.older.version < 8)
}

func (g *together) look(when string) {
	g.t.Helper()
	g.looks++
	wrong, err := chaos.WrongTotals(g.t.Context(), g.today)
	if err != nil {
		g.t.Fatal(err)
	}
	g.wrong += len(wrong)
	if len(wrong) > 0 {
		g.t.Errorf("%s: %s", when, strings.Join(wrong, ", "))
	}
}

// lookMeanwhile holds the total of invoices, which nobody deletes, against their number
// before and after, while others write.
func (g *together) lookMeanwhile() error {
	for end := time.Now().Add(time.Second); time.Now().Before(end); g.meanwhile++ {
		before := g.number("select count(*) from invoices")
		total, err := g.today.Total(g.t.Context(), "invoice")
		if err != nil {
			return err
		}
		if after := g.number("select count(*) from invoices"); total < before || total > after {
			g.wrong++
			g.t.Errorf("while both write, today's program says there are %d invoices, of %d before and %d after", total, before, after)
		}
	}
	return nil
}

// compare holds what all writers were told against what is stored.
func (g *together) compare() {
	for _, writes := range g.logs {
		var r chaos.Report
		if err := chaos.Compare(g.t.Context(), g.today, writes, &r); err != nil {
			g.t.Error(err)
		}
		g.lost, g.duplicated, g.bent = g.lost+len(r.Lost), g.duplicated+len(r.Duplicated), g.bent+len(r.Inconsistent)
		for what, found := range map[string][]string{"lost": r.Lost, "duplicated": r.Duplicated, "broken": r.Inconsistent} {
			if len(found) > 0 {
				g.t.Errorf("%d are %s:\n%s", len(found), what, strings.Join(found[:min(len(found), 10)], "\n"))
			}
		}
	}
}

func (g *together) number(sql string) (n int64) {
	g.t.Helper()
	db, err := g.old.Connect(g.t.Context())
	if err != nil {
		g.t.Fatal(err)
	}
	defer db.Close(context.WithoutCancel(g.t.Context()))
	if err := db.QueryRow(g.t.Context(), sql).Scan(&n); err != nil {
		g.t.Fatalf("%s: %v", sql, err)
	}
	return n
}
