package api_test

import (
	"debug/buildinfo"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/testprogram"
)

// contract 1.1
func TestProgramModulePath(t *testing.T) {
	t.Parallel()
	built, err := buildinfo.ReadFile(testprogram.Path(t))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := []string{built.Main.Path, built.Path}, []string{"github.com/kontor-crm/kontor", "github.com/kontor-crm/kontor/cmd/kontor"}; !cmp.Equal(got, want) {
		t.Errorf("module and program are %v, want %v", got, want)
	}
}

// contract 1.36, 1.37, 1.32, 1.33
func TestMigrateCommandCreatesSchemaInTimeZone(t *testing.T) {
	t.Parallel()
	kontor := program{t, testprogram.Path(t), pgtest.EmptyURL(t)}
	if status := kontor.run("migrate status"); !strings.Contains(status, "missing") || strings.Contains(status, "applied") {
		t.Errorf("before the first migration the status is\n%s", status)
	}
	if up := kontor.run("migrate up --timezone Asia/Tokyo"); strings.Contains(up, "missing") {
		t.Errorf("after all migrations the status is\n%s", up)
	}
	s := &service{t: t, pool: pgtest.Pool(t, kontor.database)}
	for _, table := range []string{
		"users", "tokens", "statuses", "deal_types", "invoice_types", "performers", "clients", "contacts", "deals", "offers", "contracts", "invoices", "invoice_lines", "deal_history",
	} {
		if n := s.count(table, "true"); n != 0 {
			t.Errorf("the migrations created %d %s", n, table)
		}
	}
	if got := kontor.run("timezone show"); got != "Asia/Tokyo\n" {
		t.Errorf("the zone of the database is %s", got)
	}
	printed, ok := kontor.try("migrate up")
	for _, part := range []string{"Asia/Tokyo", "UTC", "kontor timezone set UTC"} {
		if ok || !strings.Contains(printed, part) {
			t.Errorf("in the default zone migrate up prints, without %q: %s", part, printed)
		}
	}
	kontor.run("timezone set Europe/Berlin")
	if got := kontor.run("timezone show"); got != "Europe/Berlin\n" {
		t.Errorf("the zone of the database is then %s", got)
	}
	applied := strings.Count(kontor.run("migrate status --timezone Europe/Berlin"), "applied")
	if down := kontor.run("migrate down --timezone Europe/Berlin"); strings.Count(down, "missing") != 1 || strings.Count(down, "applied") != applied-1 {
		t.Errorf("after one step back the status is\n%s", down)
	}
}

// contract 1.36
func TestCommandsMigrateNoConfiguredDatabase(t *testing.T) {
	t.Parallel()
	kontor := program{t, testprogram.Path(t), pgtest.URL(t)}
	kontor.run("migrate up") // records the time zone
	before := kontor.run("migrate down")
	for _, command := range []string{
		"user list", "user add --username ann --role admin", "token list", "token issue --user ann", "demo", "timezone show", "timezone set UTC",
		"readmodel verify", "readmodel rebuild",
	} {
		if printed, ok := kontor.try(command); ok || !strings.Contains(printed, "run kontor migrate up") {
			t.Errorf("without a migration kontor %s prints, successfully: %v,\n%s", command, ok, printed)
		}
	}
	if after := kontor.run("migrate status"); after != before {
		t.Errorf("after the commands the status is\n%s", after)
	}
	kontor.run("migrate up")
	kontor.run("user list")
}

// contract 1.38, 1.39, 1.40, 1.41, 1.42, 1.20, 5.5, 5.8, 5.10
func TestUserAndTokenCommands(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "commands without --company")
	clock := &settableClock{at: time.Now()}
	s := start(t, func(c *bootstrap.Config) { c.Clock = clock })
	kontor := program{t, testprogram.Path(t), s.database}
	added := kontor.run("user add --username mira --fname Mira --lname Berg --email mira@example.org --role manager --output json")
	if !strings.HasPrefix(added, `{"id":5,"username":"mira","name":"Mira Berg","email":"mira@example.org","role":"manager","disabled":false,`) || !json.Valid([]byte(added)) {
		t.Errorf("user add prints %s", added)
	}
	for _, arguments := range []string{
		"user add --username MIRA", "user role --username nobody --role viewer", "token issue --user mira --ttl -1h", "token revoke 000000000000",
	} {
		if printed, ok := kontor.try(arguments); ok || strings.Contains(printed, "SQLSTATE") {
			t.Errorf("kontor %s succeeds or prints internals: %s", arguments, printed)
		}
	}

	lives := func(expires *time.Time, want time.Duration) bool {
		return expires != nil && time.Until(*expires).Round(time.Hour) == want
	}
	var publicID string
	var expires *time.Time
	s.tokens["mira"], publicID, expires = kontor.issue("")
	if !lives(expires, 90*24*time.Hour) {
		t.Errorf("a token expires at %v", expires)
	}
	if _, _, expires := kontor.issue("--ttl 48h"); !lives(expires, 48*time.Hour) {
		t.Errorf("a token for 48 h expires at %v", expires)
	}
	if _, _, expires := kontor.issue("--never"); expires != nil {
		t.Errorf("a token that never expires has the expiry %v", expires)
	}
	if listed := kontor.listed("token list --user mira"); len(listed) != 3 || listed[2]["public_id"] != publicID {
		t.Errorf("mira's tokens are %v", listed)
	}
	if listed := kontor.run("token list --output json"); strings.Contains(listed, "kt_") || strings.Contains(listed, s.tokens["mira"][len("kt_")+len(publicID):]) {
		t.Errorf("token list shows a token: %s", listed)
	}
	if listed := kontor.run("user list"); !strings.Contains(listed, "USERNAME") || strings.Count(listed, "\n") != 6 {
		t.Errorf("user list prints %s", listed)
	}
	if listed := kontor.listed("user list"); len(listed) != 5 {
		t.Errorf("the users are %v", listed)
	}

	mira := s.as("mira")
	mira.post("/rest/client", fields{"name": "a", "type": 1}).wants(200)
	for _, step := range []struct {
		command   string
		get, post int // the statuses afterwards
	}{
		{"user role --username Mira --role viewer", 200, 403},
		{"user disable --username mira", 401, 401},
		{"user enable --username mira", 200, 403},
		{"token revoke " + publicID, 401, 401},
	} {
		kontor.run(step.command)
		clock.advance()
		mira.get("/rest/client").wants(step.get)
		mira.post("/rest/client", fields{"name": "a", "type": 1}).wants(step.post)
	}
}
