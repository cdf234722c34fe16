package httpapi

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/adapters/httpapi/body"
	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// knownOf returns the names that a route of the resource has.
func knownOf(t *testing.T, r Resource, verb apidoc.Verb) *knownNames {
	t.Helper()
	i := slices.IndexFunc(r, func(r route) bool { return r.verb == verb })
	if i < 0 {
		t.Fatalf("there is no route with the verb %d", verb)
	}
	return r[i].knows()
}

// refusals are the errors of fields, as one text.
func refusals(wrong []fault.Field) string {
	if err := fault.ForFields(fault.Invalid, wrong...); err != nil {
		return strings.TrimPrefix(err.Error(), "invalid: ")
	}
	return ""
}

// contract 2.33, 5.12
func TestUnknownAttributesAreNamedWithWhatWasMeant(t *testing.T) {
	invoices := knownOf(t, Invoices(nil, nil, nil), apidoc.Create)
	for sent, want := range map[string]string{
		`{"items":[{"name":"shelf","count":2},{"prise":"349.90"}]}`: "items[1].prise is unknown; did you mean price?",
		`{"nuber":"1","notise":"x"}`:                                "notise is unknown; did you mean notice?; nuber is unknown; did you mean number?",
		`{"vat_number":"DE1"}`:                                      "vat_number is unknown",
		`{"total_prise":"1"}`:                                       "total_prise is unknown",
		`{"_links":{"a":1},"auth_key":"k","access-token":"k"}`:      "",
		`{"items":[{"_note":1,"id":1,"count":1,"items_count":1,"total_price":"1","invoice_id":2}],"update_on":"x","performer":{"any":1}}`: "",
		`{"items":"x"}`:                    "",
		`{"kt_1a2b3c4d5e6f_c2VjcmV0":"x"}`: "REDACTED is unknown",
	} {
		record, err := body.Decode("application/json", []byte(sent))
		if got := refusals(invoices.unknownAttributes(record)); err != nil || got != want {
			t.Errorf("%s: got %q, %v; want %q", sent, got, err, want)
		}
	}
	types := knownOf(t, InvoiceTypes(nil, nil), apidoc.Update)
	record, _ := body.Decode("application/x-www-form-urlencoded", []byte("title=a&name=a&tilte=b&"+strings.Repeat("x", 1000)+"=1"))
	if got := refusals(types.unknownAttributes(record)); got != "tilte is unknown; did you mean title?; "+strings.Repeat("x", 79)+"… is unknown" {
		t.Errorf("got %q", got)
	}
}

// contract 2.33
func TestAttributesOfThePartyAreNamed(t *testing.T) {
	for name, want := range map[string]string{
		"vat_id": "vat_id is unknown: it is an attribute of the party, which has the path of the record and /party",
		"citi":   "citi is unknown",
	} {
		record, _ := body.Decode("application/json", []byte(`{"`+name+`":"DE1"}`))
		for _, r := range []Resource{Clients(nil, nil), Performers(nil, nil)} {
			if got := refusals(knownOf(t, r, apidoc.Create).unknownAttributes(record)); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	}
}

// contract 2.33, 2.39
func TestUnknownAttributesAreLimited(t *testing.T) {
	many := strings.Repeat(`{"a":1},`, 5000)
	record, err := body.Decode("application/json", []byte(`{"items":[`+many+`{}]}`))
	if got := knownOf(t, Invoices(nil, nil, nil), apidoc.Create).unknownAttributes(record); err != nil || len(got) != fault.MaxFields {
		t.Errorf("%d fields are named, %v; want %d", len(got), err, fault.MaxFields)
	}
}

// writable are the resources that can be written.
var writable = map[string]Resource{
	"client": Clients(nil, nil), "contact": Contacts(nil, nil), "deal": Deals(nil, nil, nil), "invoice": Invoices(nil, nil, nil),
	"invoice-items": InvoiceItems(nil, nil), "offer": Offers(nil, nil), "contract": Contracts(nil, nil), "performer": Performers(nil, nil),
	"status": Statuses(nil, nil), "deal-type": DealTypes(nil, nil), "invoice-type": InvoiceTypes(nil, nil), "rule": Rules(nil, nil, nil),
}

// contract 2.33, 4.58: what was read can be sent back.
func TestEveryAttributeOfAResponseIsKnownInABody(t *testing.T) {
	for name, r := range writable {
		for _, route := range r {
			if route.verb != apidoc.Create && route.verb != apidoc.Update {
				continue
			}
			record := recordOf(route.describe().Table.Attributes)
			if len(record.Fields) == 0 {
				t.Errorf("%s has no attributes", name)
			}
			if got := refusals(route.knows().unknownAttributes(record)); got != "" {
				t.Errorf("%s %s: %s", route.method, name, got)
			}
		}
	}
}

// contract 4.195
func TestFieldsHaveTheReferencesOfABody(t *testing.T) {
	for name, r := range writable {
		for _, route := range r {
			for _, written := range route.knows().attributes.written {
				if !strings.HasSuffix(written, "_id") {
					continue
				}
				if _, err := query.Select(route.describe().Table, query.Parameters{Fields: domain.Some(written)}); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
}

func recordOf(attributes []readmodel.Attribute) body.Value {
	record := body.Value{Kind: body.Record, Fields: map[string]body.Value{}}
	for _, a := range attributes {
		switch a.Kind {
		case readmodel.Object:
			record.Fields[a.Name] = recordOf(a.Of)
		case readmodel.List:
			record.Fields[a.Name] = body.Value{Kind: body.List, Items: []body.Value{recordOf(a.Of)}}
		default:
			record.Fields[a.Name] = body.Value{Kind: body.String, Text: "1"}
		}
	}
	return record
}

// contract 3.28, 3.37, 5.12
func TestUnknownParametersAreNamedWithWhatWasMeant(t *testing.T) {
	invoices, statuses := Invoices(nil, nil, nil), Statuses(nil, nil)
	for _, c := range []struct {
		resource Resource
		verb     apidoc.Verb
		query    string
		want     string
	}{
		{invoices, apidoc.List, "number=1&status_id=2&fields=id&sort=id&page=1&per_page=5&_format=xml&_debug=1&auth_key=k&access-token=k&cursor=", ""},
		{statuses, apidoc.Read, "kt_1a2b3c4d5e6f_c2VjcmV0", "REDACTED is unknown: the parameters are fields, expand"},
		{invoices, apidoc.List, "clinet_id=5", "clinet_id is unknown; did you mean client_id?"},
		{invoices, apidoc.List, "per-page=5&nuber=1", "nuber is unknown; did you mean number?; per-page is unknown; did you mean per_page?"},
		{invoices, apidoc.List, "paid=1", "paid is not a filter; use status_id"},
		{invoices, apidoc.List, "date=2024-01-01", "date is not a filter; use date_from and date_to"},
		{invoices, apidoc.List, "type=1", "type is not a filter; use type_id"},
		{invoices, apidoc.List, "notice=x", "notice is not a filter; the filters are number, company, client_id, deal_id, user_id, type_id, year, month, paid_year, paid_month, status_id, id, updated_since, ref, credits, due, due_from, due_before, overdue, date_from, date_to, paid_from, paid_to"},
		{statuses, apidoc.List, "name=x", "name is not a filter; this list has none"},
		{statuses, apidoc.List, "limit=2", "limit is unknown: the parameters are fields, expand, sort, page, per_page, cursor, all"},
		{invoices, apidoc.List, "status_id=1&status_id=1", "status_id is given more than once: write it once, and several ids separated by commas"},
		{invoices, apidoc.List, "page=1&page=2&sort=id&sort=id&_format=xml&_format=json", ""},
		{invoices, apidoc.List, "type_id[]=2", "type_id[] is unknown: write type_id=, without brackets"},
		{invoices, apidoc.List, "filter[number]=2", "filter[number] is unknown: write number=, without brackets"},
		{invoices, apidoc.List, "number[0]=2", "number[0] is unknown: write number=, without brackets"},
		{invoices, apidoc.Read, "page=1", "page is unknown: the parameters are fields, expand"},
		{invoices, apidoc.Read, "expand=items&fields=id", ""},
		{invoices, apidoc.Create, "dryrun=1", "dryrun is unknown; did you mean dry_run?"},
		{invoices, apidoc.Update, "dry_run=1&expand=items", ""},
		{invoices, apidoc.Delete, "dry-run=1", "dry-run is unknown; did you mean dry_run?"},
		{Clients(nil, nil), apidoc.Read, "count_deals=1", ""},
		{Clients(nil, nil), apidoc.List, "user=1", "user is not a filter; use user_id"},
	} {
		query, err := url.ParseQuery(c.query)
		if got := refusals(knownOf(t, c.resource, c.verb).unknown(query)); err != nil || got != c.want {
			t.Errorf("%s: got %q, %v; want %q", c.query, got, err, c.want)
		}
	}
}

// refusing is a resource whose creation is a conflict unless the body has unknown attributes.
func refusing(dryRun *bool) Resource {
	return endpoint[readmodel.NoFilter]{
		path: "status", table: readmodel.Statuses, format: jsonFormat, filter: unfiltered, record: "Status", docs: &statusDocs,
		body: []apidoc.Field{apidoc.RequiredText("name", shortText)},
	}.writing(writes{create: func(_ context.Context, in *input) (int64, error) {
		*dryRun = in.request.DryRun
		if err := fault.ForFields(fault.Invalid, in.request.Wrong...); err != nil {
			return 0, err
		}
		return 0, fault.New(fault.Conflict, "stored")
	}})
}

// contract 2.33, 3.28, 3.38, 4.104, 1.19
func TestUnknownNamesAreRefusedOrIgnoredWithAWarning(t *testing.T) {
	for _, c := range []struct {
		lenient     bool
		query, body string
		want        int
		dryRun      bool
	}{
		{false, "", `{"nane":"x"}`, http.StatusUnprocessableEntity, false},
		{false, "?dryrun=1", `{"name":"x"}`, http.StatusBadRequest, false},
		{false, "?dry_run=yes", `{"name":"x"}`, http.StatusBadRequest, false},
		{false, "?dry_run=1", `{"name":"x"}`, http.StatusConflict, true},
		{false, "?dry_run=0", `{"name":"x"}`, http.StatusConflict, false},
		{true, "?bogus=1", `{"nane":"x"}`, http.StatusConflict, false},
	} {
		var dryRun bool
		r := httptest.NewRequest(http.MethodPost, "/rest/status"+c.query, strings.NewReader(c.body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Access-Token", "good")
		w, log := doWith(refusing(&dryRun), r, func(config *Config) { config.Lenient = c.lenient })
		if w.Code != c.want || dryRun != c.dryRun {
			t.Errorf("%s %s: got %d, dry run %v; want %d, %v", c.query, c.body, w.Code, dryRun, c.want, c.dryRun)
		}
		warnings, event := w.Header().Values("Kontor-Warning"), logEvent(t, log)
		if !c.lenient && (warnings != nil || event["ignored"] != nil) {
			t.Errorf("%s %s: the warnings are %q, the log has %v", c.query, c.body, warnings, event["ignored"])
		}
		if c.lenient && (!slices.Equal(warnings, []string{"*ignored"}) || event["ignored"] != "bogus,nane") {
			t.Errorf("%s %s: the warnings are %q, the log has %v", c.query, c.body, warnings, event["ignored"])
		}
	}
}
