package traceability

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Contract is the parsed docs/contract.md.
type Contract struct {
	Sections []Section
}

// Section is a numbered section, with its clauses in the order of the text.
type Section struct {
	Title   string
	Clauses []Clause
}

// Clause is one numbered promise.
type Clause struct {
	Number  string // such as 4.12 or 5.1a
	Opening string // its first words, as Markdown
	InForce bool   // false for a clause that the preface lists under "Not kept yet"
}

var (
	heading     = regexp.MustCompile(`^## (\d+ .*)`)
	clause      = regexp.MustCompile(`^(\| )?\*\*(\d+\.\d+[a-z]?)\*\*(.*)`)
	notInForce  = regexp.MustCompile(`(?s)(?:^|\n)Not kept yet.*?(?:\n\n|$)`)
	clauseRange = regexp.MustCompile(`(\d+\.\d+[a-z]?)(?:\s+to\s+(\d+\.\d+[a-z]?))?`)
)

// ParseContract parses the text of the contract. A clause before the first section,
// a preface that names an unknown clause, and a repeated number are errors.
func ParseContract(text string) (Contract, error) {
	var contract Contract
	seen := map[string]bool{}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if parts := heading.FindStringSubmatch(line); parts != nil {
			contract.Sections = append(contract.Sections, Section{Title: parts[1]})
			continue
		}
		parts := clause.FindStringSubmatch(line)
		if parts == nil {
			continue
		}
		number := parts[2]
		if len(contract.Sections) == 0 || seen[number] {
			return Contract{}, fmt.Errorf("line %d: clause %s is before the first section or repeated", i+1, number)
		}
		seen[number] = true
		text := strings.Join(append([]string{parts[3]}, restOfParagraph(lines[i+1:])...), " ")
		if parts[1] != "" {
			text = row(parts[3])
		}
		section := &contract.Sections[len(contract.Sections)-1]
		section.Clauses = append(section.Clauses, Clause{Number: number, Opening: opening(text), InForce: true})
	}
	return contract, contract.markNotInForce(notInForce.FindString(text))
}

func restOfParagraph(lines []string) []string {
	if end := slices.Index(lines, ""); end >= 0 {
		return lines[:end]
	}
	return lines
}

// row returns the text of the cells of a table row, without the empty ones.
func row(cells string) string {
	var text []string
	for cell := range strings.SplitSeq(cells, "|") {
		if cell = strings.TrimSpace(cell); cell != "" && cell != "–" {
			text = append(text, cell)
		}
	}
	return strings.Join(text, ", ")
}

// opening returns the beginning of a text, cut between words.
func opening(text string) string {
	const length = 60
	var short string
	for word := range strings.FieldsSeq(text) {
		if len(short)+1+len(word) > length {
			if strings.Count(short, "`")%2 == 1 {
				short += "`"
			}
			return strings.TrimRight(short, ",;: ") + " …"
		}
		short = strings.TrimSpace(short + " " + word)
	}
	return short
}

// markNotInForce marks the clauses that the sentence names, one by one or as "4.61
// to 4.64".
func (c Contract) markNotInForce(sentence string) error {
	for _, named := range clauseRange.FindAllStringSubmatch(sentence, -1) {
		first, last := named[1], named[2]
		if last == "" {
			last = first
		}
		found := 0
		for s := range c.Sections {
			for i := range c.Sections[s].Clauses {
				clause := &c.Sections[s].Clauses[i]
				if inOrder(first, clause.Number) && inOrder(clause.Number, last) {
					clause.InForce = false
					found++
				}
			}
		}
		if found == 0 {
			return fmt.Errorf("the preface names the unknown clause %s", named[0])
		}
	}
	return nil
}

// inOrder reports whether a is b or precedes it.
func inOrder(a, b string) bool {
	return slices.CompareFunc(strings.Split(a, "."), strings.Split(b, "."), func(x, y string) int {
		nx, sx := split(x)
		ny, sy := split(y)
		return cmp.Or(cmp.Compare(nx, ny), cmp.Compare(sx, sy))
	}) <= 0
}

// split splits a part of a number such as 1a into number and letter.
func split(part string) (number int, letter string) {
	digits := strings.TrimRight(part, "abcdefghijklmnopqrstuvwxyz")
	number, _ = strconv.Atoi(digits)
	return number, part[len(digits):]
}
