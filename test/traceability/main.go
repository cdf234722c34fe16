// Command traceability prints each clause of docs/contributing/contract.md with the tests that
// cite it. Its own test fails for a clause that no test cites, and for a citation of no
// clause.
//
// A citation is the word "contract" and the numbers of clauses, in a comment at a test or
// in the name of a subtest: `// contract 4.15, 3.15`. Each clause is named, because a range
// does not show which of its clauses are tested.
package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
)

const page = "docs/contributing/contract.md"

var (
	clause   = regexp.MustCompile(`(?m)^(?:\| )?\*\*(\d+\.\d+[a-z]?)\*\*`)
	unkept   = regexp.MustCompile(`(?s)Not kept yet.*?\n\n`)
	number   = regexp.MustCompile(`\d+(?:\.\d+[a-z]?)?`)
	citation = regexp.MustCompile(`\bcontract (\d+(?:\.\d+[a-z]?)?(?:,(?:\s|//)+\d+\.\d+[a-z]?)*)(\s+to\s+\d|\s*[-–]\s*\d)?`)
	// A function without the comment above it, which belongs to it.
	testFunction = regexp.MustCompile(`(?m)^(?://.*\n)*func ((?:Test|Fuzz)[^a-z(]\w*|\w+|\([^)]*\) \w+)`)
)

// clauses are the numbers of the clauses, in the order of the contract, without those that
// its preface names as not kept yet.
func clauses(contract string) []string {
	missing := number.FindAllString(unkept.FindString(contract), -1)
	var kept []string
	for _, found := range clause.FindAllStringSubmatch(contract, -1) {
		if !slices.Contains(missing, found[1]) {
			kept = append(kept, found[1])
		}
	}
	return kept
}

// cite adds the tests of a file to those of each clause that they cite, and returns what is
// wrong with its citations.
func cite(tests map[string][]string, file, source string) (faults []string) {
	functions := testFunction.FindAllStringSubmatchIndex(source, -1)
	for _, at := range citation.FindAllStringSubmatchIndex(source, -1) {
		place := fmt.Sprintf("%s:%d", file, 1+strings.Count(source[:at[0]], "\n"))
		test := ""
		for _, function := range functions {
			if function[0] <= at[0] {
				test = source[function[2]:function[3]]
			}
		}
		if at[4] >= 0 {
			faults = append(faults, place+": a range of clauses: name each")
		}
		if !strings.HasPrefix(test, "Test") && !strings.HasPrefix(test, "Fuzz") {
			faults = append(faults, place+": a citation outside of a test")
			continue
		}
		for _, cited := range number.FindAllString(source[at[2]:at[3]], -1) {
			if _, exists := tests[cited]; !exists {
				faults = append(faults, place+": the contract has no clause "+cited)
			}
			name := path.Base(path.Dir(file)) + "." + test
			if !slices.Contains(tests[cited], name) {
				tests[cited] = append(tests[cited], name)
			}
		}
	}
	return faults
}

// trace returns the clauses in order, the tests of each, and what is wrong.
func trace(root fs.FS) (order []string, tests map[string][]string, faults []string, err error) {
	contract, err := fs.ReadFile(root, page)
	if err != nil {
		return nil, nil, nil, err
	}
	order = clauses(string(contract))
	tests = map[string][]string{}
	for i, clause := range order {
		if slices.Contains(order[:i], clause) {
			faults = append(faults, page+": "+clause+" stands twice")
		}
		tests[clause] = nil
	}
	err = fs.WalkDir(root, ".", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && len(file) > 1 && strings.ContainsAny(entry.Name()[:1], "._"), entry.Name() == "node_modules", file == "test/traceability":
			return fs.SkipDir
		case !strings.HasSuffix(file, "_test.go"):
			return nil
		}
		source, err := fs.ReadFile(root, file)
		faults = append(faults, cite(tests, file, string(source))...)
		return err
	})
	for _, clause := range order {
		if len(tests[clause]) == 0 {
			faults = append(faults, clause+": no test cites it")
		}
	}
	return order, tests, faults, err
}

func main() {
	order, tests, faults, err := trace(os.DirFS("."))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, clause := range order {
		fmt.Printf("%-7s %s\n", clause, strings.Join(tests[clause], " "))
	}
	for _, fault := range faults {
		fmt.Fprintln(os.Stderr, fault)
	}
}
