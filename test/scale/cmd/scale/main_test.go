package main

import (
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// simulated is a block with a command of this program and its output.
var simulated = regexp.MustCompile("(?s)```text\ngo run ./test/scale/cmd/scale([^\n]*)\n\n(.*?)```\n")

func TestScalingPageShowsTheSimulation(t *testing.T) {
	t.Parallel()
	if runtime.GOARCH != "amd64" {
		t.Skip("other processors round differently")
	}
	page, err := os.ReadFile("../../../../docs/scaling.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := simulated.FindAllStringSubmatch(string(page), -1)
	if len(blocks) != 2 {
		t.Fatalf("docs/scaling.md has %d simulations, want 2", len(blocks))
	}
	for _, block := range blocks {
		var output strings.Builder
		if err := run(strings.Fields(block[1]), &output); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(block[2], output.String()); diff != "" {
			t.Errorf("scale%s prints something else:\n%s", block[1], diff)
		}
	}
}
