//go:build full

package citus_test

import (
	"bytes"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/ports/company"
	"github.com/kontor-crm/kontor/test/citus"
	"github.com/kontor-crm/kontor/test/pgproxy"
	"github.com/kontor-crm/kontor/test/testserver"
)

// ofServices are the connections of services to the database of a node.
const ofServices = "datname = current_database() and application_name = 'kontor'"

const connections = "select count(*) from pg_stat_activity where " + ofServices

// A move that is not Kontor's own is noticed too.
//
// contract 15.11
func TestCompanyIsReadFromItsWorker(t *testing.T) {
	c, url, offices, _ := serveShared(t)
	bakery := offices[0]
	ask := func() {
		t.Helper()
		if status, text := bakery.send(http.MethodGet, "/rest/client", ""); status != http.StatusOK {
			t.Fatalf("%d %s", status, text)
		}
	}
	ask()
	if n := column[int64](t, c.Nodes[1].URL(shared.database), connections)[0]; n == 0 {
		t.Error("the worker with the company has no connection of the service")
	}
	if n := column[int64](t, c.Nodes[2].URL(shared.database), connections)[0]; n != 0 {
		t.Errorf("the worker without the company has %d connections of the service", n)
	}
	if n := column[int64](t, c.Nodes[1].URL(shared.database), "select count(*) from pg_stat_activity where "+ofServices+" and query like '%.clients\\_1%'")[0]; n == 0 {
		t.Error("Citus plans the list on the worker")
	}
	moveAtOnce(t, c, url, bakery, 2)
	for range 200 { // 2 s, and what a busy machine takes
		ask()
		if column[int64](t, c.Nodes[2].URL(shared.database), connections)[0] > 0 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Error("the company is not read from the worker that it was moved to")
}

// contract 15.12
func TestCompanyIsReadThroughTheCoordinatorIfSoSet(t *testing.T) {
	c, url, offices, _ := serveShared(t)
	bakery := offices[0]
	bakery.url = testserver.On(t, url, func(c *bootstrap.Config) { c.CitusDirect = false }).URL
	if status, text := bakery.send(http.MethodGet, "/rest/client", ""); status != http.StatusOK {
		t.Fatalf("%d %s", status, text)
	}
	if n := column[int64](t, c.Nodes[1].URL(shared.database), connections)[0]; n != 0 {
		t.Errorf("the worker has %d connections of the service", n)
	}
}

// contract 15.11
func TestCompanyIsReadThroughTheCoordinatorIfItsWorkerRejectsTheService(t *testing.T) {
	c, url, offices, _ := serveShared(t)
	proxy := pgproxy.Open(t, c.Nodes[1].URL(shared.database))
	var rejected atomic.Int64
	rejects := pgproxy.Intercept(func(_, client net.Conn, sent []byte) bool {
		if isRejected := bytes.Contains(sent, []byte("application_name\x00kontor\x00")); isRejected {
			rejected.Add(1)
			_ = client.Close()
			return false
		}
		return true
	})
	proxy.FromClient.Store(&rejects)
	at, err := pgx.ParseConfig(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	const update = "select citus_update_node(nodeid, $1, $2) from pg_dist_node where nodeport = $3"
	execute(t, url, update, at.Host, int(at.Port), c.Nodes[1].Port)
	t.Cleanup(func() { execute(t, url, update, citus.Host, c.Nodes[1].Port, int(at.Port)) })
	bakery := offices[0]
	bakery.url = testserver.On(t, url).URL
	if status, text := bakery.send(http.MethodGet, "/rest/client", ""); status != http.StatusOK {
		t.Errorf("%d %s", status, text)
	}
	if rejected.Load() == 0 {
		t.Error("the service has not tried to connect to the worker")
	}
}

// Connections for reads plan without the values of parameters; every golden statement has to run so.
//
// contract 15.11
func TestReadsRunWithGenericPlansOnEachWorker(t *testing.T) {
	c, url, offices, _ := serveShared(t)
	files, err := filepath.Glob("../../adapters/postgres/pgread/testdata/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("no statements: %v", err)
	}
	pool, err := postgres.OpenCompanies(t.Context(), postgres.Config{URL: url, MaxConns: 1, Zone: "Asia/Tokyo"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	for i, o := range offices {
		reads := pool.DB(direct(t, c, pool, o, 1+i))
		for _, file := range files {
			runs(t, reads, i, file)
		}
		if n := column[int64](t, c.Nodes[1+i].URL(shared.database), "select count(*) from pg_stat_activity where "+ofServices+" and query like 'select * from (%'")[0]; n != 1 {
			t.Errorf("on node %d, statements have come to name the tables of Citus", i)
		}
	}
}

func (o office) company() company.Company {
	return company.Company{Code: o.code, TimeZone: "Asia/Tokyo"}
}

// direct are a company and its tables on the node.
func direct(t *testing.T, c *citus.Cluster, pool *postgres.CompanyPool, o office, node int) (company.Company, *postgres.Shards) {
	t.Helper()
	of := o.company()
	of.Node = addressOf(c, node)
	shards, err := pool.FindShards(t.Context(), of)
	if err != nil || shards == nil {
		t.Fatalf("the tables on node %d are %v, %v", node, shards, err)
	}
	return of, shards
}

var header = regexp.MustCompile(`\$(\d+) (:\w+)`)

// runs runs the statement of the file, without values.
func runs(t *testing.T, reads postgres.DB, node int, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sql := strings.ReplaceAll(string(text), `collate "c"`, `collate "C"`) // the files are in lower case
	parameters := header.FindAllStringSubmatch(sql, -1)
	for _, p := range parameters {
		sql = regexp.MustCompile(p[2]+`\b`).ReplaceAllString(sql, "$$"+p[1])
	}
	sql = strings.TrimSuffix(strings.TrimSpace(sql), ";")
	rows, err := reads.Query(t.Context(), sql, make([]any, len(parameters))...)
	if err != nil {
		t.Fatalf("%s: %v\n%s", file, err, sql)
	}
	rows.Close()
	if err := rows.Err(); err != nil && !strings.Contains(err.Error(), "LIMIT") {
		t.Errorf("on node %d, %s: %v", node, filepath.Base(file), err)
	}
}
