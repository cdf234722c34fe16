package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	kontor  = `{"id":1,"status":1,"name":"Kontor","company_name":null,"company_address":null,"real_address":null,"bank_details":null,"company_details":null,"leader":null,"leader_rank":null,"booker":null,"phone":null,"email":null,"vat_use":true,"vat_percent":"20.00","stamp_file":null,"leader_sig_file":null,"booker_sig_file":null,"logo":null,"created_at":%q,"updated_at":%[1]q,"ref":null}`
	acme    = `{"id":1,"name":"Acme","type":1,"email":"a@example.org","phone":"1"}`
	mara    = `{"id":2,"username":"manager","fname":"Mara","lname":"Nager","email":"manager@example.org"}`
	twoPens = `{"id":1,"invoice_id":1,"name":"pens","units":"box","count":2.5,"price":"10.5000",` + plainVAT + `"total_price":"26.2500"` + noTexts + `}`
	less    = `{"id":2,"invoice_id":1,"name":"discount","units":null,"count":-1,"price":"4.0000",` + plainVAT + `"total_price":"-4.0000"` + noTexts + `}`
)

// contract 10.1, 10.21, 10.56, 10.89, 2.11, 2.14, 4.2, 6.8, 6.20
func TestInvoiceCreateRespondsLikeRead(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	pens := goods("pens", "2.50", 10.5)
	pens["units"] = "box"
	created := s.as("manager").post("/rest/invoice?expand=deal,items,status,manager,company", bill(fields{
		"number": " R-1 ", "date": "2024-03-09T16:05:00+09:00", "notice": "Danke", "items": []fields{pens, goods("discount", -1, "4")},
	}))
	record := created.record()
	performer := s.as("viewer").get("/rest/performer/1").record()
	deal := s.as("viewer").get("/rest/deal/1").record()
	want := fmt.Sprintf(`{"response":{"id":1,"user_id":2,"paid":false,"closed":false,"number":"R-1","date":"2024-03-09 16:05:00","due_date":null,"discount_percent_early":null,"discount_until":null,"notice":"Danke","deal_id":1,"discount_percent":"0.00","currency":null,"exchange_rate":null,`+
		`"total_count":2,"total_price":"22.2500","vat_price":"4.4500","pay_price":"26.7000","paid_price":"0.0000","waived_price":"0.0000","due_price":"26.7000","created_on":%[1]q,"paid_on":null,"issued_on":null,"credits":null,"updated_on":%[1]q,"update_on":%[1]q,`+
		`"performer":`+fmt.Sprintf(kontor, performer["created_at"])+`,"type":{"id":1,"name":"bill"},"company":`+acme+`,"manager":`+mara+`,"status":{"id":1,"name":"Not paid"},`+
		`"items":[`+twoPens+`,`+less+`],"deal":{"id":1,"name":"R-1","client_id":1,"user":2,"type_id":null,"status_id":1,"created_at":%[2]q,"updated_at":%[2]q},"ref":null}}`,
		record["created_on"], deal["created_at"])
	if created.body != want {
		t.Errorf("got  %s\nwant %s", created.body, want)
	}
	read := s.as("viewer").get(created.header.Get("Location") + "?expand=items,company,deal,status,manager")
	if read.body != created.body {
		t.Errorf("the read returned\n%s\nthe creation\n%s", read.body, created.body)
	}
	listed := s.as("viewer").get("/rest/invoice?expand=items,company,deal,status,manager").items()
	if diff := cmp.Diff([]map[string]any{record}, listed); diff != "" {
		t.Errorf("the list shows another record:\n%s", diff)
	}
}

// contract 10.21, 10.26, 10.89, 2.8, 2.14, 4.9, 4.28
func TestInvoiceDefaultsToXMLWithExpansions(t *testing.T) {
	t.Parallel()
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
	s.as("viewer").get("/rest/invoice?expand=client").rejected(400)
	s.as("viewer").get("/rest/invoice?fields=seller_id").rejected(400)
	s.as("viewer").get("/rest/invoice?fields=deal.nope").rejected(400)
}

// contract 10.51, 4.52, 4.53, 4.60
func TestInvoiceComputedFieldsAreIgnoredOnWrite(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	manager := s.as("manager")
	computed := fields{
		"id": 99, "user_id": 1, "total_count": 7, "total_price": "x", "vat_price": 1, "pay_price": []int{}, "created_on": 5, "paid_on": "2001-01-01 00:00:00",
		"updated_on": "never", "update_on": nil, "performer": fields{"id": 2}, "type": fields{"id": 2}, "company": 1, "manager": "x", "status": fields{"id": 3}, "deal": "x", "_unknown": 1,
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
	manager.with("If-Match", tag).put("/rest/invoice/1", fields{"notice": "b"}).rejected(412)
	manager.with("If-Match", tag).delete("/rest/invoice/1").rejected(412)
	manager.with("If-None-Match", manager.get("/rest/invoice/1").header.Get("ETag")).get("/rest/invoice/1").wants(304)
}
