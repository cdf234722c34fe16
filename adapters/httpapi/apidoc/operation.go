// Package apidoc has the types in which the resources document their operations, and from
// which package openapi builds the OpenAPI document.
//
// Chose to document a resource in the file that serves it, because an attribute is then
// added in one place; costs some strings in the program that only the generator of the
// document reads.
package apidoc

import "github.com/kontor-crm/kontor/ports/readmodel"

// Operation is one method of one path.
type Operation struct {
	Method string
	Path   string // such as /rest/deal/{id}/history

	// Of a resource:
	Verb     Verb
	Tag      string              // the first part of the path below /rest/
	Table    *readmodel.Resource // of the records in responses
	Record   string              // the name of such a record's schema
	Filters  []Parameter
	Body     []Field // what a write may contain
	Statuses []int   // of problems beside those of all operations of the verb
	XML      bool    // the default format is XML
	Public   bool    // an operator may open it to requests without a token
	Docs     *Docs

	Service *Service // of a route outside the resources; then the above is empty
}

// Verb is what an operation of a resource does.
type Verb uint8

// The verbs.
const (
	List Verb = iota + 1
	Read
	Create
	Update
	Delete
	DeleteAll // records of a list
	Try       // a rule that is not stored
	TryStored // a rule with changes
)

// Parameter is a parameter in the query.
type Parameter struct {
	Name        string
	Schema      Schema
	Description string
}

// Service documents a route outside the resources.
type Service struct {
	ID          string // of the operation
	Summary     string
	Description string
	Response    string // describes a success
	Schema      Schema // of a success; "" for none
	MediaType   string // of a success; "" is JSON
	Example     string // a success in JSON
	Unavailable string // a 503 in JSON; "" if there is none
}

// Docs documents a resource. The examples of all resources are one consistent set of
// records that refer to each other.
type Docs struct {
	Description string
	Operations  map[Verb]string // what an operation does beside what all of its verb do
	Attributes  Attributes
	Embedded    map[string]Attributes // of records that only occur inside this one, by schema
	Owner       string                // of a list inside a record: the id of that record, in the sample

	// The example of a creation and a change: the bodies in JSON, and the values, by paths
	// such as type.name, that differ in their responses from the sample record.
	Create, Change   string
	Created, Changed map[string]string
}

// Attributes documents the attributes of a record by name. A path such as type.name
// documents an attribute of an embedded record where it differs.
type Attributes map[string]Attribute

// Attribute documents one attribute.
type Attribute struct {
	Description string
	Samples     []string // its cells in the sample records; null where empty or missing
	IsEmpty     bool     // the attribute is a list that is empty in the sample records
}

// EmptyList documents a list that is empty in the sample records.
func EmptyList(description string) Attribute {
	return Attribute{Description: description, IsEmpty: true}
}

// Sample documents an attribute with its cell in each sample record, in order.
func Sample(description string, cells ...string) Attribute {
	return Attribute{Description: description, Samples: cells}
}

// Cell returns the cell of an attribute in a sample record; false for null. The last sample
// repeats for all further records.
func (a Attributes) Cell(path string, row int) (string, bool) {
	cells := a[path].Samples
	if len(cells) == 0 {
		return "", false
	}
	cell := cells[min(row, len(cells)-1)]
	return cell, cell != ""
}

// Rows returns the number of sample records.
func (a Attributes) Rows() int {
	rows := 1
	for _, attribute := range a {
		rows = max(rows, len(attribute.Samples))
	}
	return rows
}
