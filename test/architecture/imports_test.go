// Package architecture checks what a linter does not see and a reviewer misses: imports that reach a package through
// others, SQL that a distributed PostgreSQL does not run, and patterns of `go test -run` that match no test. Direct
// imports, the clock and the lengths of files and functions are rules of .golangci.yml.
package architecture

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	root   = "../.."
	module = "github.com/kontor-crm/kontor/"
)

// imports are the rules: a package below from does not reach one below any of never, except those below but. The names
// of packages of this module have no host.
var imports = []struct {
	from, never, but []string
	why              string
}{
	{from: []string{"domain"}, never: []string{"ports", "application"}, why: "the domain stands at the bottom"},
	{from: []string{"domain", "ports"}, never: []string{"application"}, why: "ports belong to their users above"},
	{
		from: []string{"domain", "ports", "application"}, never: []string{"adapters", "cmd", "migrations", "github.com", "go.opentelemetry.io"},
		but: []string{"github.com/shopspring/decimal", "github.com/hashicorp/golang-lru"}, why: "the core uses no technology",
	},
	{from: []string{"adapters"}, never: []string{"cmd"}, why: "commands wire adapters"},
	{from: []string{"domain", "ports", "application", "adapters", "cmd"}, never: []string{"test"}, why: "test is imported by tests only"},
	{
		from: []string{"adapters/httpapi"}, why: "HTTP uses the store through ports only",
		never: []string{"adapters/postgres", "adapters/localpg", "github.com/jackc/pgx", "github.com/Masterminds/squirrel"},
	},
	{from: []string{"adapters/postgres", "adapters/localpg"}, never: []string{"adapters/httpapi", "github.com/gin-gonic/gin"}, why: "stores know nothing of HTTP"},
}

func TestImportsDoNotReachForbiddenPackages(t *testing.T) {
	t.Parallel()
	graph := readImports(t)
	for _, rule := range imports {
		for from := range graph {
			if !within(from, rule.from) {
				continue
			}
			if chain := chainTo(graph, from, rule.never, rule.but); chain != nil {
				t.Errorf("%s: %s", strings.Join(chain, " -> "), rule.why)
			}
		}
	}
}

func TestChainToFindsTheShortestWay(t *testing.T) {
	t.Parallel()
	graph := map[string][]string{"a": {"b", "c"}, "b": {"a", "d"}, "c": {"d/e"}, "d": {"d/e"}, "d/e": {"github.com/x/y"}}
	for _, test := range []struct{ never, but, want string }{
		{"d/e", "", "a -> c -> d/e"},
		{"d", "", "a -> b -> d"},
		{"github.com", "", "a -> c -> d/e -> github.com/x/y"},
		{"github.com", "github.com/x", ""},
		{"e", "", ""},
	} {
		if got := strings.Join(chainTo(graph, "a", []string{test.never}, []string{test.but}), " -> "); got != test.want {
			t.Errorf("from a to %s but %s: %q, want %q", test.never, test.but, got, test.want)
		}
	}
}

// within reports whether the package is one of the folders, or below one.
func within(name string, folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool { return name == folder || strings.HasPrefix(name, folder+"/") })
}

// chainTo is the shortest chain of imports from a package to a forbidden one; nil if there is none.
func chainTo(graph map[string][]string, from string, never, but []string) []string {
	importer := map[string]string{from: ""}
	for open := []string{from}; len(open) > 0; open = open[1:] {
		for _, imported := range graph[open[0]] {
			if _, seen := importer[imported]; seen {
				continue
			}
			importer[imported] = open[0]
			if !within(imported, never) || within(imported, but) {
				open = append(open, imported)
				continue
			}
			var chain []string
			for at := imported; at != ""; at = importer[at] {
				chain = append(chain, at)
			}
			slices.Reverse(chain)
			return chain
		}
	}
	return nil
}

// readImports reads the imports of each package, whatever the build tags, without those of tests.
func readImports(t *testing.T) map[string][]string {
	t.Helper()
	graph := map[string][]string{}
	walk(t, func(file string) {
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range syntax.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			graph[path.Dir(file)] = append(graph[path.Dir(file)], strings.TrimPrefix(imported, module))
		}
	})
	if len(graph) < 30 {
		t.Fatalf("found only %d packages", len(graph))
	}
	return graph
}

// walk calls visit for each file of the module, by its path from the root.
func walk(t *testing.T, visit func(file string)) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !entry.IsDir():
			visit(name)
		case name != "." && strings.ContainsAny(entry.Name()[:1], "._"), entry.Name() == "testdata", name == "test/extension":
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
