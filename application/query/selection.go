package query

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Parameters are the parameters of a request that select attributes.
type Parameters struct {
	Fields domain.Optional[string] // comma-separated; empty is the same as absent
	Expand domain.Optional[string] // comma-separated; empty expands nothing
	Counts []string                // names of OnRequest attributes
	// Record is set if a single record is read instead of a list: fields may then
	// name attributes that only records of its type have.
	Record bool
	// Flat leaves out lists of records.
	Flat bool
}

// Select parses fields and expand. An unknown name is a fault.Malformed that lists
// the allowed ones.
func Select(r *readmodel.Resource, p Parameters) (*readmodel.Selection, error) {
	if p.Fields.Or("") == "" && !p.Expand.IsSet() && len(p.Counts) == 0 && !p.Flat {
		return defaultSelection(r), nil
	}
	names := split(p.Fields.Or(""))
	expanded, err := expansions(r, p, names)
	if err != nil {
		return nil, err
	}
	choices := chooseDefaults(r, p, expanded)
	if len(names) > 0 {
		if choices, err = chooseFields(r, p, names, expanded); err != nil {
			return nil, err
		}
	}
	if p.Flat {
		choices = slices.DeleteFunc(choices, func(c readmodel.Choice) bool { return c.Kind == readmodel.List })
		if len(choices) == 0 {
			return nil, fault.ForField(fault.Malformed, "fields", "only names lists of records, which this format leaves out")
		}
	}
	return readmodel.NewSelection(r, choices), nil
}

// defaultSelections are the selections of requests without parameters, which most are, by resource.
var defaultSelections sync.Map

func defaultSelection(r *readmodel.Resource) *readmodel.Selection {
	s, ok := defaultSelections.Load(r)
	if !ok {
		s, _ = defaultSelections.LoadOrStore(r, readmodel.NewSelection(r, chooseDefaults(r, Parameters{}, r.DefaultExpansion)))
	}
	return s.(*readmodel.Selection)
}

// expansions returns those that expand names. Without expand they are the default,
// or none if fields are named.
func expansions(r *readmodel.Resource, p Parameters, fields []string) ([]string, error) {
	raw, isGiven := p.Expand.Get()
	if !isGiven && len(fields) > 0 {
		return nil, nil
	}
	if !isGiven {
		return r.DefaultExpansion, nil
	}
	names := split(raw)
	for _, name := range names {
		if !slices.Contains(r.Expansions, name) {
			return nil, notOneOf("expand", name, r.Expansions)
		}
	}
	return names, nil
}

// chooseDefaults chooses the attributes of a request without fields.
func chooseDefaults(r *readmodel.Resource, p Parameters, expanded []string) (choices []readmodel.Choice) {
	for i := range r.Attributes {
		if a := &r.Attributes[i]; isDefault(a, p, expanded) {
			choices = append(choices, readmodel.Choice{Attribute: a})
		}
	}
	return choices
}

func isDefault(a *readmodel.Attribute, p Parameters, expanded []string) bool {
	switch {
	case a.OnRequest:
		return slices.Contains(p.Counts, a.Name)
	case a.Until != "" && slices.Contains(expanded, a.Until):
		return false
	case a.With != "":
		return slices.Contains(expanded, a.With)
	}
	return true
}

// chooseFields chooses the attributes that fields names, and those that expand and
// Counts add to them, in the order of the table.
func chooseFields(r *readmodel.Resource, p Parameters, names, expanded []string) ([]readmodel.Choice, error) {
	parts := map[*readmodel.Attribute][]string{} // "" is the whole attribute
	for _, name := range names {
		a, part, err := findField(r, p, name, expanded)
		if err != nil {
			return nil, err
		}
		parts[a] = append(parts[a], part)
	}
	var choices []readmodel.Choice
	for i := range r.Attributes {
		a := &r.Attributes[i]
		c := readmodel.Choice{Attribute: a, Named: true}
		switch named, isNamed := parts[a]; {
		case isNamed:
			if !slices.Contains(named, "") {
				c.Parts = named
			}
		case a.OnRequest:
			if !slices.Contains(p.Counts, a.Name) {
				continue
			}
		case !a.IsNested() || !slices.Contains(expanded, a.Name): // expand adds an object, not its id
			continue
		}
		choices = append(choices, c)
	}
	return choices, nil
}

// findField finds the attribute of one entry of fields and, with a dot, the part of
// an object or a list.
func findField(r *readmodel.Resource, p Parameters, name string, expanded []string) (*readmodel.Attribute, string, error) {
	head, part, isDotted := strings.Cut(name, ".")
	allowed := r.FieldNames(p.Record)
	for i := range r.Attributes {
		a := &r.Attributes[i]
		if name == a.IDName {
			return a, "id", nil
		}
		isReplaced := a.Until != "" && (isDotted || slices.Contains(expanded, a.Until))
		if a.Name != head || !a.IsField(p.Record) || isReplaced || isDotted && !a.IsNested() {
			continue
		}
		if !isDotted {
			return a, "", nil
		}
		allowed = nil
		for _, inner := range a.Of {
			if inner.Name == part {
				return a, part, nil
			}
			allowed = append(allowed, head+"."+inner.Name)
		}
	}
	wrong := notOneOf("fields", name, allowed)
	if !p.Record && slices.Contains(r.FieldNames(true), name) {
		wrong.Message += "; only the response with a single record has it"
	}
	return nil, "", wrong
}

// split splits a comma-separated list; empty entries are ignored.
func split(list string) []string {
	var names []string
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// notOneOf returns the error of a parameter that has an unknown name in its list.
func notOneOf(parameter, name string, allowed []string) *fault.Error {
	message := fmt.Sprintf("%q is not one of: %s", name, strings.Join(allowed, ", "))
	return &fault.Error{
		Kind: fault.Malformed, Message: parameter + ": " + message,
		Fields: []fault.Field{{Name: parameter, Message: message, Code: fault.Unknown}},
	}
}
