package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// adjustedBill has a line with a base count and an allowance, and a charge on the invoice.
func adjustedBill(more fields) fields {
	return bill(fieldsWith(fields{
		"items": []fields{fieldsWith(goods("Screw", 250, "12.5"), fields{
			"base_count": 100, "adjustments": []fields{{"reason": "Bulk", "percent": "-10"}, {"reason": "Box", "amount": "0.5"}},
		}), goods("Chair", 1, "100")},
		"adjustments": []fields{{"reason": "Freight", "amount": "4.95"}, {"reason": "Bonus", "percent": -5}},
	}, more))
}

// contract 10.158, 10.159, 10.82, 10.164
func TestInvoicesAndLinesHaveAllowancesAndCharges(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	manager := s.as("manager")
	created := manager.post("/rest/invoice?expand=items,vat,adjustments", adjustedBill(fields{"currency": "chf", "exchange_rate": "1.05"})).wants(200)
	const (
		adjustments = `"adjustments":[{"reason":"Freight","percent":null,"amount":"4.9500","vat_category":null,"vat_percent":null},` +
			`{"reason":"Bonus","percent":"-5.00","amount":"-6.4313","vat_category":null,"vat_percent":null}]`
		ofLine = `"base_count":100,"discount_percent":"0.00","adjustments":[{"reason":"Bulk","percent":"-10.00","amount":"-3.1250"},` +
			`{"reason":"Box","percent":null,"amount":"0.5000"}],"vat_category":null,"vat_percent":null,"total_price":"28.6250"`
		vat = `"vat":[{"vat_percent":"20.00","vat_category":"standard","total_price":"127.1437","vat_price":"25.4287"}]`
	)
	path := "/rest/invoice/1?expand=items,vat,adjustments"
	for _, body := range []string{created.body, manager.get(path).body, manager.get("/rest/invoice?expand=items,vat,adjustments").body} {
		for _, part := range []string{adjustments, ofLine, vat, `"currency":"CHF","exchange_rate":1.05,`, `"pay_price":"152.5724"`} {
			if !strings.Contains(body, part) {
				t.Errorf("%s has no %s", body, part)
			}
		}
	}
	if got := manager.get("/rest/invoice-items/1").body; !strings.Contains(got, ofLine) {
		t.Errorf("the line is %s", got)
	}
	inXML := manager.with("Accept", "application/xml").get(path).body
	const xml = `<adjustments><item><reason>Bulk</reason><percent>-10.00</percent><amount>-3.1250</amount></item>`
	if !strings.Contains(inXML, xml) {
		t.Errorf("%s has no %s", inXML, xml)
	}

	// What is sent back changes nothing; other lines change the percentage; an empty list removes all.
	record := manager.get(path).record()
	manager.patch("/rest/invoice/1", fields{"items": record["items"], "adjustments": record["adjustments"]}).wants(200)
	if now := manager.get(path).record(); !cmp.Equal(now, record) {
		t.Errorf("sent back, it is %v", now)
	}
	manager.patch("/rest/invoice-items/2", fields{"price": 200}).wants(200)
	explained := manager.get("/rest/invoice/1/explain?fields=items.total_price,vat,total_price").wants(200).body
	for _, part := range []string{
		`"total_price":{"formula":"round(count * price / base_count) - 2.6250","exact":"28.625",`,
		`"lines":"228.6250","discount":{"formula":"lines * discount_percent / 100","exact":"0","rounding":"half away from zero","digits":4,"result":"0.0000"},` +
			`"adjustments":"-6.4813","total_price":{"formula":"lines - discount + adjustments","exact":"222.1437",`,
		`"total_price":{"formula":"sum of total_price in vat","exact":"222.1437",`,
	} {
		if !strings.Contains(explained, part) {
			t.Errorf("%s has no %s", explained, part)
		}
	}
	manager.patch("/rest/invoice/1", fields{"adjustments": []fields{}, "currency": nil, "exchange_rate": nil}).wants(200)
	manager.patch("/rest/invoice-items/1", fields{"adjustments": nil, "base_count": nil}).wants(200)
	if now := manager.get(path).record(); now["total_price"] != "3325.0000" || now["currency"] != nil || len(now["adjustments"].([]any)) != 0 {
		t.Errorf("without adjustments it is %v", now)
	}
}

// contract 10.162
func TestWrongAdjustmentsAreRejected(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	wrong := bill(fields{
		"currency": "KWD", "exchange_rate": "x",
		"adjustments": []fields{{"amount": 1}, {"reason": "x", "percent": "100.01"}, {"reason": "x", "percent": 0}, {"reason": "x", "amount": "0.001"}},
		"items":       []fields{fieldsWith(goods("x", 1, 1), fields{"base_count": 0, "adjustments": []fields{{"reason": "x"}}})},
	})
	got := s.as("manager").post("/rest/invoice", wrong).wrongFields()
	want := []string{
		"currency", "exchange_rate", "adjustments[0].reason", "adjustments[1].percent", "adjustments[2].percent", "adjustments[3].amount",
		"items[0].base_count", "items[0].adjustments[0].amount",
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("wrong fields (-want +got):\n%s", diff)
	}
	for _, rate := range []any{0, "-1"} {
		got := s.as("manager").post("/rest/invoice", bill(fields{"currency": "CHF", "exchange_rate": rate})).wrongFields()
		if !cmp.Equal(got, []string{"exchange_rate"}) {
			t.Errorf("the exchange rate %v: %v", rate, got)
		}
	}
	if n := len(s.as("manager").get("/rest/invoice").items()); n != 0 {
		t.Errorf("%d invoices are stored", n)
	}
	s.as("manager").get("/rest/invoice?sort=adjustments").rejected(http.StatusBadRequest)
}

// contract 10.163, 16.86, 16.87
func TestDocumentsHaveAllowancesChargesAndTheCurrency(t *testing.T) {
	t.Parallel()
	s := printable(t)
	s.complete("1", fields{"digits": 2, "numbering": "series", "number_pattern": "{year}-{seq:4}", "credit_pattern": "C{seq}"})
	manager := s.as("manager")
	body := adjustedBill(fields{"currency": "CHF"})
	delete(body, "number")
	path := s.drafted(body)
	if got := manager.post(path+"/issue?as=ubl", nil).wants(422).body; !strings.Contains(got, "exchange_rate") {
		t.Errorf("without an exchange rate: %s", got)
	}
	manager.patch(path, fields{"exchange_rate": "1.05"}).wants(200)
	manager.post(path+"/issue?as=ubl", nil).wants(200)
	xml := manager.get(path + "/document?as=ubl").wants(200).body
	for _, part := range []string{
		"<cbc:DocumentCurrencyCode>CHF<", "<cbc:TaxCurrencyCode>EUR<", `<cbc:TaxAmount currencyID="EUR">`, `<cbc:BaseQuantity unitCode=`,
		"<cbc:ChargeIndicator>true</cbc:ChargeIndicator><cbc:AllowanceChargeReason>Freight</cbc:AllowanceChargeReason>",
		"<cbc:AllowanceChargeReason>Bulk</cbc:AllowanceChargeReason><cbc:MultiplierFactorNumeric>10.00<", "<cbc:ChargeTotalAmount", "<cbc:AllowanceTotalAmount",
	} {
		if !strings.Contains(xml, part) {
			t.Errorf("%s has no %s", xml, part)
		}
	}
	// A change of the performer's currency does not concern what is issued; credit notes in parts add up.
	items := manager.get(path + "?expand=items").record()["items"].([]any)
	line := items[0].(map[string]any)["id"]
	for _, body := range []fields{{"items": []fields{{"id": line, "count": "33.3"}}}, {}} {
		manager.post(path+"/credit", body).wants(200)
	}
	notes := manager.get("/rest/invoice?credits=" + strings.TrimPrefix(path, "/rest/invoice/") + "&expand=adjustments&sort=id&fields=currency,exchange_rate,adjustments,total_price,pay_price").items()
	if len(notes) != 2 || notes[0]["currency"] != "CHF" || text(notes[1]["exchange_rate"]) != "1.05" {
		t.Fatalf("the notes are %v", notes)
	}
	if got := manager.get(path).record()["status"].(map[string]any)["name"]; got != "Cancelled" {
		t.Errorf("the invoice is %v", got)
	}
	left := rat(t, text(manager.get(path).record()["pay_price"]))
	for _, note := range notes {
		left.Add(left, rat(t, text(note["pay_price"])))
	}
	if left.Sign() != 0 {
		t.Errorf("%s is left: %v", left.FloatString(4), notes)
	}
	manager.get(path + "/document?as=pdf").wants(200)
}
