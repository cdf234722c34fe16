//go:build full

package citus_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/tenant"
	"github.com/kontor-crm/kontor/test/citus"
	"github.com/kontor-crm/kontor/test/testserver"
)

// office is a company of a running service.
type office struct {
	t     *testing.T
	url   string // of the service
	token string
	code  tenant.Code
	key   string // for idempotency; empty: none
}

// shared are the companies of the tests that leave them and the workers as they were: a schema on
// Citus takes seconds.
var shared struct {
	database string
	offices  []office
}

// serveShared runs a service on the database that tests share, with the bakery and the cafe, both in
// Tokyo, on the workers: the bakery on the first one. No other service is connected to the workers.
func serveShared(t *testing.T, cafe int) (c *citus.Cluster, url string, offices []office) {
	t.Helper()
	c = running(t)
	if shared.database == "" {
		name := create(t, c)
		shared.offices = addCompanies(t, c, c.URL(name), "Asia/Tokyo", "bakery", "cafe")
		shared.database = name
	}
	url = c.URL(shared.database)
	awaitMetadata(t, c)
	moveAtOnce(t, c, url, shared.offices[0].code, 1)
	moveAtOnce(t, c, url, shared.offices[1].code, cafe)
	for _, worker := range c.Nodes[1:3] {
		execute(t, worker.URL(shared.database),
			"select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and application_name = 'kontor'")
	}
	return c, url, serve(t, url, shared.offices)
}

// awaitMetadata waits until every node has the addresses of the workers, which Citus copies there
// after a test has changed one.
func awaitMetadata(t *testing.T, c *citus.Cluster) {
	t.Helper()
	for _, n := range c.Nodes[:3] {
		await(t, n.URL(shared.database), fmt.Sprintf("select count(*) from pg_dist_node where metadatasynced and nodeport in (%d, %d)",
			c.Nodes[1].Port, c.Nodes[2].Port), func(n int64) bool { return n == 2 })
	}
}

// nodeOf returns the node of the company, as kontor company list shows it.
func nodeOf(t *testing.T, url string, code tenant.Code) string {
	t.Helper()
	companies, closeAll, err := bootstrap.NewCompanies(t.Context(), bootstrap.Defaults(url))
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll()
	list, err := companies.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range list {
		if found.Code == code {
			return found.Node
		}
	}
	t.Fatalf("there is no company %s", code)
	return ""
}

// The ways to move a schema: shard_transfer_mode of Citus.
const (
	whileServed   = "force_logical"
	withoutWrites = "block_writes"
)

// moveAtOnce moves the company to the node, without writers, if it is on another one.
func moveAtOnce(t *testing.T, c *citus.Cluster, url string, code tenant.Code, node int) {
	t.Helper()
	if nodeOf(t, url, code) != addressOf(c, node) {
		moveSchema(t, c, url, code, node, withoutWrites)
	}
}

func moveSchema(t *testing.T, c *citus.Cluster, url string, code tenant.Code, node int, mode string) {
	t.Helper()
	cleanUp(t, url)
	execute(t, url, "select citus_schema_move($1::text::regnamespace, $2::text, $3::integer, $4::text::citus.shard_transfer_mode)",
		code.Schema(), citus.Host, c.Nodes[node].Port, mode)
}

// cleanUp removes what moves have left: Citus does that later, and the next move fails before. The
// procedure skips what another cleanup is removing, and tables that are in use for a second.
func cleanUp(t *testing.T, url string) {
	t.Helper()
	for range 100 {
		execute(t, url, "call citus_cleanup_orphaned_resources()")
		if column[int64](t, url, "select count(*) from pg_dist_cleanup")[0] == 0 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// addCompanies adds companies to a distributed database without any, on the workers in turns.
func addCompanies(t *testing.T, c *citus.Cluster, url, zone string, names ...string) (offices []office) {
	t.Helper()
	if err := postgres.MigrateUp(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	config := bootstrap.Defaults(url)
	companies, closeAll, err := bootstrap.NewCompanies(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll()
	for i, name := range names {
		added, err := companies.Add(t.Context(), name, zone)
		if err != nil {
			t.Fatal(err)
		}
		moveAtOnce(t, c, url, added.Code, 1+i%2)
		config.CompanyName = name
		in, err := bootstrap.InCompany(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		operation, closeOperation, err := bootstrap.NewOperation(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		token := testserver.Token(t, &bootstrap.Service{Commands: operation.Commands}, "mira", user.Admin)
		closeOperation()
		offices = append(offices, office{token: token, code: added.Code})
	}
	return offices
}

// serve runs a service until the test ends, and returns the companies in it.
func serve(t *testing.T, url string, offices []office) []office {
	t.Helper()
	service, served := testserver.On(t, url), slices.Clone(offices)
	for i := range served {
		served[i].t, served[i].url = t, service.URL
	}
	return served
}

func addressOf(c *citus.Cluster, node int) string {
	return net.JoinHostPort(citus.Host, strconv.Itoa(c.Nodes[node].Port))
}

// send sends a request and returns the status and the body.
func (o office) send(method, path, body string) (status int, text string) {
	request, err := http.NewRequestWithContext(o.t.Context(), method, o.url+path, strings.NewReader(body))
	if err != nil {
		return 0, err.Error()
	}
	request.Header.Set("Authorization", "Bearer "+o.token)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	if o.key != "" {
		request.Header.Set("Idempotency-Key", o.key)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err.Error()
	}
	return response.StatusCode, string(raw)
}

// id finds the id of a record in a response.
var id = regexp.MustCompile(`"id":(\d+)`)

// contract 15.2, 15.3, 15.4, 12.194
func TestCompanyMovesToAnotherWorkerUnderLoad(t *testing.T) {
	c, url, offices := serveShared(t, 2)
	bakery := offices[0]
	clients := func() int64 {
		return column[int64](t, url, "select count(*) from "+bakery.code.Schema()+".clients")[0]
	}
	bill := bakery.bill()
	judge := bill.judged()
	before, billed := clients(), bill.read()
	if status, text := bakery.send(http.MethodPost, "/rest/client", `{"name":"first","type":3}`); status != 422 {
		t.Errorf("a client of the type 3: %d %s", status, text)
	}
	stop := make(chan struct{})
	var writer sync.WaitGroup
	written := int64(0)
	writer.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			status, text := bakery.send(http.MethodPost, "/rest/client", fmt.Sprintf(`{"name":"client %d","type":1}`, written))
			if status == http.StatusServiceUnavailable { // it has waited for too long, and is not stored
				continue
			}
			if status != http.StatusOK {
				t.Errorf("during the move: %d %s", status, text)
				return
			}
			written++
			judge()
			if status, text := bakery.send(http.MethodGet, "/rest/client/"+id.FindStringSubmatch(text)[1], ""); status == http.StatusNotFound {
				t.Errorf("the client %d, during the move: %s", written, text)
				return
			}
		}
	})
	release := holdTable(t, c.Nodes[1].URL(shared.database), url, bakery.code.Schema()+".clients")
	moveSchema(t, c, url, bakery.code, 2, whileServed)
	close(stop)
	writer.Wait()
	release()
	if node := nodeOf(t, url, bakery.code); node != addressOf(c, 2) {
		t.Errorf("the company is on %s", node)
	}
	if diff := cmp.Diff(billed, bill.read()); diff != "" {
		t.Errorf("the invoice is another one (-want +got):\n%s", diff)
	}
	bill.credit("1.5")
	judge()
	if stored := clients() - before; stored != written {
		t.Errorf("%d clients were written, and %d are stored", written, stored)
	}
	// The same instant, of a write and of a list, in the zone of the company.
	now := time.Now().In(time.FixedZone("Tokyo", 9*60*60)).Format("2006-01-02 15")
	for _, send := range []func() (int, string){
		func() (int, string) { return bakery.send(http.MethodPost, "/rest/client", `{"name":"last","type":1}`) },
		func() (int, string) { return bakery.send(http.MethodGet, "/rest/client?per_page=1", "") },
	} {
		if _, text := send(); !strings.Contains(text, `"created_at":"`+now) {
			t.Errorf("the hour is not %s in %s", now, text)
		}
	}
}

// holdTable reads a table on its worker until it is released: meanwhile the worker keeps it, even if
// it is moved.
func holdTable(t *testing.T, worker, coordinator, table string) (release func()) {
	t.Helper()
	shard := column[string](t, coordinator, "select shard_name(logicalrelid, shardid) from pg_dist_shard where logicalrelid = $1::text::regclass", table)[0]
	reader, err := pgx.Connect(t.Context(), worker)
	if err != nil {
		t.Fatal(err)
	}
	const count = "select count(*) from "
	if _, err := reader.Exec(t.Context(), "begin; "+count+shard); err != nil {
		t.Fatal(err)
	}
	return func() {
		if _, err := reader.Exec(t.Context(), count+shard); err != nil {
			t.Errorf("the worker has not kept the table: %v", err)
		}
		_ = reader.Close(t.Context())
	}
}

func TestLostWorkerAffectsOnlyItsCompanies(t *testing.T) {
	c, url, offices := serveShared(t, 2)
	bakery, cafe := offices[0], offices[1]
	ask := func(o office) (int, string) { return o.send(http.MethodPost, "/rest/client", `{"name":"x","type":1}`) }
	for _, o := range offices {
		if status, text := ask(o); status != http.StatusOK {
			t.Fatalf("before the crash: %d %s", status, text)
		}
	}
	clients := func() int { return column[int](t, url, "select count(*) from "+bakery.code.Schema()+".clients")[0] }
	before := clients()
	written := writeUntilFailure(bakery)
	c.Nodes[1].Kill()
	most, least := written()
	for range 5 {
		if status, text := ask(bakery); status != http.StatusServiceUnavailable || !strings.Contains(text, "the database") {
			t.Errorf("on the lost worker: %d %s", status, text)
		}
		if status, text := bakery.send(http.MethodGet, "/rest/client", ""); status != http.StatusServiceUnavailable {
			t.Errorf("a list on the lost worker: %d %s", status, text)
		}
		if status, text := ask(cafe); status != http.StatusOK {
			t.Errorf("on the other worker: %d %s", status, text)
		}
	}
	if node := nodeOf(t, url, bakery.code); node != addressOf(c, 1) {
		t.Errorf("the company on the lost worker is said to be on %s", node)
	}
	if err := c.Nodes[1].Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	stored := clients() - before
	if status, text := ask(bakery); status != http.StatusOK {
		t.Errorf("after the restart: %d %s", status, text)
	}
	if stored < least || stored > most || least == 0 {
		t.Errorf("%d clients are stored, of %d acknowledged ones, and %d at most", stored, least, most)
	}
}

// writeUntilFailure has several callers add clients, each until it gets another status than 200. It
// returns when there are some; the function returned waits for all callers, and returns how many
// clients they have added at most, with writes whose outcome they do not know, and at least.
func writeUntilFailure(o office) func() (most, least int) {
	const some = 20
	var callers sync.WaitGroup
	var added, unknown atomic.Int64
	for range 4 {
		callers.Go(func() {
			for {
				status, text := o.send(http.MethodPost, "/rest/client", `{"name":"x","type":1}`)
				switch {
				case status == http.StatusOK:
					added.Add(1)
					continue
				case status != http.StatusServiceUnavailable:
					o.t.Errorf("when the worker is killed: %d %s", status, text)
				case strings.Contains(text, "urn:kontor:outcome-unknown"):
					unknown.Add(1)
				}
				return
			}
		})
	}
	for range 3000 {
		if added.Load() >= some {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return func() (most, least int) {
		callers.Wait()
		return int(added.Load() + unknown.Load()), int(added.Load())
	}
}
