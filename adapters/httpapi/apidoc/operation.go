// Package apidoc has the types in which the resources document their operations, and from
// which package openapi builds the OpenAPI document.
//
// Chose: the documentation of a resource is in the file that serves it. Because: an attribute is
// then added in one place. Costs: some strings in the program that only the generator of the
// document reads.
package apidoc

import "github.com/kontor-crm/kontor/ports/readmodel"

// Operation is one method of one path.
type Operation struct {
	Method string
	Path   string // such as /rest/deal/{id}/history; parameters other than {id} are in Filters

	// Of a resource:
	Verb     Verb
	Action   *Action             // nil: one of the five of every resource
	Tag      string              // the first part of the path below /rest/
	Table    *readmodel.Resource // of the records in responses
	Record   string              // the name of such a record's schema
	Filters  []Parameter
	Body     []Field  // what a write may contain
	Media    []string // the media types of a file that is sent or received
	Statuses []int    // of problems, in addition to those of the verb
	XML      bool     // the default format is XML
	Public   bool     // an operator may open it to requests without a token
	Docs     *Docs

	Service *Service // of a route outside the resources; then the above is empty
}

// Verb is what an operation does, of the five that every resource may have.
type Verb uint8

// The verbs.
const (
	List Verb = iota + 1
	Read
	Create
	Update
	Delete
)

// Parameter is a parameter in the query, or in the path if that has its name in braces.
type Parameter struct {
	Name        string
	Schema      Schema
	Required    bool
	Description string
	Choices     []string // its values; nil: any
	Refers      string   // of a filter: the resource of the records with the ids; "": none
}

// Service documents a route outside the resources.
type Service struct {
	ID          string // of the operation
	Summary     string
	Description string
	Response    string // describes a success
	Schema      Schema // of a response
	MayFail     bool   // a 503 has the same schema
}

// Docs documents a resource.
type Docs struct {
	Description string
	Operations  map[Verb]string // what an operation does beside what all of its verb do
	Attributes  Attributes
	Embedded    map[string]Attributes // of records that only occur inside this one, by schema

	Create, Change string // examples of the bodies, in JSON
}

// Attributes describes attributes of a record, by name.
type Attributes map[string]string
