package api_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// contract 12.76, 12.77
func TestRuleTrialIsAnsweredInBothFormats(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "it has no rules of the program")
	s := start(t)
	admin := s.as("admin")
	admin.post("/rest/status", fields{"name": "new", "default": true}).wants(200)
	for _, name := range []string{"x", "y", "x"} {
		admin.post("/rest/deal", fields{"name": name}).wants(200)
	}
	tried := admin.post("/rest/rule-trial", fieldsWith(namesRequired("no-x"), fields{"as": "viewer"})).wants(200)
	const want = `{"response":{"name":"no-x","resource":"deal","on":["create","update"],"forbidden":false,"as":"viewer","passed":1,"refused":2,"failed":0,` +
		`"refusals":[{"record_id":1,"message":"x is no name"},{"record_id":3,"message":"x is no name"}],"failures":[]}}`
	if tried.body != want || tried.header.Get("Location") != "" || tried.header.Get("ETag") != "" {
		t.Errorf("got  %s\nwant %s\nthe headers are %v", tried.body, want, tried.header)
	}
	inXML := admin.with("Accept", "application/xml").post("/rest/rule-trial?fields=on,refusals.record_id,failures", namesRequired("no-x")).wants(200)
	if want := `<response><on><item>create</item><item>update</item></on><refusals><item><record_id>1</record_id></item><item><record_id>3</record_id></item></refusals><failures/></response>`; !strings.HasSuffix(inXML.body, want) {
		t.Errorf("got  %s\nwant %s", inXML.body, want)
	}
	if n := s.count("rules", "true") + s.count("rule_violations", "true"); n != 0 {
		t.Errorf("%d rules and violations are stored", n)
	}
	s.as("manager").post("/rest/rule-trial", namesRequired("no-x")).rejected(403)
}

// contract 5.105
func TestRuleTrialNeedsTheScopesOfWhatTheRuleReads(t *testing.T) {
	t.Parallel()
	s := start(t)
	try := func(changes fields) fields {
		return fieldsWith(fields{"name": "t", "resource": "client", "on": []string{"update"}, "expression": "false", "message": "=after.name"}, changes)
	}
	stored := "/rest/rule/" + s.as("admin").post("/rest/rule", try(fields{"name": "u", "resource": "status"})).wants(200).id() + "/trial"
	manager := fields{"expression": `facts.user(after.user) == null || facts.client_contacts(after.id).size() == 0`}
	for _, c := range []struct {
		path, scopes string
		change       fields
		lacks        string // "" for none
	}{
		{"/rest/rule-trial", "rule-trial:write", nil, "client:read"},
		{"/rest/rule-trial", "rule-trial:write,client:read", nil, ""},
		{"/rest/rule-trial", "rule-trial:write,client:write", nil, ""},
		{"/rest/rule-trial", "rule-trial:write,client:read", manager, "contact:read"},
		{"/rest/rule-trial", "rule-trial:write,client:read,contact:read", manager, "user:read"},
		{"/rest/rule-trial", "rule-trial:write,client:read,contact:read,user:read", manager, ""},
		{"/rest/rule-trial", "rule-trial:write,client:read", fields{"expression": "facts.statuses().size() == 0"}, "status:read"},
		{stored, "rule:write", fields{"name": "u"}, "client:read"},
		{stored, "rule:write,status:read", fields{"name": "u"}, "client:read"},
		{stored, "rule:write,client:read", fields{"name": "u"}, ""},
	} {
		got := s.scoped("admin", strings.Split(c.scopes, ",")...).post(c.path, try(c.change))
		if c.lacks == "" {
			got.wants(200)
		} else if p := got.rejected(403); p.Detail != "the token needs the scope "+c.lacks {
			t.Errorf("%s with %s: %s", c.path, c.scopes, p.Detail)
		}
	}
	s.scoped("admin", "rule:write").post(stored, nil).rejected(403)
	s.scoped("admin", "rule:write", "status:read").post(stored, nil).wants(200)
}

// contract 12.71
func TestRuleTrialJudgesAsTheRoleThatTheRequestNames(t *testing.T) {
	t.Parallel()
	s := start(t)
	admin := s.as("admin")
	path := "/rest/rule/" + admin.post("/rest/rule", fields{
		"name": "admins-only", "resource": "user", "on": []string{"update"}, "expression": `actor.role == "admin" && actor.id == null`, "message": "=actor.role",
	}).wants(200).id() + "/trial?fields=as,passed,refused"
	users := strconv.Itoa(s.count("users", "true"))
	for as, want := range map[string]string{
		"":        `{"response":{"as":"manager","passed":0,"refused":` + users + `}}`,
		"manager": `{"response":{"as":"manager","passed":0,"refused":` + users + `}}`,
		"viewer":  `{"response":{"as":"viewer","passed":0,"refused":` + users + `}}`,
		"admin":   `{"response":{"as":"admin","passed":` + users + `,"refused":0}}`,
	} {
		if got := admin.post(path, fields{"as": as}).wants(200).body; got != want {
			t.Errorf("as %q: %s, want %s", as, got, want)
		}
	}
	if got := admin.post(path, fields{"as": "boss"}).wrongFields(); !cmp.Equal(got, []string{"as"}) {
		t.Errorf("the wrong fields are %v", got)
	}
}

// contract 12.71
func TestRuleTrialOfCreationsJudgesRecordsWithoutTheirIDs(t *testing.T) {
	t.Parallel()
	s := printable(t) // with an invoice, and its deal
	for expression, want := range map[string]string{
		"facts.deal_invoices(after.id).not_paid > 0":       `{"response":{"passed":0,"refused":1}}`,
		"after.id == null && before == null":               `{"response":{"passed":1,"refused":0}}`,
		"facts.client_deals(after.client_id).total() == 0": `{"response":{"passed":1,"refused":0}}`,
	} {
		got := s.as("admin").post("/rest/rule-trial?fields=passed,refused", fields{
			"name": "needs-invoice", "resource": "deal", "on": []string{"create"}, "expression": expression, "message": "no",
		}).wants(200).body
		if got != want {
			t.Errorf("%s: %s, want %s", expression, got, want)
		}
	}
	lines := s.as("admin").post("/rest/rule-trial?fields=passed,refused", fields{
		"name": "new-lines", "resource": "invoice", "on": []string{"create"}, "expression": "after.items.exists(i, i.id == null)", "message": "no",
	}).wants(200).body
	if want := `{"response":{"passed":1,"refused":0}}`; lines != want {
		t.Errorf("of an invoice: %s, want %s", lines, want)
	}
}

// contract 12.74, 12.76
func TestStoredRuleIsTriedWithChangesThatAreNotStored(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.register()
	admin := s.as("admin")
	admin.post("/rest/status", fields{"name": "new", "default": true}).wants(200)
	admin.post("/rest/deal", fields{"name": "y"}).wants(200)
	path := "/rest/rule/" + admin.post("/rest/rule", namesRequired("no-x")).wants(200).id()
	const shown = "/trial?fields=passed,refused,failures"
	for i, c := range []struct {
		body any
		want string
	}{
		{nil, `{"response":{"passed":1,"refused":0,"failures":[]}}`},
		{fields{"expression": `after.name != "y"`, "message": "no"}, `{"response":{"passed":0,"refused":1,"failures":[]}}`},
		{fields{"expression": `1 / (size(after.name) - 1) == 1`}, `{"response":{"passed":0,"refused":0,"failures":[{"record_id":1,"message":"division by zero"}]}}`},
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
	compiled := admin.post("/rest/rule/2/trial?fields=name,on,as,passed", fields{"on": []string{"create"}, "as": "admin"}).wants(200)
	if want := `{"response":{"name":"deal-stays-with-manager","on":["create"],"as":"admin","passed":1}}`; compiled.body != want {
		t.Errorf("of a compiled rule, got  %s\nwant %s", compiled.body, want)
	}
	admin.post("/rest/rule/4711/trial", fields{}).rejected(http.StatusNotFound)
	admin.post(path+"/trial?fields=nope", fields{}).rejected(http.StatusBadRequest)
}
