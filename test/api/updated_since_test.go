package api_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

// contract 4.110
func TestUpdatedSinceFindsWhatWasCreatedOrChanged(t *testing.T) {
	t.Parallel()
	s, clock := startWithClock(t, func(c *bootstrap.Config) { c.TimeZone = "Europe/Berlin" })
	manager := s.as("manager")
	deal := manager.post("/rest/deal", fields{"name": "d"}).wants(200).record()["id"]
	ids := map[string]string{"/rest/deal": text(deal)}
	for path, record := range map[string]fields{
		"/rest/client":   {"name": "c", "type": 1},
		"/rest/offer":    {"deal_id": deal, "number": "O-1"},
		"/rest/contract": {"deal_id": deal, "number": "C-1"},
		"/rest/contact":  {"deal_id": deal, "name": "Ann"},
		"/rest/invoice":  bill(nil),
	} {
		ids[path] = manager.post(path, record).wants(200).id()
	}
	found := func(path, since string) string {
		t.Helper()
		query := url.Values{"updated_since": {since}, "sort": {"id"}, "_format": {"json"}}
		if path == "/rest/contact" {
			query.Set("deal_id", text(deal))
		}
		r := manager.get(path + "?" + query.Encode()).wants(200)
		return strings.Join(r.column("id"), " ")
	}
	clock.set(noon.Add(time.Hour))
	for path, id := range ids {
		if got := found(path, "2024-03-09"); !strings.Contains(" "+got+" ", " "+id+" ") {
			t.Errorf("%s: since midnight %q were created, want %s among them", path, got, id)
		}
		since := clock.Now().UTC().Format(time.RFC3339)
		if got := found(path, since); got != "" {
			t.Errorf("%s: %q are said to be updated", path, got)
		}
		change := fields{"number": "changed"}
		if path == "/rest/client" || path == "/rest/contact" || path == "/rest/deal" {
			change = fields{"name": "changed"}
		}
		manager.put(path+"/"+id, change).wants(200)
		local := clock.Now().In(mustLocation(t, "Europe/Berlin"))
		for _, since := range []string{since, local.Format(time.DateTime), local.Format(time.RFC3339)} {
			if got := found(path, since); got != id {
				t.Errorf("%s: since %s %q were updated, want %s", path, since, got, id)
			}
		}
		if got := found(path, local.Add(time.Second).Format(time.DateTime)); got != "" {
			t.Errorf("%s: %q are said to be updated a second later", path, got)
		}
	}
	// A deal that gains a client hands its contacts over.
	clock.set(noon.Add(2 * time.Hour))
	manager.put("/rest/deal/"+text(deal), fields{"client_id": 1}).wants(200)
	if got := found("/rest/contact", clock.Now().UTC().Format(time.RFC3339)); got != ids["/rest/contact"] {
		t.Errorf("the contacts %q were handed over, want %s", got, ids["/rest/contact"])
	}
	for _, since := range []string{"yesterday", "2024-13-01", "2024-03-09T10:00:00 02:00", "0001-01-01", "10:00", "2024-03-09T10:00:00+30:00"} {
		for path := range ids {
			if got := manager.get(path + "?" + url.Values{"updated_since": {since}, "_format": {"json"}}.Encode()).rejected(400).Detail; !strings.HasPrefix(got, "updated_since must be an instant") {
				t.Errorf("%s, %s: the detail is %q", path, since, got)
			}
		}
	}
}

func mustLocation(t *testing.T, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}
