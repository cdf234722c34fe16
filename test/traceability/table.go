package traceability

import (
	"fmt"
	"slices"
	"strings"
)

// Table is the text of docs/clauses.md: each clause with the tests that cite it,
// one line per clause.
func Table(contract Contract, citations []Citation) string {
	var b strings.Builder
	b.WriteString(preamble)
	for _, section := range contract.Sections {
		fmt.Fprintf(&b, "\n## %s\n\n", section.Title)
		for _, clause := range section.Clauses {
			tests := "not in force yet"
			if clause.InForce {
				tests = strings.Join(testsOf(clause, citations), ", ")
			}
			fmt.Fprintf(&b, "- %s: %s\n", clause.Number, tests)
		}
	}
	return b.String()
}

const preamble = `# The tests of each clause

The tests that cite each clause of [the contract](contract.md), each with its package. Written by ` + "`make docs`" + `;
` + "`make verify`" + ` fails if it is out of date, and if a clause has no test.
`

// testsOf returns the tests of a clause in alphabetical order, each once.
func testsOf(clause Clause, citations []Citation) []string {
	var tests []string
	for _, c := range citations {
		if c.Clause == clause.Number {
			tests = append(tests, c.Test.Package()+"."+c.Test.Name)
		}
	}
	slices.Sort(tests)
	return slices.Compact(tests)
}
