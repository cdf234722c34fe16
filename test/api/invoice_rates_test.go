package api_test

import (
	"fmt"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// plainVAT is what a line without discount, adjustments and VAT of its own has.
const plainVAT = `"base_count":null,"discount_percent":"0.00","adjustments":[],"vat_category":null,"vat_percent":null,`

// noTexts are those of a line without texts beside its name.
const noTexts = `,"description":null,"item_number":null,"buyer_item_number":null,"gtin":null,"note":null,"period_from":null,"period_to":null`

// mixed are lines with the VAT of the performer, at 7 %, and exempt.
func mixed() []fields {
	return []fields{
		goods("Chair", 2, "100"), fieldsWith(goods("Catalogue", 3, "9.99"), fields{"vat_percent": 7}),
		fieldsWith(goods("Course", 1, "50"), fields{"vat_category": "exempt", "discount_percent": "20"}),
	}
}

// contract 10.1, 10.21, 10.68, 10.82, 10.153, 10.155
func TestLinesHaveVATAndDiscountsOfTheirOwn(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	manager := s.as("manager")
	manager.post("/rest/invoice", bill(fields{"discount_percent": 10, "items": mixed()})).wants(200)
	const vat = `"vat":[{"vat_percent":"20.00","vat_category":"standard","total_price":"180.0000","vat_price":"36.0000"},` +
		`{"vat_percent":"7.00","vat_category":"standard","total_price":"26.9730","vat_price":"1.8881"},` +
		`{"vat_percent":"0.00","vat_category":"exempt","total_price":"36.0000","vat_price":"0.0000"}]`
	const amounts = `{"response":{"discount_percent":"10.00","total_price":"242.9730","vat_price":"37.8881","pay_price":"280.8611",` + vat + `}}`
	path := "/rest/invoice/1?expand=vat&fields=discount_percent,total_price,vat_price,pay_price"
	if got := s.as("viewer").get(path).wants(200).body; got != amounts {
		t.Errorf("got  %s\nwant %s", got, amounts)
	}
	if got := s.as("viewer").get("/rest/invoice?expand=vat").wants(200).body; !strings.Contains(got, vat) {
		t.Errorf("the list has no %s: %s", vat, got)
	}
	if got := s.as("viewer").with("Accept", "application/xml").get(path).wants(200).body; !strings.Contains(got, "<vat><item><vat_percent>20.00</vat_percent>") {
		t.Errorf("in XML: %s", got)
	}
	lines := manager.get("/rest/invoice-items?fields=vat_percent,vat_category,discount_percent,total_price&sort=id").wants(200).items()
	if diff := cmp.Diff([]map[string]any{
		{"vat_percent": nil, "vat_category": nil, "discount_percent": "0.00", "total_price": "200.0000"},
		{"vat_percent": "7.00", "vat_category": "standard", "discount_percent": "0.00", "total_price": "29.9700"},
		{"vat_percent": "0.00", "vat_category": "exempt", "discount_percent": "20.00", "total_price": "40.0000"},
	}, lines); diff != "" {
		t.Errorf("the lines (-want +got):\n%s", diff)
	}

	// What is sent back changes nothing, and one line changes only its own rate.
	record := manager.get("/rest/invoice/1?expand=items").record()
	manager.patch("/rest/invoice/1", fields{"items": record["items"], "discount_percent": record["discount_percent"]}).wants(200)
	if now := manager.get("/rest/invoice/1?expand=items").record(); !cmp.Equal(now, record) {
		t.Errorf("sent back, it is %v", now)
	}
	manager.patch("/rest/invoice-items/2", fields{"vat_percent": nil}).wants(200)
	s.as("admin").patch("/rest/performer/1", fields{"vat_percent": 10}).wants(200)
	manager.patch("/rest/invoice-items/3", fields{"vat_percent": "19"}).wants(200)
	manager.patch("/rest/invoice/1", fields{"discount_percent": nil}).wants(200)
	if now := manager.get("/rest/invoice/1").record(); now["total_price"] != "269.9700" || now["vat_price"] != "30.5970" {
		t.Errorf("with 10 %% on two lines and 19 %% on one, it is %v", now)
	}
	explained := manager.get("/rest/invoice/1/explain?fields=vat.vat_percent,vat.lines,vat_price.formula,vat_price.result,total_price.formula").wants(200).body
	const formulas = `{"response":{"vat":[{"vat_percent":"19.00","lines":"40.0000"},{"vat_percent":"10.00","lines":"229.9700"}],` +
		`"total_price":{"formula":"sum of the lines"},"vat_price":{"formula":"sum of vat_price in vat","result":"30.5970"}}}`
	if explained != formulas {
		t.Errorf("got  %s\nwant %s", explained, formulas)
	}
}

// contract 10.79, 10.82, 10.153, 10.154
func TestWrongRatesAndDiscountsAreRejected(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	manager := s.as("manager")
	line := func(more fields) fields { return fieldsWith(goods("x", 1, 1), more) }
	wrong := bill(fields{"discount_percent": "100.01", "items": []fields{
		line(fields{"vat_percent": 7, "vat_category": "exempt"}), line(fields{"vat_category": "luxury"}), line(fields{"vat_percent": "101"}),
		line(fields{"vat_percent": 0, "vat_category": "standard"}), line(fields{"discount_percent": -1}), line(fields{"discount_percent": "0.001"}),
		line(fields{"discount_percent": 50, "items_total_price": "1"}),
	}})
	got := manager.post("/rest/invoice", wrong).wrongFields()
	want := []string{
		"discount_percent", "items[2].vat_percent", "items[4].discount_percent", "items[5].discount_percent", "items[0].vat_percent",
		"items[1].vat_category", "items[3].vat_percent", "items[6].items_total_price",
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("wrong fields (-want +got):\n%s", diff)
	}
	manager.post("/rest/invoice", bill(fields{"performer_id": 2, "items": []fields{line(fields{"vat_percent": 7})}})).wrongFields()
	manager.post("/rest/invoice", bill(fields{"items": mixed()})).wants(200)
	if got := manager.patch("/rest/invoice/1", fields{"performer_id": 2}).wrongFields(); !cmp.Equal(got, []string{"performer_id"}) {
		t.Errorf("moved to a performer without VAT: %v", got)
	}
	if got := manager.post("/rest/invoice-items", fields{"invoice_id": 1, "name": "x", "vat_percent": 7, "vat_category": "zero"}).wrongFields(); !cmp.Equal(got, []string{"vat_percent"}) {
		t.Errorf("a line: %v", got)
	}
	manager.get("/rest/invoice?sort=discount_percent").rejected(http.StatusBadRequest)
}

// contract 16.130, 10.155
func TestCreditNotesHaveTheRatesAndDiscountsOfTheInvoice(t *testing.T) {
	t.Parallel()
	s := printable(t)
	s.complete("1", fields{"digits": 2, "numbering": "series", "number_pattern": "{year}-{seq:4}", "credit_pattern": "C{seq}", "vat_reason": "§ 4"})
	manager := s.as("manager")
	path := s.drafted(fields{"discount_percent": "12.5", "items": mixed()})
	manager.post(path+"/issue?as=ubl", nil).wants(200)
	left := map[string]*big.Rat{} // of each rate and of the whole, by name
	count := func(record string) {
		amounts := manager.get(record + "?expand=vat&fields=total_price,vat_price,pay_price").wants(200).record()
		for _, v := range append(amounts["vat"].([]any), amounts) {
			v := v.(map[string]any)
			for _, name := range []string{"total_price", "vat_price", "pay_price"} {
				key := fmt.Sprint(v["vat_category"], v["vat_percent"], name)
				if left[key] == nil {
					left[key] = new(big.Rat)
				}
				if amount, ok := new(big.Rat).SetString(text(v[name])); ok {
					left[key].Add(left[key], amount)
				}
			}
		}
		xml := manager.get(record + "/document?as=ubl").wants(200).body
		if !strings.Contains(xml, "<cbc:MultiplierFactorNumeric>12.50<") {
			t.Errorf("the document has no discount: %s", xml)
		}
	}
	count(path)
	line := manager.get(path + "?expand=items").record()["items"].([]any)[1].(map[string]any)["id"]
	for i, body := range []fields{{"items": []fields{{"id": line, "count": "0.333333"}}}, {"items": []fields{{"id": line, "count": 1}}}, {}} {
		s.execute("select setval('invoices_id_seq', $1::int)", 1000-i) // as after a move to another node
		note := manager.post(path+"/credit?as=ubl", body).wants(200).record()
		count("/rest/invoice/" + text(note["id"]))
		s.as("admin").patch("/rest/performer/1", fields{"vat_percent": 5 + i}).wants(200)
	}
	for key, amount := range left {
		if amount.Sign() != 0 {
			t.Errorf("%s of %s is left", amount.FloatString(4), key)
		}
	}
	if len(left) != 12 {
		t.Errorf("%d amounts are compared: %v", len(left), left)
	}
}

// contract 2.52, 10.21, 10.156, 16.83
func TestInvoiceHasTerms(t *testing.T) {
	t.Parallel()
	s := printable(t)
	s.complete("1", fields{"digits": 2, "numbering": "series", "number_pattern": "{year}-{seq:4}", "credit_pattern": "C{seq}"})
	manager := s.as("manager")
	path := s.drafted(fields{"terms": fields{
		"delivery_date": "2024-03-01 10:00:00", "order_reference": " B-77 ", "project": "Umbau", "payment_terms": "2 %", "delivery_country": "de",
		"delivery_city": "Kiel", "delivery_zip": "24103",
	}})
	terms := func(of string) map[string]any {
		t.Helper()
		all := manager.get(of + "?expand=terms").wants(200).record()["terms"].(map[string]any)
		for name, value := range all {
			if list, isList := value.([]any); value == nil || isList && len(list) == 0 {
				delete(all, name)
			}
		}
		return all
	}
	want := map[string]any{
		"delivery_date": "2024-03-01", "order_reference": "B-77", "project": "Umbau", "payment_terms": "2 %", "delivery_country": "DE",
		"delivery_city": "Kiel", "delivery_zip": "24103",
	}
	csv := manager.get("/rest/invoice?_format=csv&sort=id&fields=number,vat,terms.project,terms.delivery_date").wants(200).body
	if !strings.HasPrefix(csv, "number,terms.delivery_date,terms.project\r\n\"2024/7\",,\r\n") || !strings.HasSuffix(csv, ",2024-03-01,\"Umbau\"\r\n") {
		t.Errorf("as CSV: %s", csv)
	}
	if diff := cmp.Diff(want, terms(path)); diff != "" {
		t.Errorf("created (-want +got):\n%s", diff)
	}
	if _, isShown := manager.get(path).record()["terms"]; isShown {
		t.Error("the terms are shown without being asked for")
	}
	listed := manager.get("/rest/invoice?expand=terms&fields=terms.project&sort=-id").items()[0]
	if diff := cmp.Diff(map[string]any{"terms": map[string]any{"project": "Umbau"}}, listed); diff != "" {
		t.Errorf("in the list (-want +got):\n%s", diff)
	}
	xml := manager.with("Content-Type", "application/xml")
	xml.patch(path, `<invoice><terms><project/><contract>V-9</contract></terms></invoice>`).wants(200)
	want["contract"] = "V-9"
	delete(want, "project")
	if diff := cmp.Diff(want, terms(path)); diff != "" {
		t.Errorf("changed (-want +got):\n%s", diff)
	}
	wrong := fields{"terms": fields{"period_from": "2024-03-01", "period_to": "2024-02-01", "delivery_country": "XX", "colour": 1, "delivery_date": "soon"}}
	got := manager.patch(path, wrong).wrongFields()
	slices.Sort(got)
	if diff := cmp.Diff([]string{"terms.colour", "terms.delivery_country", "terms.delivery_date", "terms.period_to"}, got); diff != "" {
		t.Errorf("wrong fields (-want +got):\n%s", diff)
	}
	manager.patch(path, fields{"terms": []int{1}}).wrongFields()

	manager.post(path+"/issue", nil).wants(200)
	manager.patch(path, fields{"terms": nil}).rejected(http.StatusConflict)
	note := manager.post(path+"/credit", fields{}).wants(200).record()
	delete(want, "payment_terms")
	if diff := cmp.Diff(want, terms("/rest/invoice/"+text(note["id"]))); diff != "" {
		t.Errorf("of the credit note (-want +got):\n%s", diff)
	}
	ubl := manager.get("/rest/invoice/" + text(note["id"]) + "/document?as=ubl").wants(200).body
	if !strings.Contains(ubl, "<cbc:ActualDeliveryDate>2024-03-01</cbc:ActualDeliveryDate>") {
		t.Errorf("the document of the credit note has no delivery: %s", ubl)
	}
}

// contract 10.171, 10.172, 16.93, 16.95
func TestTermsHaveNotesAndMeansOfPayment(t *testing.T) {
	t.Parallel()
	s := printable(t)
	manager := s.as("manager")
	notes := []any{fields{"text": "As agreed", "subject_code": "aai"}, fields{"text": "Thanks"}}
	manager.patch("/rest/invoice/1", fields{"terms": fields{
		"payment_means": 59, "payment_means_text": "Direct debit", "mandate": "M-1", "creditor_id": "DE98ZZZ09999999999",
		"debited_iban": "DE02 5001 0517 0137 0750 30", "notes": notes,
	}}).wants(http.StatusUnprocessableEntity) // a code is a text
	manager.patch("/rest/invoice/1", fields{"terms": fields{
		"payment_means": "59", "payment_means_text": "Direct debit", "mandate": "M-1", "creditor_id": "DE98ZZZ09999999999",
		"debited_iban": "DE02 5001 0517 0137 0750 30", "notes": notes,
	}}).wants(200)
	const shown = `"payment_means":"59","payment_means_text":"Direct debit","card_number":null,"card_holder":null,"mandate":"M-1",` +
		`"creditor_id":"DE98ZZZ09999999999","debited_iban":"DE02500105170137075030",` +
		`"notes":[{"text":"As agreed","subject_code":"AAI"},{"text":"Thanks","subject_code":null}]}`
	for _, path := range []string{"/rest/invoice/1", "/rest/invoice"} {
		if r := manager.get(path + "?expand=terms").wants(200); !strings.Contains(r.body, shown) {
			t.Errorf("%s is %s", path, r.body)
		}
	}
	if r := manager.get("/rest/invoice?fields=id,terms.notes&expand=terms"); !strings.Contains(r.wants(200).body, `{"id":1,"terms":{"notes":[{"text":"As agreed"`) {
		t.Error(r.body)
	}
	const inXML = `<notes><item><text>As agreed</text><subject_code>AAI</subject_code></item><item><text>Thanks</text><subject_code/></item></notes>`
	xml := manager.with("Accept", "application/xml")
	if r := xml.get("/rest/invoice/1?expand=terms").wants(200); !strings.Contains(r.body, inXML) {
		t.Error(r.body)
	}
	table := manager.with("Accept", "text/csv").get("/rest/invoice?fields=id,terms&expand=terms").wants(200).body
	if !strings.Contains(table, ",terms.debited_iban\r\n1,") || strings.Contains(table, "notes") {
		t.Errorf("the table is %s", table)
	}
	for form, elements := range map[string][]string{
		"ubl": {
			"<cbc:Note>#AAI#As agreed</cbc:Note><cbc:Note>Thanks</cbc:Note>", `<cbc:PaymentMeansCode name="Direct debit">59<`, `<cbc:ID schemeID="SEPA">DE98`,
			"<cac:PaymentMandate><cbc:ID>M-1</cbc:ID><cac:PayerFinancialAccount><cbc:ID>DE02500105170137075030<",
		},
		"cii": {
			"<ram:IncludedNote><ram:Content>As agreed</ram:Content><ram:SubjectCode>AAI</ram:SubjectCode>", "<ram:DirectDebitMandateID>M-1<",
			"<ram:CreditorReferenceID>DE98", "<ram:TypeCode>59</ram:TypeCode><ram:Information>Direct debit<",
			"<ram:PayerPartyDebtorFinancialAccount><ram:IBANID>DE02500105170137075030<",
		},
	} {
		body := manager.get("/rest/invoice/1/document?as=" + form).wants(200).body
		for _, element := range elements {
			if !strings.Contains(body, element) {
				t.Errorf("%s has no %s: %s", form, element, body)
			}
		}
	}
	asXML := manager.with("Content-Type", "application/xml")
	asXML.patch("/rest/invoice/1", `<invoice><terms><payment_means>48</payment_means><card_number>1234</card_number><notes><item><text>Soon</text></item></notes></terms></invoice>`).wants(200)
	if r := manager.get("/rest/invoice/1?expand=terms"); !strings.Contains(r.wants(200).body, `"notes":[{"text":"Soon","subject_code":null}]`) {
		t.Error(r.body)
	}
	manager.patch("/rest/invoice/1", fields{"terms": fields{"notes": nil}}).wants(200)
	if r := manager.get("/rest/invoice/1?expand=terms"); !strings.Contains(r.wants(200).body, `"notes":[]`) {
		t.Error(r.body)
	}
	wrong := manager.patch("/rest/invoice/1", fields{"terms": fields{
		"payment_means": "71", "card_number": "4111111111111111", "debited_iban": "DE",
		"notes": append(slices.Repeat([]any{fields{"text": "x"}}, 9), fields{"subject_code": "AAH"}, fields{"text": " "}, fields{"text": "x", "colour": 1}),
	}}).wrongFields()
	slices.Sort(wrong)
	want := []string{
		"terms.card_number", "terms.debited_iban", "terms.notes", "terms.notes[10].text", "terms.notes[11].colour", "terms.notes[9].subject_code",
		"terms.notes[9].text", "terms.payment_means",
	}
	if diff := cmp.Diff(want, slices.Compact(wrong)); diff != "" {
		t.Errorf("wrong fields (-want +got):\n%s", diff)
	}
}

// contract 10.173, 16.96
func TestNewInvoiceHasTheTermsOfItsParties(t *testing.T) {
	t.Parallel()
	s := printable(t)
	admin, manager := s.as("admin"), s.as("manager")
	admin.patch("/rest/performer/1/party", fields{"terms": fields{
		"creditor_id": "DE98ZZZ09999999999", "payment_means": "58", "notes": []fields{{"text": "As agreed", "subject_code": "AAI"}},
	}}).wants(200)
	admin.patch("/rest/client/1/party", fields{"terms": fields{
		"payment_means": "59", "mandate": "M-1", "debited_iban": "DE02500105170137075030", "project": "Umbau", "delivery_city": "Kiel", "delivery_zip": "1",
	}}).wants(200)
	read := admin.get("/rest/client/1/party").wants(200)
	if again := admin.put("/rest/client/1/party", read.record()).wants(200); again.body != read.body {
		t.Errorf("put back as it was read, it is %s", again.body)
	}
	created := func(more fields) string {
		t.Helper()
		sent := bill(fields{"number": "7", "items": []fields{goods("Catalogue", 3, "19.99")}})
		id := text(manager.post("/rest/invoice", fieldsWith(sent, more)).wants(200).record()["id"])
		return manager.get("/rest/invoice/" + id + "?expand=terms").wants(200).body
	}
	shows := func(body string, parts ...string) {
		t.Helper()
		for _, part := range parts {
			if !strings.Contains(body, part) {
				t.Errorf("%s has no %s", body, part)
			}
		}
	}
	shows(created(nil), `"payment_means":"59"`, `"mandate":"M-1","creditor_id":"DE98ZZZ09999999999"`, `"project":"Umbau"`, `"delivery_zip":"1"`,
		`"notes":[{"text":"As agreed"`)
	shows(created(fields{"terms": fields{"project": nil, "payment_means": "", "delivery_city": "Bonn", "notes": []fields{}}}),
		`"payment_means":null`, `"project":null`, `"delivery_zip":null,"delivery_city":"Bonn"`, `"notes":[]`)
	shows(created(fields{"terms": nil}), `"payment_means":null`, `"mandate":null`, `"notes":[]`)
	before := manager.get("/rest/invoice/2?expand=terms").wants(200).body
	admin.patch("/rest/client/1/party", fields{"terms": nil}).wants(200)
	if after := manager.get("/rest/invoice/2?expand=terms").wants(200).body; after != before {
		t.Errorf("a change of the party makes it %s", after)
	}
	shows(created(nil), `"payment_means":"58"`, `"mandate":null`)
	wrong := admin.patch("/rest/client/1/party", fields{"terms": fields{"remittance": "x", "payment_means": "0"}}).wrongFields()
	if want := []string{"terms.payment_means", "terms.remittance"}; !cmp.Equal(slices.Sorted(slices.Values(wrong)), want) {
		t.Errorf("the wrong fields are %q", wrong)
	}
	admin.post("/rest/rule", fields{
		"name": "says-why", "resource": "invoice", "on": []string{"create"}, "mode": "enforce", "field": "terms", "message": "must say why",
		"expression": `after.terms.payment_means != "58" || after.terms.notes.exists(n, n.subject_code == "REG")`,
	}).wants(200)
	sent := bill(fields{"number": "8", "items": []fields{goods("Catalogue", 3, "19.99")}})
	if got := manager.post("/rest/invoice", sent).wrongFields(); !cmp.Equal(got, []string{"terms"}) { // contract 12.117
		t.Errorf("a rule judges %q", got)
	}
	created(fields{"terms": fields{"notes": []fields{{"text": "By law", "subject_code": "REG"}}}})
}

// contract 10.56, 10.68, 10.157, 10.170, 16.85, 16.92
func TestLinesHaveTextsBesideTheirNames(t *testing.T) {
	t.Parallel()
	s := printable(t)
	manager := s.as("manager")
	texts := fields{"description": "Oak", "item_number": "P-1", "buyer_item_number": "77", "gtin": "4006381333931", "note": "as agreed", "period_to": "2024-02-29"}
	manager.post("/rest/invoice-items", fieldsWith(fields{"invoice_id": 1, "name": "Bed"}, texts)).wants(200).wantsText(texts)
	manager.patch("/rest/invoice-items/2", fields{"note": nil}).wants(200)
	delete(texts, "note")
	line := manager.get("/rest/invoice/1?expand=items").record()["items"].([]any)[1].(map[string]any)
	for name, want := range texts {
		if line[name] != want {
			t.Errorf("%s is %v, want %v", name, line[name], want)
		}
	}
	if line["note"] != nil {
		t.Errorf("the note is %v", line["note"])
	}
	wrong := fields{"gtin": "4006381333932", "period_from": "2024-03-01"}
	if got := manager.patch("/rest/invoice-items/2", wrong).wrongFields(); !cmp.Equal(got, []string{"gtin", "period_to"}) {
		t.Errorf("wrong fields: %v", got)
	}
	for form, elements := range map[string][]string{
		"ubl": {`<cbc:ID schemeID="0160">4006381333931</cbc:ID>`, "<cac:InvoicePeriod><cbc:EndDate>2024-02-29</cbc:EndDate></cac:InvoicePeriod>", ">P-1<"},
		"cii": {`<ram:GlobalID schemeID="0160">4006381333931</ram:GlobalID>`, `<ram:EndDateTime><udt:DateTimeString format="102">20240229<`, ">P-1<"},
	} {
		xml := manager.get("/rest/invoice/1/document?as=" + form).wants(200).body
		for _, element := range elements {
			if !strings.Contains(xml, element) {
				t.Errorf("%s has no %s: %s", form, element, xml)
			}
		}
	}
}
