package api_test

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// dry is the caller with the preference for dry runs.
func (c *caller) dry() *caller { return c.with("Prefer", "dry-run") }

// isDryRun reports whether the response says that nothing is stored.
func (r *reply) isDryRun() bool { return r.header.Get("Preference-Applied") == "dry-run" }

// contract 4.96, 4.97, 4.60
func TestDryRunOfEveryWriteStoresNothingAndShowsItsResponse(t *testing.T) {
	t.Parallel()
	m := startMatrix(t)
	for _, o := range operations() {
		if o.Method == http.MethodGet {
			continue
		}
		m.run(t, o.Method+" "+o.Path, "admin", func(m *matrixService) {
			route := o.Method + " " + o.Path
			method, path := m.address(route)
			if method != http.MethodDelete {
				sign := "?"
				if strings.Contains(path, "?") {
					sign = "&"
				}
				path += sign + "expand=" + strings.Join(o.Table.Expansions, ",")
			}
			before := m.sum()
			tried := m.as("admin").dry().send(method, path, matrix[route].carries).wants(http.StatusOK)
			if m.sum() != before {
				m.t.Error("the dry run has changed stored data")
			}
			if !tried.isDryRun() || tried.header.Get("ETag") != "" || tried.header.Get("Location") != "" {
				m.t.Errorf("the headers are %v", tried.header)
			}
			written := m.as("admin").send(method, path, matrix[route].carries).wants(http.StatusOK)
			tries := strings.HasSuffix(o.Path, "trial") // which store nothing anyway
			if m.sum() == before && !tries || written.isDryRun() {
				m.t.Error("the write was a dry run")
			}
			checkTried(m.t, "", tried.record(), written.record())
			creates := o.Verb == apidoc.Create && !strings.HasSuffix(o.Path, "/issue")
			if isNew := tried.record()["id"] == nil; isNew != creates {
				m.t.Errorf("the id is %v", tried.record()["id"])
			}
		})
	}
}

// checkTried compares what a dry run shows with what the write shows, except for ids that
// are null in a dry run, and times.
func checkTried(t testing.TB, name string, tried, written any) {
	t.Helper()
	switch w := written.(type) {
	case map[string]any:
		v, _ := tried.(map[string]any)
		if len(v) != len(w) {
			t.Errorf("%s is %v, want %v", name, tried, written)
			return
		}
		for key := range w {
			checkTried(t, key, v[key], w[key])
		}
	case []any:
		v, _ := tried.([]any)
		if len(v) != len(w) {
			t.Errorf("%s is %v, want %v", name, tried, written)
			return
		}
		for i := range w {
			checkTried(t, name, v[i], w[i])
		}
	default:
		isNewID := tried == nil && (name == "id" || strings.HasSuffix(name, "_id")) || name == "token" || name == "public_id"
		isTime := strings.HasSuffix(name, "_on") || strings.HasSuffix(name, "_at")
		if !isNewID && !isTime && !reflect.DeepEqual(tried, written) {
			t.Errorf("%s is %v, want %v", name, tried, written)
		}
	}
}

// contract 4.97, 10.47
func TestDryRunShowsNewRecordsWithoutIDs(t *testing.T) {
	t.Parallel()
	pgtest.SkipOnCitus(t, "ids have gaps there")
	s := startBilling(t)
	manager := s.as("manager").dry()
	const path = "/rest/invoice?fields=id,deal_id,pay_price,deal.id,deal.name,items.id,items.invoice_id,items.name"
	body := bill(fields{"items": []fields{goods("ink", 2, 3), goods("pen", 1, 4)}})
	const inJSON = `{"response":{"id":null,"deal_id":null,"pay_price":"12.0000","items":[{"id":null,"invoice_id":null,"name":"ink"},` +
		`{"id":null,"invoice_id":null,"name":"pen"}],"deal":{"id":null,"name":"R-1"}},"verdicts":[{"rule":"deal-stays-with-manager",`
	if got := manager.post(path, body).wants(200).body; !strings.HasPrefix(got, inJSON) {
		t.Errorf("got  %s\nwant %s…", got, inJSON)
	}
	const inXML = `<response><id/><deal_id/><pay_price>12.0000</pay_price><items><item><id/><invoice_id/><name>ink</name></item>` +
		`<item><id/><invoice_id/><name>pen</name></item></items><deal><id/><name>R-1</name></deal><verdicts><verdict><rule>deal-stays-with-manager</rule>`
	if got := manager.with("Accept", "application/xml").post(path, body).wants(200).body; !strings.Contains(got, inXML) {
		t.Errorf("got  %s\nwant …%s…", got, inXML)
	}
	// A line that is new follows those that are stored.
	s.as("manager").post("/rest/invoice", body).wants(200)
	const changed = `{"response":{"items":[{"id":1,"name":"ink"},{"id":2,"name":"pen"},{"id":null,"name":"nib"}]},"verdicts":[]}`
	lines := fields{"items": []fields{{"id": 2}, goods("nib", 1, 1), {"id": 1}}}
	if got := manager.patch("/rest/invoice/1?fields=items.id,items.name", lines).wants(200).body; got != changed {
		t.Errorf("got  %s\nwant %s", got, changed)
	}
	// The next records get the next numbers.
	s.as("manager").post("/rest/invoice", body).wants(200)
	const next = `{"response":{"id":2,"deal_id":2,"items":[{"id":3},{"id":4}]}}`
	if got := s.as("manager").get("/rest/invoice/2?fields=id,deal_id,items.id").wants(200).body; got != next {
		t.Errorf("got  %s\nwant %s", got, next)
	}
	if entries := s.as("manager").get("/rest/deal/2/history").column("id"); fmt.Sprint(entries) != "[3 4]" {
		t.Errorf("the history of the second deal has the entries %v", entries)
	}
}

// contract 4.97
func TestDryRunIsRejectedLikeTheWrite(t *testing.T) {
	t.Parallel()
	m := startMatrix(t)
	admin, manager := m.as("admin"), m.as("manager")
	admin.put("/rest/invoice/1", fields{"paid": true, "closed": true}).wants(200)
	for name, c := range map[string]struct {
		as           *caller
		method, path string
		body         any
		want         int
	}{
		"a wrong record":               {manager, http.MethodPost, "/rest/invoice", bill(fields{"number": "", "date": "x", "deal_id": 4711}), 422},
		"a reference to nothing":       {manager, http.MethodPost, "/rest/offer", fields{"deal_id": 4711, "number": "O"}, 422},
		"a total that is too large":    {manager, http.MethodPost, "/rest/invoice", bill(fields{"items": []fields{goods("x", 999999999999, 1000)}}), 422},
		"a role that may not write":    {m.as("viewer"), http.MethodPost, "/rest/client", fields{"name": "x", "type": 1}, 403},
		"a rule":                       {manager, http.MethodPost, "/rest/client", fields{"name": "x", "type": 1, "user": 4}, 403},
		"no token":                     {m.nobody(), http.MethodPost, "/rest/client", fields{"name": "x", "type": 1}, 401},
		"no such record":               {manager, http.MethodPut, "/rest/client/4711", fields{"name": "x"}, 404},
		"a record that has changed":    {manager.with("If-Match", `"9-x"`), http.MethodPut, "/rest/client/1", fields{"name": "x"}, 412},
		"a record in use":              {manager, http.MethodDelete, "/rest/client/1", nil, 409},
		"a frozen record":              {manager, http.MethodPost, "/rest/invoice-items", fields{"invoice_id": 1, "name": "x"}, 409},
		"the last default":             {admin, http.MethodDelete, "/rest/status/1", nil, 409},
		"a body that is no record":     {manager, http.MethodPost, "/rest/client", `[`, 400},
		"an attribute of no record":    {manager, http.MethodPost, "/rest/client?fields=x", fields{"name": "x", "type": 1}, 400},
		"an invalid idempotency key":   {manager.withKey("ü"), http.MethodPost, "/rest/client", fields{"name": "x", "type": 1}, 400},
		"an attribute of another type": {manager, http.MethodPost, "/rest/client?fields=person_details", fields{"name": "x", "type": 1}, 400},
	} {
		t.Run(name, func(t *testing.T) {
			before := m.sum()
			tried := c.as.dry().send(c.method, c.path, c.body)
			if m.sum() != before {
				t.Error("the dry run has changed stored data")
			}
			written := c.as.send(c.method, c.path, c.body)
			got, want := tried.rejected(c.want), written.rejected(c.want)
			got.RequestID, want.RequestID = "", ""
			if !reflect.DeepEqual(got, want) {
				t.Errorf("the dry run is rejected with %+v, the write with %+v", got, want)
			}
			if tried.isDryRun() {
				t.Error("a rejection is marked as a dry run")
			}
		})
	}
}

// contract 4.96, 4.100
func TestDryRunIsChosenByThePreferHeader(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	for value, want := range map[string]bool{
		"dry-run": true, "respond-async, Dry-Run": true, " dry-run ; x=y": true, `dry-run="false"`: true, "wait=10,dry-run": true,
		"": false, "return=minimal": false, "dry": false, "handling=strict; dry-run": false, "dry-runs": false,
	} {
		before := s.count("clients", "true")
		r := s.as("manager").with("Prefer", value).post("/rest/client", fields{"name": "Cleo", "type": 2}).wants(200)
		if isStored := s.count("clients", "true") > before; r.isDryRun() != want || isStored == want {
			t.Errorf("%q: it is marked %v and stored %v", value, r.isDryRun(), isStored)
		}
	}
	s.as("manager").dry().get("/rest/client/1").wants(200)
	if r := s.as("manager").dry().get("/rest/client/1"); r.isDryRun() || r.header.Get("ETag") == "" {
		t.Errorf("a read is marked as a dry run: %v", r.header)
	}
}

// contract 4.100
func TestDryRunIsNoCreationInMetrics(t *testing.T) {
	t.Parallel()
	s := startBilling(t, withMetrics)
	const series = `kontor_records_created_total{resource="deal"}`
	before := s.metrics()[series]
	s.as("manager").dry().post("/rest/deal", fields{"name": "Roof"}).wants(200)
	s.as("manager").post("/rest/deal", fields{"name": "Roof"}).wants(200)
	if got := s.metrics()[series] - before; got != 1 {
		t.Errorf("%v creations are counted, want 1", got)
	}
}
