package api_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

// contract 2.3 to 2.10
func TestTheFormatIsTheOneAskedFor(t *testing.T) {
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

// contract 2.1, 2.2, 2.13 to 2.22
func TestXMLSaysWhatJSONSays(t *testing.T) {
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

// contract 2.27 to 2.36
func TestBodiesThatAreNoRecordAreRefused(t *testing.T) {
	s := start(t, func(c *bootstrap.Config) { c.MaxBody = 100 })
	admin := s.as("admin")
	for _, body := range []string{`{`, `[1]`, `7`, `"x"`, `null`, `{} {}`, `{"a":}`, strings.Repeat("[", 50) + strings.Repeat("]", 50), "nonsense"} {
		admin.post("/rest/client", body).refused(400)
	}
	admin.post("/rest/client", `{"name":"`+strings.Repeat("x", 100)+`"}`).refused(413)
	admin.with("Content-Type", "text/plain").post("/rest/client", `{}`).refused(415)
	if got := admin.post("/rest/client", "").blames(); !cmp.Equal(got, []string{"type", "name"}) {
		t.Errorf("an empty body blames %v", got)
	}
	admin.post("/rest/client", `{"response":{"name":"x","type":"2","user":""}}`).refused(422)
	admin.post("/rest/client", `{"response":{"name":"x","type":"2"}}`).wants(200)
}

// contract 3.10 to 3.14, 3.25
func TestOfSeveralErrorsTheFirstInOrderIsGiven(t *testing.T) {
	s := start(t)
	s.as("admin").post("/rest/client", fields{"name": "a", "type": 1}).wants(200)
	bad := "?fields=nope&_format=yaml"
	s.nobody().get("/rest/nowhere" + bad).refused(401)
	s.as("viewer").get("/rest/nowhere" + bad).refused(404)
	s.nobody().get("/rest/").refused(401)
	s.as("viewer").get("/rest/").refused(404)
	s.as("viewer").get("/rest/client/0" + bad).refused(404)
	s.as("viewer").delete("/rest/client" + bad).refused(405)
	s.as("viewer").with("Content-Type", "text/plain").put("/rest/client/9"+bad, "{").refused(406)
	s.as("viewer").with("Content-Type", "text/plain").put("/rest/client/9?fields=nope", "{").refused(415)
	s.as("viewer").put("/rest/client/9?fields=nope", "{}").refused(400)
	s.as("viewer").put("/rest/client/9", "{}").refused(403)
	s.as("manager").with("If-Match", `"7-0"`).put("/rest/client/9", `{"name":""}`).refused(404)
	s.as("manager").with("If-Match", `"7-0"`).put("/rest/client/1", `{"name":""}`).refused(412)
	s.as("manager").with("If-Match", `"7-0"`).put("/rest/client/1", `{"name":"","user":4}`).refused(403)
	s.as("manager").put("/rest/client/1", `{"name":""}`).refused(422)
	s.as("manager").post("/rest/client", `{"type":7,"user":4}`).refused(403)
	s.as("manager").post("/rest/deal", `{"status_id":"x","user":4}`).refused(403)
	for _, id := range []string{"abc", "-1", "1.0", "9223372036854775808", "%31x"} {
		s.as("viewer").get("/rest/client/" + id).refused(404)
	}
}

// contract 3.4 to 3.6
func TestAProblemIsWrittenInTheFormatOfTheSuccess(t *testing.T) {
	s := start(t)
	r := s.as("viewer").with("Accept", "").get("/rest/status?sort=nope").wants(400)
	if got := r.header.Get("Content-Type"); got != "application/problem+xml; charset=utf-8" {
		t.Errorf("content type %q", got)
	}
	if !strings.Contains(r.body, `<problem xmlns="urn:ietf:rfc:7807">`) || strings.Contains(r.body, "errors") {
		t.Errorf("got %s", r.body)
	}
	r = s.as("admin").with("Accept", "").post("/rest/status", fields{"color": "x"}).wants(422)
	if !strings.Contains(r.body, "<errors><error><field>name</field><message>is required</message></error><error><field>color</field>") {
		t.Errorf("got %s", r.body)
	}
	r = s.nobody().with("Accept", "").get("/rest/status").wants(401)
	if got := r.header.Get("WWW-Authenticate"); got != `Bearer realm="kontor"` {
		t.Errorf("WWW-Authenticate %q", got)
	}
	if !strings.HasPrefix(r.header.Get("Content-Type"), "application/problem+xml") {
		t.Errorf("content type %q", r.header.Get("Content-Type"))
	}
	s.nobody().with("Accept", "application/xml").get("/elsewhere").refused(404)
}

// contract 4.5 to 4.10, 4.28, 4.29
func TestFieldsAndExpandShapeTheAnswer(t *testing.T) {
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
		if p := s.as("viewer").get("/rest/client?" + query).refused(400); !strings.Contains(p.Detail, "user") {
			t.Errorf("%s: the refusal does not name what is allowed: %s", query, p.Detail)
		}
	}
	s.as("viewer").get("/rest/status?expand=user").refused(400)
	plain := s.as("viewer").get("/rest/client/1").body
	for _, query := range []string{"fields=", "expand=", "sort=", "fields=,&expand=,"} {
		if got := s.as("viewer").get("/rest/client/1?" + query).wants(200).body; got != plain {
			t.Errorf("%s: got %s", query, got)
		}
	}
}

var linkPattern = regexp.MustCompile(`<([^>]+)>; rel="([a-z]+)"`)

// links are the addresses of a Link header by their rel.
func (r *reply) links() map[string]string {
	links := map[string]string{}
	for _, m := range linkPattern.FindAllStringSubmatch(r.header.Get("Link"), -1) {
		links[m[2]] = m[1]
	}
	return links
}

// contract 4.30 to 4.41, 5.6
func TestLinksLeadThroughAllPages(t *testing.T) {
	s := start(t)
	for i := range 7 {
		s.as("admin").post("/rest/client", fields{"name": fmt.Sprintf("client %d & co", i), "type": 1 + i%2}).wants(200)
	}
	path := "/rest/client?per_page=2&sort=-type,name&name=%26+CO&expand=user"
	seen := []string{}
	r := s.as("viewer").get(path)
	for page := 1; ; page++ {
		seen = append(seen, r.column("id")...)
		links := r.links()
		if got := r.header.Get("X-Pagination-Current-Page"); got != fmt.Sprint(page) {
			t.Fatalf("page %d calls itself %s", page, got)
		}
		if strings.Contains(r.header.Get("Link"), "kt_") {
			t.Error("a token that came in a header is written into addresses")
		}
		if links["self"] == "" || links["first"] == "" || links["last"] == "" || (links["prev"] == "") != (page == 1) || (links["next"] == "") != (page == 4) {
			t.Fatalf("page %d has the links %v", page, links)
		}
		if links["next"] == "" {
			break
		}
		r = s.as("viewer").get(links["next"])
	}
	if want := []string{"2", "4", "6", "1", "3", "5", "7"}; !cmp.Equal(seen, want) {
		t.Errorf("the pages held %v, want %v", seen, want)
	}
	behind := s.as("viewer").get("/rest/client?page=99")
	if n := len(behind.items()); n != 0 || behind.header.Get("X-Pagination-Total-Count") != "7" {
		t.Errorf("behind the last page there are %d records of %s", n, behind.header.Get("X-Pagination-Total-Count"))
	}
	none := s.as("viewer").get("/rest/client?name=none")
	if got := none.header.Get("X-Pagination-Page-Count"); got != "0" || len(none.links()) != 2 || !strings.HasSuffix(none.links()["last"], "page=1") {
		t.Errorf("an empty list has %s pages and the links %v", got, none.links())
	}
	for _, query := range []string{"page=0", "page=x", "page=-1", "per_page=0", "per_page=501", "per_page=1.5", "page=99999999999999999999"} {
		s.as("viewer").get("/rest/client?" + query).refused(400)
	}
}

// contract 5.6
func TestATokenFromTheQueryIsCarriedByLinks(t *testing.T) {
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

// contract 1.22
func TestThePublicAddressIsUsedInLinkAndLocation(t *testing.T) {
	s := start(t, func(c *bootstrap.Config) { c.RawBaseURL = "https://crm.example.org/kontor/" })
	r := s.as("admin").post("/rest/client", fields{"name": "a", "type": 1}).wants(200)
	if got := r.header.Get("Location"); got != "https://crm.example.org/kontor/rest/client/1" {
		t.Errorf("Location %s", got)
	}
	if got := s.as("admin").get("/rest/client").links()["self"]; got != "https://crm.example.org/kontor/rest/client?page=1" {
		t.Errorf("self %s", got)
	}
}

// contract 4.33 to 4.37: spelled so on the wire, which Go's own client and
// server would otherwise change.
func TestPaginationHeadersAreSpelledOnTheWireAsWritten(t *testing.T) {
	s := start(t)
	address := strings.TrimPrefix(s.url, "http://")
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET /rest/client?per_page=3 HTTP/1.1\r\nHost: %s\r\naccess-token: %s\r\nConnection: close\r\n\r\n", address, s.tokens["viewer"])
	raw, err := io.ReadAll(bufio.NewReader(conn))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"X_Pagination_Total_Count: 0", "X_Pagination_Page_Count: 0", "X_Pagination_Current_Page: 1", "X_Pagination_Per_Page: 3",
		"X-Pagination-Total-Count: 0", "X-Pagination-Page-Count: 0", "X-Pagination-Current-Page: 1", "X-Pagination-Per-Page: 3",
	} {
		if !strings.Contains(string(raw), "\r\n"+line+"\r\n") {
			t.Errorf("there is no line %q in\n%s", line, raw)
		}
	}
}

// contract 4.51 to 4.55
func TestVersionsGuardWritesAndSpareReads(t *testing.T) {
	s := start(t)
	admin := s.as("admin")
	first := admin.post("/rest/client", fields{"name": "a", "type": 1}).wants(200).header.Get("ETag")
	if !regexp.MustCompile(`^"1-[0-9a-f]+"$`).MatchString(first) {
		t.Fatalf("ETag %s", first)
	}
	if r := admin.with("If-None-Match", `"x", W/`+first).get("/rest/client/1").wants(304); r.body != "" {
		t.Errorf("a 304 with the body %s", r.body)
	}
	other := admin.get("/rest/client/1?fields=name&_format=xml").wants(200).header.Get("ETag")
	if other == first {
		t.Error("two bodies have one tag")
	}
	admin.with("If-None-Match", first).get("/rest/client/1?fields=name").wants(200)
	admin.with("If-Match", "W/"+other).put("/rest/client/1", fields{"name": "b"}).wants(200)
	admin.with("If-Match", first).put("/rest/client/1", fields{"name": "c"}).refused(412)
	admin.with("If-Match", first).delete("/rest/client/1").refused(412)
	admin.with("If-Match", `"nonsense"`).patch("/rest/client/1", fields{"name": "c"}).refused(412)
	admin.with("If-Match", "*").patch("/rest/client/1", fields{"name": "c"}).wants(200)
	admin.with("If-Match", `"9-0", "3-0"`).patch("/rest/client/1", fields{"name": "d"}).wants(200)
	list := admin.get("/rest/client")
	if got := list.wants(200).header; got.Get("ETag") != "" || got.Get("Cache-Control") != "private, no-cache" {
		t.Errorf("a list has ETag %q and Cache-Control %q", got.Get("ETag"), got.Get("Cache-Control"))
	}
}

// contract 4.65
func TestHeadOptionsAndTrailingSlash(t *testing.T) {
	s := start(t)
	get := s.as("viewer").get("/rest/client/")
	head := s.as("viewer").send(http.MethodHead, "/rest/client", nil).wants(200)
	if head.body != "" || head.header.Get("Content-Length") != fmt.Sprint(len(get.body)) || head.header.Get("X-Pagination-Total-Count") != "0" {
		t.Errorf("HEAD answers %v", head.header)
	}
	for path, want := range map[string]string{
		"/rest/client": "GET, HEAD, POST, OPTIONS", "/rest/client/7/": "GET, HEAD, PUT, PATCH, DELETE, OPTIONS", "/rest/user": "GET, HEAD, OPTIONS",
	} {
		if got := s.nobody().send(http.MethodOptions, path, nil).wants(204).header.Get("Allow"); got != want {
			t.Errorf("%s allows %q, want %q", path, got, want)
		}
	}
}

// contract 5.1, 5.2, 5.5, 5.7
func TestATokenIsTakenFromEveryPlace(t *testing.T) {
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
	s.nobody().with("access-token", token).get("/rest/client?auth_key=" + s.tokens["admin"]).refused(401)
	s.nobody().get("/rest/client?auth_key=" + token + "&auth_key=x").refused(401)
	s.nobody().get("/rest/client?auth_key=" + token[:len(token)-2] + "xx").refused(401)
	s.nobody().get("/rest/client?auth_key=").refused(401)
	basic("viewer").get("/rest/client").refused(401)
}
