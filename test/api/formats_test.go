package api_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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

// contract 2.3, 2.4, 2.5, 2.6, 2.7, 2.9, 2.10, 1.25, 3.5, 3.14
func TestFormatNegotiation(t *testing.T) {
	t.Parallel()
	s := start(t)
	const json, xml = "application/json; charset=utf-8", "application/xml; charset=utf-8"
	for _, c := range []struct{ path, accept, want string }{
		{"/rest/user", "", xml},
		{"/rest/user", "*/*", xml},
		{"/rest/client", "", json},
		{"/rest/client", "text/xml", xml},
		{"/rest/client", "application/json;q=0.5, application/xml", xml},
		{"/rest/user", "application/xml;q=0.2, */*;q=0.9", json},
		{"/rest/user", "text/html, application/json", json},
		{"/rest/client?_format=xml", "application/json", xml},
		{"/rest/user?_format=json", "", json},
		{"/rest/user?_format=", "", xml},
	} {
		r := s.as("viewer").with("Accept", c.accept).get(c.path).wants(200)
		if got := r.header.Get("Content-Type"); got != c.want || r.header.Get("Vary") != "Accept" {
			t.Errorf("%s, Accept %q: Content-Type %q, Vary %q", c.path, c.accept, got, r.header.Get("Vary"))
		}
	}
	s.as("viewer").with("Accept", "text/html").get("/rest/user").refused(406)
	s.as("viewer").with("Accept", "application/json;q=0").get("/rest/user").refused(406)
	s.as("viewer").get("/rest/user?_format=yaml").refused(406)
	always := start(t, func(c *bootstrap.Config) { c.DefaultFormat = "json" })
	if got := always.as("viewer").with("Accept", "").get("/rest/user").wants(200).header.Get("Content-Type"); got != json {
		t.Errorf("the operator's default is not followed: %s", got)
	}
}

// contract 2.8, 2.9, 1.25
func TestDefaultFormatOfEveryResource(t *testing.T) {
	t.Parallel()
	const json, xml = "application/json; charset=utf-8", "application/xml; charset=utf-8"
	for _, set := range []string{"documented", "json", "xml"} {
		s := start(t, func(c *bootstrap.Config) { c.DefaultFormat = set })
		s.as("admin").post("/rest/client", fields{"name": "a", "type": 1}).wants(200)
		for _, path := range []string{
			"/rest/user", "/rest/status", "/rest/deal-type", "/rest/invoice-type", "/rest/performer", "/rest/client", "/rest/contact?client_id=1",
			"/rest/deal", "/rest/offer", "/rest/contract", "/rest/invoice", "/rest/invoice-items", "/rest/user/1", "/rest/client/1",
		} {
			want := map[string]string{"json": json, "xml": xml, "documented": json}[set]
			if set == "documented" && slices.Contains([]string{"/rest/user", "/rest/user/1", "/rest/status", "/rest/invoice"}, path) {
				want = xml
			}
			if got := s.as("viewer").with("Accept", "").get(path).wants(200).header.Get("Content-Type"); got != want {
				t.Errorf("%s: %s comes as %s, want %s", set, path, got, want)
			}
		}
	}
}

// contract 2.16, 2.17, 2.20: JSON and XML show the same digits.
func TestNumbersAreEqualInJSONAndXML(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	manager := s.as("manager")
	manager.post("/rest/invoice", bill(fields{"items": []fields{goods("a", "1000000.500000", "0.1"), goods("b", "-0.000001", "3"), goods("c", "1e3", "1E-4"), goods("d", "007.0", "+2.50")}})).wants(200)
	var answer struct {
		Response struct {
			Items []struct {
				Count json.RawMessage
				Price json.RawMessage
				Total json.RawMessage `json:"total_price"`
			}
		}
	}
	const query = "/rest/invoice/1?fields=items.count,items.price,items.total_price"
	manager.get(query).wants(200).decode(&answer)
	var want strings.Builder
	var counts []string
	for _, line := range answer.Response.Items {
		counts = append(counts, string(line.Count))
		fmt.Fprintf(&want, "<item><count>%s</count><price>%s</price><total_price>%s</total_price></item>",
			line.Count, strings.Trim(string(line.Price), `"`), strings.Trim(string(line.Total), `"`))
	}
	if got := []string{"1000000.5", "-0.000001", "1000", "7"}; !cmp.Equal(got, counts) {
		t.Errorf("the counts are %v", counts)
	}
	if got := manager.with("Accept", "text/xml").get(query).wants(200).body; !strings.HasSuffix(got, "<response><items>"+want.String()+"</items></response>") {
		t.Errorf("got  %s\nwant %s", got, want.String())
	}
}
