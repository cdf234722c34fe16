//go:build full

package docs

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/test/doctest"
	"github.com/kontor-crm/kontor/test/pgtest"
)

const operationsPage = "../../docs/operations.md"

func TestSkippedBlocksOfOperationsPageAreKnown(t *testing.T) {
	t.Parallel()
	blocks := doctest.Blocks(t, operationsPage)
	want := []string{
		"Install: psql --command=\"create role kontor login password 'secret'\" (the test has a server of its own)",
		"systemd: useradd --system --home-dir /var/lib/kontor --shell /usr/sbin/nologin kontor (needs systemd)",
		"systemd: set -a; . /etc/kontor/kontor.env; set +a (needs the file of settings of an installed service)",
		"Docker: echo \"KONTOR_DATABASE_PASSWORD=$(openssl rand -hex 24)\" >.env (needs Docker)",
		"Docker: gateway=$(docker network inspect --format '{{(index .IPAM.Config 0).Gateway}}' kontor_front) (needs Docker)",
		"Docker: docker pull postgres:15-bookworm (needs Docker)",
		"Docker: docker compose exec -T postgres pg_dump --username=kontor --format=custom kontor >kontor.dump (needs Docker)",
		"TLS: install -m 0644 /etc/letsencrypt/live/crm.example.org/fullchain.pem /etc/kontor/cert.pem (needs a certificate from an authority)",
		"First user: export KONTOR_DATABASE_URL=postgres://kontor:secret@db.example.org:5432/kontor (the test has a database and a folder of its own)",
		"Restore: NAME=kontor_restored (the test has a database of its own)",
		"Upgrade: docker compose exec -T postgres pg_dump --username=kontor --format=custom kontor >kontor.dump (needs Docker)",
		"Roll back a migration: kontor migrate down --really (until the first release there is one migration)",
		"Roll back a migration: kontor migrate up (until the first release there is one migration)",
		"Failover: systemctl disable --now postgresql          # on db1 (needs three servers)",
		"Failover: for host in db2 db3; do (needs three servers)",
		`Failover: psql "host=db2.example.org user=postgres" --command='select pg_promote()' (needs three servers)`,
		`Failover: psql "host=db3.example.org user=postgres" \ (needs three servers)`,
		`Failover: psql "host=db2.example.org user=postgres" \ (needs three servers)`,
		"Failover: rm /var/lib/postgresql/15/main/standby.signal               # on db1, as the user postgres (needs three servers)",
		"Failover: rm -rf /var/lib/postgresql/15/main                          # on db1, as the user postgres, instead of pg_rewind (needs three servers)",
		"Failover: systemctl enable --now postgresql                           # on db1 (needs three servers)",
		"The private PostgreSQL: export KONTOR_DATA_DIR=/var/lib/kontor (the test has folders of its own)",
		"The private PostgreSQL: NEW=/var/lib/kontor-new (the test has folders of its own)",
	}
	if diff := cmp.Diff(want, doctest.NotRun(blocks)); diff != "" {
		t.Error(diff)
	}
	covered := append(slices.Clone(serverSections), privateSection)
	for _, b := range blocks {
		if b.Reason == "" && !slices.Contains(covered, b.Section) {
			t.Errorf("%s: no test runs the blocks under %q", b.Name(), b.Section)
		}
	}
}

// serverSections are those about a PostgreSQL server, in the order of the page.
var serverSections = []string{
	"First user", "Back up", "Restore", "Upgrade", "Upgrade without stopping", "Roll back a migration", "Rotate tokens", "Disk and vacuum",
}

const privateSection = "The private PostgreSQL"

// office runs the page's commands on the database of a company.
type office struct {
	*testing.T
	shell              *doctest.Shell
	blocks             []doctest.Block
	database, restored string
	token              string // of ann, a user created on the page
}

// contract 1.36, 1.38
func TestOperationsPageKeepsDataThroughBackupAndUpgrade(t *testing.T) {
	t.Parallel()
	database := pgtest.EmptyURL(t)
	fill(t, database)
	name, restored := beside(t, database)
	folder := t.TempDir()
	o := office{
		T: t, blocks: doctest.Blocks(t, operationsPage), database: database, restored: restored,
		shell: doctest.Start(t, folder, programPath(t), "KONTOR_DATABASE_URL="+database, "BACKUPS="+filepath.Join(folder, "backups"),
			"NAME="+name, "RESTORED="+restored),
	}
	o.all("First user")
	o.token = o.variable("TOKEN")
	o.write()
	o.backUpAndRestore()
	o.upgrade()
	o.all("Upgrade without stopping")
	o.all("Roll back a migration")
	o.rotateTokens()
	o.all("Disk and vacuum")
}

// all runs the blocks of a section.
func (o *office) all(section string) {
	o.Helper()
	for _, block := range doctest.In(o, section, o.blocks) {
		o.shell.Run(block)
	}
}

// variable returns the value of a variable that the page sets.
func (o *office) variable(name string) string {
	o.Helper()
	return strings.TrimSpace(o.shell.Run(doctest.Block{Page: "variable " + name, Script: `echo "$` + name + `"`}))
}

// write writes records and leaves the changes unfolded.
func (o *office) write() {
	o.Helper()
	s, stop := serve(o.T, o.database)
	defer stop()
	for i := range 12 {
		body := fmt.Sprintf(`{"type":1,"name":"Nordwind %d"}`, i)
		if status, response := s.send(o.token, http.MethodPost, "/rest/client", body); status != http.StatusOK {
			o.Fatalf("creating a client returned %d %s", status, response)
		}
	}
	if status, response := s.send(o.token, http.MethodDelete, "/rest/client/103", ""); status >= 300 {
		o.Fatalf("deleting a client returned %d %s", status, response)
	}
}

// backUpAndRestore backs up, changes a record, and restores the backup.
func (o *office) backUpAndRestore() {
	o.Helper()
	everything := tables(o.T, o.database)
	seen := o.responses(o.database)
	before := checksums(o.T, o.database, everything...)
	o.all("Back up")
	o.changeAfterBackup()
	if checksums(o.T, o.database, everything...) == before {
		o.Fatal("the database did not change after the backup")
	}
	compared := false
	for _, block := range doctest.In(o, "Restore", o.blocks) {
		o.shell.Run(block)
		if strings.Contains(block.Script, "pg_restore") {
			compared = true
			if diff := cmp.Diff(before, checksums(o.T, o.restored, everything...)); diff != "" {
				o.Errorf("the restored database differs from the backup:\n%s", diff)
			}
		}
	}
	if !compared {
		o.Fatal("the page does not restore")
	}
	if diff := cmp.Diff(seen, o.responses(o.restored)); diff != "" {
		o.Errorf("the responses differ after the restore:\n%s", diff)
	}
}

// changeAfterBackup changes a record.
func (o *office) changeAfterBackup() {
	o.Helper()
	s, stop := serve(o.T, o.database)
	defer stop()
	if status, response := s.send(o.token, http.MethodPatch, "/rest/client/104", `{"name":"Changed since"}`); status != http.StatusOK {
		o.Fatalf("updating a client returned %d %s", status, response)
	}
}

// upgrade runs the commands of the page.
func (o *office) upgrade() {
	o.Helper()
	before, seen := checksums(o.T, o.database, records...), o.responses(o.database)
	for _, block := range doctest.In(o, "Upgrade", o.blocks) {
		if strings.Contains(o.shell.Run(block), "missing") {
			o.Errorf("%s: migrations are missing", block.Script)
		}
	}
	if status := o.ready(); status != http.StatusOK {
		o.Errorf("after the upgrade readyz returns %d", status)
	}
	o.same(before, seen)
}

// ready returns the status of readyz, which is 503 while the service connects.
func (o *office) ready() (status int) {
	o.Helper()
	s, _ := serve(o.T, o.database)
	for end := time.Now().Add(20 * time.Second); status != http.StatusOK && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		status, _ = s.send("", http.MethodGet, "/readyz", "")
	}
	return status
}

func (o *office) same(before, seen string) {
	o.Helper()
	if diff := cmp.Diff(before, checksums(o.T, o.database, records...)); diff != "" {
		o.Errorf("the records changed:\n%s", diff)
	}
	if diff := cmp.Diff(seen, o.responses(o.database)); diff != "" {
		o.Errorf("the responses changed:\n%s", diff)
	}
}

// responses are those of a service on the database, which it stops: in the background, it maintains read models.
func (o *office) responses(database string) string {
	o.Helper()
	s, stop := serve(o.T, database)
	defer stop()
	return s.seen(o.token)
}

// rotateTokens checks that the new token replaces the old one.
func (o *office) rotateTokens() {
	o.Helper()
	o.all("Rotate tokens")
	s, _ := serve(o.T, o.database)
	for token, want := range map[string]int{o.token: http.StatusUnauthorized, o.variable("TOKEN"): http.StatusOK} {
		if status, response := s.send(token, http.MethodGet, "/rest/client", ""); status != want {
			o.Errorf("after the rotation a token gets %d, want %d: %s", status, want, response)
		}
	}
}
