// Package data fills a database with the records of a made-up company for benchmarks: a given number of clients, and
// for each of them 2 deals, 1.5 contacts, 3 invoices with 9 lines, 0.6 offers and 0.25 contracts, created by 200 users
// for 20 performers over the six years from 2020 to 2025.
//
//	make bench-data CLIENTS=1000000
//
// Real data are not spread evenly, and neither are these. The user with most clients has about an eighth of them; the
// client with most invoices has about as many as 1.1 % of the number of clients; business grows from year to year;
// records are created in working hours, and some of them in bursts that share an instant; later changes come one by
// one or for many records at once. One deal in 32 has no client yet. Names are combined from lists, some with letters
// beyond ASCII. RareWord is in the names of 25 clients whatever the size, and CommonWord in those of about every 23rd.
//
// Chose: SQL that computes each record from the seed and its own number. Because: the database makes any range of
// records on its own, on several connections, and the same seed gives the same rows. Costs: no aggregate makes the
// records; constraints, and tests of a small database, show that they are consistent.
//
// Chose: each deal stays in the status it was created with. Because: changes would have to be ordered with everything
// else in the history. Costs: a history is the deal's creation and its invoices.
package data
