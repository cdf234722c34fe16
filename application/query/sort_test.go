package query_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

func up(name string) readmodel.Order   { return readmodel.Order{Attribute: name} }
func down(name string) readmodel.Order { return readmodel.Order{Attribute: name, Descending: true} }

func TestSortIsATotalOrder(t *testing.T) {
	for name, c := range map[string]struct {
		sort string
		want []readmodel.Order
	}{
		"the default":                {"", []readmodel.Order{down("born"), down("id")}},
		"contract 4.11, commas only": {" , ,", []readmodel.Order{down("born"), down("id")}},
		"contract 4.13, the id ascends like the last key":        {"name", []readmodel.Order{up("name"), up("id")}},
		"contract 4.13, the id descends like the last key":       {"-name", []readmodel.Order{down("name"), down("id")}},
		"contract 4.13, the id follows the last of several keys": {"-name, size", []readmodel.Order{down("name"), up("size"), up("id")}},
		"contract 4.15, newest first":                            {"born", []readmodel.Order{down("born"), down("id")}},
		"contract 4.15, oldest first":                            {"-born", []readmodel.Order{up("born"), up("id")}},
		"contract 4.15, newest first as the second key":          {"name,born", []readmodel.Order{up("name"), down("born"), down("id")}},
		"the id itself":                               {"-id", []readmodel.Order{down("id")}},
		"keys after the id are ignored":               {"name,id,-size", []readmodel.Order{up("name"), up("id")}},
		"a repeated key sets the direction of the id": {"name,size,-name", []readmodel.Order{up("name"), up("size"), down("id")}},
		"an attribute with an expanded form":          {"owner", []readmodel.Order{up("owner"), up("id")}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := query.SortBy(things, c.sort)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// contract 3.7, 4.11, 4.15
func TestUnknownSortsAreMalformed(t *testing.T) {
	for _, sort := range []string{"colour", "-", "--name", "NAME", "name,colour", "id,colour", "owner.name", "parts", "owner_id", "note", "tally", "+name"} {
		_, err := query.SortBy(things, sort)
		malformed(t, "sort="+sort, err, "id, name, size, owner, born")
	}
}

// contract 4.15
func TestListsSortOnlyByTextsThatRecordsAreLookedUpBy(t *testing.T) {
	lookedUp := map[string]string{
		"user": "name username fname lname email", "status": "name", "deal type": "name", "invoice type": "title",
		"client": "name email phone", "contact": "name phone mobile email", "performer": "name company_name phone email",
		"deal": "name", "offer": "number", "contract": "number", "invoice": "number", "invoice item": "name",
	}
	for _, r := range []*readmodel.Resource{
		readmodel.Users, readmodel.Statuses, readmodel.DealTypes, readmodel.InvoiceTypes, readmodel.Performers, readmodel.Clients,
		readmodel.Contacts, readmodel.Deals, readmodel.Offers, readmodel.Contracts, readmodel.Invoices, readmodel.InvoiceItems, readmodel.Payments,
	} {
		for _, a := range r.Attributes {
			if a.Kind != readmodel.Text {
				continue
			}
			_, err := query.SortBy(r, a.Name)
			if sorts := slices.Contains(strings.Fields(lookedUp[r.Name]), a.Name); sorts != (err == nil) {
				t.Errorf("%s by %s: got error %v", r.Name, a.Name, err)
			}
		}
	}
}

// malformed checks that the error lists the allowed names.
func malformed(t *testing.T, parameter string, err error, allowed string) {
	t.Helper()
	f := fault.As(err)
	if f == nil || f.Kind != fault.Malformed {
		t.Errorf("%s: got error %v, want one of kind %s", parameter, err, fault.Malformed)
		return
	}
	if want := "is not one of: " + allowed; !strings.HasSuffix(f.Message, want) {
		t.Errorf("%s: got message %q, want it to end with %q", parameter, f.Message, want)
	}
}
