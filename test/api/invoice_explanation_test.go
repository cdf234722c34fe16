package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// contract 1.2, 10.106
func TestInvoiceExplanationShowsEveryStepInBothFormats(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	manager := s.as("manager")
	manager.post("/rest/invoice", bill(fields{"items": []fields{goods("Catalogue", 3, "19.99"), goods("Paper & ink", "1.255", "0.3333")}})).wants(200)
	const inJSON = `{"response":{"id":1,"vat_use":true,"vat_percent":"20.00","discount_percent":"0.00","items":[` +
		`{"id":1,"name":"Catalogue","count":3,"price":"19.9900","base_count":null,"discount_percent":"0.00","vat_category":null,"vat_percent":null,"total_price":{"formula":"count * price","exact":"59.97","rounding":"half away from zero","digits":4,"result":"59.9700"}},` +
		`{"id":2,"name":"Paper & ink","count":1.255,"price":"0.3333","base_count":null,"discount_percent":"0.00","vat_category":null,"vat_percent":null,"total_price":{"formula":"count * price","exact":"0.4182915","rounding":"half away from zero","digits":4,"result":"0.4183"}}],` +
		`"vat":[{"vat_percent":"20.00","vat_category":"standard","lines":"60.3883",` +
		`"discount":{"formula":"lines * discount_percent / 100","exact":"0","rounding":"half away from zero","digits":4,"result":"0.0000"},"adjustments":"0.0000",` +
		`"total_price":{"formula":"lines - discount","exact":"60.3883","rounding":null,"digits":4,"result":"60.3883"},` +
		`"vat_price":{"formula":"total_price * vat_percent / 100","exact":"12.07766","rounding":"half away from zero","digits":4,"result":"12.0777"}}],` +
		`"total_price":{"formula":"sum of the lines","exact":"60.3883","rounding":null,"digits":4,"result":"60.3883"},` +
		`"vat_price":{"formula":"total_price * vat_percent / 100","exact":"12.07766","rounding":"half away from zero","digits":4,"result":"12.0777"},` +
		`"pay_price":{"formula":"total_price + vat_price","exact":"72.466","rounding":null,"digits":4,"result":"72.4660"}}}`
	if got := s.as("viewer").get("/rest/invoice/1/explain").wants(200).body; got != inJSON {
		t.Errorf("got  %s\nwant %s", got, inJSON)
	}
	inXML := s.as("viewer").with("Accept", "").get("/rest/invoice/1/explain").wants(200).body
	const line = `<item><id>2</id><name>Paper &amp; ink</name><count>1.255</count><price>0.3333</price><base_count/><discount_percent>0.00</discount_percent><vat_category/><vat_percent/><total_price><formula>count * price</formula>` +
		`<exact>0.4182915</exact><rounding>half away from zero</rounding><digits>4</digits><result>0.4183</result></total_price></item></items>`
	for _, part := range []string{"<vat_use>1</vat_use>", line, "<exact>60.3883</exact><rounding/>"} {
		if !strings.Contains(inXML, part) {
			t.Errorf("%s has no %s", inXML, part)
		}
	}
}

// contract 10.106
func TestInvoiceExplanationIsReadLikeARecord(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	viewer := s.as("viewer")
	s.as("manager").post("/rest/invoice", bill(fields{"performer_id": 2, "items": []fields{goods("Pen", 3, 5)}})).wants(200)
	const selected = `{"response":{"items":[{"price":"5.0000"}],"vat_price":{"formula":"0","result":"0.0000"}}}`
	if got := viewer.get("/rest/invoice/1/explain?fields=items.price,vat_price.formula,vat_price.result").wants(200).body; got != selected {
		t.Errorf("got  %s\nwant %s", got, selected)
	}
	const totals = `{"response":{"total_price":{"exact":"15"}}}`
	if got := viewer.get("/rest/invoice/1/explain?fields=total_price.exact").wants(200).body; got != totals {
		t.Errorf("without the lines: got %s, want %s", got, totals)
	}
	viewer.get("/rest/invoice/1/explain?fields=number").rejected(http.StatusBadRequest)
	viewer.get("/rest/invoice/9/explain").rejected(http.StatusNotFound)
	viewer.get("/rest/invoice/x/explain").rejected(http.StatusNotFound)
	s.nobody().get("/rest/invoice/1/explain").rejected(http.StatusUnauthorized)
	s.as("admin").post("/rest/invoice/1/explain", fields{}).rejected(http.StatusMethodNotAllowed)
	if r := viewer.send(http.MethodHead, "/rest/invoice/1/explain", nil); r.status != http.StatusOK || r.body != "" {
		t.Errorf("HEAD returned %d, %q", r.status, r.body)
	}

	tag := viewer.get("/rest/invoice/1/explain").header.Get("ETag")
	viewer.with("If-None-Match", tag).get("/rest/invoice/1/explain").wants(http.StatusNotModified)
	s.as("manager").patch("/rest/invoice-items/1", fields{"count": 4}).wants(200)
	viewer.with("If-None-Match", tag).get("/rest/invoice/1/explain").wants(http.StatusOK)
}

// contract 10.106
func TestInvoiceExplanationOfTheLargestInvoiceIsComplete(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	s.as("manager").post("/rest/invoice", bill(fields{"items": []fields{goods("x", 1, 1)}})).wants(200)
	const lines, text = 10_000, 4 << 20
	// Written directly, because a body of this size is beyond the limit of the service.
	s.execute(`insert into invoice_lines (invoice_id, name, name_key, count, price, total_price)
		select 1, repeat('x', $1 / $2), 'x', 999999999999.999999, 1, 1000000000000 from generate_series(2, $2)`, text, lines)
	r := s.as("viewer").get("/rest/invoice/1/explain").wants(200)
	if got := len(r.record()["items"].([]any)); got != lines {
		t.Errorf("%d lines are explained, want %d", got, lines)
	}
	want := fmt.Sprintf(`"total_price":{"formula":"sum of the lines","exact":"%d"`, int64(lines-1)*1_000_000_000_000+1)
	if !strings.Contains(r.body, want) {
		t.Errorf("there is no %s", want)
	}
}
