// Package doctest executes the commands of a page of documentation and compares
// their output with the page.
//
//	blocks := doctest.Blocks(t, "../../docs/operations.md")
//	shell := doctest.Start(t, t.TempDir(), "KONTOR_DATABASE_URL="+url)
//	for _, b := range blocks {
//		shell.Run(b)
//	}
//
// # Format
//
// Every fenced block whose info string is `sh` is run in one shell, in the order of
// the page. Variables, the working directory and background processes last from block to
// block. A block fails if one of its commands fails, or if it uses an unset variable.
//
// The next fenced block under the same heading is the expected output, errors
// included, if its info string is `text`, `json` or `xml`; insignificant white space
// in JSON or XML may differ. `…` stands for any text, and a line of `…` alone for any
// number of lines.
//
// A block that no test can run has the reason in a comment above it:
//
//	<!-- not run: needs systemd -->
//
// NotRun lists these, so that a test can compare them with its own list.
//
// # Decisions
//
// Chose one shell for a page over one for each block, because pages read better when
// a token is issued once. Costs that blocks depend on their order.
//
// Chose to remove Kontor's and PostgreSQL's variables from the environment of the
// shell, because a page has to work with what it names. Costs that a test has to set
// what its page assumes.
package doctest
