package api_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// contract 5.1, 5.1a, 5.1b, 5.1c, 5.1d, 5.1e, 5.2, 3.10
func TestTokenIsReadFromEveryLocation(t *testing.T) {
	t.Parallel()
	s := start(t)
	token := s.tokens["viewer"]
	basic := func(name string) *caller {
		r, _ := http.NewRequest(http.MethodGet, "/", nil)
		r.SetBasicAuth(name, "anything")
		return s.nobody().with("Authorization", r.Header.Get("Authorization"))
	}
	s.nobody().get("/rest/client?auth_key=" + token).wants(200)
	s.nobody().get("/rest/client?access-token=" + token).wants(200)
	s.nobody().with("access-token", token).get("/rest/client").wants(200)
	s.nobody().with("Authorization", "bearer "+token).get("/rest/client").wants(200)
	basic(token).get("/rest/client").wants(200)
	s.nobody().with("access-token", token).get("/rest/client?auth_key=" + token).wants(200)
	s.nobody().with("access-token", token).get("/rest/client?auth_key=" + s.tokens["admin"]).rejected(401)
	s.nobody().get("/rest/client?auth_key=" + token + "&auth_key=x").rejected(401)
	s.nobody().get("/rest/client?auth_key=" + token[:len(token)-2] + "xx").rejected(401)
	s.nobody().get("/rest/client?auth_key=").rejected(401)
	basic("viewer").get("/rest/client").rejected(401)
}

// contract 5.6
func TestLinksCarryTokenFromQuery(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, name := range []string{"auth_key", "access-token"} {
		r := s.nobody().get("/rest/client?" + name + "=" + s.tokens["viewer"] + "&per_page=1").wants(200)
		self, err := url.Parse(r.links()["self"])
		if err != nil {
			t.Fatal(err)
		}
		query := self.Query()
		if got := query["access-token"]; !cmp.Equal(got, []string{s.tokens["viewer"]}) || query.Has("auth_key") {
			t.Errorf("%s: the link is %s", name, self)
		}
		s.nobody().get(self.String()).wants(200)
	}
}
