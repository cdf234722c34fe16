package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// contract 5.106
func TestAdminIssuesListsAndRevokesTokens(t *testing.T) {
	t.Parallel()
	s := start(t)
	admin := s.as("admin")
	manager := text(admin.get("/rest/user?fields=id,username&_format=json").items()[1]["id"])

	issued := admin.post("/rest/token", fields{
		"user": manager, "label": "shop", "scopes": []string{"status:write", "client:read"}, "life": "1d12h",
	}).record()
	secret := text(issued["token"])
	if issued["label"] != "shop" || issued["username"] != "manager" || !strings.HasPrefix(secret, "kt_"+text(issued["public_id"])+"_") {
		t.Errorf("issued %v", issued)
	}
	expires, err := time.Parse(time.DateTime, text(issued["expires_at"]))
	if left := time.Until(expires); err != nil || left < 35*time.Hour || left > 37*time.Hour {
		t.Errorf("it expires at %v: %v", issued["expires_at"], err)
	}
	shop := s.nobody().with("Authorization", "Bearer "+secret)
	shop.get("/rest/client").wants(200)
	shop.get("/rest/deal").rejected(403)

	_, hidden, _ := strings.Cut(secret, text(issued["public_id"]))
	list := admin.get("/rest/token?username=MANAGER").wants(200).body
	if !strings.Contains(list, `"label":"shop"`) || strings.Contains(list, hidden) || strings.Contains(list, `"token"`) {
		t.Errorf("the list is %s", list)
	}
	for range 2 {
		admin.delete("/rest/token/" + text(issued["id"])).wants(200)
	}
	shop.becomesRejected("/rest/client", 401)

	own := admin.post("/rest/token", fields{"label": "own", "life": "never"}).record()
	if own["username"] != "admin" || own["expires_at"] != nil || own["scopes"] != nil {
		t.Errorf("by default issued %v", own)
	}
	admin.send(http.MethodPatch, "/rest/token/"+text(own["id"]), fields{"label": "a"}).rejected(405)
}

// becomesRejected waits until the instance has noticed.
func (c *caller) becomesRejected(path string, status int) {
	c.s.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); c.get(path).status != status; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			c.s.t.Fatalf("%s does not become a %d", path, status)
		}
	}
}

// contract 5.106
func TestWrongTokensAreRejectedByField(t *testing.T) {
	t.Parallel()
	admin := start(t).as("admin")
	for field, values := range map[string][]any{
		"life":   {"1y", "0d", "-1h", "soon"},
		"user":   {99, "x"},
		"scopes": {[]string{"clint:read"}, "client:read", []string{"token"}},
		"label":  {strings.Repeat("a", 256), " ", nil},
	} {
		for _, value := range values {
			if p := admin.post("/rest/token", fieldsWith(fields{"label": "a"}, fields{field: value})).rejected(422); len(p.Errors) != 1 || !strings.HasPrefix(p.Errors[0].Field, field) {
				t.Errorf("%s %v: %v", field, value, p.Errors)
			}
		}
	}
	if got := admin.get("/rest/token?username=admin").items(); len(got) != 1 {
		t.Errorf("the admin has %d tokens", len(got))
	}
}

// contract 5.107
func TestTokenIsShownOnceAndGivesNoMoreThanItsIssuerHas(t *testing.T) {
	t.Parallel()
	s := start(t)
	admin := s.as("admin")
	if got := admin.post("/rest/token?dry_run=1", fields{"label": "a"}).record(); got["token"] != nil {
		t.Errorf("a dry run shows %v", got)
	}
	keyed := admin.withKey("one")
	first, again := keyed.post("/rest/token", fields{"label": "a"}).record(), keyed.post("/rest/token", fields{"label": "a"}).record()
	if first["token"] == nil || again["token"] != nil || again["id"] != first["id"] {
		t.Errorf("first %v, then %v", first, again)
	}
	scoped := s.scoped("admin", "token:write", "client:write")
	scoped.post("/rest/token", fields{"label": "a", "scopes": []string{"client:read", "token:write"}}).wants(200)
	scoped.post("/rest/token", fields{"label": "a", "scopes": []string{"client:read", "deal:read"}}).rejected(403)
	scoped.post("/rest/token", fields{"label": "a"}).rejected(403)
	s.scoped("admin", "client:write").post("/rest/token", fields{"label": "a", "scopes": []string{"client:read"}}).rejected(403)
	s.scoped("manager", "token:write").post("/rest/token", fields{"label": "a", "scopes": []string{"token:write"}}).rejected(403)

	// A token can do no more than its user: nothing once the user is disabled.
	secret := text(admin.post("/rest/token", fields{"label": "a", "user": 3}).record()["token"])
	issued := s.nobody().with("Authorization", "Bearer "+secret)
	issued.get("/rest/client").wants(200)
	issued.post("/rest/client", fields{"name": "Carl", "type": 2}).rejected(403)
	issued.get("/rest/token").rejected(403)
	if err := s.commands.Users.Disable(t.Context(), "viewer"); err != nil {
		t.Fatal(err)
	}
	issued.becomesRejected("/rest/client", 401)
	later := text(admin.post("/rest/token", fields{"label": "a", "user": 3}).record()["token"])
	s.nobody().with("Authorization", "Bearer "+later).get("/rest/client").rejected(401)
}
