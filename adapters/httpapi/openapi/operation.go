package openapi

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

func title(o apidoc.Operation) (id, summary string) {
	name := o.Table.Name
	switch o.Verb {
	case apidoc.List:
		return "list" + apidoc.Plural(o.Record), "List " + apidoc.Plural(name)
	case apidoc.Read:
		return "read" + o.Record, "Read one " + name
	case apidoc.Create:
		return "create" + o.Record, "Create one " + name
	case apidoc.Delete:
		return "delete" + o.Record, "Delete one " + name
	case apidoc.DeleteAll:
		return "delete" + apidoc.Plural(o.Record), "Delete all " + apidoc.Plural(name)
	case apidoc.Download:
		return "download" + o.Record, "Download one " + name
	case apidoc.Issue:
		return "issueInvoice", "Issue one invoice"
	case apidoc.Credit:
		return "creditInvoice", "Credit one invoice"
	case apidoc.Replace, apidoc.Upload:
		return "put" + o.Record, "Store one " + name
	case apidoc.Amend:
		return "patch" + o.Record, "Change one " + name
	case apidoc.Try:
		return "tryRule", "Try a rule that is not stored"
	case apidoc.TryStored:
		return "tryStoredRule", "Try a stored rule"
	case apidoc.Put:
		return "put" + o.Record, "Update or create one " + name + " by its ref"
	}
	if o.Method == http.MethodPatch {
		return "patch" + o.Record, "Update one " + name + ", as PUT does"
	}
	return "update" + o.Record, "Update one " + name
}

func description(o apidoc.Operation) string {
	sentences := []string{general(o)}
	if specific := o.Docs.Operations[o.Verb]; specific != "" {
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

// general is what all operations of the verb do.
func general(o apidoc.Operation) string {
	name := o.Table.Name
	switch o.Verb {
	case apidoc.List:
		return generalList(o)
	case apidoc.Read:
		return "Returns one " + name + ". `ETag` identifies its version: with `If-None-Match`, the response contains the record only " +
			"if it has changed."
	case apidoc.Create:
		return "Creates one " + name + " and returns it, as a GET does. `Location` is its URL. " +
			"With an `Idempotency-Key` the request can be repeated and still creates only one."
	case apidoc.Update:
		return "Changes the attributes in the body, leaves the others as they are, and returns the changed " + name + ". " +
			"PUT and PATCH do the same. " +
			"With `If-Match`, nothing changes if the record has been changed since it was read."
	case apidoc.Download:
		return "Returns one " + name + " as a file. With `If-None-Match`, the response contains the file only if it has changed."
	case apidoc.Issue, apidoc.Credit:
		return ""
	case apidoc.Upload:
		return "Stores the file in the body as the " + name + ", in place of the one that there is, and describes it. With `If-Match`, nothing " +
			"changes if it has been changed since it was read; with `If-None-Match: *`, if there is one."
	case apidoc.Replace:
		return "Stores the " + name + ", in place of the one that there is, and returns it. With `If-Match`, nothing changes if it has been " +
			"changed since it was read; with `If-None-Match: *`, if there is one."
	case apidoc.Amend:
		return "Changes the attributes in the body, leaves the others as they are, and returns the changed " + name + ". With `If-Match`, " +
			"nothing changes if it has been changed since it was read."
	case apidoc.Put:
		return "Changes the " + name + " with this `ref` as a PUT of its id does, or creates it as a POST does if there is none; then the " +
			"status is 201. Repeating the request creates no second one. `ref` may be left out of the body."
	case apidoc.DeleteAll:
		return "Deletes all " + apidoc.Plural(name) + " of the record in the path, " +
			"and returns the id of that record. A deletion cannot be undone."
	case apidoc.Try:
		return "Judges all existing records by the rule in the body, which has the attributes of a creation. " + trialBounds
	case apidoc.TryStored:
		return "Judges all existing records by the stored rule; the attributes in the body replace those of the rule in this trial only. " +
			trialBounds
	}
	return "Deletes one " + name + " and returns its id. A deletion cannot be undone."
}

const trialBounds = "Nothing is changed. The response comes when the trial has ended. One that would take longer than a request may is a " +
	"503, whose `detail` names the command to use instead."

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

func problemsOf(o apidoc.Operation) []int {
	all := []int{http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotAcceptable}
	switch o.Verb {
	case apidoc.Read, apidoc.Download:
		all = append(all, http.StatusNotFound)
	case apidoc.Try, apidoc.TryStored:
		all = append(all, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity)
	case apidoc.Create:
		all = append(all, http.StatusConflict, http.StatusRequestEntityTooLarge,
			http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity)
	case apidoc.Issue, apidoc.Credit:
		all = append(all, http.StatusNotFound, http.StatusConflict, http.StatusRequestEntityTooLarge,
			http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity)
	case apidoc.Put:
		all = append(all, http.StatusConflict, http.StatusPreconditionFailed,
			http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity)
	case apidoc.Update, apidoc.Replace, apidoc.Amend, apidoc.Upload:
		all = append(all, http.StatusNotFound, http.StatusConflict, http.StatusPreconditionFailed,
			http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity)
	case apidoc.Delete, apidoc.DeleteAll:
		all = append(all, http.StatusNotFound, http.StatusConflict, http.StatusPreconditionFailed)
	}
	all = append(all, o.Statuses...)
	return append(all, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable)
}

func (b *builder) parameters(o apidoc.Operation) []object {
	var all []object
	own := func(p apidoc.Parameter) {
		parameter := object{{"name", p.Name}, {"in", "query"}, {"description", p.Description}, {"schema", p.Schema}}
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
	if o.Verb != apidoc.Delete && o.Verb != apidoc.DeleteAll && o.Verb != apidoc.Download {
		if !b.codegen {
			own(fieldsParameter(o))
		}
		for _, p := range expansionParameters(o) {
			own(p)
		}
	}
	switch o.Verb {
	case apidoc.List:
		own(sortParameter(o.Table))
		own(sizeParameter(o.Table))
		shared("page", "cursor", "all")
	case apidoc.Read, apidoc.Download:
		shared("If-None-Match")
	case apidoc.Create, apidoc.Issue, apidoc.Credit:
		shared("Idempotency-Key", "Prefer", "dry_run")
	case apidoc.Update, apidoc.Replace, apidoc.Amend, apidoc.Put, apidoc.Upload, apidoc.Delete, apidoc.DeleteAll:
		shared("If-Match", "If-None-Match", "Prefer", "dry_run")
	case apidoc.Try, apidoc.TryStored:
		shared("Prefer", "dry_run")
	}
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
