// Package pgtest gives tests a PostgreSQL database of their own.
//
// A package that needs one runs its tests through Run:
//
//	func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }
//
// and asks for as many databases as it likes, from parallel tests too. URL
// clones a migrated template, which takes some tens of milliseconds; EmptyURL is
// for tests of the migrations. A Fixture has records that many tests begin with.
// Each database is dropped soon after its test has ended.
//
// # Servers
//
// The server is the first of these, chosen at the first use:
//
//  1. KONTOR_TEST_DATABASE_URL, the URL of a server whose user may create
//     databases. The tests' databases have names that begin with kontor_test_;
//     a killed run leaves its databases behind. Nothing else there is touched.
//  2. Docker, if it responds: a container of the official image. If the image
//     cannot be pulled in time, the run reports it and goes on to the next.
//  3. A private PostgreSQL in a temporary folder, by package localpg.
//
// With KONTOR_TEST_CITUS=1 the server is a cluster of Citus, and each migrated or empty
// database is a distributed schema, on the workers in turns, in a database of its own on all
// nodes. The log of a failed test names the worker. The cluster is that of
// KONTOR_TEST_CITUS_URL, the URL of a coordinator; else one that package citus starts; without
// it tests are skipped.
//
// One line on the standard error names it, and on Citus another one how many schemas of tests
// each worker had; a worker without any fails the package. As go test hides the output of a
// passing package, the lines are also appended to the file that KONTOR_TEST_SERVERS names, if
// it is set.
//
// # One server for all packages
//
// `go test ./...` starts a server and migrates a template for each package.
// `make test` runs it under test/testrun, which does both once (Share) and hands
// them over in the environment. Chose the environment, because the template is
// made by code of the same tree and dropped with the run, so that it cannot be
// stale; a template named by a hash would have to know everything that it depends
// on. Costs that a lone `go test` does not profit.
//
// The server is not durable (no fsync): chose speed, because a test's database
// does not outlive the test; costs that durability cannot be tested here.
package pgtest
