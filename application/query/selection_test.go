package query_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// things is a table with every kind of attribute and expansion.
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
		{Name: "maker", Kind: readmodel.Object, With: "maker", Of: person, IDName: "company_id"},
		{Name: "parts", Kind: readmodel.List, With: "parts", Of: []readmodel.Attribute{
			{Name: "id", Kind: readmodel.ID},
			{Name: "count", Kind: readmodel.Quantity},
		}},
		{Name: "tally", Kind: readmodel.Integer, OnRequest: true},
	},
}

var person = []readmodel.Attribute{
	{Name: "id", Kind: readmodel.ID},
	{Name: "name", Kind: readmodel.Text},
	{Name: "mail", Kind: readmodel.Text},
}

// outline formats a selection: an object with its parts in parentheses, a list with
// its parts in brackets, a plain attribute with a path other than its name as name=path.
func outline(s *readmodel.Selection) string {
	return strings.Join(outlines(s, s.Nodes, ""), " ")
}

func outlines(s *readmodel.Selection, nodes []readmodel.Node, prefix string) (names []string) {
	for _, n := range nodes {
		switch n.Kind {
		case readmodel.Object:
			names = append(names, n.Name+"("+strings.Join(outlines(s, n.Of, prefix+n.Name+"."), " ")+")")
		case readmodel.List:
			names = append(names, n.Name+"["+outline(n.Inner)+"]")
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

// parameters are those of a request for a list; "-" is an absent one.
func parameters(fields, expand string, counts ...string) query.Parameters {
	optionally := func(s string) domain.Optional[string] {
		if s == "-" {
			return domain.Optional[string]{}
		}
		return domain.Some(s)
	}
	return query.Parameters{Fields: optionally(fields), Expand: optionally(expand), Counts: counts}
}

func TestSelectionFollowsFieldsAndExpand(t *testing.T) {
	const plain = "id name size owner note born kind(id)"
	for name, c := range map[string]struct {
		params query.Parameters
		want   string
	}{
		"without parameters":                                 {parameters("-", "-"), plain + " maker(id name mail)"},
		"contract 4.5, empty fields count as absent":         {parameters(" , ", "-"), plain + " maker(id name mail)"},
		"contract 4.28, an empty expand expands nothing":     {parameters("-", ""), plain},
		"contract 10.26, expand replaces the default":        {parameters("-", "parts"), plain + " parts[id count]"},
		"contract 4.10, an expanded object adds its id":      {parameters("-", "owner"), "id name size owner_id owner(id name mail) note born kind(id)"},
		"contract 4.9, fields may omit the id":               {parameters("name", "-"), "name"},
		"contract 2.11, the order is that of the table":      {parameters("born, name,id", "-"), "id name born"},
		"a repeated name counts once":                        {parameters("name,name", "-"), "name"},
		"an object without an expansion":                     {parameters("kind", "-"), "kind(id)"},
		"contract 4.9, expand adds to fields":                {parameters("name", "owner"), "name owner(id name mail)"},
		"contract 4.9, fields expand":                        {parameters("name,parts", "-"), "name parts[id count]"},
		"an empty expand with fields":                        {parameters("maker,name", ""), "name maker(id name mail)"},
		"contract 4.8, parts of an object":                   {parameters("name,owner.mail", "owner"), "name owner(mail)"},
		"contract 4.8, parts in the order of the table":      {parameters("owner.mail,owner.name", "owner"), "owner(name mail)"},
		"contract 4.9, a part expands its object":            {parameters("owner.mail", "-"), "owner(mail)"},
		"contract 4.8, parts of a list":                      {parameters("parts.count", "-"), "parts[count]"},
		"an object and one of its parts":                     {parameters("owner.mail,owner", "owner"), "owner(id name mail)"},
		"contract 4.10, the id without the object":           {parameters("owner_id", "-"), "owner_id"},
		"contract 4.195, the id by the name of bodies":       {parameters("company_id", "-"), "maker(id)"},
		"the plain form without the expansion":               {parameters("owner", "-"), "owner"},
		"the object with the expansion":                      {parameters("owner", "owner"), "owner(id name mail)"},
		"contract 9.26, an attribute on request":             {parameters("-", "", "tally"), plain + " tally"},
		"contract 9.26, an attribute on request alone":       {parameters("-", "-", "tally"), plain + " maker(id name mail) tally"},
		"contract 9.26, an attribute on request with fields": {parameters("name", "-", "tally"), "name tally"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := query.Select(things, c.params)
			if err != nil {
				t.Fatal(err)
			}
			if got := outline(s); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// contract 9.16
func TestFieldsOfOneTypeAreAllowedForRecordsOnly(t *testing.T) {
	params := parameters("note", "-")
	_, err := query.Select(things, params)
	malformed(t, "a list with fields=note", err,
		"id, name, size, owner, owner_id, born, kind, maker, parts; only the response with a single record has it")
	params.Record = true
	s, err := query.Select(things, params)
	if err != nil {
		t.Fatal(err)
	}
	if got := outline(s); got != "note" || !s.Nodes[0].Named {
		t.Errorf("got %s, named: %v; want note, named", got, s.Nodes[0].Named)
	}
	params.Fields = domain.Some("colour")
	_, err = query.Select(things, params)
	malformed(t, "a record with fields=colour", err, "id, name, size, owner, owner_id, note, born, kind, maker, parts")
}

// contract 3.7, 4.5, 4.28
func TestUnknownFieldsAndExpansionsAreMalformed(t *testing.T) {
	const fields, expansions = "id, name, size, owner, owner_id, born, kind, maker, parts", "owner, parts, maker"
	for _, name := range []string{"colour", "version", "NAME", "name.x", "name.", ".name", "*", "tally"} {
		_, err := query.Select(things, parameters("id,"+name, "-"))
		malformed(t, "fields="+name, err, fields)
	}
	for name, allowed := range map[string]string{
		"owner.colour": "owner.id, owner.name, owner.mail", "owner.name.x": "owner.id, owner.name, owner.mail", "parts.name": "parts.id, parts.count",
	} {
		_, err := query.Select(things, parameters("id,"+name, "-"))
		malformed(t, "fields="+name, err, allowed)
	}
	for _, name := range []string{"colour", "kind", "name", "OWNER", "owner.name", "owner,colour"} {
		_, err := query.Select(things, parameters("-", name))
		malformed(t, "expand="+name, err, expansions)
	}
}

func TestSelectionHasEachPathOnce(t *testing.T) {
	s, err := query.Select(things, parameters("-", "owner,parts"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"version", "size", "id", "name", "owner_id", "owner.id", "owner.name", "owner.mail", "note", "born", "kind.id", "parts",
	}
	if diff := cmp.Diff(want, s.Paths); diff != "" {
		t.Errorf("paths: -want +got\n%s", diff)
	}
	if s.Paths[s.Version] != "version" || s.Paths[s.Type] != "size" {
		t.Errorf("the version is read from %s and the type from %s", s.Paths[s.Version], s.Paths[s.Type])
	}
	inner, ok := s.Lists[len(want)-1]
	if !ok || len(s.Lists) != 1 || !cmp.Equal(inner.Paths, []string{"id", "count"}) {
		t.Errorf("the lists are %v, want parts with id and count", s.Lists)
	}
}

// An object is null if its id is null, so the id is fetched even if it is not selected.
func TestSelectionOfAnObjectHasItsID(t *testing.T) {
	s, err := query.Select(things, parameters("owner.mail", "-"))
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Paths[s.Nodes[0].Column]; got != "owner.id" {
		t.Errorf("the column of owner is %s, want owner.id", got)
	}
}

// contract 2.52
func TestFlatSelectionHasNoListsOfRecords(t *testing.T) {
	flat := func(fields, expand string) (*readmodel.Selection, error) {
		p := query.Parameters{Expand: domain.Some(expand), Flat: true}
		if fields != "" {
			p.Fields = domain.Some(fields)
		}
		return query.Select(things, p)
	}
	s, err := flat("", "parts")
	if err != nil {
		t.Fatal(err)
	}
	whole, err := query.Select(things, query.Parameters{Expand: domain.Some("parts")})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := outline(s), strings.Replace(outline(whole), " parts[id count]", "", 1); got != want || got == outline(whole) {
		t.Errorf("got %s, want %s", got, want)
	}
	if s, err = flat("id,parts", "parts"); err != nil || outline(s) != "id" {
		t.Errorf("with fields: %v", err)
	}
	if _, err = flat("parts", "parts"); err == nil || !strings.Contains(err.Error(), "only names lists of records") {
		t.Errorf("only lists: %v", err)
	}
}
