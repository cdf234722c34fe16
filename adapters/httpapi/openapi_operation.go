package httpapi

import (
	"net/http"
	"strings"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// operation is what the reference document says about a route.
type operation struct {
	id      string
	summary string
	tag     string
	verb    verb

	table   *readmodel.Resource // of the records that are shown
	record  string              // what such a record is called
	filters []parameter
	body    []field // what a write may carry
	also    []int   // the statuses of problems that others of its verb do not have

	plain        object // the schema of an answer outside of the resources
	mayBeUnready bool   // the answer may be a 503 of the same schema
}

// verb is what a route of a resource does.
type verb uint8

const (
	listing verb = iota + 1
	reading
	creating
	updating
	removing
)

// parameter is one parameter of a query.
type parameter struct {
	name   string
	schema object
	about  string
}

// refusals are the statuses of the problems that an operation may answer with.
func (o operation) refusals() []int {
	all := []int{http.StatusBadRequest, http.StatusUnauthorized, http.StatusNotAcceptable}
	switch o.verb {
	case reading:
		all = append(all, http.StatusNotFound)
	case creating:
		all = append(all, http.StatusForbidden, http.StatusConflict, http.StatusRequestEntityTooLarge,
			http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity)
	case updating:
		all = append(all, http.StatusForbidden, http.StatusNotFound, http.StatusConflict, http.StatusPreconditionFailed,
			http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity)
	case removing:
		all = append(all, http.StatusForbidden, http.StatusNotFound, http.StatusConflict, http.StatusPreconditionFailed)
	}
	all = append(all, o.also...)
	return append(all, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable)
}

// parameters are those of the query, but for the ones that many routes share.
func (o operation) parameters() []parameter {
	var all []parameter
	if o.verb == listing {
		all = append(all, o.filters...)
	}
	if o.verb != removing {
		all = append(all, shapeParameters(o.table, o.verb == listing)...)
	}
	if o.verb == listing {
		all = append(all, sortParameter(o.table))
		if o.table.PerPage > 0 {
			all = append(all, sizeParameter(o.table))
		}
	}
	return all
}

// shapeParameters say what of a record is shown.
func shapeParameters(table *readmodel.Resource, isList bool) []parameter {
	all := []parameter{{
		"fields", textSchema(0),
		"Names of the attributes to show, parted by commas: " + strings.Join(table.FieldNames(!isList), ", ") + ". " +
			"Then nothing else is shown but what expand names. A dot reaches into an expansion, as in user.email.",
	}}
	if len(table.Expansions) > 0 {
		about := "Relations to show as records, parted by commas: " + strings.Join(table.Expansions, ", ") + "."
		if len(table.DefaultExpansion) > 0 {
			about += " Without it and without fields: " + strings.Join(table.DefaultExpansion, ",") + "."
		}
		all = append(all, parameter{"expand", textSchema(0), about})
	}
	for _, a := range table.Attributes {
		if a.Asked {
			all = append(all, parameter{a.Name, flagSchema, "1 shows " + a.Name + "."})
		}
	}
	return all
}

func sortParameter(table *readmodel.Resource) parameter {
	return parameter{
		"sort", textSchema(0).with("default", table.DefaultSort),
		"Names of the attributes to sort by, parted by commas, each with a - before it to reverse it: " +
			strings.Join(table.SortNames(), ", ") + "." + newestFirst(table),
	}
}

// newestFirst tells of the attributes whose sort begins with the latest.
func newestFirst(table *readmodel.Resource) string {
	for _, a := range table.Attributes {
		if a.Sort == readmodel.NewestFirst {
			return " By " + a.Name + " the newest come first, by -" + a.Name + " the oldest."
		}
	}
	return ""
}

func sizeParameter(table *readmodel.Resource) parameter {
	size := object{{"type", "integer"}, {"minimum", 1}, {"maximum", readmodel.MaxPerPage}}
	about := "How many records a page has."
	if table.PagedIfAsked {
		about += " Without page and per_page the list is whole."
	} else {
		size = size.with("default", table.PerPage)
	}
	return parameter{"per_page", size, about}
}

// plural is the word for several of it.
func plural(word string) string {
	switch {
	case strings.HasSuffix(word, "y"):
		return strings.TrimSuffix(word, "y") + "ies"
	case strings.HasSuffix(word, "s"):
		return word + "es"
	}
	return word + "s"
}

// about is what the document says about a route of the resource.
func (r resource[F]) about(v verb, method string) operation {
	name, many := r.table.Name, plural(r.table.Name)
	o := operation{verb: v, tag: r.path, table: r.table, record: r.record, body: r.body, also: r.also[v]}
	switch v {
	case listing:
		o.id, o.summary = "list"+plural(r.record), "List "+many
		o.filters = r.filters()
	case reading:
		o.id, o.summary = "read"+r.record, "Read one "+name
	case creating:
		o.id, o.summary = "create"+r.record, "Create one "+name
	case updating:
		o.id, o.summary = "update"+r.record, "Change what the body carries of one "+name
		if method == http.MethodPatch {
			o.id, o.summary = "patch"+r.record, "The same as PUT"
		}
	case removing:
		o.id, o.summary = "delete"+r.record, "Delete one "+name
	}
	return o
}

// filters are the parameters that the resource's filter reads.
func (r resource[F]) filters() []parameter {
	asked := []parameter{}
	r.filter(&params{asked: &asked})
	return asked
}
