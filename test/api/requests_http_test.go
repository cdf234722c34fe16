package api_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// contract 4.53
func TestIfNoneMatchOfWritesExcludesTheVersion(t *testing.T) {
	t.Parallel()
	s := start(t)
	manager := s.as("manager")
	tag := manager.post("/rest/client", fields{"name": "a", "type": 1}).wants(200).header.Get("ETag")
	const path = "/rest/client/1"
	for _, value := range []string{tag, "W/" + tag, `"9-x", ` + tag, "*", tag[:len(tag)-1] + `-gzip"`} {
		unless := manager.with("If-None-Match", value)
		for _, r := range []*reply{unless.put(path, fields{"name": "b"}), unless.patch(path, fields{"name": "b"}), unless.delete(path)} {
			r.rejected(http.StatusPreconditionFailed)
		}
	}
	if got := manager.get(path).record()["name"]; got != "a" {
		t.Errorf("the name is %v", got)
	}
	manager.with("If-None-Match", `"9-x"`).patch(path, fields{"name": "b"}).wants(200)
	manager.with("If-None-Match", tag).delete(path).wants(200) // the version has changed
	manager.with("If-None-Match", "*").delete(path).rejected(http.StatusNotFound)
}

// zipped is the response to a request that accepts gzip.
func zipped(c *caller, method, path string) *reply {
	return c.with("Accept-Encoding", "br;q=0.9, gzip").send(method, path, nil)
}

// contract 2.9, 4.51, 4.52, 4.53
func TestLargeResponsesAreCompressedForThoseWhoAcceptIt(t *testing.T) {
	t.Parallel()
	s := start(t)
	manager := s.as("manager")
	text := strings.Repeat("a long description ", 100)
	manager.post("/rest/client", fields{"name": "a", "type": 1, "description": text}).wants(200)
	for path, isCompressed := range map[string]bool{
		"/rest/client/1": true, "/rest/client": true, "/rest/client?_format=xml": true, "/openapi.json": true,
		"/rest/client/1?fields=name": false, "/healthz": false, "/rest/client?nope=" + strings.Repeat("n", 100): false,
		"/rest/client?" + strings.Repeat("x", 500) + "=&" + strings.Repeat("y", 500) + "=": true, // a problem
	} {
		plain := manager.with("Accept-Encoding", "identity").get(path)
		got := zipped(manager, http.MethodGet, path)
		if has := got.header.Get("Content-Encoding") == "gzip"; has != isCompressed || plain.header.Get("Content-Encoding") != "" {
			t.Errorf("%s: compressed: %t, want %t", path, has, isCompressed)
		}
		for _, r := range []*reply{plain, got} {
			if !strings.Contains(strings.Join(r.header.Values("Vary"), ","), "Accept-Encoding") {
				t.Errorf("%s: Vary is %q", path, r.header.Values("Vary"))
			}
		}
		if got.status == 200 && got.body != plain.body {
			t.Errorf("%s: the compressed body holds %.200s", path, got.body)
		}
	}
	const path = "/rest/client/1"
	tag := manager.with("Accept-Encoding", "identity").get(path).wants(200).header.Get("ETag")
	got := zipped(manager, http.MethodGet, path).header.Get("ETag")
	if got != tag[:len(tag)-1]+`-gzip"` {
		t.Errorf("the tag of the compressed response is %s, of the plain one %s", got, tag)
	}
	if head := zipped(manager, http.MethodHead, path); head.header.Get("ETag") != got || head.body != "" {
		t.Errorf("the tag of a HEAD is %s, want %s", head.header.Get("ETag"), got)
	}
	for _, known := range []string{tag, got} {
		for _, encoding := range []string{"identity", "gzip"} {
			r := manager.with("If-None-Match", known).with("Accept-Encoding", encoding).get(path).wants(304)
			if r.header.Get("ETag") != known || r.body != "" {
				t.Errorf("the 304 for %s has the tag %s", known, r.header.Get("ETag"))
			}
		}
	}
	manager.with("If-Match", got).patch(path, fields{"name": "b"}).wants(200)
	manager.with("If-Match", got).patch(path, fields{"name": "c"}).wants(412)
}

// contract 2.23
func TestCompressedBodiesAreRejected(t *testing.T) {
	t.Parallel()
	s := start(t)
	manager := s.as("manager")
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	fmt.Fprint(z, `{"name": "a", "type": 1}`)
	z.Close()
	for _, coding := range []string{"gzip", "br", "identity, gzip"} {
		r := manager.with("Content-Encoding", coding).post("/rest/client", b.String())
		if r.rejected(http.StatusUnsupportedMediaType); r.header.Get("Accept-Encoding") != "identity" {
			t.Errorf("%s: Accept-Encoding is %q", coding, r.header.Get("Accept-Encoding"))
		}
	}
	manager.with("Content-Encoding", "identity").post("/rest/client", fields{"name": "a", "type": 1}).wants(200)
}

// contract 2.23, 2.35, 4.65
func TestOtherNamesOfFormatsAndByteOrderMarksAreRead(t *testing.T) {
	t.Parallel()
	s := start(t)
	manager := s.as("manager")
	const mark = "\uFEFF"
	const record = "<client><name>a</name><type>1</type></client>"
	manager.post("/rest/client", mark+`{"name": "a", "type": 1}`).wants(200)
	manager.with("Content-Type", "text/xml; charset=utf-8").post("/rest/client", mark+record).wants(200)
	manager.with("Content-Type", "application/xml").post("/rest/client", mark+`<?xml version="1.0" encoding="UTF-8"?>`+record).wants(200)
	merging := manager.with("Content-Type", "application/merge-patch+json")
	if got := merging.patch("/rest/client/1", fields{"name": "b", "phone": nil}).record()["name"]; got != "b" {
		t.Errorf("a merge patch makes the name %v", got)
	}
	merging.post("/rest/client", fields{"name": "b", "type": 1}).rejected(http.StatusUnsupportedMediaType)
	merging.put("/rest/client/1", fields{"name": "b"}).rejected(http.StatusUnsupportedMediaType)
	options := manager.send(http.MethodOptions, "/rest/client/1", nil).wants(204)
	if got := options.header.Get("Accept-Patch"); !strings.Contains(got, "application/merge-patch+json") || !strings.Contains(got, "text/xml") {
		t.Errorf("Accept-Patch is %q", got)
	}
	if got := manager.send(http.MethodOptions, "/rest/client", nil).wants(204).header.Get("Accept-Patch"); got != "" {
		t.Errorf("Accept-Patch of a path without PATCH is %q", got)
	}
}

// contract 4.65
func TestEncodedSlashIsNoSlash(t *testing.T) {
	t.Parallel()
	s := start(t)
	manager := s.as("manager")
	manager.post("/rest/client", fields{"name": "a", "type": 1}).wants(200)
	for _, path := range []string{"/rest/client%2F1", "/rest%2fclient/1", "/rest/client/1%2F", "/rest/deal/1%2Fhistory"} {
		manager.get(path).rejected(http.StatusNotFound)
	}
	manager.get("/rest/%63lient/%31").wants(200)
}

// contract 4.93
func TestLinksWithoutAHostHaveTheAddressOfTheConnection(t *testing.T) {
	t.Parallel()
	s := start(t)
	manager := s.as("manager")
	address := strings.TrimPrefix(s.url, "http://")
	for _, host := range []string{"", "Host:\r\n", "Host: :8080\r\n"} {
		conn, err := new(net.Dialer).DialContext(context.Background(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "GET /rest/client HTTP/1.0\r\n%sAuthorization: %s\r\n\r\n", host, manager.headers.Get("Authorization"))
		response, err := io.ReadAll(conn)
		conn.Close()
		if err != nil || !strings.Contains(string(response), "<"+s.url+"/rest/client?") {
			t.Errorf("%q: %v\n%s", host, err, response)
		}
	}
}

// contract 3.6
func TestErrorsDoNotRepeatValuesThatLookLikeTokens(t *testing.T) {
	t.Parallel()
	s := start(t)
	manager := s.as("manager")
	token := s.tokens["viewer"]
	for _, r := range []*reply{
		manager.get("/rest/client?sort=" + token), manager.get("/rest/client?fields=" + token), manager.get("/rest/client?expand=" + token),
		manager.get("/rest/client?page=" + token), manager.get("/rest/client?cursor=" + token), manager.get("/rest/client?type=" + token),
		manager.get("/rest/rule?mode=" + token), manager.get("/rest/client?" + token + "=1"), manager.get("/rest/client?_format=" + token),
		manager.post("/rest/client", `{"`+token), manager.with("Content-Type", "application/x-www-form-urlencoded").post("/rest/client", token+"[=1"),
		manager.post("/rest/client", fields{"name": "a", "type": token, token: 1}),
	} {
		if r.status < 400 || strings.Contains(r.body, token) || strings.Contains(r.body, token[len(token)-20:]) {
			t.Errorf("%s: %d %s", r.what, r.status, r.body)
		}
	}
}

// contract 4.109
func TestRecordsThatOthersReferToAreChangedMeanwhile(t *testing.T) {
	t.Parallel()
	s := start(t)
	admin := s.as("admin")
	for path, table := range map[string]string{
		"client": "clients", "status": "statuses", "performer": "performers", "deal-type": "deal_types", "invoice-type": "invoice_types",
	} {
		record := fields{"name": "a"}
		if path == "client" {
			record["type"] = 1
		}
		id := admin.post("/rest/"+path, record).id()
		_, release := s.holdLock("select from " + table + " for key share") // as one who adds a record that refers to it
		admin.patch("/rest/"+path+"/"+id, fields{"name": "b"}).wants(200)
		release()
	}
}
