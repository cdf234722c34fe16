package api_test

import (
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/test/pgtest"
)

// contract 9.33
func TestErasureLeavesNoPersonalData(t *testing.T) {
	t.Parallel()
	s := start(t)
	admin, manager := s.as("admin"), s.as("manager")
	id := manager.post("/rest/client", fields{
		"name": "Zebulon Quist", "type": 2, "email": "zebulon@example.org", "phone": "0431 Zebulon", "real_address": "Zebulon 1",
		"description": "Zebulon", "person_details": "Zebulon", "ref": "key-1",
	}).id()
	path := "/rest/client/" + id
	manager.patch(path, fields{"user": 2, "description": "Zebulon again"}).wants(200)
	manager.put(path+"/party", fields{"legal_name": "Zebulon", "city": "Zebulon"}).wants(200)
	contact := manager.post("/rest/contact", fields{"name": "Zebulon junior", "client_id": id}).id()
	admin.post("/rest/rule", fieldsWith(namesRequired("stays"), fields{
		"resource": "client", "on": []string{"update"}, "expression": "false", "mode": "enforce",
	})).wants(200)

	manager.post(path+"/erase", nil).rejected(403)
	first := admin.post(path+"/erase", nil).record()
	if first["name"] != "erased" || first["ref"] != "key-1" || first["erased_on"] == nil || first["email"] != nil {
		t.Errorf("erased, the client is %v", first)
	}
	if again := admin.post(path+"/erase", fields{}).record(); again["erased_on"] != first["erased_on"] {
		t.Errorf("erased again, the client is %v", again)
	}
	admin.get(path + "/party").rejected(404)
	admin.get("/rest/contact/" + contact).rejected(404)
	if got := admin.get("/rest/client?name=zebulon").items(); len(got) != 0 {
		t.Errorf("the search finds %v", got)
	}
	if body := admin.get(path + "/changes").wants(200).body; strings.Contains(strings.TrimLeft(body, "{"), `"old":"`) || !strings.Contains(body, `"name":"erased_on"`) {
		t.Errorf("the log has %s", body)
	}
	admin.post("/rest/client/999/erase", nil).rejected(404)

	pool := pgtest.Pool(t, s.database)
	for _, table := range []string{"clients", "parties", "contacts", "client_search", "record_changes"} {
		var found int
		if err := pool.QueryRow(t.Context(), "select count(*) from "+table+" r where r::text ilike '%zebulon%'").Scan(&found); err != nil || found != 0 {
			t.Errorf("%s has %d rows with the name: %v", table, found, err)
		}
	}
}
