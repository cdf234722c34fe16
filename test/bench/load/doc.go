// Package load measures how fast Kontor answers, and how that grows with what is stored.
//
//	make bench FOLDER10K=path FOLDER1M=path
//
// The databases are those of make bench-data; they are written to. Kontor is the program itself in a
// process of its own, with an operator's defaults. Requests come from this process over connections
// that are kept alive, and everything shares the machine.
//
// # What is measured
//
// Kinds of requests, the reads first (see Kind), on the biggest database: Kontor and the floor in turns,
// with 16 and with 64 connections; then the reads on all databases, over one connection and over 16; the
// first list after a restart; reads beside writers, and the same beside a transaction that keeps an old
// snapshot open (see Snapshot); and creations by 4 and by 16 writers, and in turns with a Kontor whose
// store keeps no read models.
//
// # How the floor learns
//
// A Kontor is started behind a tap, which passes on what it and PostgreSQL say to each other, and notes
// it. Each request that will be measured is sent, and the statements with their values become a script.
// How the answer is made of the rows is found by looking for its values in their columns. A value that
// differs between two creations is the new word, or what an earlier statement gave, or the time. Before
// a kind is measured both servers must give the same bytes.
//
// # Decisions
//
// Chose to watch the wire over a hook in the program, because what runs is then what operators run, and
// whatever the program does is in the script: how statements travel together, which are read and
// planned each time, what the connection was told. It costs a few hundred lines that know PostgreSQL's
// messages.
//
// Chose ratios of rounds that are neighbours, and their median, over ratios of sums, because a machine
// that others use too is faster in one minute than in the next. The column A/A shows what is left of that.
//
// Chose writers who change thousands of records in turn beside an old snapshot, over those who have one
// each. What changes one row hundreds of times while nothing can be cleaned away measures how PostgreSQL
// walks the versions of that row, and nobody's books are kept like that. For the same reason some of the
// clients they create have the common word in their names, as many as in the books: a page of matches
// would else lie further back with every client.
//
// Chose to ask for a new word each time by taking words from the names in the database, each once. It
// costs that a round ends early when its share of the words is used up.
package load
