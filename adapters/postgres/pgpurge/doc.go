// Package pgpurge deletes records that have expired: responses stored under idempotency
// keys, access tokens, and violations of rules, of which each rule also has a limit.
//
// Chose: a background worker deletes in batches, in the order in which the records ended,
// and stores in the same transaction how far it has come. Because: deletion then depends
// on time alone, not on requests, and its cost on what has expired since, not on what was
// deleted before. An index keeps the entries of deleted rows until a vacuum, which an
// older snapshot (pg_dump, hot_standby_feedback) may delay for hours; a search that began
// at the left end of the index would read all of them. Costs: a row for each kind, and a
// query a minute for each instance.
//
// Chose a stored position over one in memory, because after a restore of the database
// the two agree, and instances share the work: one that finds the row locked leaves the
// round to its holder. Chose deletion over dropping daily partitions, because a partition
// needs the time in the primary key, and then the same key of a user could be claimed
// twice; costs the work of vacuum.
package pgpurge
