// Package query parses fields, expand and sort, and contains the reads with a
// policy. All other reads go from the adapter directly to the read model.
//
// Chose: selections and sorts are parsed here, not in ports/readmodel, which has the
// tables of attributes. Because: a port contains contracts only, and the HTTP
// adapter, the command line and tests parse alike. Costs: error messages contain the
// names of query parameters.
//
// Chose: Parser caches results by the parameters of a request, up to a fixed number
// and length. Because: most requests repeat the parameters of earlier ones. Costs:
// two maps for each resource.
//
// Chose: a list with a policy implements readmodel.Reader by wrapping another one.
// Because: an adapter serves it like any other. Costs: nothing.
//
// Chose: the rows are read first, and the existence of their owner is only checked
// if there are none. Because: rows prove that the owner exists, so a list is usually
// one statement and one snapshot. Costs: a second statement for an empty list.
package query
