// Package readmodel contains the ports for reads: the attributes of each resource, its
// filters, and the Reader of its records.
//
// Chose: one table of attributes for each resource, a Resource, with the kind, the
// sorting and the expansion of each; the reader has the SQL of an attribute under the
// same path. Because: fields, sort, expand, the select list, JSON, XML and the OpenAPI
// document must agree, and a port is independent of SQL. Costs: the column of an attribute
// follows from its name, unless the reader says otherwise.
//
// Chose: readers return cells, which are texts in the format of their kind. Because: the
// text from the database is written to a JSON or XML response without being parsed and
// formatted. Costs: cells have no Go type, only a Kind.
package readmodel

import "slices"

// Kind is the type of an attribute and decides the format of its cells. The zero value
// is invalid.
type Kind uint8

// The kinds.
const (
	ID       Kind = iota + 1 // positive integer
	Integer                  // integer
	Text                     // any text; a missing one is null
	Texts                    // list of texts without commas, comma-separated
	Bool                     // begins with t or f
	Money                    // decimal with four fraction digits
	Percent                  // decimal with two fraction digits
	Quantity                 // decimal, possibly with trailing zeros
	Decimal                  // decimal with any number of fraction digits
	Time                     // YYYY-MM-DD hh:mm:ss, possibly with a fraction
	Day                      // YYYY-MM-DD
	Object                   // nested record
	List                     // list of nested records
)

// Ordering is how a list can be sorted by an attribute.
type Ordering uint8

// The orderings.
const (
	Unsorted    Ordering = iota // not allowed in sort
	Ascending                   // smallest first, with a minus largest first
	NewestFirst                 // latest first, with a minus earliest first
)

// Attribute is one attribute of a resource.
type Attribute struct {
	Name string
	Kind Kind
	Sort Ordering
	// With is the expansion that adds the attribute; "" if it is always included.
	With string
	// Until is the expansion that replaces the attribute; "" if there is none.
	Until string
	// Only is the value of the resource's Discriminator for which a record has the
	// attribute; "" means that all records have it.
	Only string
	// IsWhole means that an object is stored in one column, and never null, although all its parts may be.
	IsWhole bool
	// OnRequest means that the attribute is shown only if a parameter of its name
	// requests it.
	OnRequest bool
	// Optional means that the attribute may be null.
	Optional bool
	// Of are the attributes of an Object or a List, and As is the name of their schema
	// in the OpenAPI document.
	Of []Attribute
	As string
	// Refers is the resource of the record that an ID or an Object is, as in its path; "" if that has none.
	Refers string
	// IDName is the name that bodies and filters give to the id of an Object, if the resource has no
	// attribute of that name; fields may have it too.
	IDName string
}

// Resource describes a resource: its attributes in the order of responses, and the
// defaults of its list.
type Resource struct {
	Name             string // in messages
	Absent           string // what a 404 says; else that there is no such
	Attributes       []Attribute
	Expansions       []string // allowed in expand
	DefaultExpansion []string // without expand and fields
	DefaultSort      string   // a sort parameter
	PerPage          int      // default page size
	PagedOnRequest   bool     // without page and per_page, a list has no pages
	Discriminator    string   // the attribute with the values of Attribute.Only
}

// FieldNames returns the names that fields may have, in the order of the table. For a
// single record these include the attributes that only some types have.
func (r *Resource) FieldNames(record bool) []string {
	return r.names(func(a *Attribute) bool { return a.IsField(record) })
}

// SortNames returns the names that sort may have, in the order of the table.
func (r *Resource) SortNames() []string {
	return r.names(func(a *Attribute) bool { return a.Sort != Unsorted })
}

// IsField reports whether fields may name the attribute, for a single record or for a
// list.
func (a *Attribute) IsField(record bool) bool { return !a.OnRequest && (record || a.Only == "") }

// IsNested reports whether the attribute is an Object or a List.
func (a *Attribute) IsNested() bool { return a.Kind == Object || a.Kind == List }

// names lists the names of the matching attributes, without repetition.
func (r *Resource) names(only func(*Attribute) bool) []string {
	var names []string
	seen := map[string]bool{}
	for i := range r.Attributes {
		a := &r.Attributes[i]
		if !only(a) || seen[a.Name] {
			continue
		}
		seen[a.Name] = true
		names = append(names, a.Name)
	}
	return names
}

// IsWhole reports whether the attribute is an object that is stored in one column.
func (r *Resource) IsWhole(name string) bool {
	return slices.ContainsFunc(r.Attributes, func(a Attribute) bool { return a.Name == name && a.IsWhole })
}

// Paths returns the paths of all attributes, including those inside Objects; a List has
// one path.
func (r *Resource) Paths() []string {
	var paths []string
	for i := range r.Attributes {
		paths = r.Attributes[i].paths(paths, "")
	}
	return paths
}

func (a *Attribute) paths(paths []string, prefix string) []string {
	if a.Kind != Object {
		return append(paths, prefix+a.Name)
	}
	for i := range a.Of {
		paths = a.Of[i].paths(paths, prefix+a.Name+".")
	}
	return paths
}
