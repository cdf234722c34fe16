package traceability

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/kontor-crm/kontor/test/architecture"
)

// Test is a test function.
type Test struct {
	File string // from the module's root, with slashes
	Name string
}

// Package is the name of the test's folder.
func (t Test) Package() string { return path.Base(path.Dir(t.File)) }

// Citation is a reference from a test to a clause that it shows.
type Citation struct {
	Clause string
	Test   Test   // without a name if the citation is outside all tests
	Place  string // file:line
	Range  bool   // true for the first clause of a range such as "4.61 to 4.64"
}

var (
	citation     = regexp.MustCompile(`\bcontract (\d+(?:\.\d+[a-z]?)?(?:,\s+\d+\.\d+[a-z]?)*)(\s+to\s+\d|\s*[-–]\s*\d)?`)
	citedClause  = regexp.MustCompile(`\d+(?:\.\d+[a-z]?)?`)
	testFunction = regexp.MustCompile(`^(Test|Fuzz)([^a-z]|$)`)
)

// ReadCitations finds every citation in the tests of the tree, in the order of the
// files and of the text in each.
func ReadCitations(tree architecture.Tree) []Citation {
	var citations []Citation
	for _, file := range tree.Files {
		if file.IsTest() {
			citations = append(citations, citationsOf(file)...)
		}
	}
	return citations
}

func citationsOf(file architecture.File) []Citation {
	texts := map[token.Pos]string{}
	for _, group := range file.Syntax.Comments {
		texts[group.Pos()] = group.Text()
	}
	ast.Inspect(file.Syntax, func(node ast.Node) bool {
		if literal, ok := node.(*ast.BasicLit); ok && isName(literal) {
			texts[literal.Pos()] = literal.Value
		}
		return true
	})
	var citations []Citation
	for _, at := range slices.Sorted(maps.Keys(texts)) {
		place := fmt.Sprintf("%s:%d", file.Path, file.Positions.Position(at).Line)
		test := Test{File: file.Path, Name: testAround(file, at)}
		for _, match := range citation.FindAllStringSubmatch(texts[at], -1) {
			numbers := citedClause.FindAllString(match[1], -1)
			for i, number := range numbers {
				isRange := match[2] != "" && i == len(numbers)-1
				citations = append(citations, Citation{Clause: number, Test: test, Place: place, Range: isRange})
			}
		}
	}
	return citations
}

// isName reports whether a string may be the name of a subtest and not, say, an
// example in the tests of this package.
func isName(literal *ast.BasicLit) bool {
	return literal.Kind == token.STRING && !strings.Contains(literal.Value, `\n`) && !strings.Contains(literal.Value, "\n")
}

// testAround returns the name of the test that contains the position, or its
// comment; empty if there is none.
func testAround(file architecture.File, at token.Pos) string {
	for _, declared := range file.Syntax.Decls {
		function, ok := declared.(*ast.FuncDecl)
		if !ok || function.Recv != nil || !testFunction.MatchString(function.Name.Name) {
			continue
		}
		from := function.Pos()
		if function.Doc != nil {
			from = function.Doc.Pos()
		}
		if from <= at && at < function.End() {
			return function.Name.Name
		}
	}
	return ""
}

// Check complains of clauses without a test, and of citations that do not name a
// clause in force at a test.
func Check(contract Contract, citations []Citation) []string {
	var complaints []string
	clauses := map[string]Clause{}
	for _, section := range contract.Sections {
		for _, clause := range section.Clauses {
			clauses[clause.Number] = clause
		}
	}
	shown := map[string]bool{}
	for _, c := range citations {
		clause, exists := clauses[c.Clause]
		switch {
		case c.Range:
			complaints = append(complaints, fmt.Sprintf("%s: a range from %s: name each clause", c.Place, c.Clause))
		case !exists:
			complaints = append(complaints, fmt.Sprintf("%s: the contract has no clause %s", c.Place, c.Clause))
		case !clause.InForce:
			complaints = append(complaints, fmt.Sprintf("%s: %s is not in force, according to the contract's preface", c.Place, c.Clause))
		case c.Test.Name == "":
			complaints = append(complaints, fmt.Sprintf("%s: %s is cited outside a test", c.Place, c.Clause))
		default:
			shown[c.Clause] = true
		}
	}
	for _, section := range contract.Sections {
		for _, clause := range section.Clauses {
			if clause.InForce && !shown[clause.Number] {
				complaints = append(complaints, fmt.Sprintf("%s: no test cites: %s", clause.Number, clause.Opening))
			}
		}
	}
	return complaints
}
