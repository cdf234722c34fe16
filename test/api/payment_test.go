package api_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// paying is a service with invoices of the performer 1, which charges 20 % of VAT.
type paying struct{ *service }

func startPaying(t *testing.T) paying {
	t.Helper()
	return paying{startBilling(t)}
}

// invoice creates an invoice that comes to 1.2 times the price, and returns its id.
func (s paying) invoice(price string, more fields) string {
	s.t.Helper()
	return s.as("manager").post("/rest/invoice", bill(fieldsWith(fields{"items": []fields{{"name": "x", "price": price}}}, more))).id()
}

func payment(amount string, more fields) fields {
	return fieldsWith(fields{"performer_id": 1, "date": "2024-03-20", "amount": amount}, more)
}

// settling are items: invoices and amounts in turn.
func settling(pairs ...string) fields {
	items := []fields{}
	for pair := range slices.Chunk(pairs, 2) {
		items = append(items, fields{"invoice_id": pair[0], "amount": pair[1]})
	}
	return fields{"items": items}
}

func (s paying) pay(amount string, more fields) string {
	s.t.Helper()
	return s.as("manager").post("/rest/payment", payment(amount, more)).id()
}

// is checks the state of invoices, and what is paid, waived and due.
func (s paying) is(want string, invoices ...string) {
	s.t.Helper()
	for _, id := range invoices {
		r := s.as("viewer").get("/rest/invoice/" + id + "?fields=paid_price,waived_price,due_price&expand=status").record()
		got := fmt.Sprint(text(r["paid_price"]), " ", text(r["waived_price"]), " ", text(r["due_price"]), " ", r["status"].(map[string]any)["id"])
		if got != want {
			s.t.Errorf("invoice %s is %s, want %s", id, got, want)
		}
	}
}

// refused checks the code of an error and what its message contains.
func (s paying) refused(r *reply, status int, code string, contains ...string) {
	s.t.Helper()
	r.rejected(status)
	for _, part := range append(contains, `"code":"`+code+`"`) {
		if !strings.Contains(r.body, part) {
			s.t.Errorf("%s: %s lacks %s", r.what, r.body, part)
		}
	}
}

// contract 18.1, 18.2, 18.5, 18.10, 18.11, 18.18
func TestPaymentSettlesSeveralInvoices(t *testing.T) {
	t.Parallel()
	s := startPaying(t)
	a, b := s.invoice("100", nil), s.invoice("50.004", fields{"client_id": 2})
	id := s.pay("150", fields{"items": []fields{
		{"invoice_id": a, "amount": "117.60", "waived": "2.40", "reason": "discount"}, {"invoice_id": b, "amount": 20},
	}})
	s.is("117.6000 2.4000 0.0000 2", a)
	s.is("20.0000 0.0000 40.0000 1", b)
	shown := s.as("viewer").get("/rest/payment/" + id)
	for _, part := range []string{
		`"performer_id":1,"client_id":null,"date":"2024-03-20","amount":"150.0000","left":"12.4000","automatic":false,"method":null,"reference":null`,
		`"amount":"117.6000","waived":"2.4000","reason":"discount"},{"id":`, `"amount":"20.0000","waived":"0.0000","reason":null}`,
	} {
		if !strings.Contains(shown.body, part) {
			t.Errorf("%s lacks %s", shown.body, part)
		}
	}
	if r := s.as("viewer").get("/rest/invoice/" + a + "?fields=payments&expand=payments"); !strings.Contains(r.body,
		`"payments":[{"id":`+id+`,"date":"2024-03-20","amount":"117.6000","waived":"2.4000","reason":"discount","automatic":false}]`) {
		t.Error(r.body)
	}
	if again := s.as("manager").put("/rest/payment/"+id, shown.record()); again.header.Get("ETag") != shown.header.Get("ETag") {
		t.Errorf("sent back, it changes: %s", again.body)
	}
	items := shown.record()["items"].([]any)
	second := items[1].(map[string]any)
	second["amount"] = "60"
	changed := s.as("manager").patch("/rest/payment/"+id, fields{"items": []any{second}}).record()
	if kept := changed["items"].([]any)[0].(map[string]any); text(kept["id"]) != text(second["id"]) || text(changed["left"]) != "90.0000" {
		t.Errorf("the changed item is %v", changed)
	}
	s.is("0.0000 0.0000 120.0000 1", a)
	s.is("60.0000 0.0000 0.0000 2", b)
	s.as("manager").delete("/rest/payment/" + id).wants(http.StatusOK)
	s.is("0.0000 0.0000 60.0000 1", b)
	if n := s.count("allocations", "reversed_at is null or payment_id is not null"); n != 0 || s.count("allocations", "true") != 3 {
		t.Errorf("%d items are left of %d", n, s.count("allocations", "true"))
	}
}

// contract 18.12
func TestPaymentIsSpreadOnWhatIsDue(t *testing.T) {
	t.Parallel()
	s := startPaying(t)
	late, early := s.invoice("100", fields{"date": "2024-05-01"}), s.invoice("100", fields{"date": "2024-04-01"})
	others := s.invoice("100", fields{"client_id": 2, "date": "2024-01-01"})
	s.pay("150", fields{"allocate": "oldest", "client_id": 1})
	s.is("120.0000 0.0000 0.0000 2", early)
	s.is("30.0000 0.0000 90.0000 1", late)
	s.is("0.0000 0.0000 120.0000 1", others)
	id := s.pay("100", fields{"invoice_id": late})
	s.is("120.0000 0.0000 0.0000 2", late)
	if r := s.as("viewer").get("/rest/payment/" + id).record(); text(r["left"]) != "10.0000" {
		t.Errorf("%s is left", r["left"])
	}
	manager := s.as("manager")
	s.refused(manager.post("/rest/payment", payment("1", fields{"allocate": "oldest"})), 422, "required", `"field":"client_id"`)
	s.refused(manager.post("/rest/payment", payment("1", fields{"allocate": "newest"})), 422, "invalid", `"field":"allocate"`)
	s.refused(manager.post("/rest/payment", payment("1", fields{"invoice_id": 99})), 422, "not_found", `"field":"invoice_id"`)
	other := s.invoice("1", fields{"performer_id": 2})
	s.refused(manager.post("/rest/payment", payment("1", fields{"invoice_id": other})), 422, "mismatch", `"field":"invoice_id"`)
	s.refused(manager.post("/rest/payment", payment("1", fieldsWith(settling(late, "1"), fields{"invoice_id": late}))), 422, "mismatch")
}

// contract 18.13
func TestPaymentOfNothingSetsInvoicesAgainstEachOther(t *testing.T) {
	t.Parallel()
	s := startPaying(t)
	owed, credit := s.invoice("100", nil), s.invoice("-30", nil)
	s.pay("0", settling(owed, "20", credit, "-20"))
	s.is("20.0000 0.0000 100.0000 1", owed)
	s.is("-20.0000 0.0000 -16.0000 1", credit)
	s.pay("-16", settling(credit, "-16"))
	s.is("-36.0000 0.0000 0.0000 2", credit)
	s.pay("100", settling(owed, "100"))
	s.pay("-100", fieldsWith(settling(owed, "-100"), fields{"method": "returned debit"}))
	s.is("20.0000 0.0000 100.0000 1", owed)
}

// contract 18.6, 18.10, 18.14
func TestPaymentNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	s := startPaying(t)
	a, b := s.invoice("100", nil), s.invoice("47.5833", nil)
	closed, cancelled := s.invoice("1", fields{"status_id": 3}), s.invoice("1", fields{"status_id": 4})
	other := s.invoice("1", fields{"performer_id": 2})
	inCHF, inEUR := s.invoice("1", fields{"currency": "CHF"}), s.invoice("1", fields{"currency": "EUR"})
	s.as("admin").put("/rest/performer/1/party", fields{"legal_name": "x", "currency": "EUR"}).wants(200)
	s.pay("2", settling(inEUR, "1", s.invoice("1", nil), "1"))
	for _, tt := range []struct {
		amount   string
		items    fields
		status   int
		code     string
		contains string
	}{
		{"500", settling(a, "1", b, "57.11"), 422, "over_allocated", `"items[1].amount must not exceed 57.10, which is due on invoice 2"`},
		{"-500", settling(a, "-1"), 422, "sign", `"field":"items[0].amount"`},
		{"50", settling(a, "50.01"), 422, "over_spent", `"field":"items"`},
		{"-50", settling(a, "50"), 422, "over_spent", `"field":"items"`},
		{"0", settling(a, "1"), 422, "over_spent", `"field":"items"`},
		{"5", settling(closed, "1"), 409, "closed", "the invoice 3 is closed"},
		{"5", settling(cancelled, "1"), 409, "cancelled", "the invoice 4 is cancelled"},
		{"5", settling(other, "1"), 422, "mismatch", `"field":"items[0].invoice_id"`},
		{"5", settling(a, "1", inCHF, "1"), 422, "currency", `"items[1].invoice_id is in CHF, another currency than EUR"`},
		{"5", settling("99", "1"), 422, "not_found", `"field":"items[0].invoice_id"`},
		{"5", settling(a, "1", a, "1"), 422, "invalid", `"field":"items[1].invoice_id"`},
		{"5", settling(a, "0"), 422, "required", `"field":"items[0].amount"`},
		{"5", settling(a, "1.001"), 422, "too_precise", `"field":"items[0].amount"`},
		{"5.001", nil, 422, "too_precise", `"field":"amount"`},
		{"", nil, 422, "required", `"field":"amount"`},
		{"5", fields{"items": []fields{{"id": 7, "amount": 1}}}, 422, "not_found", `"field":"items[0].id"`},
		{"5", fields{"items": []fields{{"invoice_id": a, "waived": 1}}}, 422, "required", `"field":"items[0].reason"`},
		{"5", fields{"items": []fields{{"invoice_id": a, "waived": 1, "reason": "love"}}}, 422, "invalid", `"field":"items[0].reason"`},
		{"5", fields{"items": []fields{{"invoice_id": a, "amount": 1, "reason": "fee"}}}, 422, "mismatch", `"field":"items[0].reason"`},
		{"5", fields{"performer_id": 99}, 422, "not_found", `"field":"performer_id"`},
		{"5", fields{"client_id": 99}, 422, "not_found", `"field":"client_id"`},
		{"5", fields{"date": "1899-01-01"}, 422, "out_of_range", `"field":"date"`},
	} {
		s.refused(s.as("manager").post("/rest/payment", payment(tt.amount, tt.items)), tt.status, tt.code, tt.contains)
	}
	if n := s.count("payments", "automatic_of is null") + s.count("allocations", "invoice_id <> 3"); n != 3 {
		t.Errorf("%d rows are stored, want 3 of a payment that was not refused", n)
	}
	s.is("0.0000 0.0000 57.1000 1", b)
}

// contract 18.15
func TestPaymentThatIsSentTwiceIsTaken(t *testing.T) {
	t.Parallel()
	s := startPaying(t)
	body := payment("5", fields{"reference": "R 1"})
	id := s.as("manager").post("/rest/payment", body).id()
	s.refused(s.as("manager").post("/rest/payment", body), 409, "taken", `"field":"reference"`, `"resource":"payment","record_id":`+id)
	s.as("manager").post("/rest/payment", fieldsWith(body, fields{"performer_id": 2})).wants(200)
	replies := make([]*reply, 8)
	var wg sync.WaitGroup
	for i := range replies {
		manager := s.as("manager")
		wg.Go(func() { replies[i] = manager.post("/rest/payment", payment("5", fields{"reference": "R 2"})) })
	}
	wg.Wait()
	created := 0
	for _, r := range replies {
		if r.status == http.StatusOK {
			created++
		} else {
			s.refused(r, 409, "taken")
		}
	}
	if created != 1 {
		t.Errorf("%d payments have the reference", created)
	}
}

// contract 18.3, 18.4, 18.16
func TestPaymentsAndTheStateOfTheirInvoice(t *testing.T) {
	t.Parallel()
	s := startPaying(t)
	manager := s.as("manager")
	a := s.invoice("100", nil)
	paid := s.pay("20", settling(a, "20"))
	manager.patch("/rest/invoice/"+a, fields{"paid": true}).wants(200)
	s.is("120.0000 0.0000 0.0000 2", a)
	list := manager.get("/rest/payment?invoice_id=" + a + "&sort=id").items()
	today := time.Now().UTC().Format(time.DateOnly)
	if isAutomatic, _ := list[1]["automatic"].(bool); len(list) != 2 || !isAutomatic || text(list[1]["amount"]) != "100.0000" || text(list[1]["date"]) != today || text(list[1]["client_id"]) != "1" {
		t.Fatalf("the payments are %v", list)
	}
	automatic := "/rest/payment/" + text(list[1]["id"])
	s.refused(manager.patch(automatic, fields{"notice": "x"}), 409, "automatic")
	s.refused(manager.delete(automatic), 409, "automatic")
	manager.put(automatic, list[1]).wants(200)
	manager.patch("/rest/invoice/"+a, fields{"status_id": 3}).wants(200)
	s.refused(manager.delete("/rest/payment/"+paid), 409, "closed")
	s.refused(manager.patch("/rest/payment/"+paid, fields{"date": "2024-03-21"}), 409, "closed")
	manager.patch("/rest/payment/"+paid, fields{"notice": "x", "amount": 30}).wants(200)
	manager.patch("/rest/invoice/"+a, fields{"status_id": 2}).wants(200)
	s.refused(manager.patch("/rest/invoice/"+a, fields{"paid": false}), 409, "has_payments", `"resource":"payment","record_id":`+paid)
	s.refused(manager.patch("/rest/invoice/"+a, fields{"performer_id": 2}), 409, "has_payments")
	s.refused(manager.patch("/rest/invoice/"+a, fields{"items": []fields{{"name": "x", "price": 1}}}), 409, "allocated")
	if p := manager.delete("/rest/invoice/" + a).rejected(409); p.References["payments"] != 1 {
		t.Errorf("a deletion counts %v", p.References)
	}
	manager.delete("/rest/payment/" + paid).wants(200)
	s.is("100.0000 0.0000 20.0000 1", a)
	manager.patch("/rest/invoice/"+a, fields{"paid": true}).wants(200)
	manager.patch("/rest/invoice/"+a, fields{"paid": false}).wants(200)
	manager.get(automatic).rejected(404)
	s.refused(manager.patch("/rest/invoice/"+s.partly(), fields{"status_id": 4}), 409, "has_payments")
	manager.patch("/rest/invoice/"+a, fields{"paid": true}).wants(200)
	manager.delete("/rest/invoice/" + a).wants(200)
	if p := s.as("admin").delete("/rest/performer/1").rejected(409); p.References["payments"] != 1 {
		t.Errorf("a deletion of the performer counts %v", p.References)
	}
}

// partly is an invoice of which a part is paid.
func (s paying) partly() string {
	id := s.invoice("100", nil)
	s.pay("1", fieldsWith(settling(id, "1"), fields{"client_id": 2}))
	return id
}

// contract 18.5, 18.17
func TestListsOfPaymentsAndOfWhatIsDue(t *testing.T) {
	t.Parallel()
	s := startPaying(t)
	a, b := s.invoice("100", nil), s.invoice("-10", nil)
	s.invoice("1", fields{"paid": true})
	s.invoice("1", fields{"status_id": 4})
	s.invoice("0", nil)
	s.pay("50", fieldsWith(settling(a, "40"), fields{"client_id": 2, "method": "cash", "reference": "R", "date": "2024-03-18", "ref": "k"}))
	s.pay("7", fields{"client_id": 1})
	viewer := s.as("viewer")
	for query, want := range map[string]string{
		"payment": "1 2 3", "payment?left=1": "2 3", "payment?left=0": "1 2 3", "payment?client_id=2": "2", "payment?client_id=1,2": "1 2 3",
		"payment?invoice_id=" + a + "," + b: "2", "payment?method=cash": "2", "payment?method=cas": "", "payment?reference=R": "2", "payment?ref=k": "2",
		"payment?date_to=2024-03-18": "2", "payment?date_from=2024-03-19&date_to=2024-03-20": "3", "payment?performer_id=2": "",
		"payment?id=1,3": "1 3", "payment?updated_since=2024-01-01": "1 2 3", "invoice?due=1": "1 2", "invoice?due=0": "1 2 3 4 5",
	} {
		r := viewer.get("/rest/" + query + map[bool]string{true: "&", false: "?"}[strings.Contains(query, "?")] + "sort=id")
		if got := strings.Join(r.column("id"), " "); got != want || r.header.Get("X-Pagination-Total-Count") != fmt.Sprint(len(strings.Fields(want))) {
			t.Errorf("%s finds %s, of %s, want %s", query, got, r.header.Get("X-Pagination-Total-Count"), want)
		}
	}
	for _, query := range []string{"payment?left=2", "payment?date_from=x", "payment?client_id=x", "invoice?due=2"} {
		viewer.get("/rest/" + query).rejected(http.StatusBadRequest)
	}
}

// contract 18.6, 18.10
func TestWritersOfOneInvoiceNeverSettleTooMuch(t *testing.T) {
	t.Parallel()
	s := startPaying(t)
	a, b := s.invoice("100", nil), s.invoice("100", nil)
	var wg sync.WaitGroup
	for i := range 16 {
		manager := s.as("manager")
		wg.Go(func() {
			pair := [2]string{a, b}
			if i%2 == 1 {
				pair = [2]string{b, a}
			}
			id := ""
			for n := range 6 {
				var r *reply
				switch {
				case i%8 == 7:
					r = manager.patch("/rest/invoice/"+pair[0], fields{"paid": n%2 == 0})
				case id == "":
					r = manager.post("/rest/payment", payment("50", settling(pair[0], "25", pair[1], "25")))
					if r.status == http.StatusOK {
						id = r.id()
					}
				case n%2 == 0:
					r = manager.patch("/rest/payment/"+id, settling(pair[1], "20"))
				default:
					r = manager.delete("/rest/payment/" + id)
					id = ""
				}
				if r.status != http.StatusOK && r.status != http.StatusUnprocessableEntity && r.status != http.StatusConflict {
					t.Errorf("%s: status %d: %s", r.what, r.status, r.body)
				}
			}
		})
	}
	wg.Wait()
	if n := s.deadlocks(); n != 0 {
		t.Errorf("PostgreSQL has ended %d deadlocks", n)
	}
	if n := s.count("invoices", `owed_price <> 120 or paid_price not between 0 and 120 or (status = 2) <> (paid_price = 120) or paid_price <> (
		select coalesce(sum(amount), 0) from allocations where invoice_id = invoices.id and reversed_at is null)`); n != 0 {
		t.Errorf("%d invoices are not what their payments say", n)
	}
	if n := s.count("payments", `amount <> rest + (select coalesce(sum(amount), 0) from allocations where payment_id = payments.id and reversed_at is null)`); n != 0 {
		t.Errorf("%d payments are not their items and what is left", n)
	}
}

// contract 18.10, 18.15
func TestPaymentsThatAreSentAgainInAnyOrderEndTheSame(t *testing.T) {
	t.Parallel()
	s := startPaying(t)
	manager := s.as("manager")
	var requests []func() *reply
	for i := range 6 {
		id := s.invoice("100", nil)
		body := payment("130", fieldsWith(settling(id, fmt.Sprint(100+i)), fields{"reference": "R" + id}))
		requests = append(requests,
			func() *reply { return manager.put("/rest/payment?ref=k"+id, body) },
			func() *reply { return manager.withKey("invoice"+id).patch("/rest/invoice/"+id, fields{"notice": "x"}) })
	}
	var sent []func() *reply
	for i, r := range requests {
		sent = append(sent, slices.Repeat([]func() *reply{r}, 1+i%3)...)
	}
	for range 3 {
		rand.Shuffle(len(sent), func(i, j int) { sent[i], sent[j] = sent[j], sent[i] })
		for _, send := range sent {
			if r := send(); r.status != http.StatusOK && r.status != http.StatusCreated {
				t.Fatalf("%s: status %d: %s", r.what, r.status, r.body)
			}
		}
		for i := range 6 {
			s.is(fmt.Sprintf("%d.0000 0.0000 %d.0000 1", 100+i, 20-i), fmt.Sprint(i+1))
		}
		if n := s.count("payments", "true"); n != 6 {
			t.Fatalf("there are %d payments", n)
		}
	}
}

// contract 16.62, 18.4, 18.7
func TestCreditNoteIsSetOffAgainstItsInvoice(t *testing.T) {
	t.Parallel()
	s := paying{issuer(t)}
	manager := s.as("manager")
	issued := func() (id string, line any) {
		path := s.drafted(fields{"items": []fields{{"name": "x", "price": "100", "count": 10}}})
		manager.post(path+"/issue", nil).wants(http.StatusOK)
		r := manager.get(path + "?expand=items").record()
		return text(r["id"]), r["items"].([]any)[0].(map[string]any)["id"]
	}
	credit := func(id string, of fields) string { return manager.post("/rest/invoice/"+id+"/credit", of).id() }
	part := func(line any, count int) fields { return fields{"items": []fields{{"id": line, "count": count}}} }
	invoice, line := issued()
	note := credit(invoice, part(line, 3))
	s.is("360.0000 0.0000 840.0000 1", invoice)
	s.is("-360.0000 0.0000 0.0000 2", note)
	setOff := s.setOff(note)
	s.refused(manager.patch("/rest/invoice/"+note, fields{"paid": false}), http.StatusConflict, "has_payments", `"record_id":`+setOff+"}")
	manager.patch("/rest/invoice/"+invoice, fields{"paid": true}).wants(http.StatusOK)
	s.is("1200.0000 0.0000 0.0000 2", invoice)
	second := credit(invoice, part(line, 2))
	s.is("0.0000 0.0000 -240.0000 1", second)
	manager.patch("/rest/invoice/"+invoice, fields{"paid": false}).wants(http.StatusOK)
	s.is("600.0000 0.0000 600.0000 1", invoice)
	s.is("-240.0000 0.0000 0.0000 2", second)
	paid := s.pay("100", fields{"invoice_id": invoice})
	rest := credit(invoice, fields{})
	s.is("1200.0000 0.0000 0.0000 2", invoice)
	s.is("-500.0000 0.0000 -100.0000 1", rest)
	s.refused(manager.patch("/rest/invoice/"+invoice, fields{"paid": false}), http.StatusConflict, "has_payments", `"record_id":`+paid+"}")
	other, _ := issued()
	s.pay("0", settling(other, "72", rest, "-72"))
	s.pay("-28", fields{"invoice_id": rest})
	s.is("72.0000 0.0000 1128.0000 1", other)
	s.is("-600.0000 0.0000 0.0000 2", rest)
	manager.delete("/rest/payment/" + setOff).wants(http.StatusOK)
	s.is("840.0000 0.0000 360.0000 1", invoice)
	s.is("0.0000 0.0000 -360.0000 1", note)

	invoice, line = issued()
	note, rest = credit(invoice, part(line, 3)), credit(invoice, fields{})
	s.is("1200.0000 0.0000 0.0000 4", invoice)
	s.is("-360.0000 0.0000 0.0000 4", note)
	s.refused(manager.delete("/rest/payment/"+s.setOff(rest)), http.StatusConflict, "cancelled")
}

// setOff returns the payment that sets the credit note off, and checks what it is.
func (s paying) setOff(note string) string {
	s.t.Helper()
	list := s.as("viewer").get("/rest/payment?invoice_id=" + note).items()
	p := list[0]
	if isAutomatic, _ := p["automatic"].(bool); text(p["amount"]) != "0.0000" || isAutomatic || len(list) != 1 || len(p["items"].([]any)) != 2 {
		s.t.Errorf("the credit note is set off by %v", list)
	}
	return text(p["id"])
}
