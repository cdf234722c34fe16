// Package data fills a database with the records of a made-up company for benchmarks: a given number of clients, and
// for each of them 2 deals, 1.5 contacts, 3 invoices with 9 lines, 0.6 offers and 0.25 contracts, created by 200 users
// for 20 performers over the six years from 2020 to 2025.
//
//	make bench-data CLIENTS=1000000
//
// # Distribution
//
// Real data are not spread evenly, and neither are these. The user with most clients has about an eighth of them; the
// client with most invoices has about as many as 1.1 % of the number of clients; business grows from year to year;
// records are created in working hours, and some of them in bursts that share an instant; later changes come one by
// one or for many records at once. One deal in 32 has no client yet. Names are combined from lists, some with letters
// beyond ASCII. RareWord is in the names of 25 clients whatever the size, and CommonWord in those of about every 23rd.
//
// # Decisions
//
// Chose to compute each record from the seed, the size and its own number only, because any chunk can then be made
// independently, by several workers and with little memory, and the same seed gives the same rows. It costs that what
// one record depends on in another is computed again.
//
// Chose random numbers of integers, products and square roots, because all machines round these in the same way.
//
// Chose the domain's constructors, methods and arithmetic to make aggregates, so that no impossible record is measured.
// The reference lists go through the stores, everything else by COPY with all constraints and indexes in place. It
// costs that checks of foreign keys take most of the time for a large database.
//
// Chose to leave each deal in the status it was created with, because changes would have to be ordered with
// everything else in the history. It costs that a history is the deal's creation and its invoices.
package data
