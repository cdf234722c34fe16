// Package pgread holds the read models on PostgreSQL. It is the one place where
// SQL is put together, and the one that imports squirrel.
//
// Chose: one statement for a page, its expansions and its exact total. Because:
// two statements are two moments, and a total that does not belong to its page
// is a lie. Costs: the total is counted again for every page.
//
// Chose: results in PostgreSQL's text format, handed on as they are. Because:
// the connection speaks ISO dates in the service's zone, so the text of a value
// is already what an answer shows. Costs: the server formats numbers and dates.
package pgread
