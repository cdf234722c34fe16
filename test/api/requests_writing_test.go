package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// contract 4.56, 4.57, 4.60, 2.33, 9.14, 9.4
func TestUpdateChangesSentFieldsOnly(t *testing.T) {
	t.Parallel()
	for _, method := range []string{http.MethodPut, http.MethodPatch} {
		t.Run(method, func(t *testing.T) {
			s := start(t)
			admin := s.as("admin")
			before := admin.post("/rest/client", fields{"name": "Ilse", "type": 2, "email": "i@example.org", "person_details": "tall"}).record()
			after := admin.send(method, "/rest/client/1", fields{
				"name": "Ilse K.", "email": "", "type": []int{1}, "company_address": 5, "created_at": "never", "_unknown": true,
			}).record()
			before["name"], before["email"], before["updated_at"] = "Ilse K.", nil, after["updated_at"]
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("the update changed other fields than the sent ones:\n%s", diff)
			}
			if got := admin.send(method, "/rest/client/1", fields{"name": "Lost", "nane": "x"}).wrongFields(); !cmp.Equal(got, []string{"nane"}) {
				t.Errorf("the wrong fields with an unknown name are %v", got)
			}
			if got := admin.send(method, "/rest/client/1", fields{"name": ""}).wrongFields(); !cmp.Equal(got, []string{"name"}) {
				t.Errorf("the wrong fields with an empty name are %v", got)
			}
		})
	}
}

// contract 4.58, 2.23, 2.27, 2.30: a PUT accepts the body of a GET in either
// format, and changes nothing, not even the version; also of frozen invoices, and of
// records of other users.
func TestUpdateAcceptsReadRepresentationOfAnyRecord(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.tokens["demo"] = s.loadDemo()
	for path, c := range map[string]struct {
		list, who string
	}{
		"/rest/status":        {"", "demo"},
		"/rest/deal-type":     {"", "demo"},
		"/rest/invoice-type":  {"", "demo"},
		"/rest/performer":     {"", "demo"},
		"/rest/client":        {"expand=user&count_deals=1", "manager"},
		"/rest/contact":       {"client_id=1&expand=client,deal", "manager"},
		"/rest/deal":          {"expand=client,user,type,status", "manager"},
		"/rest/offer":         {"", "manager"},
		"/rest/contract":      {"", "manager"},
		"/rest/invoice":       {"expand=items,company,manager,status,deal", "manager"},
		"/rest/invoice-items": {"", "manager"},
	} {
		ids := s.as("viewer").get(path + "?" + c.list).column("id")
		if len(ids) == 0 {
			t.Errorf("%s: the list is empty", path)
		}
		for _, format := range []string{"application/json", "application/xml"} {
			caller := s.as(c.who).with("Accept", format).with("Content-Type", format)
			for _, id := range ids {
				address := path + "/" + id + "?" + strings.TrimPrefix(c.list, "client_id=1&")
				shown := caller.get(address).wants(200)
				back := caller.put(address, shown.body).wants(200)
				if back.body != shown.body || back.header.Get("ETag") != shown.header.Get("ETag") {
					t.Errorf("%s as %s: sent\n%s\ngot\n%s", address, format, shown.body, back.body)
				}
			}
		}
	}
}
