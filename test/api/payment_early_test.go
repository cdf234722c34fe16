package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// contract 18.30
func TestPartyHasADiscountForEarlyPayment(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	admin := s.as("admin")
	for _, path := range []string{"/rest/performer/1/party", "/rest/client/1/party"} {
		admin.put(path, fields{"discount_percent": "2.5", "discount_days": 10}).wants(200).
			wantsText(fields{"discount_percent": "2.50", "discount_days": 10})
		for field, body := range map[string]fields{
			"discount_percent": {"discount_days": 10},
			"discount_days":    {"discount_percent": 2},
		} {
			if got := admin.put(path, body).wrongFields(); !slices.Equal(got, []string{field}) {
				t.Errorf("%s, %v: %q is wrong", path, body, got)
			}
		}
		for _, wrong := range []any{0, "0.00", -1, "100.01", "2.001", "x", nil} {
			if got := admin.patch(path, fields{"discount_percent": wrong}).wrongFields(); !slices.Equal(got, []string{"discount_percent"}) {
				t.Errorf("%s, %v: %q is wrong", path, wrong, got)
			}
		}
		for _, wrong := range []any{-1, 3651, "1.5", nil} {
			if got := admin.patch(path, fields{"discount_days": wrong}).wrongFields(); !slices.Equal(got, []string{"discount_days"}) {
				t.Errorf("%s, %v: %q is wrong", path, wrong, got)
			}
		}
		admin.get(path).wantsText(fields{"discount_percent": "2.50", "discount_days": 10})
		admin.patch(path, fields{"discount_percent": nil, "discount_days": nil}).wants(200).
			wantsText(fields{"discount_percent": nil, "discount_days": nil})
	}
}

// contract 18.31
func TestInvoiceHasTheDiscountForEarlyPaymentOfItsParties(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	manager := s.as("manager")
	created := func(more fields, percent, until any) {
		t.Helper()
		manager.post("/rest/invoice", bill(more)).wants(200).wantsText(fields{"discount_percent_early": percent, "discount_until": until})
	}
	created(nil, nil, nil)
	s.as("admin").put("/rest/performer/1/party", fields{"discount_percent": 3, "discount_days": 7}).wants(200)
	created(nil, "3.00", "2024-03-16")
	manager.put("/rest/client/1/party", fields{"discount_percent": 2, "discount_days": 0}).wants(200)
	created(nil, "2.00", "2024-03-09")
	created(fields{"discount_percent_early": "1.25", "discount_until": "2024-03-20 10:00:00"}, "1.25", "2024-03-20")
	created(fields{"discount_percent_early": ""}, nil, nil)
	for field, wrong := range map[string]fields{
		"discount_until":          {"discount_percent_early": 2},
		"discount_percent_early":  {"discount_until": "2024-03-20"},
		"discount_until ":         {"discount_percent_early": 2, "discount_until": "2024-03-08"},
		"discount_until  ":        {"discount_percent_early": 2, "discount_until": "soon"},
		"discount_percent_early ": {"discount_percent_early": 0, "discount_until": "2024-03-20"},
	} {
		if got := manager.post("/rest/invoice", bill(wrong)).wrongFields(); !slices.Equal(got, []string{strings.TrimSpace(field)}) {
			t.Errorf("%v: %q is wrong", wrong, got)
		}
	}
	if got := manager.patch("/rest/invoice/4", fields{"date": "2024-03-21"}).wrongFields(); !slices.Equal(got, []string{"discount_until"}) {
		t.Errorf("with a later date, %q is wrong", got)
	}
	manager.patch("/rest/invoice/4", fields{"date": "2024-03-20"}).wants(200).wantsText(fields{"discount_until": "2024-03-20"})
	list := s.as("viewer").with("Accept", "text/csv").get("/rest/invoice?sort=id&fields=id,discount_percent_early,discount_until").wants(200).body
	if !strings.Contains(list, "\r\n1,,\r\n2,3.00,2024-03-16\r\n3,2.00,2024-03-09\r\n4,1.25,2024-03-20\r\n5,,\r\n") {
		t.Errorf("as CSV: %q", list)
	}
	manager.patch("/rest/invoice/4", fields{"status_id": 4}).wants(200)
	manager.patch("/rest/invoice/4", fields{"discount_percent_early": 2}).rejected(http.StatusConflict)
}

// contract 18.31, 18.32
func TestDiscountForEarlyPaymentIsIssued(t *testing.T) {
	t.Parallel()
	s := issuer(t)
	manager := s.as("manager")
	s.as("admin").patch("/rest/performer/1/party", fields{"discount_percent": 2, "discount_days": 10, "language": "de"}).wants(200)
	draft := s.drafted(fields{"date": "2024-01-01", "terms": fields{"buyer_reference": "04011000-12345-03"}})
	given := s.drafted(fields{"date": "2024-01-01", "discount_percent_early": 2, "discount_until": "2024-02-01"})
	manager.get(draft + "/document?as=html").wants(200).wantsParts("2,00\u00a0% Skonto bei Zahlung bis 11.01.2024: 64,64")
	manager.post(draft+"/issue", fields{"date": "2024-06-01"}).wants(200).wantsText(fields{"discount_until": "2024-06-11"})
	manager.get(draft + "/document?as=ubl").wants(200).wantsParts("<cbc:Note>2,00\u00a0% Skonto bei Zahlung bis 11.06.2024: 64,64<")
	manager.get(draft + "/document?as=xrechnung").wants(200).wantsParts("<cbc:Note>#SKONTO#TAGE=10#PROZENT=2.00#&#xA;<")
	if got := manager.post(given+"/issue", fields{"date": "2024-02-02"}).wrongFields(); !slices.Equal(got, []string{"discount_until"}) {
		t.Errorf("issued after the discount, %q is wrong", got)
	}
	manager.post(given+"/issue", fields{"date": "2024-02-01"}).wants(200).wantsText(fields{"discount_until": "2024-02-01"})
	for _, change := range []fields{{"discount_percent_early": 3}, {"discount_until": "2024-07-01"}} {
		manager.patch(draft, change).rejected(http.StatusConflict)
	}
	note := manager.post(draft+"/credit", nil).wants(200)
	note.wantsText(fields{"discount_percent_early": nil, "discount_until": nil})
	manager.get("/rest/invoice/" + note.id() + "/document?as=html").wants(200).lacks("Skonto")
}

// contract 18.33
func TestMoneyForADraftIsPrepaid(t *testing.T) {
	t.Parallel()
	s := paying{issuer(t)}
	manager, draft := s.as("manager"), s.drafted(nil) // of 65.96
	id := strings.TrimPrefix(draft, "/rest/invoice/")
	s.pay("20", settling(id, "20"))
	s.pay("1", fields{"items": []fields{{"invoice_id": id, "amount": 1, "waived": 3, "reason": "discount"}}})
	manager.get(draft+"/document?as=html").wants(200).wantsParts("Already paid", "-21.00", "44.96 EUR")
	manager.post(draft+"/issue", nil).wants(200).wantsText(fields{"paid_price": "21.0000", "due_price": "41.9600"})
	ubl := []string{`<cbc:PrepaidAmount currencyID="EUR">21.00<`, `<cbc:PayableAmount currencyID="EUR">44.96<`}
	manager.get(draft + "/document?as=ubl").wants(200).wantsParts(ubl...)
	s.pay("30", settling(id, "30")) // after it was issued
	manager.get(draft + "/document?as=ubl").wants(200).wantsParts(ubl...)
	manager.get(draft+"/document?as=cii").wants(200).
		wantsParts("<ram:TotalPrepaidAmount>21.00<", "<ram:DuePayableAmount>44.96<")

	s.pay("10", settling("1", "10")) // numbered by hand
	manager.get("/rest/invoice/1/document?as=ubl").wants(200).lacks("PrepaidAmount")
	flagged := s.drafted(nil)
	manager.patch(flagged, fields{"paid": true}).wants(200)
	manager.post(flagged+"/issue", nil).wants(200)
	manager.get(flagged + "/document?as=ubl").wants(200).lacks("PrepaidAmount")
	note := manager.post(draft+"/credit", nil).wants(200).id()
	manager.get("/rest/invoice/" + note + "/document?as=ubl").wants(200).lacks("PrepaidAmount")
}

func (r *reply) lacks(part string) {
	r.t.Helper()
	if strings.Contains(r.body, part) {
		r.t.Errorf("it has %s", part)
	}
}
