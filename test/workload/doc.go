// Package workload is a company for tests in which many write at once: a database
// of its own with an office, writers that change records of every list at random,
// and what a test does to the read models meanwhile.
package workload
