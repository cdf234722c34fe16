package api_test

import (
	"net/http"
	"strings"
	"testing"
)

// contract 12.195, 12.194, 12.40, 12.44, 12.47, 12.193
func TestRulesJudgeChangesOfParties(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	admin, manager := s.as("admin"), s.as("manager")
	rule := func(mode string, more fields) {
		admin.post("/rest/rule", fieldsWith(fields{
			"name": mode, "resource": "client", "on": []string{"update"}, "mode": mode, "field": "party",
			"variables": []fields{
				{"name": "old", "expression": `before.party == null ? "" : before.party.vat_id`},
				{"name": "new", "expression": `after.party == null ? "" : after.party.vat_id`},
			},
			"expression": `variables.old in ["", variables.new] || actor.role == "admin"`,
			"message":    `="was " + variables.old`,
		}, more)).wants(200)
	}
	rule("enforce", fields{"forbidden": true})
	for _, mode := range []string{"warn", "shadow"} {
		rule(mode, fields{"expression": `after.party != null && after.party.city != ""`, "message": "needs a city"})
	}
	party := "/rest/client/1/party"
	first := manager.put(party, fields{"vat_id": "DE136695976"}).wants(200)
	if got := first.header.Values("Kontor-Warning"); len(got) != 1 || got[0] != "warn" {
		t.Errorf("the warnings are %q", got)
	}
	const refused = `"errors":[{"field":"party","code":"rule","message":"was DE136695976","rule":"enforce"}]`
	for _, write := range []func(c *caller) *reply{
		func(c *caller) *reply { return c.put(party, fields{"city": "Kiel"}) },
		func(c *caller) *reply { return c.patch(party, fields{"vat_id": "FR40303265045"}) },
		func(c *caller) *reply { return c.delete(party) },
	} {
		if got := write(manager).wants(http.StatusForbidden).body; !strings.Contains(got, refused) {
			t.Errorf("got %s", got)
		}
		tried := write(manager.dry()).wants(http.StatusForbidden).body
		if !strings.Contains(tried, `"verdicts":[{"rule":"client-stays-with-manager","mode":"enforce","outcome":"passed"},{"rule":"enforce","mode":"enforce","outcome":"refused"`) {
			t.Errorf("a dry run: %s", tried)
		}
	}
	if manager.get(party).wants(200).body != first.body {
		t.Error("a refused write has changed the party")
	}
	const counts = `{"name":"enforce","would_refuse":0},{"name":"shadow","would_refuse":1},{"name":"warn","would_refuse":1}`
	if got := admin.get("/rest/rule?source=typed&sort=name&fields=name,would_refuse").wants(200).body; !strings.Contains(got, counts) {
		t.Errorf("the counts are %s", got)
	}
	if got := manager.patch(party, fields{"vat_id": "de 136695976"}).wants(200).header.Values("Kontor-Warning"); got != nil {
		t.Errorf("a write that changes nothing has the warnings %q", got)
	}
	manager.patch("/rest/client/1", fields{"name": "New", "phone": "2"}).wants(200) // with the party that is stored
	admin.delete(party).wants(200)
	manager.delete("/rest/client/1").wants(200)
}
