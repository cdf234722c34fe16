// Package doctest executes what a page of documentation tells its reader to type, so
// that no page goes stale.
//
//	blocks := guide.Blocks(t, "../../docs/operations.md")
//	shell := guide.Start(t, t.TempDir(), "KONTOR_DATABASE_URL="+url)
//	for _, b := range blocks {
//		shell.Run(b)
//	}
//
// # What a page says
//
// Every fenced block whose info string is `sh` is typed into one shell, in the
// order of the page. As for a reader, variables, the working folder and programs
// in the background last from block to block. A block fails if one of its commands
// does, or if it uses a variable that has no value.
//
// The next fenced block under the same heading says what is printed, errors
// included, if its info string is `text`, `json` or `xml`; white space that means
// nothing in JSON or XML may differ. `…` stands for whatever is printed there, and
// a line of `…` alone for any number of lines.
//
// A block that no test can run has the reason in a comment above it:
//
//	<!-- not run: needs systemd -->
//
// NotRun lists these, so that the test can hold them against a list of its own and
// none is added unseen.
//
// # Decisions
//
// Chose one shell for a page over one for each block, because pages read better
// when a token is asked for once. It costs that blocks depend on their order.
//
// Chose to leave Kontor's and PostgreSQL's variables of the test's own environment
// out of the shell, because a page has to work with what it names. It costs that a
// test has to give what its page takes for granted.
package doctest
