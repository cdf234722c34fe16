//go:build full

package citus_test

import (
	"crypto/rand"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/adapters/doctor"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/tenant"
	"github.com/kontor-crm/kontor/test/pgserver"
)

// commands are the use cases of kontor company.
func commands(t *testing.T, url string) *bootstrap.Companies {
	t.Helper()
	companies, closeAll, err := bootstrap.NewCompanies(t.Context(), bootstrap.Defaults(url))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeAll)
	return companies
}

// found are the results of the checks of kontor doctor, by name.
func found(t *testing.T, url string) map[string]doctor.Finding {
	t.Helper()
	findings, err := doctor.Examine(t.Context(), doctor.Settings{
		DatabaseURL: url, MaxConnections: 16, TimeZone: "UTC", BrokenRules: bootstrap.BrokenRules,
	})
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]doctor.Finding{}
	for _, f := range findings {
		byName[f.Name] = f
	}
	return byName
}

// contract 1.68
func TestCommandsNameTheLostWorker(t *testing.T) {
	c, url, _ := serveShared(t, 2)
	companies := commands(t, url)
	size := func(name string) (int64, error) {
		t.Helper()
		c, err := companies.Find(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		return companies.Store.Size(t.Context(), c)
	}
	schema, filler := shared.offices[0].code.Schema(), make([]byte, 5_000_000)
	_, _ = rand.Read(filler) // never fails
	execute(t, url, "insert into "+schema+".idempotency_keys (user_id, path, key, fingerprint, claimed_at, response) values ($1, $2, $2, $3, now(), $4)",
		column[int64](t, url, "select min(id) from "+schema+".users")[0], "filler", filler[:32], filler)
	if bytes, err := size("bakery"); err != nil || bytes < 5_000_000 {
		t.Errorf("the size is %d, %v; want more than 5 MB", bytes, err)
	}
	if f := found(t, url)["workers"]; f.State != doctor.OK || f.Found != "2, all respond" {
		t.Errorf("with both workers doctor finds %v", f)
	}
	before, err := companies.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c.Nodes[1].Kill()
	lost := "the worker " + addressOf(c, 1) + " does not respond"
	_, err = companies.Add(t.Context(), "mill", "UTC")
	if !fault.Is(err, fault.Unavailable) || !strings.HasPrefix(fault.As(err).Message, lost) {
		t.Errorf("adding a company: %v; want that %s", err, lost)
	}
	drop := func(h tenant.Held) error { return h.Drop(t.Context()) }
	if err := companies.Store.Hold(t.Context(), "cafe", drop); !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), lost) {
		t.Errorf("removing a company: %v; want that %s", err, lost)
	}
	findings := found(t, url)
	if f := findings["rules"]; f.State != doctor.OK {
		t.Errorf("of the rules doctor finds %v", f)
	}
	if f := findings["workers"]; f.State != doctor.Fail || !strings.Contains(f.Found, "1 of 2") || !strings.Contains(f.Found, lost) || f.Hint == "" {
		t.Errorf("doctor finds %v", f)
	}
	if bytes, err := size("bakery"); !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), lost) {
		t.Errorf("the size on the lost worker is %d, %v", bytes, err)
	}
	if bytes, err := size("cafe"); err != nil || bytes == 0 {
		t.Errorf("the size on the other worker is %d, %v", bytes, err)
	}
	if after, err := companies.List(t.Context()); err != nil || len(after) != len(before) {
		t.Errorf("the companies are %v, %v", after, err)
	}
	if err := c.Nodes[1].Start(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestCompaniesAreServedWithoutTheCoordinator(t *testing.T) {
	c, _, offices := serveShared(t, 2)
	ask := func(o office) {
		t.Helper()
		status, text := o.send(http.MethodPost, "/rest/client", `{"name":"x","type":1}`)
		if status != http.StatusOK {
			t.Fatalf("a change: %d %s", status, text)
		}
		if status, text = o.send(http.MethodGet, "/rest/client/"+id.FindStringSubmatch(text)[1], ""); status != http.StatusOK {
			t.Fatalf("a read: %d %s", status, text)
		}
	}
	for _, o := range offices {
		ask(o)
	}
	c.Nodes[0].Kill()
	defer func() {
		if err := c.Nodes[0].Start(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	for began := time.Now(); time.Since(began) < 2*freshFor; { // after which no listing is current
		for _, o := range offices {
			ask(o)
		}
	}
	if status, text := offices[0].send(http.MethodGet, "/readyz", ""); status != http.StatusServiceUnavailable {
		t.Errorf("/readyz: %d %s", status, text)
	}
}

// freshFor is how long a service does not have to read the list of companies again.
const freshFor = 2 * time.Second

// contract 14.3, 10.155, 10.156
func TestRestoredCompanyIsOnAWorker(t *testing.T) {
	c, name := database(t)
	url := c.URL(name)
	mill := addCompanies(t, c, url, "Asia/Tokyo", "mill")[0]
	served := serve(t, url, []office{mill})[0]
	served.post("/rest/client", `{"name":"first","type":1}`)
	bill := served.bill()
	before := bill.read()
	dump := filepath.Join(t.TempDir(), "mill.dump")
	clientProgram(t, "pg_dump", "--format=custom", "--schema="+mill.code.Schema(), "--file="+dump, url)
	companies := commands(t, url)
	if err := companies.Remove(t.Context(), "mill"); err != nil {
		t.Fatal(err)
	}
	clientProgram(t, "pg_restore", "--exit-on-error", "--single-transaction", "--no-owner", "--dbname="+url, dump)
	if _, err := companies.Adopt(t.Context(), "mill", mill.code); err != nil {
		t.Fatal(err)
	}
	if node := nodeOf(t, url, mill.code); node == "" {
		t.Error("the company is on the coordinator")
	}
	if n := column[int64](t, url, `
select count(*)
from pg_class c
where c.relnamespace = $1::text::regnamespace and c.relkind = 'r' and not exists (select from pg_dist_partition p where p.logicalrelid = c.oid)`,
		mill.code.Schema())[0]; n != 0 {
		t.Errorf("%d of its tables are not distributed", n)
	}
	clients := mill.code.Schema() + ".clients"
	for _, worker := range c.Nodes[1:] { // one of them has created the client
		next := column[int64](t, worker.URL(name), "select nextval($1::text::regclass)", clients+"_id_seq")[0]
		if n := column[int64](t, url, "select count(*) from "+clients+" where id = $1", next)[0]; n != 0 {
			t.Errorf("the next client gets the id %d, which another one has", next)
		}
	}
	again := serve(t, url, []office{mill})[0]
	bill.office = again
	if diff := cmp.Diff(before, bill.read()); diff != "" {
		t.Errorf("the invoice is another one (-want +got):\n%s", diff)
	}
	bill.credit("1.5")
	if status, text := again.send(http.MethodGet, "/rest/client", ""); status != http.StatusOK || !strings.Contains(text, "first") {
		t.Errorf("a list: %d %s", status, text)
	}
	if status, text := again.send(http.MethodPost, "/rest/client", `{"name":"second","type":1}`); status != http.StatusOK {
		t.Errorf("a change: %d %s", status, text)
	}
}

// clientProgram runs a program of PostgreSQL.
func clientProgram(t *testing.T, name string, arguments ...string) {
	t.Helper()
	programs, err := pgserver.Programs("lib/citus.so")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := exec.CommandContext(t.Context(), filepath.Join(programs, name), arguments...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, text)
	}
}
