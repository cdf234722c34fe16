// Package readmodel holds the contracts of the read side: the attributes of each
// resource, its filters, and the Reader that fetches records.
//
// Chose: one table for each resource, a Resource, that names every attribute with its
// kind, its sorting and its expansion; the reader has the SQL of an attribute under the
// same path. Because: fields, sort, expand, the select list, JSON, XML and the reference
// document must agree, and a port is independent of SQL. Costs: a new attribute is two
// entries, one here and one in the reader; the reader fails at startup if they differ.
//
// Chose: readers return cells, the text of a value as its kind defines it. Because: text
// from the database is written into a JSON or XML response without being parsed and
// formatted. Costs: a cell is only as typed as its Kind.
package readmodel

// Kind is the type of an attribute, and so the format of its cells. The zero value is
// invalid.
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
	Object                   // nested record
	List                     // list of nested records
)

// Ordering is the direction in which an attribute sorts a list.
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
	// With is the expansion that includes the attribute; "" if it is always included.
	With string
	// Until is the expansion that replaces the attribute.
	Until string
	// Only is the value of the resource's Discriminator for which records have the
	// attribute; "" means all records.
	Only string
	// OnRequest attributes are shown only if a parameter of their name requests them.
	OnRequest bool
	// Optional attributes may be null.
	Optional bool
	// Of holds the attributes of an Object or a List, and As is the name of their
	// schema in the reference document.
	Of []Attribute
	As string
}

// Resource is the table of one resource: its attributes in the order of the response,
// and the defaults of a list.
type Resource struct {
	Name             string // in messages
	Attributes       []Attribute
	Expansions       []string // allowed in expand
	DefaultExpansion []string // without expand and fields
	DefaultSort      string   // a sort parameter
	PerPage          int      // default page size; 0: a list has no pages
	PagedOnRequest   bool     // without page and per_page, a list has no pages
	Discriminator    string   // the attribute with the values of Attribute.Only
}

// FieldNames lists the names allowed in fields, in the order of the table: of a list, or
// of one record, which may have attributes of its type only.
func (r *Resource) FieldNames(record bool) []string {
	return r.names(func(a *Attribute) bool { return a.IsField(record) })
}

// SortNames lists the names allowed in sort, in the order of the table.
func (r *Resource) SortNames() []string {
	return r.names(func(a *Attribute) bool { return a.Sort != Unsorted })
}

// IsField reports whether fields may name the attribute, of a list or of one record.
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

// Paths lists the paths of all attributes, including those of Objects; a List is one
// path.
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
