package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

// contract 10.90, 10.91, 10.92, 10.93, 10.94, 10.95, 10.96, 10.97, 10.98, 10.99, 10.100,
// 10.101, 1.24, 3.26, 3.27, 4.43, 4.45, 4.48, 4.49, 4.50
func TestInvoiceFilters(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "its time zone is a setting of the service")
	s := startBilling(t, func(c *bootstrap.Config) { c.TimeZone = "Europe/Berlin" })
	manager := s.as("manager")
	s.as("manager").post("/rest/client", fields{"name": "100% Straße", "type": 2}).wants(200)
	manager.post("/rest/invoice", bill(fields{"number": "A-1", "date": "2023-12-31 23:59:59"})).wants(200)
	manager.post("/rest/invoice", bill(fields{"number": "a-2", "date": "2024-01-01", "client_id": 2, "type_id": 2})).wants(200)
	s.as("other").post("/rest/invoice", bill(fields{"number": "Ä%3", "date": "2024-05-31 23:59:59", "client_id": 3, "status_id": 3})).wants(200)
	manager.post("/rest/invoice", bill(fields{"number": "B_4", "date": "2024-12-31", "status_id": 4})).wants(200)
	manager.post("/rest/invoice", bill(fields{"number": "b5", "date": "2019-05-01", "deal_id": 2, "client_id": 2, "paid": true})).wants(200)
	// In Berlin these are in January 2024 and December 2023.
	s.paidOn(3, "2023-12-31 23:30:00+00")
	s.paidOn(5, "2023-12-31 22:30:00+00")
	s.paidOn(1, "2024-07-31 21:59:59+00")
	for query, want := range map[string]string{
		"":                                  "1 2 3 4 5",
		"number=a":                          "1 2 3",
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
		"year=0000":                         "",
		"year=0000&month=1":                 "",
		"paid_year=0000":                    "",
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
			t.Errorf("%s: the total is %s, want %s", query, got, want)
		}
	}
	for _, query := range []string{
		"status_id=0", "status_id=5", "status_id=x", "year=24", "year=02024", "year=20x4", "year=-999", "year=%2B999", "month=0", "month=13", "month=x",
		"paid_year=124", "paid_year=12345", "paid_month=0", "paid_month=13", "client_id=0", "deal_id=x", "user_id=-1", "type_id=1.5",
		"number=" + strings.Repeat("1", 256), "company=%00", "per_page=0", "per_page=501", "page=0",
	} {
		manager.get("/rest/invoice?" + query).rejected(400)
	}
}
