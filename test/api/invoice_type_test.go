package api_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

// contract 6.20 to 6.23, 4.20
func TestTheLabelOfAnInvoiceTypeIsWrittenUnderEitherName(t *testing.T) {
	s := start(t)
	admin := s.as("admin")
	for i, body := range []fields{{"title": "Proforma"}, {"name": "final"}, {"title": "Credit ", "name": "Credit"}} {
		if got := admin.post("/rest/invoice-type", body).id(); got != string(rune('1'+i)) {
			t.Errorf("%v has the id %s", body, got)
		}
	}
	list := s.as("viewer").with("Accept", "").get("/rest/invoice-type").wants(200).body
	if want := `{"response":{"items":[{"id":3,"title":"Credit"},{"id":2,"title":"final"},{"id":1,"title":"Proforma"}]}}`; list != want {
		t.Errorf("got %s", list)
	}
	if got := admin.get("/rest/invoice-type?sort=-title&fields=title").column("title"); !cmp.Equal(got, []string{"Proforma", "final", "Credit"}) {
		t.Errorf("by title, downwards: %v", got)
	}
	for _, body := range []fields{{"name": "Final"}, {"title": "Final"}, {"title": "Final", "name": " Final"}} {
		if got := admin.put("/rest/invoice-type/2", body).wants(200).body; got != `{"response":{"id":2,"title":"Final"}}` {
			t.Errorf("%v: got %s", body, got)
		}
	}
	admin.get("/rest/invoice-type?sort=name").refused(400)
}

// contract 6.21, 6.23, 4.57, 4.70
func TestAnInvoiceTypeWithoutOneLabelIsRefused(t *testing.T) {
	s := start(t)
	admin := s.as("admin")
	admin.post("/rest/invoice-type", fields{"title": "Final"}).wants(200)
	for _, c := range []struct {
		body fields
		want []string
	}{
		{fields{"title": "a", "name": "b"}, []string{"name"}},
		{fields{"title": "", "name": "b"}, []string{"name", "title"}},
		{fields{"title": "Final", "name": nil}, []string{"name"}},
		{fields{"title": strings.Repeat("x", 256)}, []string{"title"}},
		{fields{"name": ""}, []string{"title"}},
		{fields{"title": []string{"x"}}, []string{"title"}},
	} {
		for _, r := range []*reply{admin.post("/rest/invoice-type", c.body), admin.put("/rest/invoice-type/1", c.body)} {
			if got := r.blames(); !cmp.Equal(got, c.want) {
				t.Errorf("%s with %v blames %v, want %v", r.what, c.body, got, c.want)
			}
		}
	}
	if got := admin.post("/rest/invoice-type", fields{}).blames(); !cmp.Equal(got, []string{"title"}) {
		t.Errorf("nothing sent blames %v", got)
	}
	if got := admin.get("/rest/invoice-type").column("title"); !cmp.Equal(got, []string{"Final"}) {
		t.Errorf("the types are %v", got)
	}
}

// contract 5.4, 5.13 to 5.15
func TestTypesAreOpenToReadersAndClosedToAllWritersButAdmins(t *testing.T) {
	s := start(t, func(c *bootstrap.Config) { c.PublicLists = true })
	for _, path := range []string{"/rest/deal-type", "/rest/invoice-type"} {
		s.as("admin").post(path, fields{"name": "x"}).wants(200)
		s.nobody().get(path).wants(200)
		s.nobody().get(path + "/1").wants(200)
		s.nobody().post(path, fields{"name": "x"}).refused(401)
		for _, role := range []string{"manager", "viewer"} {
			s.as(role).post(path, fields{"name": "x"}).refused(403)
			s.as(role).patch(path+"/1", fields{"name": "y"}).refused(403)
			s.as(role).delete(path + "/1").refused(403)
		}
		s.as("admin").delete(path + "/1").wants(200)
	}
	s.nobody().get("/rest/performer").refused(401)
}

// contract 6.24, 6.46
func TestWhatAnInvoiceHasStays(t *testing.T) {
	s := startBilling(t)
	s.as("manager").post("/rest/invoice", bill(nil)).wants(200)
	admin := s.as("admin")
	for _, list := range []string{"/rest/invoice-type", "/rest/performer"} {
		if p := admin.delete(list + "/1").refused(409); !strings.Contains(p.Detail, "invoices") {
			t.Errorf("the refusal does not say why: %s", p.Detail)
		}
		admin.get(list + "/1").wants(200)
		admin.delete(list + "/2").wants(200)
	}
	admin.delete("/rest/invoice/1").wants(200)
	for _, list := range []string{"/rest/invoice-type", "/rest/performer"} {
		admin.delete(list + "/1").wants(200)
	}
}
