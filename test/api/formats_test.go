package api_test

import (
	"slices"
	"testing"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

// contract 2.1, 2.2, 2.12, 2.13, 2.14, 2.15, 2.18, 2.22
func TestXMLResponseMatchesJSON(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.as("admin").post("/rest/client", fields{"name": "<Ä> & \"B\"", "type": 1, "description": "a\r\nb"}).wants(200)
	s.as("admin").post("/rest/status", fields{"name": "x"}).wants(200)
	xml := s.as("admin").with("Accept", "application/xml")
	const head = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"
	if got, want := xml.get("/rest/client/1?fields=id,user.lname,name,email,description").body,
		head+"<response><id>1</id><user><lname>Min</lname></user><name>&lt;Ä&gt; &amp; \"B\"</name><email/><description>a&#13;\nb</description></response>"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := xml.get("/rest/status").body, head+"<response><item><id>1</id><name>x</name><default/><color/></item></response>"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := xml.get("/rest/client?name=none").body, head+"<response></response>"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := s.as("admin").get("/rest/client/1?fields=name,description").body, `{"response":{"name":"<Ä> & \"B\"","description":"a\r\nb"}}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// contract 2.8, 2.9, 2.10, 1.25
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
			if got := r.header.Get("Content-Type"); got != want || r.header.Get("Vary") != "Accept" {
				t.Errorf("%s: the format of %s is %s, want %s; Vary is %q", set, path, got, want, r.header.Get("Vary"))
			}
		}
	}
}
