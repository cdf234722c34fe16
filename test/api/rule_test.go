package api_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/application/access"
	usecase "github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/domain/user"
)

// namesRequired is the body of a rule that refuses deals called x.
func namesRequired(name string) fields {
	return fields{
		"name": name, "resource": "deal", "on": []string{"create", "update"},
		"expression": `after.name != "x"`, "message": "x is no name", "field": "name",
	}
}

// violate stores a violation of the rule, of a time that the purge of old ones leaves alone.
func (s *service) violate(rule string) {
	s.t.Helper()
	s.execute("insert into rule_violations (rule_id, record_id, user_id, at, message) values ($1::text::bigint, 7, 2, '2124-03-09 16:05:00', 'no')", rule)
}

// contract 12.1, 2.14
func TestRuleIsShownAsWrittenInBothFormats(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "it has no compiled rules here")
	s := start(t)
	admin := s.as("admin")
	created := admin.post("/rest/rule", namesRequired("no-x")).wants(200)
	if !strings.HasSuffix(created.header.Get("Location"), "/rest/rule/1") || created.header.Get("ETag") == "" {
		t.Errorf("the headers are %v", created.header)
	}
	record := created.record()
	times, _ := json.Marshal(record["created_at"])
	want := `{"response":{"id":1,"name":"no-x","resource":"deal","on":["create","update"],"variables":[],"expression":"after.name != \"x\"","message":"x is no name","field":"name","forbidden":false,` +
		`"mode":"shadow","source":"typed","would_refuse":0,"created_at":` + string(times) + `,"updated_at":` + string(times) + `}}`
	if created.body != want {
		t.Errorf("got  %s\nwant %s", created.body, want)
	}
	inXML := s.as("viewer").with("Accept", "application/xml").get("/rest/rule/1?fields=on,mode").wants(200)
	if want := `<response><on><item>create</item><item>update</item></on><mode>shadow</mode></response>`; !strings.HasSuffix(inXML.body, want) {
		t.Errorf("got  %s\nwant %s", inXML.body, want)
	}
	for contentType, body := range map[string]string{
		"application/json":                  `{"on":["update"]}`,
		"application/xml":                   `<rule><on><item>update</item></on></rule>`,
		"application/x-www-form-urlencoded": `on[0]=update`,
	} {
		admin.patch("/rest/rule/1", fields{"on": []string{"create"}}).wants(200)
		if got := admin.with("Content-Type", contentType).patch("/rest/rule/1?fields=on", body).wants(200).body; got != `{"response":{"on":["update"]}}` {
			t.Errorf("%s: got %s", contentType, got)
		}
	}
	admin.with("If-Match", created.header.Get("ETag")).put("/rest/rule/1", fields{"mode": "off"}).rejected(412)
	admin.delete("/rest/rule/1").wants(200)
	admin.get("/rest/rule/1").rejected(404)
}

// contract 12.118, 12.5
func TestVariablesOfARuleAreShownAsWrittenInBothFormats(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "it has no compiled rules here")
	s := start(t)
	admin := s.as("admin")
	admin.post("/rest/status", fields{"name": "new", "default": true}).wants(200)
	variable := func(name, expression string) fields { return fields{"name": name, "expression": expression} }
	rule := fieldsWith(namesRequired("short"), fields{
		"variables":  []fields{variable("length", "size(after.name)"), variable("long", "variables.length > 5")},
		"expression": "!variables.long", "message": `="has " + string(variables.length) + " characters"`, "mode": "enforce",
	})
	const inJSON = `{"response":{"variables":[{"name":"length","expression":"size(after.name)"},{"name":"long","expression":"variables.length > 5"}]}}`
	const inXML = `<variables><item><name>length</name><expression>size(after.name)</expression></item>` +
		`<item><name>long</name><expression>variables.length &gt; 5</expression></item></variables>`
	admin.post("/rest/rule", rule).wants(200)
	if got := s.as("viewer").get("/rest/rule/1?fields=variables").wants(200).body; got != inJSON {
		t.Errorf("got %s", got)
	}
	if got := s.as("viewer").with("Accept", "application/xml").get("/rest/rule?fields=variables").wants(200).body; !strings.Contains(got, inXML) {
		t.Errorf("got %s", got)
	}
	if got := admin.post("/rest/deal", fields{"name": "Wardrobe"}).wants(422).body; !strings.Contains(got, `"message":"has 8 characters","rule":"short"`) {
		t.Errorf("got %s", got)
	}
	admin.post("/rest/deal", fields{"name": "Door"}).wants(200)
	for contentType, body := range map[string]string{
		"application/json":                  inJSON[len(`{"response":`) : len(inJSON)-1],
		"application/xml":                   "<rule>" + inXML + "</rule>",
		"application/x-www-form-urlencoded": "variables[0][name]=length&variables[0][expression]=size(after.name)&variables[1][name]=long&variables[1][expression]=variables.length+%3E+5",
	} {
		if got := admin.with("Content-Type", contentType).patch("/rest/rule/1?fields=variables", body).wants(200).body; got != inJSON {
			t.Errorf("%s: got %s", contentType, got)
		}
	}
	if got := admin.post("/rest/rule-trial?fields=passed,failed", rule).wants(200).body; got != `{"response":{"passed":1,"failed":0}}` {
		t.Errorf("the trial is %s", got)
	}
	for _, c := range []struct {
		variables any
		want      []string
	}{
		{"length", []string{"variables"}},
		{[]any{"length"}, []string{"variables[0]", "variables[0].name", "variables[0].expression"}},
		{[]fields{variable("length", "size(after.nam)"), variable("long", "true")}, []string{"variables[0].expression"}},
		{[]fields{variable("length", "1"), variable("1", "1"), variable("long", "true")}, []string{"variables[1].name"}},
		{[]fields{{"name": "length"}, variable("long", "true")}, []string{"variables[0].expression"}},
		{[]fields{fieldsWith(variable("length", "1"), fields{"typ": "int"}), variable("long", "true")}, []string{"variables[0].typ"}},
		{[]fields{}, []string{"expression", "message"}},
	} {
		if got := admin.patch("/rest/rule/1", fields{"variables": c.variables}).wrongFields(); !cmp.Equal(got, c.want) {
			t.Errorf("%v: the wrong fields are %v, want %v", c.variables, got, c.want)
		}
	}
	for _, none := range []any{nil, []fields{}} {
		body := fields{"variables": none, "expression": "true", "message": "no"}
		if got := admin.patch("/rest/rule/1?fields=variables", body).wants(200).body; got != `{"response":{"variables":[]}}` {
			t.Errorf("got %s", got)
		}
	}
	admin.post("/rest/deal", fields{"name": "Wardrobe"}).wants(200)
}

// contract 12.193
func TestRuleForbidsWithA403(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "its first rule is typed")
	s := start(t)
	admin := s.as("admin")
	admin.post("/rest/status", fields{"name": "new", "default": true}).wants(200)
	rule := fieldsWith(namesRequired("no-x"), fields{"mode": "enforce", "forbidden": true})
	if got := admin.post("/rest/rule?fields=forbidden", rule).wants(200).body; got != `{"response":{"forbidden":true}}` {
		t.Errorf("got %s", got)
	}
	refused := admin.post("/rest/deal", fields{"name": "x"}).rejected(http.StatusForbidden)
	if want := "x is no name"; refused.Errors[0].Message != want || refused.Errors[0].Rule != "no-x" {
		t.Errorf("it is refused with %+v, want %q", refused, want)
	}
	if got := admin.post("/rest/rule-trial?fields=forbidden,refused", rule).wants(200).body; got != `{"response":{"forbidden":true,"refused":0}}` {
		t.Errorf("the trial is %s", got)
	}
	admin.patch("/rest/rule/1", fields{"expression": "1 / (size(after.name) - 1) == 1"}).wants(200)
	admin.post("/rest/deal", fields{"name": "x"}).rejected(422) // it cannot be evaluated
	admin.patch("/rest/rule/1", fields{"forbidden": false, "expression": "false"}).wants(200)
	admin.post("/rest/deal", fields{"name": "x"}).rejected(422)
}

// contract 12.8
func TestRulesAreFilteredAndSorted(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "it has no compiled rules here")
	s := start(t)
	admin := s.as("admin")
	admin.post("/rest/rule", namesRequired("b.deal")).wants(200)
	admin.post("/rest/rule", fieldsWith(namesRequired("a.client"), fields{"resource": "client", "mode": "enforce"})).wants(200)
	admin.post("/rest/rule", fieldsWith(namesRequired("c.deal"), fields{"mode": "warn"})).wants(200)
	for query, want := range map[string]string{
		"":                          "2 1 3",
		"?sort=-id&per_page=2":      "3 2",
		"?name=deal":                "1 3",
		"?name=.DEAL":               "1 3",
		"?name=_":                   "",
		"?resource=client":          "2",
		"?mode=warn":                "3",
		"?mode=shadow&source=typed": "1",
		"?source=program":           "",
	} {
		page := s.as("viewer").get("/rest/rule" + query).wants(200)
		if got := strings.Join(page.column("id"), " "); got != want || page.header.Get("Link") == "" {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
	for _, query := range []string{"mode=deny", "source=x", "sort=expression", "fields=nope"} {
		s.as("viewer").get("/rest/rule?" + query).rejected(400)
	}
}

// contract 12.1, 12.9
func TestRuleViolationsAreListedAndDeletedWithoutLosingTheirCount(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "it has no compiled rules here")
	s := start(t)
	admin := s.as("admin")
	admin.post("/rest/rule", namesRequired("it")).wants(200)
	admin.post("/rest/rule", namesRequired("other")).wants(200)
	for range 3 {
		s.violate("1")
	}
	s.violate("2")
	if ids := s.as("viewer").get("/rest/rule/1/violations").wants(200).column("id"); strings.Join(ids, " ") != "3 2 1" {
		t.Errorf("the violations are %v", ids)
	}
	page := s.as("viewer").get("/rest/rule/1/violations?page=2&per_page=2").wants(200)
	if want := `{"response":{"items":[{"id":1,"record_id":7,"user_id":2,"at":"2124-03-09 16:05:00","message":"no"}]}}`; page.body != want || page.header.Get("X-Pagination-Total-Count") != "3" {
		t.Errorf("got  %s\nwant %s", page.body, want)
	}
	counted := func(want string) {
		t.Helper()
		if got := admin.get("/rest/rule?sort=id").column("would_refuse"); strings.Join(got, " ") != want {
			t.Errorf("would_refuse is %v, want %s", got, want)
		}
	}
	counted("3 1")
	for range 2 {
		if got := admin.delete("/rest/rule/1/violations").wants(200).body; got != `{"response":{"id":1}}` {
			t.Errorf("got %s", got)
		}
		counted("3 1")
	}
	s.violate("1")
	counted("4 1")
	admin.with("If-Match", `"9-0"`).delete("/rest/rule/1/violations").rejected(412)
	admin.delete("/rest/rule/1/violations").wants(200)
	counted("4 1")
	s.violate("1")
	admin.delete("/rest/rule/1").wants(200)
	counted("1")
	s.as("viewer").get("/rest/rule/1/violations").rejected(404)
	admin.delete("/rest/rule/1/violations").rejected(404)
}

// contract 12.15
func TestRuleChangeAppliesToEveryLaterWriteOnAnotherInstance(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.as("admin").post("/rest/status", fields{"name": "new", "default": true}).wants(200)
	id, err := strconv.ParseInt(s.as("admin").post("/rest/rule", namesRequired("no-x")).id(), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	ask := usecase.Request{Actor: access.Actor{UserID: 1, Role: user.Admin}}
	other := s.again(t).commands.Deals
	isRefused := func() bool {
		_, err := other.Create(t.Context(), ask, deal.Attributes{Name: domain.Some("x")})
		if err != nil && !fault.Is(err, fault.Invalid) {
			t.Error(err)
		}
		return err != nil
	}
	// The last digit of the state is 1 while the rule refuses, and 2 while it is changed.
	var state atomic.Int64
	var writers sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		writers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				before := state.Load()
				if refused := isRefused(); before%10 != 2 && before == state.Load() && refused != (before%10 == 1) {
					t.Errorf("a write is rejected: %v in the state %d", refused, before)
				}
			}
		})
	}
	for round := range int64(alternations) {
		mode := []string{"enforce", "shadow"}[round%2]
		state.Store(10*round + 2)
		if err := s.commands.Rules.Update(t.Context(), ask, ruledef.ID(id), ruledef.Attributes{Mode: domain.Some(mode)}); err != nil {
			t.Fatal(err)
		}
		state.Store(10*round + 1 - round%2)
		if refused := isRefused(); refused != (mode == "enforce") {
			t.Errorf("after the change to %s in round %d a write is rejected: %v", mode, round, refused)
		}
	}
	close(done)
	writers.Wait()
}

// tryout is a compiled rule whose mode can be changed.
type tryout struct{}

func (tryout) Name() string              { return "tryout" }
func (tryout) DefaultMode() ruledef.Mode { return ruledef.Shadow }
func (tryout) Check(_ context.Context, c rule.Change[deal.State]) error {
	if c.After != nil && c.After.Name == "x" {
		return fault.ForField(fault.Invalid, "name", "is no name")
	}
	return nil
}

func withTryout(c *bootstrap.Config) { c.Rules = append(c.Rules, rule.Deals.Rules(tryout{})) }

// register stores the compiled rules as kontor serve does, and returns what it logs.
func (s *service) register() string {
	var log strings.Builder
	bootstrap.RegisterRules(s.t.Context(), s.commands, slog.New(slog.NewTextHandler(&log, nil)))
	return log.String()
}

// contract 12.12, 12.13
func TestCompiledRuleIsListedAndChangesItsModeOnly(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "it has no compiled rules here")
	s := start(t, withTryout)
	admin := s.as("admin")
	admin.post("/rest/status", fields{"name": "new", "default": true}).wants(200)
	if log := s.register() + s.register(); log != "" {
		t.Errorf("the log has %s", log)
	}
	list := admin.get("/rest/rule?source=program&fields=name,mode,expression,on&sort=name").wants(200)
	if got, want := list.body, `{"response":{"items":[{"name":"client-stays-with-manager","on":["create","update","delete"],"expression":null,"mode":"enforce"},`+
		`{"name":"deal-stays-with-manager","on":["create","update","delete"],"expression":null,"mode":"enforce"},`+
		`{"name":"tryout","on":["create","update","delete"],"expression":null,"mode":"shadow"}]}}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	path := func(name string) string { return "/rest/rule/" + admin.get("/rest/rule?name=" + name).column("id")[0] }
	if got := admin.patch(path("tryout"), fields{"expression": "true", "resource": "client", "mode": "off"}).wrongFields(); !cmp.Equal(got, []string{"resource", "expression"}) {
		t.Errorf("the wrong fields are %v", got)
	}
	if got := admin.patch(path("deal-stays"), fields{"mode": "off"}).wrongFields(); !cmp.Equal(got, []string{"mode"}) {
		t.Errorf("the wrong fields are %v", got)
	}
	admin.post("/rest/deal", fields{"name": "x"}).wants(200)
	whole := admin.get(path("tryout")).record()
	whole["mode"] = "enforce"
	admin.put(path("tryout"), fields(whole)).wants(200)
	if got := admin.post("/rest/deal", fields{"name": "x"}).rejected(422); got.Errors[0].Rule != "tryout" {
		t.Errorf("got %+v", got)
	}
	admin.delete(path("client-stays")).rejected(409)
}

// contract 12.14
func TestRulesThatDoNotFitTheProgramAreLoggedAndKept(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "it has no compiled rules here")
	s := start(t, withTryout)
	s.register()
	s.as("admin").patch("/rest/rule/3", fields{"mode": "off"}).wants(200)
	s.execute("insert into rules (name, resource, operations, expression, message, mode, source, created_at, updated_at) values ('pays-late', 'deal', 1, 'true', 'x', 'off', 'typed', now(), now())")
	older := s.again(t, func(c *bootstrap.Config) { c.Rules = nil })
	log := older.register()
	if !strings.Contains(log, "does not contain") || !strings.Contains(log, "rule=tryout mode=off") || strings.Contains(log, "pays-late") {
		t.Errorf("the log has %s", log)
	}
	admin := older.as("admin")
	if got := admin.patch("/rest/rule/3", fields{"mode": "shadow"}).wrongFields(); !cmp.Equal(got, []string{"mode"}) {
		t.Errorf("the wrong fields are %v", got)
	}
	if got := admin.get("/rest/rule/3?fields=mode").body; got != `{"response":{"mode":"off"}}` {
		t.Errorf("got %s", got)
	}
	newer := s.again(t, withTryout, func(c *bootstrap.Config) { c.Rules = append(c.Rules, rule.Deals.Rules(named{tryout{}, "pays-late"})) })
	if log := newer.register(); !strings.Contains(log, "rule=pays-late") {
		t.Errorf("the log has %s", log)
	}
	admin.delete("/rest/rule/3").wants(200)
}

func TestRulesThatDoNotCompileAreLoggedAtTheStart(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, mode := range map[string]string{"typo": "enforce", "spare": "off"} {
		s.execute(`
insert into rules (name, resource, operations, expression, message, mode, source, created_at, updated_at)
values ($1, 'deal', 1, 'after.nam == ""', 'x', $2, 'typed', now(), now())`, name, mode)
	}
	log := s.again(t).register()
	for name, level := range map[string]string{"typo": "ERROR", "spare": "WARN"} {
		line := regexp.MustCompile("level=" + level + " .*rule=" + name + " .*resource=deal .*reason=.*there is no attribute nam;")
		if !line.MatchString(log) {
			t.Errorf("of %s the log has %s", name, log)
		}
	}
}

// named is a rule under another name.
type named struct {
	tryout
	name string
}

func (n named) Name() string { return n.name }
