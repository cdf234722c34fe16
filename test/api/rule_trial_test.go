package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

// contract 12.76, 12.77, 12.78, 12.79, 12.80
func TestRuleTrialIsShownInBothFormatsOnEveryInstance(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "it has no compiled rules here")
	inBerlin := func(c *bootstrap.Config) { c.TimeZone, c.Clock = "Europe/Berlin", &settableClock{at: noon} }
	s := start(t, inBerlin)
	admin := s.as("admin")
	admin.post("/rest/status", fields{"name": "new", "default": true}).wants(200)
	for _, name := range []string{"x", "y", "x"} {
		admin.post("/rest/deal", fields{"name": name}).wants(200)
	}
	tried := admin.post("/rest/rule-trial", fieldsWith(namesRequired("no-x"), fields{"mode": "nonsense"})).wants(200)
	const want = `{"response":{"id":1,"rule_id":null,"name":"no-x","resource":"deal","on":["create","update"],"expression":"after.name != \"x\"",` +
		`"message":"x is no name","field":"name","user_id":1,"state":"done","error":null,"percent":100,"passed":1,"refused":2,"failed":0,` +
		`"refusals":[{"record_id":1,"message":"x is no name"},{"record_id":3,"message":"x is no name"}],"failures":[],` +
		`"started_at":"2024-03-09 13:00:00","ended_at":"2024-03-09 13:00:00"}}`
	if tried.body != want || tried.header.Get("Location") != s.url+"/rest/rule-trial/1" || tried.header.Get("ETag") == "" {
		t.Errorf("got  %s\nwant %s\nthe headers are %v", tried.body, want, tried.header)
	}
	other := s.again(t, inBerlin)
	if got := other.as("viewer").get("/rest/rule-trial/1").wants(200).body; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	inXML := other.as("viewer").with("Accept", "application/xml").get("/rest/rule-trial/1?fields=on,refusals.record_id,failures").wants(200)
	if want := `<response><on><item>create</item><item>update</item></on><refusals><item><record_id>1</record_id></item><item><record_id>3</record_id></item></refusals><failures/></response>`; !strings.HasSuffix(inXML.body, want) {
		t.Errorf("got  %s\nwant %s", inXML.body, want)
	}
	other.as("admin").delete("/rest/rule-trial/1").wants(200)
	admin.get("/rest/rule-trial/1").rejected(404)
	admin.delete("/rest/rule-trial/1").rejected(404)
	if n := s.count("rules", "true") + s.count("rule_violations", "true"); n != 0 {
		t.Errorf("%d rules and violations are stored", n)
	}
}

// contract 12.79, 12.100
func TestRuleTrialsAreListedLatestFirst(t *testing.T) {
	t.Parallel()
	s := start(t)
	admin := s.as("admin")
	rule := admin.post("/rest/rule", namesRequired("no-x")).wants(200).id()
	admin.post("/rest/rule-trial", namesRequired("unsaved")).wants(200)
	admin.post("/rest/rule/"+rule+"/trial", nil).wants(200)
	s.execute("update rule_trials set state = 'running', done = 0.999, ended_at = null, seen_at = now() - interval '31 seconds' where id = 1")
	viewer := s.as("viewer")
	const shown = "fields=id,rule_id,name,on,state,error,percent,passed"
	stored := `{"id":2,"rule_id":` + rule + `,"name":"no-x","on":["create","update"],"state":"done","error":null,"percent":100,"passed":0}`
	const lost = `{"id":1,"rule_id":null,"name":"unsaved","on":["create","update"],"state":"failed","error":"the service that ran the trial has stopped","percent":99,"passed":0}`
	for query, want := range map[string]string{
		"?" + shown:                               stored + "," + lost,
		"?sort=id&" + shown:                       lost + "," + stored,
		"?per_page=1&page=2&" + shown:             lost,
		"?rule_id=" + rule + "&" + shown:          stored,
		"?rule_id=4711&" + shown:                  "",
		"?fields=state&sort=-id&per_page=1&page=": `{"state":"done"}`,
	} {
		got := viewer.get("/rest/rule-trial" + query).wants(200)
		if got.body != `{"response":{"items":[`+want+`]}}` {
			t.Errorf("%s: got  %s\nwant %s", query, got.body, want)
		}
	}
	viewer.get("/rest/rule-trial?fields=refusals").rejected(http.StatusBadRequest)
	viewer.get("/rest/rule-trial?sort=name").rejected(http.StatusBadRequest)
}

// contract 12.75, 12.76, 12.84
func TestStoredRuleIsTriedWithChangesThatAreNotStored(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.register()
	admin := s.as("admin")
	admin.post("/rest/status", fields{"name": "new", "default": true}).wants(200)
	admin.post("/rest/deal", fields{"name": "y"}).wants(200)
	path := "/rest/rule/" + admin.post("/rest/rule", namesRequired("no-x")).wants(200).id()
	const shown = "/trial?fields=id,passed,refused,failures,message"
	for i, c := range []struct {
		body any
		want string
	}{
		{nil, `{"response":{"id":1,"message":"x is no name","passed":1,"refused":0,"failures":[]}}`},
		{fields{"expression": `after.name != "y"`, "message": "no"}, `{"response":{"id":2,"message":"no","passed":0,"refused":1,"failures":[]}}`},
		{fields{"expression": `1 / (size(after.name) - 1) == 1`}, `{"response":{"id":3,"message":"x is no name","passed":0,"refused":0,"failures":[{"record_id":1,"message":"division by zero"}]}}`},
	} {
		if got := admin.withKey("the same").post(path+shown, c.body).wants(200); got.body != c.want {
			t.Errorf("%d: got  %s\nwant %s", i, got.body, c.want)
		}
	}
	if got := admin.get(path + "?fields=message,updated_at").record(); got["message"] != "x is no name" {
		t.Errorf("the stored rule is %v", got)
	}
	if got := admin.post(path+"/trial", fields{"expression": "after.nome", "on": "x"}).wrongFields(); !cmp.Equal(got, []string{"on", "expression"}) {
		t.Errorf("the wrong fields are %v", got)
	}
	if got := admin.post(path+"/trial", fields{"on": []string{"read"}, "expression": "after.nome"}).wrongFields(); !cmp.Equal(got, []string{"on", "expression"}) {
		t.Errorf("of a change of a stored rule, the wrong fields are %v", got)
	}
	unsaved := fieldsWith(namesRequired("new"), fields{"resource": "token", "expression": "1 +"})
	if got := admin.post("/rest/rule-trial", unsaved).wrongFields(); !cmp.Equal(got, []string{"resource", "expression"}) {
		t.Errorf("of a rule that is not stored, the wrong fields are %v", got)
	}
	if got := admin.post("/rest/rule/2/trial", fields{"expression": "true"}).wrongFields(); !cmp.Equal(got, []string{"expression"}) {
		t.Errorf("of a compiled rule, the wrong fields are %v", got)
	}
	compiled := admin.post("/rest/rule/2/trial?fields=name,on,expression,passed", fields{"on": []string{"create"}}).wants(200)
	if want := `{"response":{"name":"deal-stays-with-manager","on":["create"],"expression":null,"passed":1}}`; compiled.body != want {
		t.Errorf("of a compiled rule, got  %s\nwant %s", compiled.body, want)
	}
	admin.post("/rest/rule/4711/trial", fields{}).rejected(http.StatusNotFound)
	admin.post(path+"/trial?fields=nope", fields{}).rejected(http.StatusBadRequest)
}
