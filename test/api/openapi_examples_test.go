package api_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/docs"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// mediaTypes are bodies by media type, with their examples by name.
type mediaTypes map[string]struct {
	Examples map[string]struct {
		Summary string
		Value   json.RawMessage
	}
}

// documentedExamples are the examples of the document: of operations and of problems.
var documentedExamples = sync.OnceValue(func() (d struct {
	Info       struct{ Description string }
	Paths      map[string]map[string]json.RawMessage
	Components struct {
		Responses map[string]struct{ Content mediaTypes }
	}
},
) {
	var compact bytes.Buffer // examples are compared with compact responses
	if err := errors.Join(json.Compact(&compact, docs.OpenAPI), json.Unmarshal(compact.Bytes(), &d)); err != nil {
		panic(err)
	}
	return d
})

// exampleOf is an example of an operation: its request bodies and responses.
type exampleOf struct {
	RequestBody struct{ Content mediaTypes }
	Responses   map[string]struct{ Content mediaTypes }
}

func examplesAt(t *testing.T, method, path string) (e exampleOf) {
	t.Helper()
	raw := documentedExamples().Paths[path][strings.ToLower(method)]
	if raw == nil {
		t.Fatalf("the document has no %s %s", method, path)
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		t.Fatal(err)
	}
	return e
}

// instants matches attributes whose values vary.
var instants = regexp.MustCompile(`(\b(?:created_at|updated_at|created_on|updated_on|update_on|paid_on|started_at|ended_at)(?:":"|>))\d[^"<]*`)

// betweenTags matches the white space with which examples are formatted.
var betweenTags = regexp.MustCompile(`>\s+<`)

// normalized returns the text of a response or an example without what varies.
func normalized(text string) string {
	return betweenTags.ReplaceAllString(instants.ReplaceAllString(text, "${1}then"), "><")
}

// example returns the text of an example as it is sent.
func example(t *testing.T, content mediaTypes, media, name string) string {
	t.Helper()
	value, ok := content[media].Examples[name]
	if !ok {
		t.Fatalf("there is no example %s of %s", name, media)
	}
	if !strings.HasSuffix(media, "xml") {
		return string(value.Value)
	}
	var text string
	if err := json.Unmarshal(value.Value, &text); err != nil {
		t.Fatal(err)
	}
	return text
}

// exampleRunner sends the examples in one format.
type exampleRunner struct {
	*caller
	t     *testing.T
	media string
}

// exampleIDs are the ids of the records in the examples, by table.
var exampleIDs = map[string]int{
	"users": 4, "statuses": 5, "deal_types": 2, "invoice_types": 3, "performers": 8, "clients": 31, "contacts": 45,
	"deals": 58, "offers": 12, "contracts": 9, "invoices": 77, "invoice_lines": 301, "deal_history": 201, "rules": 21, "rule_violations": 911,
	"rule_trials": 14,
}

// startForExamples starts a service in which the next records get the ids of the
// examples, with one user: Mira Berg, an administrator.
func startForExamples(t *testing.T, options ...func(*bootstrap.Config)) *service {
	t.Helper()
	s := serve(t, pgtest.URL(t), options...).addMain(nil)
	for table, id := range exampleIDs {
		s.execute(fmt.Sprintf("select setval(pg_get_serial_sequence('%s', 'id'), %d, false)", table, id))
	}
	s.addUser("mira", "Mira", "Berg", user.Admin)
	return s
}

// exampleResources are the resources of the examples, each after those that it refers
// to.
var exampleResources = []string{"status", "deal-type", "invoice-type", "performer", "client", "contact", "deal", "offer", "contract", "invoice", "rule"}

// create sends the example of a creation.
func (s *exampleRunner) create(resource string) {
	s.write(http.MethodPost, "/rest/"+resource, "created")
}

// change sends the examples of an update, which are the same for PUT and PATCH.
func (s *exampleRunner) change(resource string) {
	s.write(http.MethodPatch, "/rest/"+resource+"/{id}", "changed")
	s.write(http.MethodPut, "/rest/"+resource+"/{id}", "changed")
}

func (s *exampleRunner) write(method, path, name string) {
	s.t.Helper()
	e := examplesAt(s.t, method, path)
	want := example(s.t, e.Responses["200"].Content, s.media, name)
	r := s.with("Content-Type", s.media).send(method, s.address(path, want), example(s.t, e.RequestBody.Content, s.media, "usual"))
	s.compare(r, want)
}

// address is the path with the id of the record in the example.
func (s *exampleRunner) address(path, shown string) string {
	if path == "/rest/deal/{id}/history" {
		return "/rest/deal/58/history"
	}
	if strings.HasPrefix(path, "/rest/rule/{id}/") {
		return strings.Replace(path, "{id}", "21", 1)
	}
	id := regexp.MustCompile(`(?:"id":|<id>)(\d+)`).FindStringSubmatch(shown)
	return strings.Replace(path, "{id}", id[1], 1)
}

func (s *exampleRunner) compare(r *reply, want string) {
	s.t.Helper()
	if r.status != http.StatusOK || normalized(r.body) != normalized(want) {
		s.t.Errorf("%s returned %d\n%s\nthe document has\n%s", r.what, r.status, normalized(r.body), normalized(want))
	}
}

// readAll sends every read that has an example.
func (s *exampleRunner) readAll() {
	for path, methods := range documentedExamples().Paths {
		if methods["get"] == nil || !strings.HasPrefix(path, "/rest/") {
			continue
		}
		content := examplesAt(s.t, http.MethodGet, path).Responses["200"].Content
		for name, e := range content[s.media].Examples {
			want := example(s.t, content, s.media, name)
			query := "?"
			if path == "/rest/contact" {
				query = "?client_id=31&"
			}
			if asked, ok := strings.CutPrefix(e.Summary, "With "); ok {
				query += asked
			}
			s.compare(s.get(s.address(path, want)+query), want)
		}
	}
}

func (s *exampleRunner) delete(resource string) {
	s.t.Helper()
	path := "/rest/" + resource
	if !strings.Contains(path, "{id}") {
		path += "/{id}"
	}
	want := example(s.t, examplesAt(s.t, http.MethodDelete, path).Responses["200"].Content, s.media, "removed")
	s.compare(s.caller.delete(s.address(path, want)), want)
}

// contract 1.53, 1.57
func TestOpenAPIExamplesMatchResponses(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "it has no compiled rules here")
	for _, media := range []string{"application/json", "application/xml"} {
		t.Run(media, func(t *testing.T) {
			t.Parallel()
			mira := startForExamples(t).as("mira")
			s := &exampleRunner{mira.with("Accept", media), t, media}
			for _, resource := range exampleResources {
				s.create(resource)
				if resource == "status" {
					mira.post("/rest/status", fields{"name": "Won", "color": "#2e8b57"}).wants(http.StatusOK)
				}
			}
			s.s.execute("insert into rule_violations (rule_id, record_id, user_id, at, message) values (21, 58, 4, '2024-04-03 11:20:00Z', 'a deal needs a name')")
			s.write(http.MethodPost, "/rest/rule/{id}/trial", "tried")
			s.readAll()
			s.write(http.MethodPost, "/rest/rule-trial", "tried")
			s.delete("rule-trial")
			s.delete("rule/{id}/violations")
			for _, resource := range slices.Backward(exampleResources) {
				s.change(resource)
			}
			s.create("invoice-items")
			s.change("invoice-items")
			mira.put("/rest/status/6", fields{"default": true}).wants(http.StatusOK) // the default cannot be deleted
			s.delete("invoice-items")
			for _, resource := range slices.Backward(exampleResources) {
				s.delete(resource)
			}
		})
	}
}

// contract 1.53
func TestOpenAPIExamplesFitSchemasInJSONAndXML(t *testing.T) {
	t.Parallel()
	checked := 0
	for path, methods := range documentedExamples().Paths {
		for method := range methods {
			if method == "parameters" || !strings.HasPrefix(path, "/rest/") {
				continue
			}
			e := examplesAt(t, method, path)
			inPointer := strings.NewReplacer("/", "~1", "{", "%7B", "}", "%7D").Replace(path)
			for part, content := range map[string]mediaTypes{"requestBody": e.RequestBody.Content, "responses/200": e.Responses["200"].Content} {
				for name := range content["application/json"].Examples {
					checked++
					inJSON := example(t, content, "application/json", name)
					place := fmt.Sprintf("#/paths/%s/%s/%s/content/application~1json/schema", inPointer, method, part)
					if err := described().whole.fits(place, parsed(inJSON)); err != nil {
						t.Errorf("%s %s: the example %s: %v", method, path, name, err)
					}
					if part == "requestBody" {
						continue // TestOpenAPIExamplesMatchResponses sends both
					}
					if want, got := inXML(t, inJSON), example(t, content, "application/xml", name); normalized(got) != normalized(want) {
						t.Errorf("%s %s: the example %s in XML is\n%s\nwant, as in JSON,\n%s", method, path, name, got, want)
					}
				}
			}
		}
	}
	if checked < 60 {
		t.Errorf("only %d examples were found", checked)
	}
}

// contract 1.53, 1.57, 3.1, 3.3, 3.4
func TestOpenAPIProblemExamplesMatchResponses(t *testing.T) {
	t.Parallel()
	s := startForExamples(t, func(c *bootstrap.Config) { c.RateLimit = 20 })
	s.addUser("viewer", "Vic", "Ewer", user.Viewer)
	unlimited := s.again(t) // without the rate limit
	mira := unlimited.as("mira")
	for _, resource := range exampleResources {
		mira.post("/rest/"+resource, example(t, examplesAt(t, http.MethodPost, "/rest/"+resource).RequestBody.Content, "application/json", "usual")).wants(http.StatusOK)
	}
	for _, text := range []string{"a", "b", "c"} {
		mira.patch("/rest/client/31", fields{"description": text}).wants(http.StatusOK)
	}
	for name, ask := range map[string]func(accept string) *reply{
		"BadRequest":   func(accept string) *reply { return mira.with("Accept", accept).get("/rest/client?per_page=0") },
		"Unauthorized": func(accept string) *reply { return unlimited.nobody().with("Accept", accept).get("/rest/client") },
		"Forbidden": func(accept string) *reply {
			return unlimited.as("viewer").with("Accept", accept).delete("/rest/client/31")
		},
		"NotFound":      func(accept string) *reply { return mira.with("Accept", accept).get("/rest/client/77") },
		"NotAcceptable": func(string) *reply { return mira.with("Accept", "image/png").get("/rest/client") },
		"Conflict":      func(accept string) *reply { return mira.with("Accept", accept).delete("/rest/client/31") },
		"PreconditionFailed": func(accept string) *reply {
			return mira.with("Accept", accept).with("If-Match", `"1-0"`).delete("/rest/client/31")
		},
		"RequestEntityTooLarge": func(accept string) *reply {
			return mira.with("Accept", accept).post("/rest/client", strings.Repeat(" ", 1<<20+1))
		},
		"UnsupportedMediaType": func(accept string) *reply {
			return mira.with("Accept", accept).with("Content-Type", "text/plain").post("/rest/client", "x")
		},
		"UnprocessableEntity": func(accept string) *reply {
			lines := []fields{goods("Bed, oak, 160 cm", 12, "1240.00"), goods("", 1, 0)}
			return mira.with("Accept", accept).put("/rest/invoice/77", fields{"number": "", "items": lines})
		},
		"TooManyRequests": func(accept string) *reply {
			for {
				if r := s.as("mira").with("Accept", accept).get("/rest/client"); r.status != http.StatusOK {
					return r
				}
			}
		},
	} {
		content := documentedExamples().Components.Responses[name].Content
		for media := range content {
			accept := strings.Replace(media, "problem+", "", 1)
			named := regexp.MustCompile(`(request_id(?:":"|>))\w+`)
			got, want := ask(accept).body, example(t, content, media, "usual")
			if got, want = named.ReplaceAllString(normalized(got), "$1"), named.ReplaceAllString(normalized(want), "$1"); got != want {
				t.Errorf("%s is\n%s\nthe document has\n%s", name, got, want)
			}
		}
	}
}

// contract 1.53
func TestOpenAPIProseRequestsSucceed(t *testing.T) {
	t.Parallel()
	admin := startWithSamples(t).as("admin")
	requests := regexp.MustCompile(`(?m)^GET (\S+)$`).FindAllStringSubmatch(documentedExamples().Info.Description, -1)
	if len(requests) < 3 {
		t.Errorf("there are only %d requests in the introduction", len(requests))
	}
	for _, request := range requests {
		admin.get(request[1]).wants(http.StatusOK)
	}
}
