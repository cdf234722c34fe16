package openapi

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

func description(o apidoc.Operation, does string) string {
	sentences := []string{does}
	if specific := o.Docs.Operations[o.Verb]; specific != "" && o.Action == nil {
		sentences = append(sentences, specific)
	}
	if o.XML {
		sentences = append(sentences, "The default format is XML.")
	}
	if o.Public {
		sentences = append(sentences, "An operator may open this operation to requests without a token.")
	}
	return strings.Join(sentences, "\n\n")
}

func generalList(o apidoc.Operation) string {
	text := "Lists " + apidoc.Plural(o.Table.Name)
	if len(o.Filters) > 0 {
		text += " that match all given filters"
	}
	if order := o.Table.DefaultSort; strings.HasPrefix(order, "created") {
		text += ", newest first by default."
	} else {
		text += ", sorted by `" + order + "` by default."
	}
	if o.Table.PagedOnRequest {
		return text + " Without `page` and `per_page` the list is complete."
	}
	return text + " A page has " + strconv.Itoa(o.Table.PerPage) + " records by default; `Link` has the URLs of other pages."
}

func problemsOf(o apidoc.Operation, a apidoc.Action) []int {
	return slices.Concat(
		[]int{http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotAcceptable},
		a.Problems, o.Statuses,
		[]int{http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable},
	)
}

func (b *builder) parameters(o apidoc.Operation, a apidoc.Action) []object {
	var all []object
	own := func(p apidoc.Parameter) {
		place := "query"
		if strings.Contains(o.Path, "{"+p.Name+"}") {
			place = "path"
		}
		parameter := object{{"name", p.Name}, {"in", place}, {"description", p.Description}, {"schema", p.Schema}}
		if strings.HasPrefix(string(p.Schema), `{"type":"array"`) {
			parameter = append(parameter, member{"explode", false}) // its values are separated by commas
		}
		if p.Required {
			parameter = parameter.with("required", true)
		}
		all = append(all, parameter)
	}
	shared := func(names ...string) {
		for _, name := range names {
			all = append(all, reference("parameters", name))
		}
	}
	for _, p := range o.Filters {
		own(p)
	}
	if o.Verb != apidoc.Delete && !sendsFile(o, a) {
		if !b.codegen {
			own(fieldsParameter(o))
		}
		for _, p := range expansionParameters(o) {
			own(p)
		}
	}
	if o.Verb == apidoc.List {
		own(sortParameter(o.Table))
		own(sizeParameter(o.Table))
	}
	shared(a.Parameters...)
	shared("_format")
	return all
}

// expansionParameters add attributes to the records in the response.
func expansionParameters(o apidoc.Operation) (all []apidoc.Parameter) {
	if len(o.Table.Expansions) > 0 {
		all = append(all, expandParameter(o.Table))
	}
	for _, a := range o.Table.Attributes {
		if a.OnRequest {
			all = append(all, apidoc.Parameter{Name: a.Name, Schema: apidoc.Flag, Description: "1 includes " + a.Name + "."})
		}
	}
	return all
}

func fieldsParameter(o apidoc.Operation) apidoc.Parameter {
	names := o.Table.FieldNames(o.Verb != apidoc.List)
	description := "Comma-separated attributes to include: " + strings.Join(names, ", ") + ". All others are left out"
	if len(o.Table.Expansions) > 0 {
		description += ", except the relations in `expand`. A dot selects an attribute of a relation, as in `" + o.Table.Expansions[0] + ".id`"
	}
	sentences := []string{description}
	for _, a := range o.Table.Attributes {
		if a.IDName != "" {
			sentences = append(sentences, "`"+a.IDName+"` is `"+a.Name+".id`")
		}
	}
	sentences = append(sentences, "Without `fields`, a record has all attributes that are not expansions.")
	return apidoc.Parameter{Name: "fields", Schema: apidoc.Text(0), Description: strings.Join(sentences, ". ")}
}

func expandParameter(table *readmodel.Resource) apidoc.Parameter {
	description := "Comma-separated relations to include as records: " + strings.Join(table.Expansions, ", ") + "."
	if len(table.DefaultExpansion) > 0 {
		description += " Default, unless `fields` is given: " + strings.Join(table.DefaultExpansion, ",") + "."
	}
	return apidoc.Parameter{Name: "expand", Schema: apidoc.Text(0), Description: description}
}

func sortParameter(table *readmodel.Resource) apidoc.Parameter {
	description := "Comma-separated attributes to sort by, each with a leading - to reverse its order: " +
		strings.Join(table.SortNames(), ", ") + "."
	newestFirst := func(a readmodel.Attribute) bool { return a.Sort == readmodel.NewestFirst }
	if i := slices.IndexFunc(table.Attributes, newestFirst); i >= 0 {
		name := table.Attributes[i].Name
		description += " " + name + " sorts the newest first, -" + name + " the oldest."
	}
	return apidoc.Parameter{
		Name: "sort", Schema: apidoc.Schema(`{"type":"string","default":"` + table.DefaultSort + `"}`), Description: description,
	}
}

func sizeParameter(table *readmodel.Resource) apidoc.Parameter {
	p := apidoc.Parameter{
		Name: "per_page", Schema: apidoc.Between(1, readmodel.MaxPerPage), Description: "The number of records on a page.",
	}
	if table.PagedOnRequest {
		p.Description += " Without page and per_page the list is complete."
		return p
	}
	p.Schema = apidoc.Schema(strings.TrimSuffix(string(p.Schema), "}") + `,"default":` + strconv.Itoa(table.PerPage) + "}")
	return p
}
