package api_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// kontor runs the program against the service's database, and returns what it
// prints and whether it succeeded.
func (s *service) kontor(program string, arguments ...string) (printed string, ok bool) {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), program, arguments...)
	cmd.Env = append(cmd.Environ(), "KONTOR_DATABASE_URL="+s.database)
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

func buildKontor(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "kontor")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", program, "../../cmd/kontor").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return program
}

// contract 1.38 to 1.42, 5.5, 5.8, 5.10
func TestOperatorsManageWhoMayUseTheService(t *testing.T) {
	s := start(t)
	program := buildKontor(t)
	run := func(arguments string) string {
		t.Helper()
		printed, ok := s.kontor(program, strings.Fields(arguments)...)
		if !ok {
			t.Fatalf("kontor %s: %s", arguments, printed)
		}
		return printed
	}
	added := run("user add --username mira --fname Mira --lname Berg --email mira@example.org --role manager --output json")
	if !strings.HasPrefix(added, `{"id":5,"username":"mira","name":"Mira Berg","email":"mira@example.org","role":"manager","disabled":false,`) {
		t.Errorf("user add prints %s", added)
	}
	for _, arguments := range []string{
		"user add --username MIRA", "user add --username x --role king", "user role --username nobody --role viewer",
		"user disable --username nobody", "token issue --user nobody", "token issue --user mira --ttl -1h", "token issue --user mira --ttl 1h --never",
		"token revoke 000000000000", "token revoke", "user list --output yaml", "user add",
	} {
		if printed, ok := s.kontor(program, strings.Fields(arguments)...); ok || strings.Contains(printed, "SQLSTATE") {
			t.Errorf("kontor %s succeeds or shows its insides: %s", arguments, printed)
		}
	}

	issue := func(arguments string) (token, publicID string, expires *time.Time) {
		t.Helper()
		var issued struct {
			Token     string
			ExpiresAt *time.Time `json:"expires_at"`
		}
		if err := json.Unmarshal([]byte(run("token issue --user mira --output json "+arguments)), &issued); err != nil {
			t.Fatal(err)
		}
		parts := regexp.MustCompile(`^kt_([0-9a-f]+)_`).FindStringSubmatch(issued.Token)
		if parts == nil {
			t.Fatalf("the token reads %s", issued.Token)
		}
		return issued.Token, parts[1], issued.ExpiresAt
	}
	lives := func(expires *time.Time, want time.Duration) bool {
		return expires != nil && time.Until(*expires).Round(time.Hour) == want
	}
	var publicID string
	var expires *time.Time
	s.tokens["mira"], publicID, expires = issue("")
	if !lives(expires, 90*24*time.Hour) {
		t.Errorf("a token expires at %v", expires)
	}
	if _, _, expires := issue("--ttl 48h"); !lives(expires, 48*time.Hour) {
		t.Errorf("a token for 48 h expires at %v", expires)
	}
	if _, _, expires := issue("--never"); expires != nil {
		t.Errorf("a token for ever expires at %v", expires)
	}
	if listed := run("token list --user mira --output json"); strings.Count(listed, "public_id") != 3 || strings.Contains(listed, "kt_") {
		t.Errorf("token list prints %s", listed)
	}
	if listed := run("user list"); !strings.Contains(listed, "USERNAME") || strings.Count(listed, "\n") != 6 {
		t.Errorf("user list prints %s", listed)
	}

	mira := s.as("mira")
	become := func(what string, done func() bool) {
		t.Helper()
		for deadline := time.Now().Add(5 * time.Second); !done(); time.Sleep(50 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("after 5 s %s has had no effect", what)
			}
		}
	}
	mira.post("/rest/client", fields{"name": "a", "type": 1}).wants(200)
	run("user role --username Mira --role viewer")
	become("the role", func() bool { return mira.post("/rest/client", fields{"name": "a", "type": 1}).status == 403 })
	run("user disable --username mira")
	become("disabling", func() bool { return mira.get("/rest/client").status == 401 })
	run("user enable --username mira")
	become("enabling", func() bool { return mira.get("/rest/client").status == 200 })
	run("token revoke " + publicID)
	become("the revocation", func() bool { return mira.get("/rest/client").status == 401 })
}
