package api_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/httpapi/page"
)

// report returns the rows of a report, each as its values in the order of the names.
func (s paying) report(path string, names ...string) (rows []string) {
	s.t.Helper()
	for _, item := range s.as("viewer").get("/rest/report/" + path).record()["items"].([]any) {
		var row []string
		for _, name := range names {
			row = append(row, text(item.(map[string]any)[name]))
		}
		rows = append(rows, strings.Join(row, " "))
	}
	return rows
}

// reported checks the rows of a report.
func (s paying) reported(path, names string, want ...string) {
	s.t.Helper()
	if got := s.report(path, strings.Fields(names)...); !slices.Equal(got, want) {
		s.t.Errorf("%s is %q, want %q", path, got, want)
	}
}

// contract 18.40, 18.41, 18.42, 18.43
func TestReceivablesSayWhatWasDueOnADay(t *testing.T) {
	t.Parallel()
	s := startPaying(t)
	a := s.invoice("100", fields{"date": "2024-01-10", "due_date": "2024-02-01"})
	s.invoice("50", fields{"date": "2024-01-20", "number": "R-2"})
	s.invoice("-10", fields{"date": "2024-01-25", "client_id": 2})
	s.invoice("1", fields{"date": "2024-01-25", "client_id": 2, "currency": "USD"})
	s.invoice("7", fields{"date": "2024-01-25", "status_id": 4})
	const columns = "id name currency not_due overdue_1_30 overdue_31_60 overdue_61_90 overdue_over_90 credit total"
	s.reported("receivables?at=2024-01-09", columns)
	s.reported("receivables?at=2024-02-01", columns,
		"1 Acme null 120.0000 60.0000 0.0000 0.0000 0.0000 0.0000 180.0000",
		"2 Berta null 0.0000 0.0000 0.0000 0.0000 0.0000 -12.0000 -12.0000",
		"2 Berta USD 0.0000 1.2000 0.0000 0.0000 0.0000 0.0000 1.2000")
	s.reported("receivables?at=2024-02-02&by=performer", "id name currency not_due overdue_1_30",
		"1 Kontor null 0.0000 180.0000", "1 Kontor USD 0.0000 1.2000")
	id := s.pay("70", fieldsWith(settling(a, "70"), fields{"date": "2024-02-10"}))
	s.reported("receivables?at=2024-02-09&by=invoice&fields=items.name,items.total", "name total",
		"R-1 120.0000", "R-1 -12.0000", "R-1 1.2000", "R-2 60.0000")
	s.reported("receivables?at=2024-02-10", "id total", "1 110.0000", "2 -12.0000", "2 1.2000")
	before := time.Now().UTC().Add(-time.Hour).Format("2006-01-02T15:04:05Z")
	s.reported("receivables?known_at="+before, "id")
	s.execute("update invoices set created_on = '2024-01-01'")
	s.reported("receivables?at=2024-02-10&known_at="+before, "id total", "1 180.0000", "2 -12.0000", "2 1.2000")
	s.as("manager").delete("/rest/payment/" + id).wants(200)
	s.reported("receivables?at=2024-02-10", "id total", "1 180.0000", "2 -12.0000", "2 1.2000")
	totals := s.as("viewer").get("/rest/report/receivables?at=2024-02-01&fields=at,known_at,by,totals")
	if want := `{"response":{"at":"2024-02-01","known_at":null,"by":"client","totals":[{"currency":null,"not_due":"120.0000",` +
		`"overdue_1_30":"60.0000","overdue_31_60":"0.0000","overdue_61_90":"0.0000","overdue_over_90":"0.0000","credit":"-12.0000",` +
		`"total":"168.0000"},{"currency":"USD",`; !strings.HasPrefix(totals.body, want) {
		t.Errorf("%s does not begin with %s", totals.body, want)
	}
	s.as("admin").put("/rest/performer/1/party", fields{"currency": "USD"}).wants(200)
	s.reported("receivables?at=2024-02-01", "id currency total", "1 USD 180.0000", "2 USD -10.8000")
}

// contract 18.42
func TestReceivablesOfTodayAreWhatTheListShows(t *testing.T) {
	t.Parallel()
	s := startPaying(t)
	for i := range 12 {
		id := s.invoice(fmt.Sprint(10*i-30), fields{"client_id": i%2 + 1, "date": "2024-01-0" + fmt.Sprint(i%9+1)})
		if i%3 == 0 && i != 3 {
			s.pay(fmt.Sprint(12*i-36), fields{"invoice_id": id})
		}
		if i%4 == 1 && i < 3 {
			s.as("manager").patch("/rest/invoice/"+id, fields{"status_id": 4}).wants(200)
		}
	}
	cents := func(s string) (n int) {
		_, _ = fmt.Sscan(strings.TrimSuffix(strings.Replace(s, ".", "", 1), "00"), &n)
		return n
	}
	sum, total := 0, 0
	for _, due := range s.as("viewer").get("/rest/invoice?due=1&per_page=100&_format=json").column("due_price") {
		sum += cents(due)
	}
	for _, row := range s.report("receivables", "total") {
		total += cents(row)
	}
	if sum != total || sum == 0 {
		t.Errorf("the report has %d, the list %d", total, sum)
	}
}

// contract 18.44, 18.45, 18.46
func TestRevenueAndVATOfWhatWasIssuedAndReceived(t *testing.T) {
	t.Parallel()
	s := startPaying(t)
	a := s.invoice("100", fields{"date": "2024-01-10"})
	s.as("manager").post("/rest/invoice", bill(fields{"date": "2024-02-10", "type_id": 2, "client_id": 2, "items": []fields{
		{"name": "x", "price": "10"}, {"name": "y", "price": "10", "vat_percent": "7"},
	}})).wants(200)
	s.invoice("7", fields{"date": "2024-01-25", "status_id": 4})
	s.pay("40", fieldsWith(settling(a, "40"), fields{"date": "2024-01-31"}))
	s.pay("10", fields{"date": "2024-02-20", "items": []fields{
		{"invoice_id": a, "amount": "10", "waived": "5", "reason": "discount"},
	}})
	second := s.pay("5", fieldsWith(settling("2", "5"), fields{"date": "2024-02-28"}))
	const columns = "name count net vat gross waived"
	s.reported("revenue?from=2024-01-01&to=2024-12-31", columns,
		"2024-01 1 100.0000 20.0000 120.0000 5.0000", "2024-02 1 20.0000 2.7000 22.7000 0.0000")
	s.reported("revenue?from=2024-01-01&to=2024-02-28&basis=received", columns,
		"2024-01 1 33.3300 6.6700 40.0000 0.0000", "2024-02 2 12.7500 2.2500 15.0000 5.0000")
	s.reported("revenue?from=2024-02-01&to=2024-02-28&basis=received&by=client", columns,
		"Acme 1 8.3400 1.6600 10.0000 5.0000", "Berta 1 4.4100 0.5900 5.0000 0.0000")
	s.reported("revenue?from=2024-01-01&to=2024-12-31&by=type", "id name gross", "1 bill 120.0000", "2 credit 22.7000")
	s.reported("revenue?to=2024-01-10&by=performer", "name gross", "Kontor 120.0000")
	const rates = "vat_category vat_percent currency taxable vat"
	s.reported("vat?from=2024-01-01&to=2024-12-31", rates, "standard 20.00 null 110.0000 22.0000", "standard 7.00 null 10.0000 0.7000")
	s.reported("vat?from=2024-02-28&to=2024-02-28&basis=received", rates, "standard 20.00 null 2.2100 0.4400", "standard 7.00 null 2.2000 0.1500")
	s.as("manager").delete("/rest/payment/" + second).wants(200)
	s.pay("0", fieldsWith(settling("2", "5", s.invoice("-10", fields{"date": "2024-03-01"}), "-5"), fields{"date": "2024-03-02"}))
	s.reported("revenue?from=2024-03-01&to=2024-03-31&basis=received", "count gross", "0 0.0000")
}

// contract 18.47
func TestOverdueHasTheLargestSumsFirst(t *testing.T) {
	t.Parallel()
	s := startPaying(t)
	for i, due := range []any{"2024-02-01", "2024-03-01", "2024-04-01", "2024-02-01"} {
		s.invoice([]string{"10", "20", "30", "100"}[i], fields{"date": "2024-01-01", "due_date": due, "client_id": i/3 + 1})
	}
	s.reported("overdue?at=2024-03-02", "id name count oldest total",
		"2 Berta 1 2024-02-01 120.0000", "1 Acme 2 2024-02-01 36.0000")
	s.reported("overdue?at=2024-02-01&by=client", "id")
}

// contract 18.40, 18.48
func TestReportsHaveTheFormatsOfLists(t *testing.T) {
	t.Parallel()
	s := startPaying(t)
	s.invoice("100", fields{"date": "2024-01-10"})
	s.invoice("-10", fields{"date": "2024-01-10", "client_id": 2})
	viewer := s.as("viewer")
	const path = "/rest/report/receivables?at=2024-02-01&_format="
	if r := viewer.get(path + "csv"); r.header.Get("Content-Disposition") != `attachment; filename="report-receivables.csv"` || r.body !=
		"id,name,currency,not_due,overdue_1_30,overdue_31_60,overdue_61_90,overdue_over_90,credit,total\r\n"+
			"1,\"Acme\",,0.0000,120.0000,0.0000,0.0000,0.0000,0.0000,120.0000\r\n2,\"Berta\",,0.0000,0.0000,0.0000,0.0000,0.0000,-12.0000,-12.0000\r\n" {
		t.Errorf("%v %s", r.header, r.body)
	}
	if r := viewer.get(path + "xml"); !strings.Contains(r.body, "<by>client</by><items><item><id>1</id><name>Acme</name><currency/>") ||
		r.header.Get("ETag") != "" {
		t.Error(r.body)
	}
	body := s.page("/rest/report/receivables?at=2024-02-01")
	for _, part := range []string{
		"<h1>Receivables</h1>", `<a href="/rest/client/1">Acme</a>`, "<svg ", `role="img"`, ">1 to 30 days overdue</text>", ">120.00</text>",
		`class="negative"`, `<option value="performer">performer</option>`, `href="/rest/report/receivables?_format=csv&amp;at=2024-02-01"`,
		"<p>An invoice without a due date is due on its date.</p>",
	} {
		if !strings.Contains(body, part) {
			t.Errorf("the page lacks %s: %s", part, body)
		}
	}
	for _, path := range []string{"revenue?from=2024-01-01", "revenue?by=client", "vat?from=2024-01-01", "overdue", "vat?fields=from", "vat?fields=items.vat"} {
		s.page("/rest/report/" + path)
	}
	if body := s.page("/"); !strings.Contains(body, `href="/rest/report/overdue"`) {
		t.Errorf("the first page has no links to reports: %s", body)
	}
}

// page returns a page, which the OpenAPI document does not describe.
func (s paying) page(path string) string {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.url+path, http.NoBody)
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header = s.as("viewer").with("Accept", "text/html").headers
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK || response.Header.Get("Content-Security-Policy") != page.Policy ||
		strings.Contains(string(body), "<script") || strings.Contains(string(body), "style=") {
		s.t.Errorf("%s: %d %v %v %s", path, response.StatusCode, err, response.Header, body)
	}
	return string(body)
}

// contract 18.40, 18.49
func TestReportsNameWrongParameters(t *testing.T) {
	t.Parallel()
	s := startPaying(t)
	for path, want := range map[string]string{
		"receivables?at=soon": "at", "receivables?known_at=soon": "known_at", "receivables?by=month": "by", "receivables?page=2": "page",
		"receivables?from=2024-01-01": "from", "revenue?from=2024-02-30": "from", "revenue?from=2024-02-02&to=2024-02-01": "to",
		"revenue?basis=paid": "basis", "revenue?by=invoice": "by", "vat?by=client": "by", "overdue?by=invoice": "by", "overdue?known_at=2024-01-01": "known_at",
		"vat?fields=x": "fields", "vat?fields=to&_format=csv": "fields", "vat?at=2024-01-01": "at",
	} {
		if got := s.as("viewer").get("/rest/report/" + path).rejected(http.StatusBadRequest).Detail; !strings.HasPrefix(strings.Replace(got, ":", "", 1), want+" ") {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	s.as("viewer").get("/rest/report/debts").rejected(http.StatusNotFound)
	s.as("viewer").post("/rest/report/vat", fields{}).rejected(http.StatusMethodNotAllowed)
	s.nobody().get("/rest/report/vat").rejected(http.StatusUnauthorized)
	s.scoped("manager", "invoice:read", "payment:read").get("/rest/report/vat").rejected(http.StatusForbidden)
	s.scoped("viewer", "report:read").get("/rest/report/vat").wants(200)
	year := fmt.Sprint(time.Now().UTC().Year())
	head := s.as("viewer").get("/rest/report/revenue?fields=from,to,basis,by").record()
	want := map[string]any{"from": year + "-01-01", "to": time.Now().UTC().Format(time.DateOnly), "basis": "issued", "by": "month"}
	if !maps.Equal(head, want) {
		t.Errorf("by default it is %v, want %v", head, want)
	}
}
