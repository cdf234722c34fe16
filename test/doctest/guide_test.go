package doctest

import (
	"strings"
	"testing"
)

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
