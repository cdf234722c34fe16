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

// contract 1.36
func TestCommandsMigrateNoConfiguredDatabase(t *testing.T) {
	t.Parallel()
	kontor := program{t, testprogram.Path(t), pgtest.URL(t)}
	kontor.run("migrate up") // records the time zone
	before := kontor.run("migrate down --really")
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

// contract 1.38, 1.40, 1.42, 1.19, 5.5, 5.8, 5.10
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
