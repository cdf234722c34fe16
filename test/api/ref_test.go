package api_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// withRefs are the resources whose records have a ref.
var withRefs = []string{"/rest/performer", "/rest/client", "/rest/contact", "/rest/deal", "/rest/invoice", "/rest/payment"}

// sample is a record of samples with the ref.
func sample(path string, ref any) fields {
	body := maps.Clone(samples[path])
	body["ref"] = ref
	return body
}

// taken checks that the ref is rejected because the record with the id has it.
func (r *reply) taken(resource, id string) {
	r.t.Helper()
	var p struct {
		Code   string
		Errors []struct {
			Field, Code, Message, Resource string
			RecordID                       int64 `json:"record_id"`
		}
	}
	r.wants(409).decode(&p)
	if len(p.Errors) != 1 || p.Code != "taken" {
		r.t.Fatalf("%s: %s", r.what, r.body)
	}
	if e := p.Errors[0]; e.Field != "ref" || e.Code != "taken" || e.Resource != resource || fmt.Sprint(e.RecordID) != id || e.Message == "" {
		r.t.Errorf("%s: %s, want the id %s", r.what, r.body, id)
	}
}

// contract 4.120, 4.45
func TestRefBelongsToOneRecordOfAResource(t *testing.T) {
	t.Parallel()
	s := startWithSamples(t)
	admin := s.as("admin")
	for _, path := range withRefs {
		resource := strings.TrimPrefix(path, "/rest/")
		found := func(ref string) []string {
			t.Helper()
			return admin.get(path + "?_format=json&fields=id&" + url.Values{"ref": {ref}}.Encode()).column("id")
		}
		plain := admin.post(path, samples[path])
		if !strings.HasSuffix(plain.wants(200).body, `,"ref":null}}`) {
			t.Errorf("%s: without a ref: %s", path, plain.body)
		}
		first := admin.post(path, sample(path, " Kunde/7 ä "))
		if !strings.HasSuffix(first.wants(200).body, `,"ref":"Kunde/7 ä"}}`) {
			t.Errorf("%s: with a ref: %s", path, first.body)
		}
		id := first.id()
		if got := found("Kunde/7 ä"); len(got) != 1 || got[0] != id {
			t.Errorf("%s: the record with the ref is %q, want %s", path, got, id)
		}
		for _, other := range []string{"kunde/7 ä", "Kunde/7", "Kunde/7 a"} {
			if got := found(other); len(got) != 0 {
				t.Errorf("%s: %q has the ref %s", path, got, other)
			}
		}
		if got := admin.get(path + "/" + id + "?_format=json&fields=ref").record(); len(got) != 1 || got["ref"] != "Kunde/7 ä" {
			t.Errorf("%s: the ref alone is %v", path, got)
		}

		admin.post(path, sample(path, "Kunde/7 ä")).taken(resource, id)
		admin.put(path+"/"+plain.id(), fields{"ref": "Kunde/7 ä"}).taken(resource, id)
		admin.dry().post(path, sample(path, "Kunde/7 ä")).taken(resource, id)
		admin.put(path+"/"+id, fields{"ref": "Kunde/7 ä"}).wants(200)
		if got := admin.post(path, sample(path, strings.Repeat("ä", 129))).wrongFields(); len(got) != 1 || got[0] != "ref" {
			t.Errorf("%s: 129 characters: %q", path, got)
		}
		admin.get(path + "?client_id=1&sort=ref").rejected(400)

		admin.put(path+"/"+id, fields{"ref": nil}).wants(200)
		admin.put(path+"/"+plain.id(), fields{"ref": strings.Repeat("ä", 128)}).wants(200)
		admin.post(path, sample(path, "Kunde/7 ä")).wants(200)
	}
}

// contract 4.123
func TestPutByRefUpdatesTheRecordOrCreatesIt(t *testing.T) {
	t.Parallel()
	s := startWithSamples(t)
	admin := s.as("admin")
	for _, path := range withRefs {
		put := path + "?_format=json&ref=K-1"
		table, body := tableOf[path], samples[path]
		before := s.count(table, "true")
		s.as("viewer").put(put, body).rejected(403)
		admin.with("If-Match", "*").put(put, body).rejected(412)
		admin.put(put, sample(path, "K-2")).rejected(422)
		admin.put(put, sample(path, "")).rejected(422)
		admin.put(path, body).rejected(400)
		admin.put(path+"?ref=", body).rejected(400)
		admin.put(path+"?ref=a&ref=b", body).rejected(400)
		admin.put(path+"?ref="+strings.Repeat("x", 129), body).rejected(400)
		if dry := admin.dry().put(put, body).wants(201); dry.header.Get("Location") != "" || !dry.isDryRun() {
			t.Errorf("%s: the headers of a dry run are %v", path, dry.header)
		}
		if s.count(table, "true") != before {
			t.Fatalf("%s: something was created", path)
		}

		created := admin.with("If-None-Match", "*").put(put, body).wants(201)
		read := admin.get(created.header.Get("Location") + "?_format=json")
		if read.wants(200).body != created.body || read.header.Get("ETag") != created.header.Get("ETag") || read.record()["ref"] != "K-1" {
			t.Errorf("%s: created as\n%s, and read as\n%s", path, created.body, read.body)
		}
		admin.with("If-None-Match", "*").put(put, body).rejected(412)
		admin.with("If-Match", `"9-x"`).put(put, body).rejected(412)
		again := admin.with("If-Match", created.header.Get("ETag")).put(put, sample(path, "K-1")).wants(200)
		if again.id() != read.id() || again.header.Get("Location") != "" {
			t.Errorf("%s: updated %s, want %s; headers %v", path, again.id(), read.id(), again.header)
		}
		change := map[string]any{"/rest/invoice": fields{"notice": "new"}, "/rest/payment": fields{"notice": "new"}}[path]
		if change == nil {
			change = fields{"name": "new"}
		}
		changed := admin.put(put, change).wants(200)
		if changed.id() != read.id() || !strings.Contains(changed.body, `"new"`) {
			t.Errorf("%s: changed to %s", path, changed.body)
		}
		if got := s.count(table, "true"); got != before+1 {
			t.Errorf("%s: %d were created", path, got-before)
		}
	}
}

// contract 4.123: what an update ignores is ignored, even if it is invalid.
func TestPutByRefIgnoresWhatOnlyACreationReads(t *testing.T) {
	t.Parallel()
	s := startWithSamples(t)
	manager := s.as("manager")
	manager.put("/rest/client?ref=c", fields{"name": "C", "type": 2}).wants(201)
	manager.put("/rest/client?ref=c", fields{"type": "x", "bank_details": 7}).wants(200)
	manager.put("/rest/client?ref=d", fields{"name": "D", "type": "x"}).rejected(422)
	manager.put("/rest/contact?ref=c", fields{"name": "C", "client_id": 1}).wants(201)
	manager.put("/rest/contact?ref=c", fields{"client_id": "x", "deal_id": 99999}).wants(200)
}

// contract 4.125
func TestPutByRefOfConcurrentCallersCreatesOneRecord(t *testing.T) {
	t.Parallel()
	s := startWithSamples(t)
	admin := s.as("admin")
	for _, path := range withRefs {
		before, deals := s.count(tableOf[path], "true"), s.count("deals", "true")
		const callers = 16
		var replies [callers]*reply
		var wg sync.WaitGroup
		for i := range callers {
			wg.Go(func() { replies[i] = admin.put(path+"?_format=json&ref=one", samples[path]) })
		}
		wg.Wait()
		created := 0
		ids := map[string]bool{}
		for _, r := range replies {
			if r.status == http.StatusCreated {
				created++
				r.status = http.StatusOK
			}
			ids[r.wants(200).id()] = true
		}
		if created != 1 || len(ids) != 1 || s.count(tableOf[path], "true") != before+1 {
			t.Errorf("%s: %d callers say that they created the records %v", path, created, ids)
		}
		if path == "/rest/invoice" && s.count("deals", "true") != deals+1 {
			t.Error("the deals of the other callers are stored")
		}
	}
}
