package api_test

import (
	"reflect"
	"strings"
	"testing"
)

// contract 4.196
func TestChangesSayWhoHasChangedWhat(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	admin, manager := s.as("admin"), s.as("manager")
	id := manager.post("/rest/client", fields{"name": "Carl Secret", "type": 2, "phone": "0431 555"}).id()
	path := "/rest/client/" + id
	admin.with("X-Request-Id", "req-1").patch(path, fields{"user": 1, "phone": "0431 777", "description": "likes tea"}).wants(200)
	admin.patch(path, fields{"phone": "0431 777"}).wants(200) // changes nothing
	admin.patch(path+"?dry_run=1", fields{"phone": "1"}).wants(200)
	admin.put(path+"/party", fields{"legal_name": "Carl Secret"}).wants(200)

	body := admin.get(path + "/changes").wants(200).body
	for _, personal := range []string{"Carl", "0431", "tea"} {
		if strings.Contains(body, personal) {
			t.Errorf("the log has %q: %s", personal, body)
		}
	}
	list := admin.get(path + "/changes").items()
	if len(list) != 3 {
		t.Fatalf("the log has %d entries: %s", len(list), body)
	}
	admins := admin.get("/rest/me").record()["user"].(map[string]any)["id"]
	party, update, create := list[0], list[1], list[2]
	want := []any{
		map[string]any{"name": "user", "old": "2", "new": "1"},
		map[string]any{"name": "phone", "old": nil, "new": nil},
		map[string]any{"name": "description", "old": nil, "new": nil},
	}
	if !reflect.DeepEqual(update["attributes"], want) || update["request_id"] != "req-1" || update["user_id"] != admins || update["action"] != "update" {
		t.Errorf("the update is %v", update)
	}
	if create["action"] != "create" || len(create["attributes"].([]any)) != 0 || text(party["attributes"].([]any)[0].(map[string]any)["name"]) != "party" {
		t.Errorf("the creation is %v, the party %v", create, party)
	}

	admin.delete(path).wants(200)
	if got := admin.get(path + "/changes").items(); len(got) != 4 || got[0]["action"] != "delete" {
		t.Errorf("of the deleted record there is %v", got)
	}
	admin.get("/rest/client/999/changes").rejected(404)

	invoice := "/rest/invoice/" + manager.post("/rest/invoice?_format=json", bill(nil)).id()
	manager.patch(invoice+"?_format=json", fields{"paid": true}).wants(200)
	if got := manager.get(invoice + "/changes").wants(200).body; !strings.Contains(got, `{"name":"status_id","old":"1","new":"`) {
		t.Errorf("of the invoice there is %s", got)
	}
}

// contract 4.196
func TestChangesNameWhatFollowsFromAWrite(t *testing.T) {
	t.Parallel()
	s := issuer(t)
	manager := s.as("manager")
	changes := func(path, want string) {
		t.Helper()
		var got []string
		for _, entry := range manager.get(path + "/changes?sort=id").items() {
			names := []string{text(entry["action"])}
			for _, a := range entry["attributes"].([]any) {
				names = append(names, text(a.(map[string]any)["name"]))
			}
			got = append(got, strings.Join(names, " "))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("the changes of %s are %q, want %q", path, got, want)
		}
	}
	keyed := manager.withKey("one")
	body := bill(fields{"number": nil, "items": []fields{{"name": "x", "price": "100"}}})
	id := keyed.post("/rest/invoice", body).id()
	keyed.post("/rest/invoice", body).wants(200) // a repetition
	path := "/rest/invoice/" + id
	changes(path, "create")
	manager.post(path+"/issue", nil).wants(200)
	changes(path, "create, update number issued_on")
	manager.patch(path, fields{"paid": true}).wants(200)
	changes(path, "create, update number issued_on, update status_id paid_price")
	changes("/rest/payment/"+text(manager.get("/rest/payment?invoice_id=" + id).items()[0]["id"]), "") // it follows its invoice
	manager.patch(path, fields{"paid": false}).wants(200)
	note := "/rest/invoice/" + manager.post(path+"/credit", nil).id()
	changes(note, "create")
	if got := manager.get(path + "/changes").items()[0]; got["cause"] != nil || !strings.Contains(text(got["attributes"]), `"name":"status_id"`) {
		t.Errorf("the last change of the credited invoice is %v", got)
	}
}
