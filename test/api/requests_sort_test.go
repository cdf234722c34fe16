package api_test

import (
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/adapters/textkey"
)

// sortable are the attributes by which the contract sorts each resource, and some by
// which it does not.
var sortable = map[string]struct{ by, not string }{
	"/rest/user":         {"id name username fname lname email", "role"},
	"/rest/status":       {"id name default", "version"},
	"/rest/deal-type":    {"id name", "title"},
	"/rest/invoice-type": {"id title", "name"},
	"/rest/performer":    {"id status name company_name phone email vat_use vat_percent created_at updated_at", "version"},
	"/rest/client": {"id user name type email phone created_at updated_at",
		"user_id company_address bank_details person_details count_deals count_offers count_contracts count_invoices"},
	"/rest/contact":  {"id name phone mobile email", "client deal client_id"},
	"/rest/deal":     {"id name client_id user type_id status_id created_at updated_at", "client type status user_id"},
	"/rest/offer":    {"id deal_id number date created_on", "client_id"},
	"/rest/contract": {"id deal_id number date created_on", "client_id"},
	"/rest/invoice": {"id user_id paid closed number date deal_id total_count total_price vat_price pay_price created_on paid_on updated_on update_on",
		"performer type company manager status items deal status_id"},
	"/rest/payment":       {"id performer_id client_id date amount left automatic created_on updated_on", "method reference items"},
	"/rest/invoice-items": {"id invoice_id name count price total_price", "items_count"},
}

// contract 4.11, 4.14, 4.15, 8.8
func TestSortByEveryPlainAttributeInBothDirections(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.tokens["demo"] = s.loadDemo()
	s.as("demo").put("/rest/client/2", fields{"phone": "1"}).wants(200)
	s.as("demo").put("/rest/deal/2", fields{"name": "changed"}).wants(200)
	s.as("demo").put("/rest/performer/1", fields{"phone": "1"}).wants(200)
	for path, attributes := range sortable {
		list := path + "?per_page=500&client_id=1&sort="
		if path != "/rest/contact" {
			list = path + "?per_page=500&sort="
		}
		for name := range strings.FieldsSeq(attributes.by) {
			up, down := s.as("demo").get(list+name), s.as("demo").get(list+"-"+name).column("id")
			slices.Reverse(down)
			if ids := up.column("id"); !slices.Equal(ids, down) {
				t.Errorf("%s: sorted by %s: %v; descending and reversed: %v", path, name, ids, down)
			}
			values := up.items()
			if newestFirst := strings.HasPrefix(name, "created_") && path != "/rest/performer"; newestFirst {
				slices.Reverse(values)
			}
			if !slices.IsSortedFunc(values, func(a, b map[string]any) int { return inOrder(a[name], b[name]) }) {
				t.Errorf("%s: sorted by %s the values are %v", path, name, up.column(name))
			}
		}
		for name := range strings.FieldsSeq(attributes.not) {
			s.as("demo").get(list + name).rejected(400)
		}
	}
}

// inOrder compares two shown values in the order of a sorted list.
func inOrder(a, b any) int {
	if a == nil || b == nil {
		last := map[bool]int{true: 1}
		return last[a == nil] - last[b == nil]
	}
	if _, counted := a.(json.Number); counted || strings.Contains(text(a), ".") {
		x, isNumber := new(big.Rat).SetString(text(a))
		if y, areNumbers := new(big.Rat).SetString(text(b)); isNumber && areNumbers {
			return x.Cmp(y)
		}
	}
	return strings.Compare(textkey.Of(text(a)), textkey.Of(text(b)))
}

// contract 4.19, 4.30, 10.89
func TestListDefaultOrderAndPageSize(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.tokens["demo"] = s.loadDemo()
	for i := range 12 { // the demo has less than a page of these
		s.as("admin").post("/rest/invoice", bill(nil)).wants(200) // opens a deal
		s.as("admin").post("/rest/performer", fields{"name": strings.Repeat("z", 12-i)}).wants(200)
		s.as("admin").post("/rest/performer", fields{"name": strings.Repeat("a", 12-i)}).wants(200)
		for _, path := range []string{"/rest/offer", "/rest/contract"} {
			s.as("admin").post(path, fields{"deal_id": 1, "number": "a"}).wants(200)
			s.as("admin").post(path, fields{"deal_id": 1, "number": "b"}).wants(200)
		}
	}
	for path, c := range map[string]struct{ sort, perPage string }{
		"/rest/user":          {"name", ""},
		"/rest/status":        {"name", ""},
		"/rest/deal-type":     {"name", ""},
		"/rest/invoice-type":  {"title", ""},
		"/rest/performer":     {"name", "20"},
		"/rest/client":        {"created_at", "10"},
		"/rest/contact":       {"id", ""},
		"/rest/deal":          {"created_at", "20"},
		"/rest/offer":         {"created_on", "20"},
		"/rest/contract":      {"created_on", "20"},
		"/rest/invoice":       {"created_on", "20"},
		"/rest/invoice-items": {"id", "20"},
	} {
		list := path + "?"
		if path == "/rest/contact" {
			list += "client_id=1&"
		}
		ids := func(query string) []string { return s.as("demo").get(list + query).column("id") }
		rows := ids("")
		whole := ids("sort=" + c.sort + "&per_page=500")
		if reversed := ids("sort=-" + c.sort + "&per_page=500"); len(whole) < 2 || slices.Equal(whole, reversed) {
			t.Fatalf("%s: the order of %v is ambiguous", path, whole)
		}
		page := s.as("demo").get(list)
		if got := page.header.Get("X-Pagination-Per-Page"); got != c.perPage {
			t.Errorf("%s: %q per page, want %q", path, got, c.perPage)
		}
		most := map[string]int{"": len(whole), "10": 10, "20": 20}[c.perPage]
		if len(whole) < most || !slices.Equal(rows, whole[:most]) {
			t.Errorf("%s: shows %v, want the first %d of %v", path, rows, most, whole)
		}
		second := ids("page=2&per_page=1")
		if !slices.Equal(second, whole[1:2]) {
			t.Errorf("%s: page 2 of pages of one shows %v of %v", path, second, whole)
		}
	}
}
