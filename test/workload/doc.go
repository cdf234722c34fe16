// Package workload is a random workload for tests: a database of its own with an
// office, concurrent writers that change records of every list at random, and the
// maintenance of the read models meanwhile.
package workload
