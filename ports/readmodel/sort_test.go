package readmodel_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

func up(name string) readmodel.Order   { return readmodel.Order{Attribute: name} }
func down(name string) readmodel.Order { return readmodel.Order{Attribute: name, Descending: true} }

func TestAnOrderIsTotal(t *testing.T) {
	for name, c := range map[string]struct {
		sort string
		want []readmodel.Order
	}{
		"the default":                                       {"", []readmodel.Order{down("born"), down("id")}},
		"contract 4.11, nothing but commas":                 {" , ,", []readmodel.Order{down("born"), down("id")}},
		"contract 4.13, ids ascend with what ascends":       {"name", []readmodel.Order{up("name"), up("id")}},
		"contract 4.13, ids descend with what descends":     {"-name", []readmodel.Order{down("name"), down("id")}},
		"contract 4.13, the last name decides":              {"-name, size", []readmodel.Order{down("name"), up("size"), up("id")}},
		"contract 4.16, newest first":                       {"born", []readmodel.Order{down("born"), down("id")}},
		"contract 4.16, oldest first":                       {"-born", []readmodel.Order{up("born"), up("id")}},
		"contract 4.16, newest first after something else":  {"name,born", []readmodel.Order{up("name"), down("born"), down("id")}},
		"the id itself":                                     {"-id", []readmodel.Order{down("id")}},
		"what stands behind the id decides nothing":         {"name,id,-size", []readmodel.Order{up("name"), up("id")}},
		"what comes again decides the direction of the ids": {"name,size,-name", []readmodel.Order{up("name"), up("size"), down("id")}},
		"an attribute that is shown in two forms":           {"owner", []readmodel.Order{up("owner"), up("id")}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := things.SortBy(c.sort)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// contract 3.7, 4.12, 4.15
func TestWhatCannotBeSortedByIsRefusedWithWhatCan(t *testing.T) {
	for _, sort := range []string{"colour", "-", "--name", "NAME", "name,colour", "id,colour", "owner.name", "parts", "owner_id", "note", "tally", "+name"} {
		_, err := things.SortBy(sort)
		malformed(t, "sort="+sort, err, "id, name, size, owner, born")
	}
}

// malformed checks for a refusal that lists what is allowed.
func malformed(t *testing.T, what string, err error, allowed string) {
	t.Helper()
	f := fault.As(err)
	if f == nil || f.Kind != fault.Malformed {
		t.Errorf("%s ended with %v, want a refusal: %s", what, err, fault.Malformed)
		return
	}
	if want := "is not one of: " + allowed; len(f.Message) < len(want) || f.Message[len(f.Message)-len(want):] != want {
		t.Errorf("%s is answered with %q, want it to end with %q", what, f.Message, want)
	}
}
