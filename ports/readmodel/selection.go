package readmodel

import "slices"

// versionPath is the path of a record's version, which every reader knows and no
// response shows.
const versionPath = "version"

// Node is a selected attribute.
type Node struct {
	*Attribute
	// Column is the index of the attribute's cell. The cell of an Object is that of
	// its first attribute, which is null if the object is missing; that of a List
	// has nested rows.
	Column int
	// Of are the selected attributes of an Object.
	Of []Node
	// Inner is the selection for the nested rows of a List.
	Inner *Selection
	// Named means that the request names the attribute: it is then an error if the
	// record's type does not have it.
	Named bool
}

// Selection defines which cells to read, and how they make up a record. It is
// shared by requests and must not be modified.
type Selection struct {
	Nodes []Node
	// Paths are the paths of the cells of a row, such as id or user.email.
	Paths []string
	// Lists are the selections of nested lists, by the index of their path.
	Lists map[int]*Selection
	// Version is the index of the cell with the record's version.
	Version int
	// Type is the index of the cell with the resource's discriminator; -1 if it has
	// none.
	Type int
}

// Choice is an attribute to select.
type Choice struct {
	*Attribute
	Parts []string // names of the parts of an Object or a List; empty: all
	Named bool
}

// NewSelection returns the selection of the chosen attributes, in their order.
func NewSelection(r *Resource, choices []Choice) *Selection {
	s := &Selection{Lists: map[int]*Selection{}, Type: -1}
	s.Version = s.column(versionPath)
	if r.Discriminator != "" {
		s.Type = s.column(r.Discriminator)
	}
	for _, c := range choices {
		n := s.node(c.Attribute, "", c.Parts)
		n.Named = c.Named
		s.Nodes = append(s.Nodes, n)
	}
	return s
}

func (s *Selection) node(a *Attribute, prefix string, parts []string) Node {
	n := Node{Attribute: a}
	switch a.Kind {
	case Object:
		if n.Column = s.Version; !a.IsWhole {
			n.Column = s.column(prefix + a.Name + "." + a.Of[0].Name)
		}
		for i := range a.Of {
			if len(parts) == 0 || slices.Contains(parts, a.Of[i].Name) {
				n.Of = append(n.Of, s.node(&a.Of[i], prefix+a.Name+".", nil))
			}
		}
	case List:
		n.Column = s.column(prefix + a.Name)
		n.Inner = &Selection{Lists: map[int]*Selection{}, Version: -1, Type: -1}
		for i := range a.Of {
			if len(parts) == 0 || slices.Contains(parts, a.Of[i].Name) {
				n.Inner.Nodes = append(n.Inner.Nodes, n.Inner.node(&a.Of[i], "", nil))
			}
		}
		s.Lists[n.Column] = n.Inner
	default:
		n.Column = s.column(prefix + a.Name)
	}
	return n
}

// column returns the index of the path's cell. A path has one cell, even if it is
// selected several times.
func (s *Selection) column(path string) int {
	if i := slices.Index(s.Paths, path); i >= 0 {
		return i
	}
	s.Paths = append(s.Paths, path)
	return len(s.Paths) - 1
}
