package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

// startBilling is a service with what invoices refer to: the statuses new (1,
// the default) and won (2), the clients Acme (1) and Berta (2), who are the
// manager's, the performers Kontor (1, who charges 20 % VAT) and Atelier (2, who
// charges none), and the invoice types bill (1) and credit (2).
func startBilling(t testing.TB, options ...func(*bootstrap.Config)) *service {
	t.Helper()
	s := start(t, options...)
	admin, manager := s.as("admin"), s.as("manager")
	admin.post("/rest/status", fields{"name": "new", "default": true}).wants(200)
	admin.post("/rest/status", fields{"name": "won"}).wants(200)
	manager.post("/rest/client", fields{"name": "Acme", "type": 1, "email": "a@example.org", "phone": "1"}).wants(200)
	manager.post("/rest/client", fields{"name": "Berta", "type": 2}).wants(200)
	admin.post("/rest/performer", fields{"name": "Kontor", "vat_use": true, "vat_percent": 20}).wants(200)
	admin.post("/rest/performer", fields{"name": "Atelier"}).wants(200)
	admin.post("/rest/invoice-type", fields{"title": "bill"}).wants(200)
	admin.post("/rest/invoice-type", fields{"title": "credit"}).wants(200)
	return s
}

// bill is the body of an invoice of Kontor to Acme, with more in it; what is nil
// there is left out.
func bill(more fields) fields {
	body := fields{"number": "R-1", "date": "2024-03-09", "performer_id": 1, "client_id": 1, "type_id": 1}
	maps.Copy(body, more)
	maps.DeleteFunc(body, func(_ string, value any) bool { return value == nil })
	return body
}

// goods is a line of a write.
func goods(name string, count, price any) fields {
	return fields{"name": name, "items_count": count, "item_price": price}
}

const (
	kontor  = `{"id":1,"status":1,"name":"Kontor","company_name":null,"company_address":null,"real_address":null,"bank_details":null,"company_details":null,"leader":null,"leader_rank":null,"booker":null,"phone":null,"email":null,"vat_use":true,"vat_percent":"20.00","stamp_file":null,"leader_sig_file":null,"booker_sig_file":null,"logo":null,"created_at":%q,"updated_at":%[1]q}`
	acme    = `{"id":1,"name":"Acme","type":1,"email":"a@example.org","phone":"1"}`
	mara    = `{"id":2,"username":"manager","fname":"Mara","lname":"Nager","email":"manager@example.org"}`
	twoPens = `{"id":1,"invoice_id":1,"name":"pens","units":"box","count":2.5,"price":"10.5000","total_price":"26.2500"}`
	less    = `{"id":2,"invoice_id":1,"name":"discount","units":null,"count":-1,"price":"4.0000","total_price":"-4.0000"}`
)

// contract 10.1 to 10.26, 2.11, 2.14 to 2.20, 4.2, 10.48, 10.102
func TestANewInvoiceIsShownAsReadingItShowsIt(t *testing.T) {
	s := startBilling(t)
	pens := goods("pens", "2.50", 10.5)
	pens["units"] = "box"
	created := s.as("manager").post("/rest/invoice?expand=deal,items,status,manager,company", bill(fields{
		"number": " R-1 ", "date": "2024-03-09T16:05:00+09:00", "notice": "Danke", "items": []fields{pens, goods("discount", -1, "4")},
	}))
	record := created.record()
	performer := s.as("viewer").get("/rest/performer/1").record()
	deal := s.as("viewer").get("/rest/deal/1").record()
	want := fmt.Sprintf(`{"response":{"id":1,"user_id":2,"paid":false,"closed":false,"number":"R-1","date":"2024-03-09 16:05:00","notice":"Danke","deal_id":1,`+
		`"total_count":2,"total_price":"22.2500","vat_price":"4.4500","pay_price":"26.7000","created_on":%[1]q,"paid_on":null,"updated_on":%[1]q,"update_on":%[1]q,`+
		`"performer":`+fmt.Sprintf(kontor, performer["created_at"])+`,"type":{"id":1,"name":"bill"},"company":`+acme+`,"manager":`+mara+`,"status":{"id":1,"name":"Not paid"},`+
		`"items":[`+twoPens+`,`+less+`],"deal":{"id":1,"name":"R-1","client_id":1,"user":2,"type_id":null,"status_id":1,"created_at":%[2]q,"updated_at":%[2]q}}}`,
		record["created_on"], deal["created_at"])
	if created.body != want {
		t.Errorf("got  %s\nwant %s", created.body, want)
	}
	read := s.as("viewer").get(created.header.Get("Location") + "?expand=items,company,deal,status,manager")
	if read.body != created.body {
		t.Errorf("the new invoice reads\n%s\nits creation answered\n%s", read.body, created.body)
	}
	listed := s.as("viewer").get("/rest/invoice?expand=items,company,deal,status,manager").items()
	if diff := cmp.Diff([]map[string]any{record}, listed); diff != "" {
		t.Errorf("the list shows it otherwise:\n%s", diff)
	}
}

// contract 2.8, 2.15, 2.18, 2.20, 10.20 to 10.26, 10.89
func TestAnInvoiceIsXMLWithItsDefaultExpansionsUnlessAskedOtherwise(t *testing.T) {
	s := startBilling(t)
	s.as("manager").post("/rest/invoice", bill(fields{"paid": 1, "items": []fields{goods("pens", 2.5, 1), goods("ink", 1, "0.5")}})).wants(200)
	plain := s.as("viewer").with("Accept", "")
	for _, c := range []struct{ query, want string }{
		{"?fields=paid,closed,notice,total_price,company,items.count,items.id", `<paid>1</paid><closed/><notice/><total_price>3.0000</total_price>` +
			`<company><id>1</id><name>Acme</name><type>1</type><email>a@example.org</email><phone>1</phone></company>` +
			`<items><item><id>1</id><count>2.5</count></item><item><id>2</id><count>1</count></item></items>`},
		{"?fields=id,performer.vat_percent,type&expand=status", `<id>1</id><performer><vat_percent>20.00</vat_percent></performer><type><id>1</id><name>bill</name></type><status><id>2</id><name>Paid</name></status>`},
	} {
		for _, path := range []string{"/rest/invoice/1", "/rest/invoice"} {
			got, want := plain.get(path+c.query).wants(200).body, "<response>"+c.want+"</response>"
			if path == "/rest/invoice" {
				want = "<response><item>" + c.want + "</item></response>"
			}
			if !strings.HasSuffix(got, want) {
				t.Errorf("%s%s: got  %s\nwant %s", path, c.query, got, want)
			}
		}
	}
	for query, want := range map[string]string{
		"":                       "company manager performer status type",
		"?expand=":               "performer type",
		"?expand=performer,type": "performer type",
		"?fields=id&expand=type": "type", // 4.9
		"?expand=items,deal":     "deal items performer type",
	} {
		for _, record := range append(s.as("viewer").get("/rest/invoice"+query).items(), s.as("viewer").get("/rest/invoice/1"+query).record()) {
			nested := []string{}
			for _, name := range []string{"company", "deal", "items", "manager", "performer", "status", "type"} {
				if record[name] != nil {
					nested = append(nested, name)
				}
			}
			if got := strings.Join(nested, " "); got != want {
				t.Errorf("%s shows %s, want %s", query, got, want)
			}
		}
	}
	s.as("viewer").get("/rest/invoice?expand=client").refused(400)
	s.as("viewer").get("/rest/invoice?fields=performer_id").refused(400)
	s.as("viewer").get("/rest/invoice?fields=deal.nope").refused(400)
}

// contract 10.39 to 10.43, 10.55 to 10.61, 10.79 to 10.83, 3.3, 3.29
func TestEveryWrongFieldOfAnInvoiceIsNamedAndNothingIsStored(t *testing.T) {
	s := startBilling(t)
	for _, c := range []struct {
		body  any
		wrong []string
	}{
		{fields{}, []string{"number", "date", "performer_id", "client_id", "type_id"}},
		{bill(fields{"number": "", "date": "", "performer_id": "", "client_id": 0, "type_id": []int{1}}), []string{"client_id", "type_id", "number", "date", "performer_id"}},
		{bill(fields{"number": strings.Repeat("1", 65), "notice": strings.Repeat("x", 65_536)}), []string{"number", "notice"}},
		{bill(fields{"date": "9.3.2024"}), []string{"date"}},
		{bill(fields{"date": "1899-12-31"}), []string{"date"}},
		{bill(fields{"date": "10000-01-01"}), []string{"date"}},
		{bill(fields{"date": "2023-02-29"}), []string{"date"}},
		{bill(fields{"date": 20240309}), []string{"date"}},
		{bill(fields{"paid": "perhaps", "status_id": 5}), []string{"paid", "status_id"}},
		{bill(fields{"paid": false, "closed": true}), []string{"closed"}},
		{bill(fields{"items": "pens"}), []string{"items"}},
		{bill(fields{"items": fields{"name": "pens"}}), []string{"items"}},
		{bill(fields{"items": []any{goods("pens", 1, 1), fields{"units": 5}, fields{"name": "x", "id": 1}}}), []string{"items[1].units", "items[1].name", "items[2].id"}},
		{bill(fields{"items": []any{"pens", goods("", 0, 1)}}), []string{"items[0]", "items[0].name", "items[1].name", "items[1].items_count"}},
		{bill(fields{"items": []any{fields{"name": "a", "count": 0}, fields{"name": strings.Repeat("x", 65_536), "units": strings.Repeat("x", 256)}}}), []string{"items[0].count", "items[1].name", "items[1].units"}},
		{bill(fields{"items": []any{goods("a", "1.0000001", 1), goods("b", "1e12", "-1e12"), goods("c", true, "1.00001")}}), []string{"items[0].items_count", "items[1].items_count", "items[1].item_price", "items[2].items_count", "items[2].item_price"}},
		{bill(fields{"items": []any{fields{"name": "a", "count": 2, "items_count": 3}, fields{"name": "b", "price": nil, "item_price": 3}, fields{"name": "c", "total_price": 1, "items_total_price": 0}}}), []string{"items[0].count", "items[1].price", "items[2].total_price"}},
		{bill(fields{"items": []any{fields{"name": "a", "count": 3, "price": "1.5", "items_total_price": "4.5051"}}}), []string{"items[0].items_total_price"}},
		{bill(fields{"items": []any{goods("a", 999_999_999_999, 999), goods("b", 999_999_999_999, 999)}}), []string{"items"}},
	} {
		raw, _ := json.Marshal(c.body)
		if got := s.as("manager").post("/rest/invoice", c.body).blames(); !cmp.Equal(got, c.wrong) {
			t.Errorf("%.300s: blames %v, want %v", raw, got, c.wrong)
		}
	}
	for _, table := range []string{"invoices", "invoice_items", "deals", "deal_history"} {
		if n := s.count(table, "true"); n != 0 {
			t.Errorf("%d rows of %s were stored", n, table)
		}
	}
}

// contract 10.58 to 10.61, 10.66, 10.83
func TestALineMayBeWrittenInLongAndShortNames(t *testing.T) {
	s := startBilling(t)
	got := s.as("manager").post("/rest/invoice?fields=items&expand=items", bill(fields{"items": []fields{
		{"name": "long", "items_count": "3", "item_price": "1.5", "items_total_price": "4.505"},
		{"name": "short", "count": 3, "price": 1.5, "total_price": "4.495"},
		{"name": "both", "count": 3, "items_count": "3.000", "price": "15e-1", "item_price": 1.5, "total_price": 4.5, "items_total_price": "4.50"},
		{"name": "neither"},
		{"name": "null", "count": nil, "item_price": "", "items_total_price": nil},
	}})).wants(200).body
	line := func(id int, name, numbers string) string {
		return fmt.Sprintf(`{"id":%d,"invoice_id":1,"name":%q,"units":null,%s}`, id, name, numbers)
	}
	const three, one = `"count":3,"price":"1.5000","total_price":"4.5000"`, `"count":1,"price":"0.0000","total_price":"0.0000"`
	want := `{"response":{"items":[` + strings.Join([]string{line(1, "long", three), line(2, "short", three), line(3, "both", three), line(4, "neither", one), line(5, "null", one)}, ",") + `]}}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// contract 10.62 to 10.66, 4.56
func TestAnUpdateWithItemsSaysWhatTheLinesShallBe(t *testing.T) {
	s := startBilling(t)
	manager := s.as("manager")
	manager.post("/rest/invoice", bill(fields{"items": []fields{goods("a", 1, 1), goods("b", 2, 2), goods("c", 3, 3)}})).wants(200)
	manager.post("/rest/invoice", bill(fields{"items": []fields{goods("elsewhere", 1, 1)}})).wants(200)
	for _, step := range []struct {
		body  fields
		lines string
		total string
	}{
		{fields{"notice": "x"}, "1 a 1, 2 b 2, 3 c 3", "14.0000"},
		{fields{"items": []fields{{"id": 1, "name": "A"}, {"name": "d", "price": 5}, {"id": "3", "count": 4}}}, "1 A 1, 3 c 4, 5 d 1", "18.0000"},
		{fields{"items": []fields{{"id": 5}, {"id": nil, "name": "e"}, {"id": "", "name": "f"}}}, "5 d 1, 6 e 1, 7 f 1", "5.0000"},
		{fields{"items": []fields{}}, "", "0.0000"},
		{fields{"items": []fields{{"name": "g", "item_price": 7}}}, "8 g 1", "7.0000"},
	} {
		record := manager.patch("/rest/invoice/1?expand=items", step.body).record()
		var lines []string
		for _, line := range record["items"].([]any) {
			l := line.(map[string]any)
			lines = append(lines, fmt.Sprintf("%v %v %v", l["id"], l["name"], l["count"]))
		}
		if got := strings.Join(lines, ", "); got != step.lines || record["total_price"] != step.total || text(record["total_count"]) != fmt.Sprint(len(lines)) {
			t.Errorf("%v: got %s, %v lines with a total of %v; want %s, %s", step.body, got, record["total_count"], record["total_price"], step.lines, step.total)
		}
	}
	for _, c := range []struct {
		items any
		wrong []string
	}{
		{[]fields{{"id": 8}, {"id": 4}}, []string{"items[1].id"}},
		{[]fields{{"id": 8}, {"id": 8, "name": "twice"}}, []string{"items[1].id"}},
		{[]fields{{"id": -8, "name": "x"}}, []string{"items[0].id"}},
		{[]fields{{"id": 8, "count": nil, "item_price": ""}}, []string{"items[0].count", "items[0].item_price"}},
		{[]fields{{"id": 8, "name": nil}}, []string{"items[0].name"}},
		{[]fields{{"id": 8, "count": 2, "total_price": 7}}, []string{"items[0].total_price"}},
	} {
		if got := manager.put("/rest/invoice/1", fields{"items": c.items}).blames(); !cmp.Equal(got, c.wrong) {
			t.Errorf("%v: blames %v, want %v", c.items, got, c.wrong)
		}
	}
	// An update with null does not say whether the lines shall stay or go.
	if got := manager.put("/rest/invoice/1", `{"items":null}`).blames(); !cmp.Equal(got, []string{"items"}) {
		t.Errorf("null blames %v", got)
	}
	manager.post("/rest/invoice", `{"number":"N","date":"2024-01-01","performer_id":1,"client_id":1,"type_id":1,"items":null}`).wants(200)
	if got := manager.get("/rest/invoice-items?invoice_id=1").column("name"); !cmp.Equal(got, []string{"g"}) {
		t.Errorf("after the refusals the lines are %v", got)
	}
}

// contract 4.58, 10.27 to 10.32, 2.32
func TestAnInvoiceThatIsSentBackAsReadStaysAsItIs(t *testing.T) {
	s := startBilling(t)
	manager := s.as("manager")
	for _, status := range []int{1, 2, 3, 4} {
		address := manager.post("/rest/invoice", bill(fields{"status_id": status, "notice": "a\nb", "items": []fields{goods("pens", "2.5", "10.5"), goods("less", -1, "4")}})).wants(200).header.Get("Location")
		for _, query := range []string{"", "?expand=items", "?expand=items,deal,company,manager,status", "?fields=paid,closed,items"} {
			shown := manager.get(address + query).wants(200)
			for _, method := range []string{http.MethodPut, http.MethodPatch} {
				echoed := manager.send(method, address+query, shown.body).wants(200)
				if echoed.body != shown.body || echoed.header.Get("ETag") != shown.header.Get("ETag") {
					t.Errorf("status %d, %s: sent\n%s\ngot\n%s", status, query, shown.body, echoed.body)
				}
			}
		}
		// So does one whose values are sent in other words.
		same := fields{"paid": fmt.Sprint(status / 2 % 2), "performer_id": "1", "deal_id": status, "client_id": 1, "type_id": 1, "date": "2024-03-09T00:00:00Z", "status_id": status, "number": " R-1"}
		before := manager.get(address)
		if after := manager.put(address, same).wants(200); after.body != before.body || after.header.Get("ETag") != before.header.Get("ETag") {
			t.Errorf("status %d: %v has changed\n%s\ninto\n%s", status, same, before.body, after.body)
		}
	}
	s.as("viewer").put("/rest/invoice/1", "{}").refused(403)
}

// contract 4.51 to 4.54, 10.4, 10.48, 10.51
func TestWhatTheServiceWorksOutIsNotTakenFromAWrite(t *testing.T) {
	s := startBilling(t)
	manager := s.as("manager")
	computed := fields{
		"id": 99, "user_id": 1, "total_count": 7, "total_price": "x", "vat_price": 1, "pay_price": []int{}, "created_on": 5, "paid_on": "2001-01-01 00:00:00",
		"updated_on": "never", "update_on": nil, "performer": fields{"id": 2}, "type": fields{"id": 2}, "company": 1, "manager": "x", "status": fields{"id": 3}, "deal": "x", "unknown": 1,
	}
	first := manager.post("/rest/invoice", bill(computed)).wants(200)
	again := manager.put("/rest/invoice/1", computed).wants(200)
	if again.body != first.body || again.header.Get("ETag") != first.header.Get("ETag") {
		t.Errorf("got\n%s\nwant\n%s", again.body, first.body)
	}
	record := first.record()
	for name, want := range map[string]string{"id": "1", "user_id": "2", "total_count": "0", "total_price": "0.0000", "paid_on": "null", "paid": "false"} {
		if got := text(record[name]); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	tag := first.header.Get("ETag")
	manager.with("If-Match", tag).put("/rest/invoice/1", fields{"notice": "a"}).wants(200)
	manager.with("If-Match", tag).put("/rest/invoice/1", fields{"notice": "b"}).refused(412)
	manager.with("If-Match", tag).delete("/rest/invoice/1").refused(412)
	manager.with("If-None-Match", manager.get("/rest/invoice/1").header.Get("ETag")).get("/rest/invoice/1").wants(304)
}
