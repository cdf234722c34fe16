// Package page has the pages for browsers. It writes lists, records and problems as HTML, from the selections
// that package encode writes as JSON and XML, and serves the API reference.
//
// Chose: templates without a script, except for the reference. Because: the pages work in every browser and on
// paper, and their content security policy allows no script at all. Costs: each step loads a page.
package page

import (
	"embed"
	"html/template"
	"io"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
)

// ContentType is that of all pages.
const ContentType = "text/html; charset=utf-8"

// Policy is the content security policy of all pages but the reference.
const Policy = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// Style is the style sheet of all pages but the reference, which they expect at /page.css.
//
//go:embed page.css
var Style []byte

//go:embed *.html
var files embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{"words": apidoc.Words}).ParseFS(files, "*.html"))

// Frame is what surrounds the content of a page.
type Frame struct {
	Title      string
	Base       string // the path before all others; empty if there is none
	Bar, More  []Link // in the bar, and in its menu
	IsSignedIn bool   // a cookie has the token
}

// Link is a link with its text.
type Link struct{ Text, URL string }

// List is a page of a list.
type List struct {
	Frame
	Form
	Total     int64
	Table     Table
	SortedBy  string // an attribute without a column
	Sums      Sums
	CSV       string
	Prev      string
	Next      string
	Number    int64 // of the page; 0: the list has no pages
	PageCount int64
}

// Form is the form for the parameters of a list or a report.
type Form struct {
	Path    string // of what has the parameters
	Search  Search
	Filters []Filter
	Active  []Link // filters that are set, which the links remove
	IsAsked bool   // one of the unusual filters is set
	Kept    []Pair // parameters that the form keeps
}

// Search is the search field of a list. Without names, the list has none.
type Search struct {
	Pair
	Names []string // words for the filters that are tried
	By    string   // the one that the value has; empty: it has none
	Other []Link   // searches for the value by other filters
}

// Pair is a parameter with its value.
type Pair struct{ Name, Value string }

// Filter is a field of the form of a list.
type Filter struct {
	Pair
	About   string
	Input   string   // the type of the field
	Choices []Choice // empty: any text
	IsUsual bool     // always shown
	IsID    bool     // of a record
	// HasDefault means that without a value it is the first choice.
	HasDefault bool
}

// Choice is a value of a filter with its words.
type Choice struct{ Value, Text string }

// Sums are the sums of amounts, one for each currency. Why says why they are not shown.
type Sums struct {
	Fields []Field
	Why    string
}

// Table is a table of records. Name is read out for it.
type Table struct {
	Name    string
	Columns []Column
	Rows    [][]Value
	More    int // rows that are not shown
}

// Column is a column of a table. Sort is the link that sorts by it, and Order the present order, ascending or
// descending; both may be empty.
type Column struct {
	Name, Sort, Order string
	IsNumber          bool
}

// Record is the page of a record.
type Record struct {
	Frame
	Badge    Value
	Fields   []Field // what people look for
	Sections []Section
	Rest     []Field // all other attributes
	Related  []Link
}

// Section is a table of a page. All is the link to the whole list; its URL may be empty.
type Section struct {
	Title string
	Table Table
	All   Link
	Sums  Sums
}

// Field is an attribute of a record.
type Field struct {
	Name string
	Value
}

// Value is one value: a text, which may be a link, or the attributes of an object, or a table of records.
type Value struct {
	Text, URL string
	Raw       string // as the database has it
	Refers    string // the resource of the record with the id Raw, of which Text should be the name
	Badge     string // the kind of a word that stands out; "" if it does not
	IsNumber  bool
	Fields    []Field
	Table     *Table
}

// Problem is the page of an error.
type Problem struct {
	Frame
	Detail, Code, RequestID string
	Errors                  []Field
}

// Login is the form for a token. Error says why the last one was refused.
type Login struct {
	Frame
	Next, Error string
}

// Index is the first page: what is to be done, or else all lists, and the links of the service.
type Index struct {
	Frame
	Sections []Section
	Charts   []Chart
	Links    []Link
}

// Write writes the page.
func (l List) Write(w io.Writer) error { return templates.ExecuteTemplate(w, "list.html", l) }

// Write writes the page.
func (r Record) Write(w io.Writer) error { return templates.ExecuteTemplate(w, "record.html", r) }

// Write writes the page.
func (p Problem) Write(w io.Writer) error { return templates.ExecuteTemplate(w, "problem.html", p) }

// Write writes the page.
func (l Login) Write(w io.Writer) error { return templates.ExecuteTemplate(w, "login.html", l) }

// Write writes the page.
func (i Index) Write(w io.Writer) error { return templates.ExecuteTemplate(w, "index.html", i) }
