// Package pgtrial reads what the trial of a rule needs: all records of a resource in one
// snapshot, and the answers to the rule's questions about other records.
//
// Chose pages by the primary key over one result that is streamed, because the questions
// about the records of a page have to be answered in the same snapshot, which belongs to one
// connection. Costs one round trip for each page of up to 1,000 records.
//
// Chose to read only the columns that a rule needs, and to decode PostgreSQL's binary format
// here, because reading is most of the work for a simple rule. Costs a second list of the
// columns of each table; a test compares the two.
//
// Chose connections of its own over those of requests, because a trial may take minutes, and
// a snapshot keeps its connection. Costs up to one connection for each trial that runs.
package pgtrial
