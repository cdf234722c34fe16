// Package readmodel holds the contracts of the read side: what of a record can
// be shown, filtered and sorted, and the Reader that fetches it.
//
// Chose: one table for each resource, a Resource, that names every attribute
// with its kind, its sorting and the expansion it comes from; the SQL of an
// attribute stands beside its reader under the same path. Because: fields,
// sort, expand, the select list, JSON, XML and the reference document must
// never disagree, and a contract must not speak SQL. Costs: a new attribute is
// two entries, one here and one in the reader; the reader refuses to start
// when they do not match.
//
// Chose: readers hand on cells, the text of a value as its kind defines it.
// Because: what the database sends can then be written into a JSON or XML
// answer without being parsed and formatted again. Costs: a cell is only as
// typed as its Kind.
package readmodel

// Kind is what sort of value an attribute has, and so the form of its cells.
// The zero value is no kind.
type Kind uint8

// The kinds.
const (
	ID       Kind = iota + 1 // positive integer
	Integer                  // integer
	Text                     // any text; a missing one is null
	Bool                     // t or f
	Money                    // decimal with four fraction digits
	Percent                  // decimal with two fraction digits
	Quantity                 // decimal; trailing zeros may be there
	Time                     // YYYY-MM-DD hh:mm:ss, perhaps with more behind it
	Object                   // a record inside the record
	List                     // a list of records inside the record
)

// Ordering says whether and how a list can be sorted by an attribute.
type Ordering uint8

// The orderings.
const (
	Unsorted    Ordering = iota // it cannot be sorted by
	Ascending                   // smallest first, with a minus largest first
	NewestFirst                 // latest first, with a minus earliest first
)

// Attribute is one attribute of a resource.
type Attribute struct {
	Name string
	Kind Kind
	Sort Ordering
	// With names the expansion that must be asked for; "" if it is always there.
	With string
	// Until names the expansion that takes the attribute's place.
	Until string
	// Only is the value of the resource's Discriminator for which a record has
	// the attribute; "" means every record.
	Only string
	// OnRequest attributes are shown only if a parameter of their name requests them.
	OnRequest bool
	// Optional attributes may have no value: they are null.
	Optional bool
	// Of holds the attributes of an Object or a List, and As is what a record of
	// these attributes is called in the reference document.
	Of []Attribute
	As string
}

// Resource is the table of one resource: its attributes in the order in which
// they are shown, and what a list does by default.
type Resource struct {
	Name             string // what the resource is called in messages
	Attributes       []Attribute
	Expansions       []string // what expand may name
	DefaultExpansion []string // what is expanded when neither expand nor fields is given
	DefaultSort      string   // as the sort parameter has it
	PerPage          int      // default page size; 0: a list has no pages
	PagedOnRequest   bool     // without page and per_page, a list has no pages
	Discriminator    string   // the attribute that Attribute.Only speaks of
}

// FieldNames lists what fields may name, in declared order: of a list, or of
// one record, which may have attributes of its own type.
func (r *Resource) FieldNames(record bool) []string {
	return r.names(func(a *Attribute) bool { return a.IsField(record) })
}

// SortNames lists what sort may name, in declared order.
func (r *Resource) SortNames() []string {
	return r.names(func(a *Attribute) bool { return a.Sort != Unsorted })
}

// IsField reports whether fields may name the attribute, of a list or of one record.
func (a *Attribute) IsField(record bool) bool { return !a.OnRequest && (record || a.Only == "") }

// IsNested reports whether the attribute is an Object or a List.
func (a *Attribute) IsNested() bool { return a.Kind == Object || a.Kind == List }

// names lists the names of some attributes, without repetition.
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

// Paths lists the path of every attribute, those inside an Object included; a
// List is one path. Every Object has a part id.
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
