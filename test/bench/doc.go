// Package bench measures how fast the service answers: the real handler behind
// a real listener on this machine, with PostgreSQL from package pgtest behind
// it.
//
//	make bench
//
// The figure to look at is req/s. Allocations count those of the client that
// asks, too, as both live in one process; it is the same client before and
// after a change. pgtest's PostgreSQL does not wait for the disk, so what is
// measured is work, not storage.
package bench
