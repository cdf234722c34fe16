// Package pgtrial implements the reads of trials: all records of a resource in one snapshot,
// and the facts about other records.
//
// Chose: pages by the primary key over one streamed result. Because: facts about the records of a
// page have to be read in the same snapshot, and so on the same connection. Costs: a round trip for
// each page of up to 1,000 records.
//
// Chose: a connection of the pool for requests, behind the gate of slow queries. Because: a trial is
// one. Costs: requests have one fewer for as long as it takes.
package pgtrial
