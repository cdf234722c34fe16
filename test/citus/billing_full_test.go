//go:build full

package citus_test

import (
	"fmt"
	"net/http"
	"strings"
)

// bill is an issued invoice of a company, with all that invoices may have: lines with VAT of their own, discounts, terms.
type bill struct {
	office
	invoice, client, line, stranger string // the client has a party, and the stranger has none
}

// post creates a record, and returns its id.
func (o office) post(path, body string, args ...any) string {
	o.t.Helper()
	status, text := o.send(http.MethodPost, path, fmt.Sprintf(body, args...))
	if status != http.StatusOK {
		o.t.Fatalf("%s: %d %s", path, status, text)
	}
	return id.FindStringSubmatch(text)[1]
}

// bill adds an issued invoice, of which a part is credited.
func (o office) bill() bill {
	o.t.Helper()
	o.post("/rest/status", `{"name":"new","default":true}`)
	performer := o.post("/rest/performer", `{"name":"Mill","vat_use":true,"vat_percent":"19"}`)
	b := bill{office: o, client: o.post("/rest/client", `{"name":"Buyer","type":1}`), stranger: o.post("/rest/client", `{"name":"Stranger","type":1}`)}
	for path, party := range map[string]string{
		"/rest/performer/" + performer: `{"country":"DE","city":"Kiel","zip":"24103","vat_id":"DE136695976","vat_reason":"§ 4","digits":2,` +
			`"numbering":"series","number_pattern":"{year}-{seq}","credit_pattern":"C{seq}"}`,
		"/rest/client/" + b.client: `{"country":"DE","city":"Köln","zip":"50667","payment_days":14}`,
	} {
		if status, text := o.send(http.MethodPut, path+"/party", party); status != http.StatusOK {
			o.t.Fatalf("%s: %d %s", path, status, text)
		}
	}
	b.invoice = o.post("/rest/invoice", `{"date":"2024-03-09","performer_id":%s,"client_id":%s,"type_id":%s,"discount_percent":"12.5",`+
		`"terms":{"delivery_date":"2024-03-01","order_reference":"B-77","project":"Umbau"},"items":[{"name":"Mehl","count":3,"price":"9.99"},`+
		`{"name":"Kurs","price":50,"vat_category":"exempt","discount_percent":20},{"name":"Buch","price":"9.99","vat_percent":7,"gtin":"4012345000009"}]}`,
		performer, b.client, o.post("/rest/invoice-type", `{"title":"Rechnung"}`))
	_, text := o.send(http.MethodGet, "/rest/invoice/"+b.invoice+"?fields=items.id&expand=items", "")
	b.line = id.FindStringSubmatch(text)[1]
	o.post("/rest/invoice/"+b.invoice+"/issue?as=none", "")
	b.credit("1")
	return b
}

// credit credits so many of the first line.
func (b bill) credit(count string) {
	b.t.Helper()
	b.post("/rest/invoice/"+b.invoice+"/credit?as=none", `{"items":[{"id":%s,"count":%s}]}`, b.line, count)
}

// read is all that requests for the invoice show.
func (b bill) read() string {
	b.t.Helper()
	var all []string
	for _, path := range []string{
		"?expand=items,vat,terms,company,performer", "/explain", "/document?as=html", "/document/check?as=cii",
	} {
		status, text := b.send(http.MethodGet, "/rest/invoice/"+b.invoice+path, "")
		if status != http.StatusOK {
			b.t.Errorf("%s: %d %s", path, status, text)
		}
		all = append(all, text)
	}
	for _, path := range []string{"/rest/invoice?expand=items,vat,terms&credits=" + b.invoice, "/rest/client/" + b.client + "/party"} {
		_, text := b.send(http.MethodGet, path, "")
		all = append(all, text)
	}
	return strings.Join(all, "\n")
}

// judged adds a rule that only clients with a party have deals. The function that it returns tries that, in requests that may be
// a 503 while the company moves.
func (b bill) judged() (try func()) {
	b.t.Helper()
	rule := b.post("/rest/rule", `{"name":"party","resource":"deal","on":["create"],"mode":"enforce","message":"No party.","expression":`+
		`"facts.client(after.client_id).party != null && facts.client(after.client_id).party.city.startsWith(\"Köln\")"}`)
	b.t.Cleanup(func() { b.send(http.MethodDelete, "/rest/rule/"+rule, "") })
	party := "/rest/client/" + b.client + "/party"
	return func() {
		for _, r := range []struct {
			method, path, body string
			want               int
		}{
			{http.MethodPatch, party, `{"city":"Bonn"}`, http.StatusOK},
			{http.MethodPost, "/rest/deal", fmt.Sprintf(`{"name":"Oven","client_id":%s}`, b.client), http.StatusUnprocessableEntity},
			{http.MethodPatch, party, `{"city":"Köln"}`, http.StatusOK},
			{http.MethodPost, "/rest/deal", fmt.Sprintf(`{"name":"Oven","client_id":%s}`, b.client), http.StatusOK},
			{http.MethodPost, "/rest/deal", fmt.Sprintf(`{"name":"Oven","client_id":%s}`, b.stranger), http.StatusUnprocessableEntity},
		} {
			status, text := b.send(r.method, r.path, r.body)
			for status == http.StatusServiceUnavailable { // it has waited for too long, and is not stored
				status, text = b.send(r.method, r.path, r.body)
			}
			if status != r.want || status == http.StatusUnprocessableEntity && !strings.Contains(text, "No party.") {
				b.t.Errorf("%s %s: %d %s", r.path, r.body, status, text)
			}
		}
	}
}
