package chaos_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/test/chaos"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// program is the built kontor, and toxiproxy what stands between it and PostgreSQL.
var program, toxiproxy string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	folder, err := os.MkdirTemp("", "kontor-fault-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	program, toxiproxy = filepath.Join(folder, "kontor"), filepath.Join(folder, "toxiproxy")
	build(program, "-buildvcs=false", "../../cmd/kontor")
	build(toxiproxy, "-modfile=../../.ci/toxiproxy.mod", "github.com/Shopify/toxiproxy/v2/cmd/server")
	return pgtest.Run(m)
}

func build(file string, arguments ...string) {
	arguments = append([]string{"build", "-o", file}, arguments...)
	if out, err := exec.CommandContext(context.Background(), "go", arguments...).CombinedOutput(); err != nil {
		panic(string(out))
	}
}

func open(t *testing.T, settings map[string]string) *chaos.Site {
	t.Helper()
	return openProgram(t, program, settings)
}

func openProgram(t *testing.T, program string, settings map[string]string) *chaos.Site {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	// Not t.TempDir: root runs PostgreSQL as another user, who must get through.
	folder, err := os.MkdirTemp("", "kontor-fault-data-") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	if err := os.Chmod(folder, 0o711); err != nil {
		t.Fatal(err)
	}
	s, err := chaos.Open(ctx, program, filepath.Join(folder, "data"), settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// times is how often something is done: as the environment says, else so many.
func times(t *testing.T, variable string, otherwise int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
}

func TestWhatWasAnsweredSurvivesCrashes(t *testing.T) { // contract 1.9
	s := open(t, nil)
	c := chaos.Crashes{
		ServiceKills: times(t, "KONTOR_FAULT_SERVICE_KILLS", 10), DatabaseKills: times(t, "KONTOR_FAULT_DATABASE_KILLS", 2),
		Writers: 8, Seed: uint64(time.Now().UnixNano()),
	}
	t.Logf("seed %d", c.Seed)
	r, err := c.Run(t.Context(), s)
	t.Logf("\n%s", r)
	if err != nil {
		t.Fatal(err)
	}
	if r.Acknowledged < 100 || r.Unknown == 0 {
		t.Errorf("%d writes were acknowledged and %d left open: that shows nothing", r.Acknowledged, r.Unknown)
	}
	for what, found := range map[string][]string{"lost": r.Lost, "doubled": r.Doubled, "broken": r.Broken} {
		if len(found) > 0 {
			t.Errorf("%d are %s:\n%s", len(found), what, strings.Join(found[:min(len(found), 10)], "\n"))
		}
	}
}

// What PostgreSQL has not written when it answers is lost with it, and the
// comparison sees it.
func TestAnAnswerBeforeTheCommitIsWrittenIsFoundOut(t *testing.T) {
	s := open(t, map[string]string{"synchronous_commit": "off", "wal_writer_delay": "10s"})
	for try := range 5 {
		r, err := chaos.Crashes{DatabaseKills: 3, Writers: 8, Seed: uint64(try)}.Run(t.Context(), s)
		if len(r.Lost) > 0 {
			t.Logf("lost: %d, such as %s", len(r.Lost), r.Lost[0])
			return
		}
		if err != nil { // such as a 404 for what a writer was told is there
			t.Log(err)
		}
	}
	t.Error("nothing was lost")
}

// A creation that is repeated without a key is carried out twice, if the answer
// was lost behind the commit.
func TestARepetitionWithoutAKeyIsFoundOut(t *testing.T) {
	s := open(t, nil)
	for try := range 5 {
		r, err := chaos.Crashes{ServiceKills: 6, Writers: 8, Seed: uint64(try), WithoutKeys: true}.Run(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Doubled) > 0 {
			t.Logf("doubled: %d, such as %s", len(r.Doubled), r.Doubled[0])
			return
		}
	}
	t.Error("nothing was doubled")
}

// Each way in which something may be wrong is seen: it is made so past the
// service.
func TestWhatIsNotAsItWasAnsweredIsNoticed(t *testing.T) {
	s := open(t, nil)
	c := chaos.Crashes{Writers: 4, Seed: 5}
	book, err := c.During(t.Context(), s, func() error {
		time.Sleep(time.Second)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var whole chaos.Report
	if err := chaos.Compare(t.Context(), s, book, &whole); err != nil || len(whole.Lost)+len(whole.Doubled)+len(whole.Broken) > 0 {
		t.Fatalf("%v, %+v", err, whole)
	}
	db, err := s.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(context.WithoutCancel(t.Context()))
	const some = "(select id from invoices order by id offset 3 limit 1)"
	for _, of := range []struct {
		sql  string
		want string
	}{
		{"update clients set name = 'other' where id = (select client_id from invoices where id = " + some + ")", "client w"},
		{"update clients set name = (select name from clients order by id desc limit 1) where name = 'other'", "client w"},
		{"update invoices set status = 1, paid_on = null, paid_month = null where id = " + some, "the payment of invoice w"},
		{"update invoice_items set count = count + 1, total_price = price * (count + 1) where id = (select min(id) from invoice_items where invoice_id = " + some + ")", "has other totals than its lines"},
		{"update invoice_items set name = 'other' where id = (select max(id) from invoice_items where invoice_id = " + some + ")", "line w"},
		{"delete from deal_history where invoice_id = " + some, "is not in its deal's history"},
		{"delete from invoice_items where invoice_id = " + some, "has no lines"},
		{"delete from invoices where id = " + some, "invoice w"},
		{"delete from client_totals", "read models"},
	} {
		before := whole
		if _, err := db.Exec(t.Context(), of.sql); err != nil {
			t.Fatalf("%s: %v", of.sql, err)
		}
		whole = chaos.Report{}
		if err := chaos.Compare(t.Context(), s, book, &whole); err != nil {
			t.Fatal(err)
		}
		news := fresh(before, whole)
		if !strings.Contains(news, of.want) {
			t.Errorf("after %s there is no news of %q, but:\n%s", of.sql, of.want, news)
		}
	}
}

// fresh is what the second report finds wrong and the first did not.
func fresh(before, after chaos.Report) string {
	known := map[string]bool{}
	for _, r := range [][]string{before.Lost, before.Doubled, before.Broken} {
		for _, what := range r {
			known[what] = true
		}
	}
	var news []string
	for _, r := range [][]string{after.Lost, after.Doubled, after.Broken} {
		for _, what := range r {
			if !known[what] {
				news = append(news, what)
			}
		}
	}
	return strings.Join(news, "\n")
}
