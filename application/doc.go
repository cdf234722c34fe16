// Package application is the root of the use cases. A write goes through
// application/command: one type for each aggregate, one method for each verb,
// which loads, changes and saves aggregates inside one unit of work. A read
// goes from the adapter straight to a read model, unless the list has a policy,
// which then lives in application/query beside the parsing of fields, expand and
// sort. Authentication and permissions are in application/access, business rules
// that need more than one aggregate's own state in application/rule, and what
// follows from changes in application/derive.
package application
