// Package application is the root of the use cases. A write goes through
// application/command: one type for each aggregate, one method for each
// operation, which loads, changes and saves aggregates in one unit of work. A
// read goes from the adapter directly to a read model, unless the list has a
// policy: that is in application/query, with the parsing of fields, expand and
// sort. Authentication and permissions are in application/access, rules that go
// beyond one aggregate in application/rule, trials of rules in
// application/trial, rows derived from changes in application/derive, and the
// management of companies in application/tenant.
package application
