package traceability

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/test/architecture"
)

// sample is a contract of two sections with each form of a clause.
const sample = `# The contract of a lamp

Not kept yet, and therefore without a test: dimming (1.3 to 1.4), the second
switch (2.1b).

## 1 Light

**1.1** The lamp gives light,
and it gives warmth.

| Clause | Colour | Wave |
|---|---|---|
| **1.2** | ` + "`red`" + ` | – |
| **1.3** | green | short |

**1.4** It can be dimmed (2.1a).

## 2 Switches

**2.1a** One switch ` + "`which turns the lamp on, and off again, whenever you like`" + `.

**2.1b** Another.
`

func contractOf(t *testing.T, text string) Contract {
	t.Helper()
	contract, err := ParseContract(text)
	if err != nil {
		t.Fatal(err)
	}
	return contract
}

// citationsIn reads the citations of tests given as alternating file names and
// sources.
func citationsIn(t *testing.T, namesAndSources ...string) []Citation {
	t.Helper()
	files := fstest.MapFS{}
	for i := 0; i < len(namesAndSources); i += 2 {
		files[namesAndSources[i]] = &fstest.MapFile{Data: []byte(namesAndSources[i+1])}
	}
	tree, err := architecture.ReadTree("example.org/m", files)
	if err != nil {
		t.Fatal(err)
	}
	return ReadCitations(tree)
}

func same(t *testing.T, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestParseContractReadsSentencesAndRows(t *testing.T) {
	same(t, contractOf(t, sample), Contract{Sections: []Section{
		{Title: "1 Light", Clauses: []Clause{
			{"1.1", "The lamp gives light, and it gives warmth.", true},
			{"1.2", "`red`", true},
			{"1.3", "green, short", false},
			{"1.4", "It can be dimmed (2.1a).", false},
		}},
		{Title: "2 Switches", Clauses: []Clause{
			{"2.1a", "One switch `which turns the lamp on, and off again, whenever` …", true},
			{"2.1b", "Another.", false},
		}},
	}})
}

func TestParseContractRejectsContradictions(t *testing.T) {
	for name, text := range map[string]string{
		"a number twice":                  sample + "\n**1.1** Again.\n",
		"a clause before the sections":    "**0.1** First.\n" + sample,
		"a preface that names no clause":  strings.Replace(sample, "(2.1b)", "(2.1c)", 1),
		"a preface that names no section": strings.Replace(sample, "1.3 to 1.4", "3.1 to 3.4", 1),
	} {
		t.Run(name, func(t *testing.T) {
			if contract, err := ParseContract(text); err == nil {
				t.Errorf("read as %v", contract)
			}
		})
	}
}

func TestReadCitationsFindsThemAboveAndInsideTests(t *testing.T) {
	const source = `package a_test

// It shines. contract 1.1: in the dark.
//
// contract 1.2,
// 2.1a
func TestLight(t *testing.T) {
	for name := range map[string]bool{"contract 1.2, red": true} {
		t.Run(name, red) // contract 2.1a
	}
}

// contract 1.1
func FuzzLight(f *testing.F) {}

// The contract of 1.2 is none, and a subcontract 1.2 neither.
func TestDark(t *testing.T) {}
`
	light, fuzz := Test{"a/b/a_test.go", "TestLight"}, Test{"a/b/a_test.go", "FuzzLight"}
	same(t, citationsIn(t, "a/b/a_test.go", source, "a/b/a.go", source), []Citation{
		{Clause: "1.1", Test: light, Place: "a/b/a_test.go:3"},
		{Clause: "1.2", Test: light, Place: "a/b/a_test.go:3"},
		{Clause: "2.1a", Test: light, Place: "a/b/a_test.go:3"},
		{Clause: "1.2", Test: light, Place: "a/b/a_test.go:8"},
		{Clause: "2.1a", Test: light, Place: "a/b/a_test.go:9"},
		{Clause: "1.1", Test: fuzz, Place: "a/b/a_test.go:13"},
	})
}

func TestCheckFindsMissingAndWrongCitations(t *testing.T) {
	whole := "package a\n\n// contract 1.1, 1.2, 2.1a\nfunc TestA(t *testing.T) {}\n"
	tests := []struct {
		name, source string
		want         []string
	}{
		{"everything has its test", whole, nil},
		{
			"a clause without a test", strings.Replace(whole, "1.2, ", "", 1),
			[]string{"1.2: no test cites: `red`"},
		},
		{
			"a clause that does not exist", whole + "\n// contract 1.9\nfunc TestB(t *testing.T) {}\n",
			[]string{"a_test.go:6: the contract has no clause 1.9"},
		},
		{
			"a whole section", whole + "\n// contract 1: light.\nfunc TestB(t *testing.T) {}\n",
			[]string{"a_test.go:6: the contract has no clause 1"},
		},
		{
			"a range", whole + "\n// contract 2.1a, 1.1 to 1.2\nfunc TestB(t *testing.T) {}\n",
			[]string{"a_test.go:6: a range from 1.1: name each clause"},
		},
		{
			"a range with a dash", whole + "\n// contract 1.1-1.2\nfunc TestB(t *testing.T) {}\n",
			[]string{"a_test.go:6: a range from 1.1: name each clause"},
		},
		{
			"a clause that is not in force", whole + "\n// contract 1.3\nfunc TestB(t *testing.T) {}\n",
			[]string{"a_test.go:6: 1.3 is not in force, according to the contract's preface"},
		},
		{
			"a citation outside a test", whole + "\n// contract 1.1\nfunc helper() {}\n",
			[]string{"a_test.go:6: 1.1 is cited outside a test"},
		},
		{
			"a citation outside a test shows nothing", strings.Replace(whole, "TestA", "helper", 1) + "\n// contract 1.1, 2.1a\nfunc TestB(t *testing.T) {}\n",
			[]string{
				"a_test.go:3: 1.1 is cited outside a test", "a_test.go:3: 1.2 is cited outside a test",
				"a_test.go:3: 2.1a is cited outside a test", "1.2: no test cites: `red`",
			},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			same(t, Check(contractOf(t, sample), citationsIn(t, "a_test.go", test.source)), test.want)
		})
	}
}

func TestTableListsTestsOfEachClause(t *testing.T) {
	citations := citationsIn(t,
		"a/a_test.go", "package a\n\n// contract 1.1, 1.1\nfunc TestA(t *testing.T) {}\n",
		"test/b/b_test.go", "package b\n\n// contract 2.1a, 1.1, 1.2\nfunc TestB(t *testing.T) {}\n",
	)
	const want = `
## 1 Light

- 1.1: a.TestA, b.TestB
- 1.2: b.TestB
- 1.3: not in force yet
- 1.4: not in force yet

## 2 Switches

- 2.1a: b.TestB
- 2.1b: not in force yet
`
	same(t, strings.TrimPrefix(Table(contractOf(t, sample), citations), preamble), want)
}
