package api_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

// contract 10.89, 10.24, 4.26, 4.30, 4.32, 4.33, 4.34, 4.35, 4.36, 4.39, 4.40
func TestInvoiceListDefaultsToTwentyPerPage(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	manager := s.as("manager")
	for i := range 23 {
		manager.post("/rest/invoice", bill(fields{"number": fmt.Sprint(i), "deal_id": map[bool]any{true: 1}[i > 0], "items": []fields{goods("x", i+1, 1), goods("y", 1, 1)}})).wants(200)
	}
	first := manager.get("/rest/invoice?year=2024&expand=items")
	seen := first.column("id")
	if len(seen) != 20 || seen[0] != "23" {
		t.Errorf("the first page is %v", seen)
	}
	for _, record := range first.items() {
		if got := len(record["items"].([]any)); got != 2 {
			t.Errorf("invoice %v shows %d lines", record["id"], got)
		}
	}
	next, err := url.Parse(first.links()["next"])
	if err != nil || next.Query().Get("page") != "2" || next.Query().Get("expand") != "items" {
		t.Fatalf("next is %s", next)
	}
	last := manager.get(next.String())
	if seen = append(seen, last.column("id")...); len(seen) != 23 || seen[22] != "1" {
		t.Errorf("both pages together are %v", seen)
	}
	for name, want := range map[string]string{"Total-Count": "23", "Page-Count": "2", "Current-Page": "2", "Per-Page": "20"} {
		if got := last.header.Get("X-Pagination-" + name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	if got := manager.get("/rest/invoice?page=9&per_page=5").column("id"); len(got) != 0 {
		t.Errorf("behind the last page there are %v", got)
	}
}

// contract 10.1, 10.2, 10.3, 10.4, 10.5, 10.6, 10.8, 10.9, 10.10, 10.11, 10.12, 10.13,
// 10.14, 10.15, 10.16, 10.17, 10.18, 10.19, 4.11, 4.12, 4.13, 4.14, 4.15, 4.16, 4.17, 4.26
func TestInvoiceSortByEveryPlainAttribute(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	manager := s.as("manager")
	manager.post("/rest/invoice", bill(fields{"number": "b", "date": "2024-02-01", "status_id": 2, "items": []fields{goods("x", 1, 100)}, "notice": "b"})).wants(200)
	s.as("admin").post("/rest/invoice", bill(fields{"number": "C", "date": "2024-03-01", "status_id": 4, "performer_id": 2, "items": []fields{goods("x", 1, 110), goods("y", -1, 9)}})).wants(200)
	manager.post("/rest/invoice", bill(fields{"number": "a", "date": "2024-01-01", "status_id": 3, "deal_id": 1, "items": []fields{goods("x", 1, -5)}, "notice": "C"})).wants(200)
	s.paidOn(1, "2024-06-02 00:00:00+00")
	s.paidOn(3, "2024-06-01 00:00:00+00")
	s.execute("update invoices set status = 3 where id in (1, 3)")
	s.alter("update invoices set updated_on = created_on + interval '1 hour' where id = 1")
	for sort, want := range map[string]string{
		"":               "3 2 1",
		"created_on":     "3 2 1",
		"-created_on":    "1 2 3",
		"id":             "1 2 3",
		"-id":            "3 2 1",
		"user_id":        "2 1 3",
		"-user_id":       "3 1 2",
		"paid":           "2 1 3",
		"-paid":          "3 1 2",
		"closed":         "2 1 3",
		"number":         "3 1 2",
		"-number":        "2 1 3",
		"date":           "3 1 2",
		"notice":         "1 3 2",
		"-notice":        "2 3 1",
		"deal_id":        "1 3 2",
		"total_count":    "1 3 2",
		"-total_count":   "2 3 1",
		"total_price":    "3 1 2",
		"-total_price":   "2 1 3",
		"vat_price":      "3 2 1",
		"pay_price":      "3 2 1",
		"-pay_price":     "1 2 3",
		"paid_on":        "3 1 2",
		"-paid_on":       "2 1 3",
		"updated_on":     "2 3 1",
		"-update_on":     "1 3 2",
		"-paid,-user_id": "3 1 2",
		"-closed,number": "3 1 2",
	} {
		if got := strings.Join(manager.get("/rest/invoice?sort="+sort).column("id"), " "); got != want {
			t.Errorf("sort=%s: got %s, want %s", sort, got, want)
		}
	}
	for _, sort := range []string{"performer", "type", "company", "manager", "status", "items", "deal", "status_id"} {
		manager.get("/rest/invoice?sort=" + sort).refused(400)
	}
}

// contract 10.90, 10.91, 10.92, 10.93, 10.94, 10.95, 10.96, 10.97, 10.98, 10.99, 10.100,
// 10.101, 1.24, 3.26, 3.27, 4.43, 4.45, 4.48, 4.49, 4.50
func TestInvoiceFilters(t *testing.T) {
	t.Parallel()
	s := startBilling(t, func(c *bootstrap.Config) { c.TimeZone = "Europe/Berlin" })
	manager := s.as("manager")
	s.as("manager").post("/rest/client", fields{"name": "100% Straße", "type": 2}).wants(200)
	manager.post("/rest/invoice", bill(fields{"number": "A-1", "date": "2023-12-31 23:59:59"})).wants(200)
	manager.post("/rest/invoice", bill(fields{"number": "a-2", "date": "2024-01-01", "client_id": 2, "type_id": 2})).wants(200)
	s.as("other").post("/rest/invoice", bill(fields{"number": "Ä%3", "date": "2024-05-31 23:59:59", "client_id": 3, "status_id": 3})).wants(200)
	manager.post("/rest/invoice", bill(fields{"number": "B_4", "date": "2024-12-31", "status_id": 4})).wants(200)
	manager.post("/rest/invoice", bill(fields{"number": "b5", "date": "2019-05-01", "deal_id": 2, "client_id": 2, "paid": true})).wants(200)
	// In Berlin these are in the years 2024 and 2023, and in the months 1 and 12.
	s.paidOn(3, "2023-12-31 23:30:00+00")
	s.paidOn(5, "2023-12-31 22:30:00+00")
	s.paidOn(1, "2024-07-31 21:59:59+00")
	for query, want := range map[string]string{
		"":                                  "1 2 3 4 5",
		"number=a":                          "1 2",
		"number=%C3%A4%25":                  "3",
		"number=_":                          "4",
		"number=-1":                         "1",
		"client_id=1":                       "1 4",
		"client_id=77":                      "",
		"deal_id=2":                         "2 5",
		"company=STRASSE":                   "3",
		"company=%25":                       "3",
		"company=a":                         "1 2 3 4 5",
		"company=nobody":                    "",
		"user_id=4":                         "3",
		"type_id=2":                         "2",
		"status_id=1":                       "2",
		"status_id=2":                       "1 3 5",
		"status_id=4":                       "4",
		"year=2024":                         "2 3 4",
		"year=2023":                         "1",
		"year=0001":                         "",
		"year=9999":                         "",
		"month=12":                          "1 4",
		"month=5":                           "3 5",
		"month=01":                          "2",
		"year=2024&month=12":                "4",
		"year=2023&month=12":                "1",
		"year=2024&month=1":                 "2",
		"year=2024&month=5":                 "3",
		"year=2023&month=5":                 "",
		"paid_year=2024":                    "1 3",
		"paid_year=2023":                    "5",
		"paid_month=12":                     "5",
		"paid_month=7":                      "1",
		"paid_year=2024&paid_month=1":       "3",
		"paid_year=2024&paid_month=7":       "1",
		"paid_year=2024&paid_month=8":       "",
		"year=2024&paid_month=1&user_id=4":  "3",
		"year=2024&client_id=1&status_id=4": "4",
		"year=&month=&paid_year=&paid_month=&number=&company=&client_id=&deal_id=&user_id=&type_id=&status_id=": "1 2 3 4 5",
	} {
		r := manager.get("/rest/invoice?sort=id&" + query)
		if got := strings.Join(r.column("id"), " "); got != want {
			t.Errorf("%s: got %s, want %s", query, got, want)
		}
		if got, want := r.header.Get("X-Pagination-Total-Count"), fmt.Sprint(len(strings.Fields(want))); got != want {
			t.Errorf("%s: counts %s, want %s", query, got, want)
		}
	}
	for _, query := range []string{
		"status_id=0", "status_id=5", "status_id=x", "year=24", "year=02024", "year=20x4", "year=-999", "year=%2B999", "month=0", "month=13", "month=x",
		"paid_year=124", "paid_year=12345", "paid_month=0", "paid_month=13", "client_id=0", "deal_id=x", "user_id=-1", "type_id=1.5",
		"number=" + strings.Repeat("1", 256), "company=%00", "per_page=0", "per_page=501", "page=0",
	} {
		manager.get("/rest/invoice?" + query).refused(400)
	}
}
