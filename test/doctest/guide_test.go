package doctest

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// asPage replaces ”' by the fences that a Go raw string cannot contain.
func asPage(text string) string { return strings.ReplaceAll(text, "'''", "```") }

func TestReadSplitsPageIntoBlocks(t *testing.T) {
	got, err := read("page.md", asPage(`# First

'''text
belongs to no commands
'''

Type

'''sh
one
two
'''

and see

'''json
{"id": 1}
'''

'''text
not of it
'''

## Second {#here}

<!-- not run: needs a house -->
'''sh
build
'''

1. In a list

   '''sh
   listed
     deeper
   '''

## Third

'''text
under another heading
'''
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []Block{
		{Page: "page.md", Line: 10, Section: "First", Script: "one\ntwo", Output: `{"id": 1}`, Format: "json"},
		{Page: "page.md", Line: 28, Section: "Second {#here}", Script: "build", Reason: "needs a house"},
		{Page: "page.md", Line: 34, Section: "Second {#here}", Script: "listed\n  deeper"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"Second {#here}: build (needs a house)"}, NotRun(got)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want[:1], In(t, "First", got)); diff != "" {
		t.Error(diff)
	}
}

func TestReadRejectsAmbiguousPage(t *testing.T) {
	for text, want := range map[string]string{
		"'''sh\nopen":                                "is not closed",
		"<!-- not run -->\n'''sh\nx\n'''":            "without a reason",
		"<!-- not run: a -->\n\nText\n'''sh\nx\n'''": "follows the comment: a",
		"<!-- not run: a -->\n'''json\n1\n'''":       "follows the comment: a",
		"<!-- not run: a -->":                        "follows the comment: a",
		"'''bash\nx\n'''":                            "not of bash",
	} {
		if _, err := read("page.md", asPage(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v, want an error with %q", text, err, want)
		}
	}
}

func TestOutputIsComparedWithPage(t *testing.T) {
	for _, c := range []struct {
		format, said, printed string
		holds                 bool
	}{
		{"", "", "anything", true},
		{"text", "a b", "a b  \n\n", true},
		{"text", "a b", "a b\nc\n", false},
		{"text", "a b", "xa b", false},
		{"text", "id …, done", "id 4711, done\n", true},
		{"text", "id …, done", "id 47\n11, done\n", false},
		{"text", "a\n…\nc", "a\nb\nb\nc\n", true},
		{"text", "a\n…\nc", "a\nc\n", true},
		{"text", "a\n…\nc", "a\nb\n", false},
		{"text", "a.c", "abc", false},
		{"json", "{\n \"a\": [1, 2],\n \"b\": \"x y\"\n}", `{"a":[1,2],"b":"x y"}`, true},
		{"json", `{"b": "x y"}`, `{"b":"xy"}`, false},
		{"json", `{"id": …, "b": 1}`, `{"id":12,"b":1}`, true},
		{"json", `{"id": …, "b": 1}`, `{"id":12,"b":2}`, false},
		{"json", `{"a": "\" x"}`, `{"a":"\"x"}`, false},
		{"xml", "<a>\n  <b>1 2</b>\n</a>", "<a><b>1 2</b></a>\n", true},
		{"xml", "<a>\n  <b>1 2</b>\n</a>", "<a><b>12</b></a>\n", false},
	} {
		err := Block{Format: c.format, Output: c.said}.holds(c.printed)
		if (err == nil) != c.holds {
			t.Errorf("%s: %q for %q: %v", c.format, c.printed, c.said, err)
		}
	}
}

func TestShellKeepsStateBetweenBlocks(t *testing.T) {
	t.Setenv("KONTOR_TOKEN_OF_THE_TEST", "secret")
	folder := t.TempDir()
	shell := Start(t, folder, "GIVEN=here")
	for _, c := range []struct{ script, want string }{
		{"mkdir deep; cd deep", ""},
		{"A='b c'\nf() { echo \"f $1\"; }", ""},
		{`echo "$GIVEN $A"; f x; basename "$PWD"`, "here b c\nf x\ndeep\n"},
		{"printf unended", "unended"},
		{"echo error >&2", "error\n"},
		{"cat", ""}, // its input is empty, not the next block
		{"env | grep KONTOR_ || true", ""},
		{"sleep 60 & echo $! >pid", ""},
	} {
		if got := shell.Run(Block{Script: c.script}); got != c.want {
			t.Errorf("%s prints %q, want %q", c.script, got, c.want)
		}
	}
	if _, err := os.Stat(folder + "/deep/pid"); err != nil {
		t.Error(err)
	}
	if got := shell.Run(Block{Script: "exit 1", Reason: "ends the shell"}); got != "" {
		t.Errorf("a block that is not run prints %q", got)
	}
}

func TestBlockFailsWithAnyOfItsCommands(t *testing.T) {
	for script, want := range map[string]string{
		"echo first; false; echo second": "fails with the status 1, after it printed\nfirst\n",
		"exit 3":                         "fails with the status 3",
		"exit 0":                         "fails with the status 0",
		`echo "$NOBODY_SET_THIS"`:        "fails with the status 2",
		"kill -9 $$":                     "the shell is gone",
		"echo 'open":                     "fails with the status 2",
	} {
		shell := Start(t, t.TempDir())
		if _, err := shell.run(Block{Script: script}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", script, err, want)
		}
		if _, err := shell.run(Block{Script: "true"}); err == nil {
			t.Errorf("%s: the shell continues", script)
		}
	}
}
