// Package load measures how fast Kontor answers, compared with the baseline server or with another Kontor, and how
// that grows with the size of the database.
//
//	make bench FOLDER10K=path FOLDER1M=path
//	.bin/bench -program old/kontor -database-a path -program-b new/kontor -database-b path
//	.bin/bench -haproxy deploy/haproxy.cfg -program .bin/kontor path
//
// It is a closed-loop generator: a fixed number of keep-alive connections, each of which sends its next request
// after the response, in rounds of fixed length. The kinds of requests are a table, Kinds. Servers are processes of
// their own with default settings; everything runs on one machine. The databases are those of make bench-data. They
// are written to.
//
// # Decisions
//
// Chose rounds that alternate between the servers, and the median of the ratios of neighbouring rounds, over ratios
// of totals, because a machine that others use as well is faster in one minute than in the next. To see how much is
// noise, compare a program with itself.
//
// Chose to measure quick requests beside slow ones over one connection of each kind, because many connections delay each
// other on one machine, with or without slow queries. It costs that the in-flight limit is not reached.
//
// Chose to use programs from outside only (their commands, HTTP, and columns that every schema has), so that
// versions with different schemas can be compared. It costs a database for each.
//
// Chose to search for new texts by taking them from the names in the database, each once. It costs that a round
// ends early when its share of them is used up.
package load
