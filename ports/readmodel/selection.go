package readmodel

import (
	"slices"
	"strings"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/optional"
)

// versionPath is the path of a record's version, which every reader knows and no
// answer shows.
const versionPath = "version"

// Asking is what a request says about the shape of the answer.
type Asking struct {
	Fields optional.Of[string] // the fields parameter
	Expand optional.Of[string] // the expand parameter
	Counts []string            // Asked attributes that a parameter asks for
	// Record tells that one record is read and not a list: its fields may name
	// what only records of its own type have.
	Record bool
}

// Node is one attribute that is shown.
type Node struct {
	*Attribute
	// Column is the cell of a plain attribute; of an Object the cell of its id,
	// which is null if there is none; of a List the rows inside the row.
	Column int
	// Of holds the parts of an Object.
	Of []Node
	// Inner is the selection for the rows of a List.
	Inner *Selection
	// Named tells that the attribute is shown because fields names it.
	Named bool
}

// Selection is the shape of an answer: which cells to fetch, and how they make
// up a record. Many requests share one, so nobody changes it.
type Selection struct {
	Nodes []Node
	// Paths are the cells to fetch for each row, such as id or user.email.
	Paths []string
	// Lists are, at the same index as their path, the selections of lists.
	Lists map[int]*Selection
	// Version is the cell of the record's version.
	Version int
	// Type is the cell of the resource's discriminator; -1 if it has none.
	Type int

	key string
}

// Key names the selection's cells: two selections of a resource with the same key
// fetch the same.
func (s *Selection) Key() string {
	if s.key != "" {
		return s.key
	}
	return s.keyOfPaths()
}

func (s *Selection) keyOfPaths() string {
	var b strings.Builder
	for i, path := range s.Paths {
		b.WriteString(path)
		if inner := s.Lists[i]; inner != nil {
			b.WriteString("(" + strings.Join(inner.Paths, ",") + ")")
		}
		b.WriteByte(',')
	}
	return b.String()
}

// Select works out the shape of an answer. An unknown name is a
// fault.Malformed that lists the allowed ones. What is asked for again is mostly
// the same Selection as before.
func (r *Resource) Select(ask Asking) (*Selection, error) {
	key := ask.key()
	if s, ok := r.shapes.recall(key); ok {
		return s, nil
	}
	s, err := r.shape(ask)
	if err == nil && key.isShort() {
		r.shapes.remember(key.cloned(), s)
	}
	return s, err
}

func (r *Resource) shape(ask Asking) (*Selection, error) {
	expanded, err := r.expansions(ask)
	if err != nil {
		return nil, err
	}
	s := &Selection{Lists: map[int]*Selection{}, Type: -1}
	s.Version = s.column(versionPath)
	if r.Discriminator != "" {
		s.Type = s.column(r.Discriminator)
	}
	isExpanded := func(name string) bool { return slices.Contains(expanded, name) }
	wanted, err := r.wanted(ask, isExpanded)
	if err != nil {
		return nil, err
	}
	_, named := ask.fields()
	for i := range r.Attributes {
		a := &r.Attributes[i]
		if parts, ok := wanted(a, isExpanded); ok {
			n := s.node(a, "", parts)
			n.Named = named
			s.Nodes = append(s.Nodes, n)
		}
	}
	s.key = s.keyOfPaths()
	return s, nil
}

// expansions is what is expanded: what expand names, or the default, and in
// either case what fields names.
func (r *Resource) expansions(ask Asking) ([]string, error) {
	raw, given := ask.Expand.Get()
	if !given {
		if _, fields := ask.fields(); fields {
			return nil, nil
		}
		return r.DefaultExpansion, nil
	}
	names := split(raw)
	for _, name := range names {
		if !slices.Contains(r.Expansions, name) {
			return nil, fault.New(fault.Malformed, "expand: %q is not one of: %s", name, strings.Join(r.Expansions, ", "))
		}
	}
	return names, nil
}

// fields is the list of the fields parameter; an empty one is none.
func (ask Asking) fields() ([]string, bool) {
	raw, _ := ask.Fields.Get()
	names := split(raw)
	return names, len(names) > 0
}

// chooser says whether an attribute is shown, and which of its parts; no parts
// mean all of them.
type chooser func(a *Attribute, expanded func(string) bool) (parts []string, shown bool)

func (r *Resource) wanted(ask Asking, expanded func(string) bool) (chooser, error) {
	names, given := ask.fields()
	if !given {
		return func(a *Attribute, expanded func(string) bool) ([]string, bool) {
			return nil, a.shownByDefault(ask, expanded)
		}, nil
	}
	named := map[*Attribute][]string{}
	whole := map[*Attribute]bool{}
	for _, name := range names {
		a, part, err := r.named(name, ask, expanded)
		if err != nil {
			return nil, err
		}
		if part == "" {
			whole[a] = true
		}
		named[a] = append(named[a], part)
	}
	return func(a *Attribute, expanded func(string) bool) ([]string, bool) {
		parts, ok := named[a]
		switch {
		case whole[a]:
			return nil, true
		case ok:
			return parts, true
		case a.Asked:
			return nil, slices.Contains(ask.Counts, a.Name)
		default:
			// What expand names comes beside fields: the object, not its id.
			return nil, a.isNested() && expanded(a.Name)
		}
	}, nil
}

func (a *Attribute) isNested() bool { return a.Kind == Object || a.Kind == List }

func (a *Attribute) shownByDefault(ask Asking, expanded func(string) bool) bool {
	switch {
	case a.Asked:
		return slices.Contains(ask.Counts, a.Name)
	case a.Until != "" && expanded(a.Until):
		return false
	case a.With != "":
		return expanded(a.With)
	}
	return true
}

// named finds what one entry of fields means: an attribute, or with one dot a
// part of an object or a list.
func (r *Resource) named(name string, ask Asking, expanded func(string) bool) (*Attribute, string, error) {
	head, part, dotted := strings.Cut(name, ".")
	for i := range r.Attributes {
		a := &r.Attributes[i]
		if a.Name != head || !a.mayBeNamed(ask.Record) || a.Until != "" && (dotted || expanded(a.Until)) {
			continue
		}
		if !dotted {
			return a, "", nil
		}
		if a.isNested() && slices.ContainsFunc(a.Of, func(p Attribute) bool { return p.Name == part }) {
			return a, part, nil
		}
	}
	return nil, "", fault.New(fault.Malformed, "fields: %q is not one of: %s", name, strings.Join(r.FieldNames(ask.Record), ", "))
}

// node adds the cells that an attribute needs to the selection.
func (s *Selection) node(a *Attribute, prefix string, parts []string) Node {
	n := Node{Attribute: a}
	switch a.Kind {
	case Object:
		n.Column = s.column(prefix + a.Name + ".id")
		for i := range a.Of {
			if parts == nil || slices.Contains(parts, a.Of[i].Name) {
				n.Of = append(n.Of, s.node(&a.Of[i], prefix+a.Name+".", nil))
			}
		}
	case List:
		n.Column = s.column(prefix + a.Name)
		n.Inner = &Selection{Version: -1, Type: -1}
		for i := range a.Of {
			if parts == nil || slices.Contains(parts, a.Of[i].Name) {
				n.Inner.Nodes = append(n.Inner.Nodes, n.Inner.node(&a.Of[i], "", nil))
			}
		}
		s.Lists[n.Column] = n.Inner
	default:
		n.Column = s.column(prefix + a.Name)
	}
	return n
}

// column is the index of the path's cell, which is fetched once however often
// it is shown.
func (s *Selection) column(path string) int {
	if i := slices.Index(s.Paths, path); i >= 0 {
		return i
	}
	s.Paths = append(s.Paths, path)
	return len(s.Paths) - 1
}

func split(list string) []string {
	var names []string
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}
