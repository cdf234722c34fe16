package api_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// contract 10.39
func TestInvoiceUpdateAcceptsCreateFields(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	manager := s.as("manager")
	manager.post("/rest/deal", fields{"name": "elsewhere", "client_id": 2}).wants(200)
	manager.post("/rest/invoice", bill(nil)).wants(200)
	updated := manager.put("/rest/invoice/1?expand=items,company,status", fields{
		"number": "R-2", "date": "2024-04-01", "performer_id": 2, "client_id": 2, "type_id": 2, "deal_id": 1, "notice": "n",
		"status_id": 2, "paid": true, "closed": false, "items": []fields{goods("a", 2, 3)},
	})
	record := updated.record()
	for name, want := range map[string]string{
		"number": "R-2", "date": "2024-04-01 00:00:00", "deal_id": "1", "notice": "n", "paid": "true", "closed": "false", "total_count": "1", "pay_price": "6.0000", "vat_price": "0.0000",
	} {
		if got := text(record[name]); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	for name, want := range map[string]string{"performer": "2", "type": "2", "company": "2", "status": "2"} {
		if got := text(record[name].(map[string]any)["id"]); got != want {
			t.Errorf("the %s is %s, want %s", name, got, want)
		}
	}
	if read := manager.get("/rest/invoice/1?expand=items,company,status"); read.body != updated.body || read.header.Get("ETag") != updated.header.Get("ETag") {
		t.Errorf("the update returned\n%s\nthe read\n%s", updated.body, read.body)
	}
	for attribute, wrong := range map[string]any{
		"number": "", "date": "soon", "performer_id": 9, "client_id": 1, "type_id": nil, "deal_id": nil, "notice": strings.Repeat("x", 65_536), "status_id": 5, "paid": "x", "closed": "x", "items": "x",
	} {
		if got := manager.put("/rest/invoice/1", fields{attribute: wrong}).wrongFields(); !cmp.Equal(got, []string{attribute}) {
			t.Errorf("%s of %.20v: wrong fields %v", attribute, wrong, got)
		}
	}
}
