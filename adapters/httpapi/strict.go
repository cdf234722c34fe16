package httpapi

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/adapters/httpapi/body"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/text"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// knownNames are the names that the requests of a route may have.
type knownNames struct {
	parameters []string
	filters    []string          // of the parameters
	instead    map[string]string // what filters by an attribute that is none
	attributes attributes        // of a body
}

// attributes are those of a record in a body.
type attributes struct {
	written []string              // by a write
	party   []string              // by a write of the record's party
	all     map[string]attributes // and those of responses, with the ones of records in a list
}

// knows returns the names that the requests of a route may have.
func (r endpoint[F]) knows(described route) *knownNames {
	a := &knownNames{}
	operation := r.describe(described)
	for _, p := range operation.Filters {
		a.filters = append(a.filters, p.Name)
	}
	a.parameters = slices.Clone(a.filters)
	switch {
	case described.verb == apidoc.List:
		a.parameters = append(a.parameters, "fields", "expand", "sort", "page", "per_page", "cursor", allParameter)
		a.instead = r.filtersInstead(a.filters)
	case described.verb == apidoc.Read && described.hasFile():
	case described.verb == apidoc.Read:
		a.parameters = append(a.parameters, "fields", "expand")
	case described.verb == apidoc.Delete:
		a.parameters = append(a.parameters, dryRunParameter)
	default:
		a.parameters = append(a.parameters, "fields", "expand", dryRunParameter)
		a.attributes = attributesOf(r.body, slices.Concat(r.table.Attributes, r.echoes))
		for _, f := range r.party {
			a.attributes.party = append(a.attributes.party, f.Name)
		}
	}
	for _, attribute := range r.table.Attributes {
		if attribute.OnRequest && described.method != http.MethodDelete {
			a.parameters = append(a.parameters, attribute.Name)
		}
	}
	return a
}

// filtersInstead returns for each attribute of the records that is no filter the filter to use; ""
// if there is none.
func (r endpoint[F]) filtersInstead(filters []string) map[string]string {
	instead := map[string]string{}
	for _, attribute := range r.table.Attributes {
		instead[attribute.Name] = r.instead[attribute.Name]
		if reference := attribute.Name + "_id"; slices.Contains(filters, reference) {
			instead[attribute.Name] = reference
		}
		if strings.HasPrefix(attribute.Name, "update") && slices.Contains(filters, updatedSinceParameter) {
			instead[attribute.Name] = updatedSinceParameter
		}
	}
	return instead
}

func attributesOf(written []apidoc.Field, shown []readmodel.Attribute) attributes {
	a := attributes{all: map[string]attributes{}}
	lines := map[string][]readmodel.Attribute{}
	for _, s := range shown {
		a.all[s.Name] = attributes{}
		lines[s.Name] = s.Of
	}
	for _, f := range written {
		a.add(f.Name)
		if f.Line != nil {
			a.all[f.Name] = attributesOf(f.Line, lines[f.Name])
		}
	}
	for _, f := range written {
		if f.Alias != "" {
			a.add(f.Alias)
		}
	}
	return a
}

func (a *attributes) add(names ...string) {
	for _, name := range names {
		a.written = append(a.written, name)
		a.all[name] = attributes{}
	}
}

// isForOthers reports whether a name is none of the service's: it begins with an underscore, or is
// that of a token.
func isForOthers(name string) bool {
	return strings.HasPrefix(name, "_") || slices.Contains(tokenParameters, name)
}

// unknown appends the attributes of a record that the resource does not have.
func (a attributes) unknown(wrong []fault.Field, record body.Value, prefix string) []fault.Field {
	for _, name := range slices.Sorted(maps.Keys(record.Fields)) {
		inner, ok := a.all[name]
		switch {
		case len(wrong) == fault.MaxFields:
			return wrong
		case !ok && !isForOthers(name):
			wrong = append(wrong, fault.Field{Name: prefix + shown(name), Message: a.explain(name), Code: fault.Unknown})
		case inner.all != nil && record.Fields[name].Kind == body.Record:
			wrong = inner.unknown(wrong, record.Fields[name], prefix+name+".")
		case inner.all != nil:
			for i, line := range record.Fields[name].Items {
				wrong = inner.unknown(wrong, line, prefix+name+"["+strconv.Itoa(i)+"].")
			}
		}
	}
	return wrong
}

// explain returns how an attribute that the resource does not have is probably meant.
func (a attributes) explain(name string) string {
	if slices.Contains(a.party, name) {
		return "is unknown: it is an attribute of the party, which has the path of the record and /party"
	}
	return unknownName(name, a.written)
}

// maxShownName is how many characters of an unknown name an error repeats.
const maxShownName = 80

// shown returns an unknown name as an error repeats it: it may be a token in the wrong place.
func shown(name string) string {
	if name == "" {
		return `""`
	}
	return text.Truncate(mask(name), maxShownName)
}

func unknownName(name string, names []string) string {
	if meant := text.Nearest(name, names); meant != "" {
		return "is unknown; did you mean " + meant + "?"
	}
	return "is unknown"
}

// unknownAttributes returns the attributes of a body that the resource does not have.
func (a *knownNames) unknownAttributes(record body.Value) []fault.Field {
	if a == nil {
		return nil
	}
	return a.attributes.unknown(nil, record, "")
}

// unknown returns the parameters of a query that the route does not have, and the filters that are
// not written once.
func (a *knownNames) unknown(query map[string][]string) (wrong []fault.Field) {
	if a == nil {
		return nil
	}
	for name, values := range query {
		isFilter := slices.Contains(a.filters, name)
		switch {
		case isFilter && len(values) > 1:
			wrong = append(wrong, fault.Field{Name: name, Message: "is given more than once: write it once, and several ids separated by commas"})
		case !isFilter && !slices.Contains(a.parameters, name) && !isForOthers(name):
			wrong = append(wrong, fault.Field{Name: shown(name), Message: a.explain(name), Code: fault.Unknown})
		}
	}
	slices.SortFunc(wrong, func(f, g fault.Field) int { return strings.Compare(f.Name, g.Name) })
	return wrong
}

// explain returns how a parameter that the route does not have is probably meant.
func (a *knownNames) explain(name string) string {
	for part := range strings.FieldsFuncSeq(name, func(c rune) bool { return c == '[' || c == ']' }) {
		if part != name && slices.Contains(a.parameters, part) {
			return "is unknown: write " + part + "=, without brackets"
		}
	}
	_, isShown := a.instead[name]
	if filter := a.instead[name]; filter != "" {
		return "is not a filter; use " + filter
	}
	if isShown && len(a.filters) > 0 {
		return "is not a filter; the filters are " + strings.Join(a.filters, ", ")
	}
	if isShown {
		return "is not a filter; this list has none"
	}
	message := unknownName(name, a.parameters)
	if message == unknownName("", nil) {
		message += ": the parameters are " + strings.Join(a.parameters, ", ")
	}
	return message
}
