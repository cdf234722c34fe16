package api_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// startDealing starts a service with what deals refer to: the statuses new (1, the
// default) and won (2), the deal types sale (1) and rent (2), and the clients Acme (1)
// and Berta (2), whose user is the manager.
func startDealing(t testing.TB) *service {
	t.Helper()
	return dealing.start(t)
}

var dealing = newFixture(func(s *service) {
	s.addUsers()
	admin, manager := s.as("admin"), s.as("manager")
	admin.post("/rest/status", fields{"name": "new", "default": true, "color": "#00ff00"}).wants(200)
	admin.post("/rest/status", fields{"name": "won"}).wants(200)
	admin.post("/rest/deal-type", fields{"name": "sale"}).wants(200)
	admin.post("/rest/deal-type", fields{"name": "rent"}).wants(200)
	manager.post("/rest/client", fields{"name": "Acme", "type": 1, "email": "a@example.org", "phone": "1"}).wants(200)
	manager.post("/rest/client", fields{"name": "Berta", "type": 2}).wants(200)
})

// startBilling starts a service with what invoices refer to: the statuses new (1, the
// default) and won (2), the clients Acme (1) and Berta (2), whose user is the manager,
// the performers Kontor (1, with 20 % VAT) and Atelier (2, without VAT), and the
// invoice types bill (1) and credit (2).
func startBilling(t testing.TB, options ...func(*bootstrap.Config)) *service {
	t.Helper()
	return billing.start(t, options...)
}

var billing = newFixture(func(s *service) {
	s.addUsers()
	s.addBilling()
})

// addBilling adds the records of startBilling, except for the users.
func (s *service) addBilling() {
	s.t.Helper()
	admin, manager := s.as("admin"), s.as("manager")
	admin.post("/rest/status", fields{"name": "new", "default": true}).wants(200)
	admin.post("/rest/status", fields{"name": "won"}).wants(200)
	manager.post("/rest/client", fields{"name": "Acme", "type": 1, "email": "a@example.org", "phone": "1"}).wants(200)
	manager.post("/rest/client", fields{"name": "Berta", "type": 2}).wants(200)
	admin.post("/rest/performer", fields{"name": "Kontor", "vat_use": true, "vat_percent": 20}).wants(200)
	admin.post("/rest/performer", fields{"name": "Atelier"}).wants(200)
	admin.post("/rest/invoice-type", fields{"title": "bill"}).wants(200)
	admin.post("/rest/invoice-type", fields{"title": "credit"}).wants(200)
}

// bill returns the body of an invoice of Kontor to Acme with more attributes; nil
// removes one.
func bill(more fields) fields {
	body := fields{"number": "R-1", "date": "2024-03-09", "performer_id": 1, "client_id": 1, "type_id": 1}
	maps.Copy(body, more)
	maps.DeleteFunc(body, func(_ string, value any) bool { return value == nil })
	return body
}

// goods returns a line of a write.
func goods(name string, count, price any) fields {
	return fields{"name": name, "items_count": count, "item_price": price}
}

func fieldsWith(body, more fields) fields {
	maps.Copy(body, more)
	return body
}

// paidOn sets the instant at which an invoice was paid.
func (s *service) paidOn(invoice int, instant string) {
	s.t.Helper()
	// The rebuild computes the month.
	s.alter("update invoices set status = 2, paid_price = owed_price, paid_on = $2::text::timestamptz, paid_month = 0 where id = $1", invoice, instant)
}

// samples are, by path, records that can be created repeatedly in a service of
// startWithSamples.
var samples = map[string]fields{
	"/rest/status":        {"name": "x"},
	"/rest/deal-type":     {"name": "x"},
	"/rest/invoice-type":  {"title": "x"},
	"/rest/performer":     {"name": "x"},
	"/rest/client":        {"name": "x", "type": 1},
	"/rest/contact":       {"name": "x", "client_id": 1},
	"/rest/deal":          {"name": "x", "client_id": 1},
	"/rest/offer":         {"number": "x", "deal_id": 1},
	"/rest/contract":      {"number": "x", "deal_id": 1},
	"/rest/invoice":       bill(nil),
	"/rest/invoice-items": {"name": "x", "invoice_id": 1},
	"/rest/payment":       {"performer_id": 1, "date": "2024-03-20", "amount": "1"},
	"/rest/rule":          namesRequired("x"),
}

// tableOf are the tables of the resources in samples.
var tableOf = map[string]string{
	"/rest/status":        "statuses",
	"/rest/deal-type":     "deal_types",
	"/rest/invoice-type":  "invoice_types",
	"/rest/performer":     "performers",
	"/rest/client":        "clients",
	"/rest/contact":       "contacts",
	"/rest/deal":          "deals",
	"/rest/offer":         "offers",
	"/rest/contract":      "contracts",
	"/rest/invoice":       "invoices",
	"/rest/invoice-items": "invoice_lines",
	"/rest/payment":       "payments",
	"/rest/rule":          "rules",
}

// startWithSamples is startBilling with a deal and an invoice, to which the samples
// refer.
func startWithSamples(t testing.TB) *service {
	t.Helper()
	return withSamples.start(t)
}

var withSamples = newFixture(func(s *service) {
	billing.add(s)
	s.as("admin").post("/rest/deal", samples["/rest/deal"]).wants(200)
	s.as("admin").post("/rest/invoice", samples["/rest/invoice"]).wants(200)
})

// contract 2.82
func TestTheLastIDIsShown(t *testing.T) {
	t.Parallel()
	pgtest.SkipOnCitus(t, "identities cannot be altered there")
	s := start(t)
	admin := s.as("admin")
	const last = "9223372036854775807"
	for _, table := range []string{"clients", "deals"} {
		s.execute("alter table " + table + " alter column id restart with " + last)
	}
	admin.post("/rest/status", fields{"name": "new", "default": true}).wants(200)
	if got := admin.post("/rest/client?fields=id", fields{"name": "A", "type": 1}).wants(200).body; got != `{"response":{"id":`+last+`}}` {
		t.Errorf("the new client is %s", got)
	}
	admin.post("/rest/deal", fields{"name": "D", "client_id": last}).wants(200)
	for path, want := range map[string]string{
		"/rest/client?fields=id&_format=xml":                        "<item><id>" + last + "</id></item>",
		"/rest/client/" + last + "?fields=id,name":                  `{"id":` + last + `,"name":"A"}`,
		"/rest/deal/" + last + "?fields=client_id,client.id":        `{"client_id":` + last + `,"client":{"id":` + last + `}}`,
		"/rest/deal?fields=id,client_id&client_id=" + last:          `[{"id":` + last + `,"client_id":` + last + `}]`,
		"/rest/deal?fields=id&sort=-id&per_page=1&_format=csv":      "id\r\n" + last + "\r\n",
		"/rest/deal/" + last + "?dry_run=1&fields=id,client_id":     `{"id":` + last + `,"client_id":` + last + `}`,
		"/rest/contact?client_id=" + last + "&fields=id&per_page=1": `[]`,
	} {
		get := admin.get
		if strings.Contains(path, "dry_run") {
			get = func(path string) *reply { return admin.patch(path, fields{"name": "E"}) }
		}
		if got := get(path).wants(200).body; !strings.Contains(got, want) {
			t.Errorf("%s: got %s", path, got)
		}
	}
}
