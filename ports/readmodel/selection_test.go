package readmodel_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// things is a table with everything that a table can have.
var things = &readmodel.Resource{
	Name:             "thing",
	Expansions:       []string{"owner", "parts", "maker"},
	DefaultExpansion: []string{"maker"},
	DefaultSort:      "born",
	Discriminator:    "size",
	Attributes: []readmodel.Attribute{
		{Name: "id", Kind: readmodel.ID, Sort: readmodel.Ascending},
		{Name: "name", Kind: readmodel.Text, Sort: readmodel.Ascending},
		{Name: "size", Kind: readmodel.Integer, Sort: readmodel.Ascending},
		{Name: "owner", Kind: readmodel.ID, Sort: readmodel.Ascending, Until: "owner"},
		{Name: "owner_id", Kind: readmodel.ID, With: "owner"},
		{Name: "owner", Kind: readmodel.Object, With: "owner", Of: person},
		{Name: "note", Kind: readmodel.Text, Only: "1"},
		{Name: "born", Kind: readmodel.Time, Sort: readmodel.NewestFirst},
		{Name: "kind", Kind: readmodel.Object, Of: []readmodel.Attribute{{Name: "id", Kind: readmodel.ID}}},
		{Name: "maker", Kind: readmodel.Object, With: "maker", Of: person},
		{Name: "parts", Kind: readmodel.List, With: "parts", Of: []readmodel.Attribute{
			{Name: "id", Kind: readmodel.ID},
			{Name: "count", Kind: readmodel.Quantity},
		}},
		{Name: "tally", Kind: readmodel.Integer, Asked: true},
	},
}

var person = []readmodel.Attribute{
	{Name: "id", Kind: readmodel.ID},
	{Name: "name", Kind: readmodel.Text},
	{Name: "mail", Kind: readmodel.Text},
}

// shape writes what is shown as text: an object with its parts in brackets, a
// plain attribute with a path other than its name as name=path.
func shape(s *readmodel.Selection) string {
	return strings.Join(shown(s, s.Nodes, ""), " ")
}

func shown(s *readmodel.Selection, nodes []readmodel.Node, prefix string) (names []string) {
	for _, n := range nodes {
		switch n.Kind {
		case readmodel.Object:
			names = append(names, n.Name+"("+strings.Join(shown(s, n.Of, prefix+n.Name+"."), " ")+")")
		case readmodel.List:
			names = append(names, n.Name+"["+shape(n.Inner)+"]")
		default:
			name := n.Name
			if path := s.Paths[n.Column]; path != prefix+name {
				name += "=" + path
			}
			names = append(names, name)
		}
	}
	return names
}

// asking is what the parameters say; "-" is one that is absent.
func asking(fields, expand string, counts ...string) readmodel.Asking {
	parameter := func(s string) optional.Of[string] {
		if s == "-" {
			return optional.Of[string]{}
		}
		return optional.Some(s)
	}
	return readmodel.Asking{Fields: parameter(fields), Expand: parameter(expand), Counts: counts}
}

func TestTheShapeOfAnAnswer(t *testing.T) {
	const plain = "id name size owner note born kind(id)"
	for name, c := range map[string]struct {
		ask  readmodel.Asking
		want string
	}{
		"without parameters":                                {asking("-", "-"), plain + " maker(id name mail)"},
		"contract 4.5, empty fields are no fields":          {asking(" , ", "-"), plain + " maker(id name mail)"},
		"contract 4.29, an empty expand expands nothing":    {asking("-", ""), plain},
		"contract 10.26, expand takes the default's place":  {asking("-", "parts"), plain + " parts[id count]"},
		"contract 4.10, the id comes along with the object": {asking("-", "owner"), "id name size owner_id owner(id name mail) note born kind(id)"},
		"contract 4.7, the id is left out":                  {asking("name", "-"), "name"},
		"contract 2.11, in the table's order":               {asking("born, name,id", "-"), "id name born"},
		"named twice, shown once":                           {asking("name,name", "-"), "name"},
		"an object that is always there":                    {asking("kind", "-"), "kind(id)"},
		"contract 4.9, what expand names comes beside":      {asking("name", "owner"), "name owner(id name mail)"},
		"contract 4.9, and what fields names":               {asking("name,parts", "-"), "name parts[id count]"},
		"an empty expand beside fields":                     {asking("maker,name", ""), "name maker(id name mail)"},
		"contract 4.8, parts of an object":                  {asking("name,owner.mail", "owner"), "name owner(mail)"},
		"contract 4.8, in the table's order":                {asking("owner.mail,owner.name", "owner"), "owner(name mail)"},
		"contract 4.9, a part asks for its object":          {asking("owner.mail", "-"), "owner(mail)"},
		"contract 4.8, parts of a list":                     {asking("parts.count", "-"), "parts[count]"},
		"the object and a part of it":                       {asking("owner.mail,owner", "owner"), "owner(id name mail)"},
		"contract 4.10, the id without the object":          {asking("owner_id", "-"), "owner_id"},
		"the plain form without the expansion":              {asking("owner", "-"), "owner"},
		"the object with it":                                {asking("owner", "owner"), "owner(id name mail)"},
		"contract 9.26, what a parameter asks for":          {asking("-", "", "tally"), plain + " tally"},
		"contract 9.31, beside fields too":                  {asking("name", "-", "tally"), "name tally"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := things.Select(c.ask)
			if err != nil {
				t.Fatal(err)
			}
			if got := shape(s); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// contract 9.16, 9.17
func TestWhatOneTypeHasCanBeNamedForARecordOnly(t *testing.T) {
	ask := asking("note", "-")
	_, err := things.Select(ask)
	malformed(t, "a list with fields=note", err, "id, name, size, owner, owner_id, born, kind, maker, parts")
	ask.Record = true
	s, err := things.Select(ask)
	if err != nil {
		t.Fatal(err)
	}
	if got := shape(s); got != "note" || !s.Nodes[0].Named {
		t.Errorf("got %s, named: %v; want note, named", got, s.Nodes[0].Named)
	}
	ask.Fields = optional.Some("colour")
	_, err = things.Select(ask)
	malformed(t, "a record with fields=colour", err, "id, name, size, owner, owner_id, note, born, kind, maker, parts")
}

// contract 3.7, 4.6, 4.28
func TestWhatATableLacksIsRefusedWithWhatItHas(t *testing.T) {
	const fields, expansions = "id, name, size, owner, owner_id, born, kind, maker, parts", "owner, parts, maker"
	for _, name := range []string{"colour", "version", "NAME", "name.x", "name.", "owner.colour", "owner.name.x", "parts.name", ".name", "*", "tally"} {
		_, err := things.Select(asking("id,"+name, "-"))
		malformed(t, "fields="+name, err, fields)
	}
	for _, name := range []string{"colour", "kind", "name", "OWNER", "owner.name", "owner,colour"} {
		_, err := things.Select(asking("-", name))
		malformed(t, "expand="+name, err, expansions)
	}
}

func TestACellIsFetchedOnceHoweverOftenItIsShown(t *testing.T) {
	s, err := things.Select(asking("-", "owner,parts"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"version", "size", "id", "name", "owner_id", "owner.id", "owner.name", "owner.mail", "note", "born", "kind.id", "parts",
	}
	if diff := cmp.Diff(want, s.Paths); diff != "" {
		t.Errorf("the paths: -want +got\n%s", diff)
	}
	if s.Paths[s.Version] != "version" || s.Paths[s.Type] != "size" {
		t.Errorf("the version is read from %s and the type from %s", s.Paths[s.Version], s.Paths[s.Type])
	}
	inner, ok := s.Lists[len(want)-1]
	if !ok || len(s.Lists) != 1 || !cmp.Equal(inner.Paths, []string{"id", "count"}) {
		t.Errorf("the lists are %v, want parts with id and count", s.Lists)
	}
}

// An object is null where its id is, so that is fetched even if it is not shown.
func TestTheIDOfAnObjectIsFetchedForItself(t *testing.T) {
	s, err := things.Select(asking("owner.mail", "-"))
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Paths[s.Nodes[0].Column]; got != "owner.id" {
		t.Errorf("whether there is an owner is read from %s, want owner.id", got)
	}
}

func TestATableKnowsAllItsPaths(t *testing.T) {
	want := []string{
		"id", "name", "size", "owner", "owner_id", "owner.id", "owner.name", "owner.mail", "note", "born", "kind.id",
		"maker.id", "maker.name", "maker.mail", "parts", "tally",
	}
	if diff := cmp.Diff(want, things.Paths()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
