package traceability

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Contract is what docs/contract.md promises.
type Contract struct {
	Sections []Section
}

// A Section is a numbered chapter, with its clauses in the order of the text.
type Section struct {
	Title   string
	Clauses []Clause
}

// A Clause is one numbered promise.
type Clause struct {
	Number  string // such as 4.12 or 5.1a
	Opening string // its first words, as Markdown
	Kept    bool   // false while the contract's preface says "Not kept yet" of it
}

var (
	heading   = regexp.MustCompile(`^## (\d+ .*)`)
	clause    = regexp.MustCompile(`^(\| )?\*\*(\d+\.\d+[a-z]?)\*\*(.*)`)
	notKept   = regexp.MustCompile(`(?s)(?:^|\n)Not kept yet.*?(?:\n\n|$)`)
	someOrOne = regexp.MustCompile(`(\d+\.\d+[a-z]?)(?:\s+to\s+(\d+\.\d+[a-z]?))?`)
)

// ParseContract reads the text of the contract. Clauses before the first
// section, and a preface that speaks of clauses which are not there, are
// errors; so is a number that is used twice.
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
			return Contract{}, fmt.Errorf("line %d: clause %s stands before the first section or twice", i+1, number)
		}
		seen[number] = true
		says := strings.Join(append([]string{parts[3]}, restOfParagraph(lines[i+1:])...), " ")
		if parts[1] != "" {
			says = row(parts[3])
		}
		section := &contract.Sections[len(contract.Sections)-1]
		section.Clauses = append(section.Clauses, Clause{Number: number, Opening: opening(says), Kept: true})
	}
	return contract, contract.markNotKept(notKept.FindString(text))
}

func restOfParagraph(lines []string) []string {
	if end := slices.Index(lines, ""); end >= 0 {
		return lines[:end]
	}
	return lines
}

// row is what the cells of a table say, without the empty ones.
func row(cells string) string {
	var says []string
	for cell := range strings.SplitSeq(cells, "|") {
		if cell = strings.TrimSpace(cell); cell != "" && cell != "–" {
			says = append(says, cell)
		}
	}
	return strings.Join(says, ", ")
}

// opening is the beginning of a text, cut between words.
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

// markNotKept marks the clauses that the sentence names, one by one or as
// "4.61 to 4.64".
func (c Contract) markNotKept(sentence string) error {
	for _, named := range someOrOne.FindAllStringSubmatch(sentence, -1) {
		first, last := named[1], named[2]
		if last == "" {
			last = first
		}
		found := 0
		for s := range c.Sections {
			for i := range c.Sections[s].Clauses {
				clause := &c.Sections[s].Clauses[i]
				if inOrder(first, clause.Number) && inOrder(clause.Number, last) {
					clause.Kept = false
					found++
				}
			}
		}
		if found == 0 {
			return fmt.Errorf("the preface names %s, and there is no such clause", named[0])
		}
	}
	return nil
}

// inOrder tells whether one number is the other or stands before it.
func inOrder(a, b string) bool {
	return slices.CompareFunc(strings.Split(a, "."), strings.Split(b, "."), func(x, y string) int {
		nx, sx := split(x)
		ny, sy := split(y)
		return cmp.Or(cmp.Compare(nx, ny), cmp.Compare(sx, sy))
	}) <= 0
}

// split takes a part of a number such as 1a into the number and the letter.
func split(part string) (number int, letter string) {
	digits := strings.TrimRight(part, "abcdefghijklmnopqrstuvwxyz")
	number, _ = strconv.Atoi(digits)
	return number, part[len(digits):]
}
