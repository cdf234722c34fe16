package api_test

import (
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/token"
)

// scoped is a caller with a new token of the user, with these scopes and a label.
func (s *service) scoped(username string, scopes ...string) *caller {
	s.t.Helper()
	parsed, err := token.ParseScopes(scopes, bootstrap.ScopeResources())
	if err != nil {
		s.t.Fatal(err)
	}
	secret, _, err := s.commands.Tokens.IssueScoped(s.t.Context(), username, time.Hour, parsed, "shop")
	if err != nil {
		s.t.Fatal(err)
	}
	return s.as(username).with("Authorization", "Bearer "+secret.Token)
}

// contract 5.26, 5.27
func TestScopesAllowTheirRoutesOnly(t *testing.T) {
	t.Parallel()
	m := startMatrix(t)
	for _, route := range m.routes() {
		method, path, _ := strings.Cut(route, " ")
		rest, ok := strings.CutPrefix(path, "/rest/")
		if !ok || rest == "me" {
			continue
		}
		resource, _, _ := strings.Cut(rest, "/")
		needed := resource + ":write"
		other := []string{resource + ":read", "status:write", "user:write", "performer:write"}
		if method == http.MethodGet {
			needed, other = resource+":read", other[1:]
		}
		var without []string
		for _, scope := range other {
			if !strings.HasPrefix(scope, resource+":w") {
				without = append(without, scope)
			}
		}
		m.run(t, route, "scoped", func(m *matrixService) {
			_, address := m.unchangedAddress(route)
			if query, ok := matrix[route].carries.(string); ok {
				address += query
			}
			caller := m.scoped("admin", without...)
			before := m.sum()
			got := caller.send(method, address, matrix[route].carries)
			if p := got.rejected(403); p.Detail != "the token needs the scope "+needed {
				m.t.Errorf("the detail is %q", p.Detail)
			}
			if m.sum() != before {
				m.t.Error("the rejected request has changed something")
			}
			method, address = m.address(route)
			if query, ok := matrix[route].carries.(string); ok {
				address += "?" + query
			}
			allowed := []string{resource + ":write"}
			if strings.HasSuffix(path, "trial") {
				allowed = append(allowed, "deal:read") // 5.105
			}
			m.scoped("admin", allowed...).send(method, address, matrix[route].carries).wants(200)
			if method == http.MethodGet {
				m.scoped("admin", needed).send(http.MethodHead, address, nil).wants(200)
			}
		})
	}
}

// contract 5.27: a scope gives no right that the user does not have, and covers what a response shows.
func TestScopesLimitTheRightsOfTheUser(t *testing.T) {
	t.Parallel()
	s := startWithSamples(t)
	s.scoped("viewer", "client:write").post("/rest/client", samples["/rest/client"]).rejected(403)
	invoices := s.scoped("manager", "invoice:write")
	if got := invoices.get("/rest/invoice/1?expand=deal,company&fields=deal.name,company.name&_format=json").wants(200).body; !strings.Contains(got, `"Acme"`) {
		t.Errorf("with expansions: %s", got)
	}
	invoices.post("/rest/invoice", bill(nil)).wants(200) // opens a deal
	invoices.get("/rest/deal").rejected(403)
	invoices.get("/rest/deal?colour=red").rejected(400)
	invoices.get("/rest/deals").rejected(404)
}

// contract 5.28
func TestMeSaysWhoTheTokenIs(t *testing.T) {
	t.Parallel()
	s := start(t)
	person := map[string]any{"id": "2", "username": "manager", "fname": "Mara", "lname": "Nager", "email": "manager@example.org"}
	show := func(c *caller) map[string]any {
		t.Helper()
		record := c.get("/rest/me").record()
		user := record["user"].(map[string]any)
		user["id"] = text(user["id"])
		return record
	}
	scoped := show(s.scoped("manager", "invoice:read", "client:write"))
	if expires, ok := scoped["expires_at"].(string); !ok || len(expires) != len(time.DateTime) {
		t.Errorf("it expires at %v", scoped["expires_at"])
	}
	scoped["expires_at"] = nil
	want := map[string]any{"user": person, "role": "manager", "scopes": []any{"client:write", "invoice:read"}, "label": "shop", "expires_at": nil}
	if !reflect.DeepEqual(scoped, want) {
		t.Errorf("got %v, want %v", scoped, want)
	}
	forEver, _, err := s.commands.Tokens.Issue(t.Context(), "manager", 0)
	if err != nil {
		t.Fatal(err)
	}
	plain := show(s.as("manager").with("Authorization", "Bearer "+forEver.Token))
	want["scopes"], want["label"] = nil, nil
	if !reflect.DeepEqual(plain, want) {
		t.Errorf("got %v, want %v", plain, want)
	}
	xml := s.scoped("viewer", "deal:read").get("/rest/me?_format=xml&fields=role,scopes,label").wants(200).body
	if !strings.HasSuffix(xml, "<response><role>viewer</role><scopes><item>deal:read</item></scopes><label>shop</label></response>") {
		t.Errorf("in XML: %s", xml)
	}
	s.nobody().get("/rest/me").rejected(401)
}
