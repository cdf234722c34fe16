// Package pgstore keeps aggregates in PostgreSQL: one file for each, with
// its columns, and the unit of work that joins them with the projections.
//
// Chose: writes whose result is not needed are queued and sent together, in their
// order, with the next statement that returns rows or at the end.
// Because: a change of an aggregate and everything derived from it is then one
// round trip, however many projections there are. Costs: a rejection of the
// database may appear at a later statement than the one that caused it, so
// every queued statement has the fault that its rejection means.
//
// A dry run sends the statements of a write and rolls them back, except that rows get
// random ids from a range that no sequence reaches.
//
// Chose: every insert has a parameter for the id, which is null unless it is a dry run; the statement
// then takes the next number of the sequence. Because: a sequence is not rolled back with the
// transaction; the statements are the same, with their constraints and row locks; and two dry
// runs insert different keys, so neither waits for the other. In the order of ids new records
// follow all others, as they would. Costs: a parameter in every insert, and dead rows that vacuum
// removes.
//
// # Order of locks
//
// A unit of work takes its locks in this order, and holds them until the end:
//
//  1. The idempotency key of the request.
//  2. Rows of records that it changes, in the order of repository.Stores, with `for no key update`. Rows that a
//     new row refers to are locked by the database against their deletion, which delays no change. A payment comes before
//     the deals and the invoices, each in the order of their ids; an automatic one is locked by its invoice.
//  3. Subjects of facts, which are numbers and lists, in the order of their keys: those that the unit of work alters
//     with the first answer that has to stay true, or else before a series or at the end.
//  4. Subjects of facts that are single records, in the order of their keys; others who only ask share the lock. The
//     performer of an issued document is the last of them, for whose change its party and its pictures need the lock.
//  5. The series of an issued document.
//  6. The newest batch of changes of read models, which all share.
//
// Records that rules ask for, and the performer of a document, are never locked for share by their rows: sharers
// overtake a writer that waits for such a lock, so that it may wait for ever. Advisory locks are granted in the order
// of the requests: who asks for a record waits behind one who waits to change it. Reactions are run after 4 and begin
// again with 2, and a question that depends on the answer to another one is locked after it: where that makes a
// deadlock, the database ends one of the transactions, which is repeated.
package pgstore
