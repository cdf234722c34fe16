package api_test

import (
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
