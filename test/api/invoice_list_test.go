package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

// contract 10.90, 10.97, 4.111, 1.19, 3.26, 4.43, 4.45, 4.48, 4.103
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
		"status_id=1,4":                     "2 4",
		"status_id=4,4,4":                   "4",
		"id=5,1,99":                         "1 5",
		"id=3&status_id=1":                  "",
		"client_id=2,3":                     "2 3 5",
		"user_id=4,77&type_id=1,2":          "3",
		"type_id=1,2&status_id=1,2":         "1 2 3 5",
		"year=2024&status_id=3,4":           "4",
		"year=2024&status_id=2,4&type_id=1": "3 4",
		"date_from=2024-01-01":              "2 3 4",
		"date_from=2024-05-31&date_to=2024-05-31":        "3",
		"date_to=2023-12-31":                             "1 5",
		"date_from=2024-01-01&status_id=1,4&number=2":    "2",
		"date_from=1900-01-01&date_to=9999-12-31":        "1 2 3 4 5",
		"paid_from=2024-01-01":                           "1 3",
		"paid_to=2023-12-31":                             "5",
		"paid_from=2024-07-31&paid_to=2024-07-31":        "1",
		"paid_from=2024-08-01":                           "",
		"date_from=2023-12-31&paid_to=2024-01-01&id=1,3": "3",
		"year=&month=&date_from=&date_to=&paid_from=&paid_to=&id=&paid_year=&paid_month=&number=&company=&client_id=&deal_id=&user_id=&type_id=&status_id=": "1 2 3 4 5",
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

// contract 4.111, 10.97
func TestFilterErrorsNameTheParameterAndTheValue(t *testing.T) {
	t.Parallel()
	manager := startBilling(t).as("manager")
	many := strings.TrimSuffix(strings.Repeat("7,", 101), ",")
	for query, want := range map[string]string{
		"invoice?client_id=1,x":                           "client_id must be integers separated by commas, each a positive integer: value 2 is not",
		"deal?status_id=1,,2":                             "status_id must be integers separated by commas, each a positive integer: value 2 is not",
		"client?user_id=,":                                "user_id must be integers separated by commas, each a positive integer: value 1 is not",
		"contact?client_id=1,-2":                          "client_id must be integers separated by commas, each a positive integer: value 2 is not",
		"offer?id=1, 2":                                   "id must be integers separated by commas, each a positive integer: value 2 is not",
		"invoice?status_id=4,5":                           "status_id must be integers separated by commas, each an integer between 1 and 4: value 2 is not",
		"contract?client_id=" + many:                      "client_id has 101 values, more than 100",
		"invoice?id=0":                                    "id must be a positive integer",
		"invoice?date_from=2024-2-1":                      "date_from must be a date from 1900 on: YYYY-MM-DD",
		"invoice?date_to=1899-12-31":                      "date_to must be a date from 1900 on: YYYY-MM-DD",
		"invoice?paid_from=2024-02-30":                    "paid_from must be a date from 1900 on: YYYY-MM-DD",
		"invoice?paid_to=2024-02-01 10:00:00":             "paid_to must be a date from 1900 on: YYYY-MM-DD",
		"invoice?date_from=2024-02-02&date_to=2024-02-01": "date_to must not be before date_from",
		"invoice?paid_from=2024-02-02&paid_to=2024-02-01": "paid_to must not be before paid_from",
		"invoice?id=1&id=2":                               "id is given more than once: write it once, and several ids separated by commas",
	} {
		if got := manager.get("/rest/" + strings.ReplaceAll(query, " ", "%20")).rejected(400).Detail; got != want {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
	if got := manager.get("/rest/deal?client_id=" + strings.Replace(many, "7,", "", 1)).wants(200).items(); len(got) != 0 {
		t.Errorf("a client that does not exist has %v", got)
	}
}

// contract 10.97
func TestPaidRangeHasADayWithTwoMidnights(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "its time zone is a setting of the service")
	s := startBilling(t, func(c *bootstrap.Config) { c.TimeZone = "America/Havana" })
	manager := s.as("manager")
	for range 4 {
		manager.post("/rest/invoice", bill(fields{"status_id": 2})).wants(200)
	}
	// At one o'clock of the third of November, clocks were set back to midnight.
	s.paidOn(1, "2024-11-03 03:59:59+00")
	s.paidOn(2, "2024-11-03 04:00:00+00")
	s.paidOn(3, "2024-11-04 04:59:59+00")
	s.paidOn(4, "2024-11-04 05:00:00+00")
	for query, want := range map[string]string{
		"paid_from=2024-11-03": "2 3 4", "paid_to=2024-11-03": "1 2 3", "paid_from=2024-11-03&paid_to=2024-11-03": "2 3",
		"paid_to=2024-11-02": "1", "paid_from=2024-11-04": "4",
	} {
		if got := strings.Join(manager.get("/rest/invoice?sort=id&"+query).column("id"), " "); got != want {
			t.Errorf("%s: got %s, want %s", query, got, want)
		}
	}
}
