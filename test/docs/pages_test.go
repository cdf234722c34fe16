package docs

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/test/doctest"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/testprogram"
)

const root = "../.."

// pages are the tested pages, with the options of the service that they assume.
var pages = map[string]string{
	"README.md":         "",
	"docs/guide.md":     "",
	"docs/access.md":    "",
	"docs/lists.md":     "",
	"docs/money.md":     "",
	"docs/documents.md": "",
	"docs/errors.md":    "--rate-limit 20",
	"docs/writing.md":   "",
	"docs/formats.md":   "",
	"docs/running.md":   "",
	"docs/rules.md":     "",
	"docs/extending.md": "",
	"docs/companies.md": "",
}

// elsewhere are the pages whose commands other tests run.
var elsewhere = map[string]string{
	recipes:               "make ci-full",
	"docs/operations.md":  "make ci-full",
	"docs/performance.md": "make ci-full, also in test/packaging",
}

// recipes is the page whose commands need jq, which make test does not install.
const recipes = "docs/recipes.md"

// written is the address in the pages, which the address of the test replaces.
const written = "http://127.0.0.1:8080"

// contract 1.33, 1.38, 1.40, 1.44
// contract 2.1, 2.3, 2.14, 2.23, 2.30
// contract 3.1, 3.3, 3.4, 3.9, 3.15
// contract 4.8, 4.10, 4.33, 4.37, 4.39, 4.45, 4.53, 4.58, 4.61, 4.64
// contract 5.1, 5.2, 5.13, 5.16, 5.18, 5.19
// contract 7.13, 9.26, 9.32
// contract 10.33, 10.36, 10.47, 10.62, 10.82, 10.83, 10.86
func TestPagesShowActualOutput(t *testing.T) {
	t.Parallel()
	for page, options := range pages {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			follow(t, doctest.Blocks(t, filepath.Join(root, page)), options)
		})
	}
}

// source is the folder of the source code.
func source(t *testing.T) string {
	t.Helper()
	folder, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// follow runs the blocks of a page on a new service with the demo data.
func follow(t *testing.T, blocks []doctest.Block, options string) {
	t.Helper()
	if len(doctest.NotRun(blocks)) == len(blocks) {
		return
	}
	shell, folder, listen := testprogram.Shell(t, "KONTOR_DATABASE_URL="+pgtest.URL(t), "SOURCE="+source(t),
		"GOFLAGS="+os.Getenv("GOFLAGS")+" -ldflags=-w") // linked in half of the time
	if err := os.Symlink(testprogram.Path(t), filepath.Join(folder, "kontor")); err != nil {
		t.Fatal(err)
	}
	shell.Run(doctest.Block{Page: "a service with demo data", Script: `export KONTOR=http://` + listen + `
kontor serve --demo ` + options + ` >serve.out 2>serve.log &
SERVE=$!
until grep -q kt_ serve.out && curl -s -f -o /dev/null "$KONTOR/readyz"; do
	kill -0 "$SERVE" || { cat serve.log; exit 1; }
	sleep 0.1
done
export TOKEN=$(grep -o 'kt_[A-Za-z0-9_-]*' serve.out | head -n 1)`})
	for _, block := range blocks {
		if block.Section == testprogram.FreshStart {
			continue
		}
		block.Output = strings.ReplaceAll(block.Output, written, "http://"+listen)
		shell.Run(block)
	}
}

// Without expected output, any response would pass.
func TestBlocksOfPagesShowOutput(t *testing.T) {
	t.Parallel()
	for _, page := range append(slices.Collect(maps.Keys(pages)), recipes) {
		for _, block := range doctest.Blocks(t, filepath.Join(root, page)) {
			if block.Reason == "" && strings.Trim(block.Output, "…\n ") == "" {
				t.Errorf("%s shows no output:\n%s", block.Name(), block.Script)
			}
		}
	}
}

func TestSkippedBlocksAreKnown(t *testing.T) {
	t.Parallel()
	got := map[string][]string{}
	for page := range pages {
		if list := doctest.NotRun(doctest.Blocks(t, filepath.Join(root, page))); list != nil {
			got[page] = list
		}
	}
	want := map[string][]string{
		"README.md": {
			"Quick start: make run (installs what is missing, and serves until Ctrl-C)",
			"Quick start: export KONTOR=http://127.0.0.1:8080 (the test has an address and a token of its own)",
			"Run it: go build -o kontor ./cmd/kontor (the test builds it before it begins)",
		},
		"docs/guide.md": {
			"Following the examples: export KONTOR=http://127.0.0.1:8080 (the test has an address and a token of its own)",
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPagesWithCommandsAreTested(t *testing.T) {
	t.Parallel()
	for _, page := range markdown(t) {
		text := contents(t, page)
		_, ours := pages[page]
		_, others := elsewhere[page]
		if strings.Contains(text, "```sh\n") && !ours && !others {
			t.Errorf("%s has commands but is in no list", page)
		}
	}
}
