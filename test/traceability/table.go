package traceability

import (
	"fmt"
	"strings"
)

// Table is the text of docs/clauses.md: each clause with the tests that cite
// it.
func Table(contract Contract, citations []Citation) string {
	var b strings.Builder
	b.WriteString(preamble)
	for _, section := range contract.Sections {
		fmt.Fprintf(&b, "\n## %s\n\n| Clause | Says | Shown by |\n|---|---|---|\n", section.Title)
		for _, clause := range section.Clauses {
			shown := "not kept yet"
			if clause.Kept {
				shown = strings.Join(links(clause, citations), "<br>")
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", clause.Number, clause.Opening, shown)
		}
	}
	return b.String()
}

const preamble = `# The clauses of the contract and their tests

Every clause of [the contract](contract.md), by its first words, with the tests that cite it. Written by
` + "`make docs`" + `; ` + "`make verify`" + ` fails when it is out of date, and when a clause has no test.
`

// links are the tests of a clause, each once.
func links(clause Clause, citations []Citation) []string {
	var links []string
	linked := map[Test]bool{}
	for _, c := range citations {
		if c.Clause != clause.Number || linked[c.Test] {
			continue
		}
		linked[c.Test] = true
		links = append(links, fmt.Sprintf("%s [%s](../%s)", c.Test.Package(), c.Test.Name, c.Test.File))
	}
	return links
}
