package api_test

import (
	"strings"
	"testing"
)

// contract 4.5, 4.6, 4.7, 4.8, 4.9, 4.10, 4.28, 4.29, 2.11, 6.8
func TestFieldsAndExpandSelectAttributes(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.as("admin").post("/rest/client", fields{"name": "a", "type": 2}).wants(200)
	for query, want := range map[string]string{
		"fields=name,id":                           `{"id":1,"name":"a"}`,
		"fields=name":                              `{"name":"a"}`,
		"fields=user":                              `{"user":1}`,
		"fields=user_id":                           `{"user_id":1}`,
		"fields=user&expand=user":                  `{"user":{"id":1,"username":"admin","fname":"Ada","lname":"Min","email":"admin@example.org"}}`,
		"fields=id,user.email&expand=user":         `{"id":1,"user":{"email":"admin@example.org"}}`,
		"fields=id,user.email,user.id":             `{"id":1,"user":{"id":1,"email":"admin@example.org"}}`,
		"fields=id&expand=user":                    `{"id":1,"user":{"id":1,"username":"admin","fname":"Ada","lname":"Min","email":"admin@example.org"}}`,
		"fields=id,user_id,user.fname&expand=user": `{"id":1,"user_id":1,"user":{"fname":"Ada"}}`,
	} {
		if got := s.as("viewer").get("/rest/client/1?" + query).wants(200).body; got != `{"response":`+want+`}` {
			t.Errorf("%s: got %s", query, got)
		}
	}
	for _, query := range []string{"fields=nope", "fields=user.nope", "fields=name.x", "fields=user.email.x", "expand=nope", "expand=user,nope"} {
		if p := s.as("viewer").get("/rest/client?" + query).rejected(400); !strings.Contains(p.Detail, "user") {
			t.Errorf("%s: the detail does not list the allowed names: %s", query, p.Detail)
		}
	}
	s.as("viewer").get("/rest/status?expand=user").rejected(400)
	plain := s.as("viewer").get("/rest/client/1").body
	for _, query := range []string{"fields=", "expand=", "sort=", "fields=,&expand=,"} {
		if got := s.as("viewer").get("/rest/client/1?" + query).wants(200).body; got != plain {
			t.Errorf("%s: got %s", query, got)
		}
	}
}
