package api_test

import (
	"slices"
	"testing"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

// contract 2.8, 2.9, 1.19
func TestDefaultFormatOfEveryResource(t *testing.T) {
	t.Parallel()
	const json, xml = "application/json; charset=utf-8", "application/xml; charset=utf-8"
	for _, set := range []string{"documented", "xml"} {
		s := start(t, func(c *bootstrap.Config) { c.DefaultFormat = set })
		s.as("admin").post("/rest/client", fields{"name": "a", "type": 1}).wants(200)
		for _, path := range []string{
			"/rest/user", "/rest/status", "/rest/deal-type", "/rest/invoice-type", "/rest/performer", "/rest/client", "/rest/contact?client_id=1",
			"/rest/deal", "/rest/offer", "/rest/contract", "/rest/invoice", "/rest/invoice-items", "/rest/user/1", "/rest/client/1",
		} {
			want := map[string]string{"xml": xml, "documented": json}[set]
			if set == "documented" && slices.Contains([]string{"/rest/user", "/rest/user/1", "/rest/status", "/rest/invoice"}, path) {
				want = xml
			}
			r := s.as("viewer").with("Accept", "").get(path).wants(200)
			if got := r.header.Get("Content-Type"); got != want || r.header.Get("Vary") != "Accept, Accept-Encoding" {
				t.Errorf("%s: the format of %s is %s, want %s; Vary is %q", set, path, got, want, r.header.Get("Vary"))
			}
		}
	}
}
