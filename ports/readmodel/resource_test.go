package readmodel_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

func TestPathsIncludePartsOfObjectsButNotOfLists(t *testing.T) {
	person := []readmodel.Attribute{{Name: "id", Kind: readmodel.ID}, {Name: "name", Kind: readmodel.Text}}
	table := readmodel.Resource{Attributes: []readmodel.Attribute{
		{Name: "id", Kind: readmodel.ID},
		{Name: "owner", Kind: readmodel.ID, Until: "owner"},
		{Name: "owner", Kind: readmodel.Object, With: "owner", Of: person},
		{Name: "parts", Kind: readmodel.List, With: "parts", Of: person},
		{Name: "tally", Kind: readmodel.Integer, OnRequest: true},
	}}
	want := []string{"id", "owner", "owner.id", "owner.name", "parts", "tally"}
	if diff := cmp.Diff(want, table.Paths()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
