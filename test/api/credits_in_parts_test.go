package api_test

import (
	"fmt"
	"math/big"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// printedAmounts returns the sum of the lines, the VAT and the amount due of the document in UBL.
func (s *service) printedAmounts(invoice string) (amounts [3]*big.Rat) {
	s.t.Helper()
	xml := s.as("viewer").get(invoice + "/document?as=ubl").wants(200).body
	for i, element := range []string{"LineExtensionAmount", "TaxAmount", "PayableAmount"} {
		found := regexp.MustCompile("<cbc:"+element+` currencyID="EUR">(-?[0-9.]+)<`).FindAllStringSubmatch(xml, -1)
		amounts[i], _ = new(big.Rat).SetString(found[0][1])
	}
	return amounts
}

// contract 16.130, 16.4, 10.108
func TestCreditsInPartsAddUp(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		digits       int
		isByHand     bool
		count, price string
		part         any
		parts        int
		want         string // the line, the VAT and the amount due on paper, and pay_price
	}{
		"in cents":                    {2, false, "7", "14.2857", 1, 7, "100.00 20.00 120.00 120.0000"},
		"in cents by hand":            {2, true, "20", "0.005", 1, 20, "0.10 0.02 0.12 0.1200"},
		"in four digits":              {4, false, "3", "0.335", 1, 3, "1.01 0.20 1.21 1.2060"},
		"in four digits by hand":      {4, true, "3", "0.335", 1, 3, "1.01 0.20 1.21 1.2060"},
		"a fraction in four digits":   {4, false, "1", "68.3333", "0.333333", 4, "68.33 13.67 82.00 82.0000"},
		"a fraction, without a third": {4, true, "1", "0.0949", "0.5", 2, "0.09 0.02 0.11 0.1139"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := printable(t)
			numbering := fields{"digits": tt.digits, "numbering": "series", "number_pattern": "{year}-{seq:4}", "credit_pattern": "C{seq}"}
			if tt.isByHand {
				numbering = fields{"digits": tt.digits}
			}
			s.complete("1", numbering)
			manager := s.as("manager")
			drafted := fields{"items": []fields{goods("Goods", tt.count, tt.price)}}
			if tt.isByHand {
				drafted["number"] = "R-7"
			}
			path := s.drafted(drafted)
			if !tt.isByHand {
				manager.post(path+"/issue", nil).wants(200)
			}
			left, pay := s.printedAmounts(path), new(big.Rat)
			invoiced := manager.get(path + "?expand=items").record()
			line := invoiced["items"].([]any)[0].(map[string]any)["id"]
			got := fmt.Sprintf("%s %s %s %s", left[0].FloatString(2), left[1].FloatString(2), left[2].FloatString(2), text(invoiced["pay_price"]))
			if got != tt.want {
				t.Fatalf("the invoice is %s, want %s", got, tt.want)
			}
			for i := range tt.parts {
				s.execute("select setval('invoices_id_seq', $1::int)", 1000-i) // as after a move to another node
				body := fields{"items": []fields{{"id": line, "count": tt.part}}}
				if tt.isByHand {
					body["number"] = fmt.Sprint("K-", i)
				}
				if i == tt.parts-1 {
					delete(body, "items")
				}
				note := manager.post(path+"/credit", body).wants(200).record()
				id := "/rest/invoice/" + text(note["id"])
				for i, amount := range s.printedAmounts(id) {
					if left[i].Sub(left[i], amount); amount.Sign() < 0 || left[i].Sign() < 0 {
						t.Errorf("%s prints %s too much", id, left[i].FloatString(2))
					}
				}
				due, _ := new(big.Rat).SetString(text(note["pay_price"]))
				pay.Add(pay, due)
				s.wantExplained(id, note)
				s.as("manager").put(id, manager.get(id+"?expand=items").record()).wants(200).wantsText(fields{"pay_price": note["pay_price"]})
			}
			for i := range left {
				if left[i].Sign() != 0 {
					t.Errorf("%s is left on paper", left[i].FloatString(2))
				}
			}
			if want := strings.Fields(tt.want)[3]; pay.FloatString(4) != "-"+want {
				t.Errorf("%s is credited of %s", pay.FloatString(4), want)
			}
			manager.get(path).wantsText(fields{"status_id": 4})
		})
	}
}

// wantExplained checks that the explanation has the amounts of the record.
func (s *service) wantExplained(path string, record fields) {
	s.t.Helper()
	explained := s.as("viewer").get(path + "/explain?_format=json").wants(200).record()
	for _, name := range []string{"total_price", "vat_price", "pay_price"} {
		if step, _ := explained[name].(map[string]any); text(step["result"]) != text(record[name]) {
			s.t.Errorf("%s of %s is %v, and the explanation %v", name, path, record[name], step)
		}
	}
}

// contract 16.131
func TestCreditedLineIsCompared(t *testing.T) {
	t.Parallel()
	s := issuer(t)
	manager, path := s.as("manager"), s.drafted(nil)
	manager.post(path+"/issue", nil).wants(200)
	line := manager.get(path + "?expand=items").record()["items"].([]any)[0].(map[string]any)["id"]
	for _, tt := range []struct {
		more         fields
		field, wants string
	}{
		{fields{"count": 1, "price": "1"}, "items[0].price", "must be 19.9900"},
		{fields{"items_count": 1, "item_price": "1"}, "items[0].item_price", "must be 19.9900"},
		{fields{"count": 1, "total_price": "59.97"}, "items[0].total_price", "must be 19.9900"},
		{fields{"count": 1, "items_total_price": "20"}, "items[0].items_total_price", "must be 19.9900"},
		{fields{"count": 1, "items_count": 2}, "items[0].count", "must be the same as items_count, or be left out"},
		{fields{"count": 3}, "items", "must come to a total_price with the sign of the remaining one, 54.9700, and not exceed it; it is 59.9700"},
	} {
		p := manager.post(path+"/credit", fields{"items": []fields{fieldsWith(fields{"id": line}, tt.more)}}).rejected(http.StatusUnprocessableEntity)
		if len(p.Errors) != 1 || p.Errors[0].Field != tt.field || p.Errors[0].Message != tt.wants {
			t.Errorf("%v: the errors are %v", tt.more, p.Errors)
		}
	}
	right := fields{"id": line, "items_count": 1, "item_price": "19.99", "items_total_price": "19.99", "name": "Catalogue"}
	manager.post(path+"/credit", fields{"items": []fields{right}}).wants(200).wantsText(fields{"total_price": "-19.9900"})
}
