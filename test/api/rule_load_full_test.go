//go:build full

package api_test

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/domain/user"
)

// askingForRecords are rules on invoices that ask for a record of each kind that an invoice refers to.
var askingForRecords = []fields{
	{"name": "known-performer", "expression": `facts.performer(after.performer_id).name != "bad"`},
	{"name": "known-client", "expression": `facts.client(after.client_id).name != "bad"`},
	{"name": "known-deal", "expression": `after.deal_id == null || facts.deal(after.deal_id).name != "bad"`},
	{"name": "known-status", "expression": `after.deal_id == null || facts.status(facts.deal(after.deal_id).status_id).name != "bad"`},
}

// contract 12.163, 16.105
func TestRecordsThatEnforcedRulesAskForChangeUnderLoad(t *testing.T) {
	t.Parallel()
	var rules []fields
	for _, r := range askingForRecords {
		rules = append(rules, fieldsWith(r, fields{"resource": "invoice", "on": []string{"create", "update"}}))
	}
	s := issuerUnderRules(t, rules...)
	admin := s.as("admin")
	party := admin.get("/rest/performer/1/party").wants(http.StatusOK).record()
	invoice := admin.get(s.drafted(nil)).wants(http.StatusOK).record()
	deal := "/rest/deal/" + text(invoice["deal_id"])
	status := "/rest/status/" + text(admin.get(deal).wants(http.StatusOK).record()["status_id"])
	const writers = 16
	written, stop := s.keepIssuing(writers, invoice["deal_id"])
	for what, change := range map[string]func(i int) *reply{
		"the performer": func(i int) *reply { return admin.patch("/rest/performer/1", fields{"leader": fmt.Sprint("Leader", i)}) },
		"the client":    func(i int) *reply { return admin.patch("/rest/client/1", fields{"phone": fmt.Sprint(i)}) },
		"the deal":      func(i int) *reply { return admin.patch(deal, fields{"name": fmt.Sprint("Deal", i)}) },
		"the status":    func(i int) *reply { return admin.patch(status, fields{"name": fmt.Sprint("Status", i)}) },
		"the party": func(i int) *reply {
			return admin.put("/rest/performer/1/party", fieldsWith(party, fields{"city": fmt.Sprint("City", i)}))
		},
		"the picture": func(i int) *reply { return admin.put("/rest/performer/1/file/logo", painted(uint8(i))) },
	} {
		for i := range 5 {
			before := written.Load()
			change(i).wants(http.StatusOK)
			if n := written.Load() - before; n > 15*writers {
				t.Errorf("%s: %d writes of %d writers were stored before the change", what, n, writers)
			}
		}
	}
	stop()
	if n := s.deadlocks(); n != 0 {
		t.Errorf("PostgreSQL has ended %d deadlocks", n)
	}
}

// keepIssuing lets writers create invoices, some of the deal, and issue half of them, on two instances until stop is called. It
// returns when each has stored an invoice or two.
func (s *service) keepIssuing(writers int, deal any) (written *atomic.Int64, stop func()) {
	s.t.Helper()
	for i := range writers {
		s.addUser(fmt.Sprint("writer", i), "Wri", "Ter", user.Manager) // of one caller, few writes run at once
	}
	instances := []*service{s, s.again(s.t)}
	written = new(atomic.Int64)
	var stopped atomic.Bool
	var load sync.WaitGroup
	for i := range writers {
		invoice := bill(fields{"number": nil, "items": []fields{goods("Catalogue", 3, "19.99")}})
		if i%4 == 0 {
			invoice["deal_id"] = deal
		}
		writer := instances[i%2].as(fmt.Sprint("writer", i))
		load.Go(func() {
			for !stopped.Load() {
				r := writer.post("/rest/invoice?fields=id", invoice)
				if r.status == http.StatusOK && i%2 == 0 {
					written.Add(1)
					r = writer.post("/rest/invoice/"+text(r.record()["id"])+"/issue?as=none", fields{})
				}
				if r.status != http.StatusOK {
					s.t.Errorf("%s: %d: %s", r.what, r.status, r.body)
					return
				}
				written.Add(1)
			}
		})
	}
	for written.Load() < int64(2*writers) && !s.t.Failed() {
		time.Sleep(time.Millisecond)
	}
	return written, func() {
		stopped.Store(true)
		load.Wait()
	}
}
