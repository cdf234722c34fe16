package apidoc

// Action documents an operation beside the five of every resource. Where it is empty, it is as the one that its route
// has as the verb.
type Action struct {
	ID, Summary string
	Does        string   // in place of what all operations of the verb do
	Succeeded   string   // what the response is
	Parameters  []string // those shared between operations
	Headers     []string // of a success
	Problems    []int    // beside those of all operations
	Body        *Body
	IsCreated   bool // a success may also be a 201
	IsFile      bool // a file is received, or sent to a GET
	IsReport    bool // it reads rows, also as CSV, and not a record with a version
}

// Body documents the body of a request.
type Body struct {
	Suffix      string // of the name of its schema, after the one of the record
	Partial     bool   // no attribute is required
	Required    bool
	Description string

	Summary, Example string // of an example in JSON
}
