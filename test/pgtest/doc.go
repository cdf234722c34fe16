// Package pgtest gives tests a PostgreSQL database of their own.
//
// A package that needs one runs its tests through Run:
//
//	func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }
//
// and asks for as many databases as it likes, from parallel tests too. URL
// clones a template that was migrated once per process, which takes some tens
// of milliseconds; EmptyURL is for tests of the migrations themselves. Each
// database is dropped when its test ends.
//
// # Where the server comes from
//
// The first of these that is there, chosen at the first use:
//
//  1. KONTOR_TEST_DATABASE_URL, the URL of a server whose user may create
//     databases. The tests' databases have names that begin with kontor_test_;
//     a run that is killed leaves its own behind. Everything else there is
//     left alone.
//  2. Docker, if it answers: one container per test process, of the official
//     image. If the image cannot be had in time, the run says so and goes on
//     to the next.
//  3. A private PostgreSQL in a temporary folder, by package localpg.
//
// One line on the standard error says which it is. As go test hides what a
// passing package prints, the line is also appended to the file that
// KONTOR_TEST_SERVERS names, if it is set.
//
// The server forgets everything at a crash (no fsync): chose speed, because
// nothing in a test's database outlives the test; costs that durability itself
// cannot be tested here.
package pgtest
