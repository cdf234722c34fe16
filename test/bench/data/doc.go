// Package data fills a database with the books of a made-up company, to measure
// on: as many clients as wanted, and to each of them 2 deals, 1.5 contacts, 3
// invoices with 9 lines, 0.6 offers and 0.25 contracts, entered by 200 users in
// the name of 20 performers over the six years from 2020 to 2025.
//
//	make bench-data CLIENTS=1000000
//
// # What is in it
//
// Nothing is spread evenly that is not so in life. The user with most clients
// has about an eighth of them; the client with most invoices has about as many
// as 1.1 % of the number of clients; business grows from year to year; records
// are entered in working hours, and some of them in bursts that share one
// instant; later changes come one by one or for many records at once. One deal in
// 32 has no client yet. Names are put together from lists, some with letters
// beyond ASCII. RareWord stands in the names of 25 clients whatever the size, and
// CommonWord in those of about every 23rd.
//
// The variant Bunched is for what a list does when its matches lie together at
// the far end: OldWord then stands in the names of the oldest clients and of no
// others, and about half of all records were entered in BusyMonth, as if another
// company's books had been taken over.
//
// # Decisions
//
// Every record is worked out of the seed, the size and its own number, and of
// nothing else. Because: any part can then be made on its own, by several
// workers and with little memory, and the same seed gives the same rows. Costs:
// what one record needs to know of another it works out again.
//
// Chance is integers, products and square roots, which all machines round
// alike. Because: a sum of a product may be rounded once or twice.
//
// Aggregates are made by the domain's own constructors and changed by its own
// methods, amounts by its arithmetic. Because: what could not have been entered
// cannot be measured on. The reference lists go through the stores; everything
// else goes by COPY with all constraints and indexes in place. Costs: checks of
// foreign keys are most of the time that a large database takes.
//
// A deal has the status that it was opened with. Because: changes of status
// would have to be put in order with everything else in the history. Costs: a
// history is the deal's creation and its invoices.
package data
