package httpapi

import (
	"net/http"
	"strconv"
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

	lesson *lesson

	// Of an answer outside of the resources:
	plain   object // its schema
	media   string // its type; "" is JSON
	says    string // what such a request is for
	answers string // what a success is
	example object // one such
	unready object // an example of what comes with a 503, if one may come
}

// description is what the operation does, in words.
func (o operation) description(r route) string {
	if o.plain != nil {
		return o.says
	}
	sentences := []string{o.does()}
	if more := o.lesson.words[o.verb]; more != "" {
		sentences = append(sentences, more)
	}
	if r.format == xmlFormat {
		sentences = append(sentences, "Asked for no format, the service answers in XML.")
	}
	if r.public {
		sentences = append(sentences, "An operator may open it to requests without a token.")
	}
	return strings.Join(sentences, "\n\n")
}

// does is what all operations of the verb do.
func (o operation) does() string {
	name := o.table.Name
	switch o.verb {
	case listing:
		return o.lists()
	case reading:
		return "Shows one " + name + ". `ETag` names its version: with `If-None-Match` it is sent again only if it has changed."
	case creating:
		return "Makes one " + name + " and shows it, as reading it would. `Location` is its address. " +
			"With an `Idempotency-Key` the request can be repeated and still makes only one."
	case updating:
		return "Changes what the body carries, leaves the rest as it is, and shows the " + name + " as it is then. PUT and PATCH do the same. " +
			"With `If-Match` nothing is changed if somebody else has changed the record since it was read."
	}
	return "Deletes one " + name + " and answers with its id. There is no way back."
}

// lists is what a list has.
func (o operation) lists() string {
	whole := "Lists " + plural(o.table.Name)
	if len(o.filters) > 0 {
		whole += " that meet all of the filters given"
	}
	switch order := o.table.DefaultSort; {
	case strings.HasPrefix(order, "created"):
		whole += ", the newest first unless `sort` says otherwise."
	default:
		whole += ", sorted by `" + order + "` unless `sort` says otherwise."
	}
	switch {
	case o.table.PerPage == 0:
		return whole + " The list is always whole."
	case o.table.PagedIfAsked:
		return whole + " The list is whole unless `page` or `per_page` asks for a page."
	}
	return whole + " A page has " + strconv.Itoa(o.table.PerPage) + " of them unless `per_page` says otherwise; the addresses of other pages are in `Link`."
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
	fields := "Names of the attributes to show, parted by commas: " + strings.Join(table.FieldNames(!isList), ", ") + ". " +
		"Then nothing else is shown."
	if len(table.Expansions) > 0 {
		fields = strings.TrimSuffix(fields, ".") + " but what `expand` names. A dot reaches into an expansion, as in `" + table.Expansions[0] + ".id`."
	}
	all := []parameter{{"fields", textSchema(0), fields}}
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
	if thing, place, ok := strings.Cut(word, " in "); ok {
		return plural(thing) + " in " + place
	}
	switch {
	case strings.HasSuffix(word, "y"):
		return strings.TrimSuffix(word, "y") + "ies"
	case strings.HasSuffix(word, "s"):
		return word + "es"
	}
	return word + "s"
}

// capital is the word as a sentence begins with it.
func capital(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// about is what the document says about a route of the resource.
func (r resource[F]) about(v verb, method string) operation {
	name, many := r.table.Name, plural(r.table.Name)
	o := operation{verb: v, tag: r.path, table: r.table, record: r.record, body: r.body, also: r.also[v], lesson: r.lesson}
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
			o.id, o.summary = "patch"+r.record, "Change what the body carries of one "+name+", as PUT does"
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
