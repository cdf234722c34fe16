package architecture

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// tree parses a module given as alternating file names and sources.
func tree(t *testing.T, namesAndSources ...string) Tree {
	t.Helper()
	files := fstest.MapFS{}
	for i := 0; i < len(namesAndSources); i += 2 {
		files[namesAndSources[i]] = &fstest.MapFile{Data: []byte(namesAndSources[i+1])}
	}
	tree, err := ReadTree("example.org/m", files)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func same(t *testing.T, got, want []string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("complaints (-want +got):\n%s", diff)
	}
}

func TestCheckLayersAppliesRules(t *testing.T) {
	tests := []struct {
		name, folder, imported string
		allowed                bool
	}{
		{"the domain imports itself", "domain/invoice", "domain/money", true},
		{"the domain counts in decimals", "domain/money", "github.com/shopspring/decimal", true},
		{"the domain parses addresses", "domain/text", "net/mail", true},
		{"no JSON in the domain", "domain/invoice", "encoding/json", false},
		{"no context in the domain", "domain/invoice", "context", false},
		{"no SQL in the domain", "domain/invoice", "database/sql/driver", false},
		{"no HTTP in the domain", "domain/invoice", "net/http", false},
		{"no log in the domain", "domain/invoice", "log/slog", false},
		{"no files in the domain", "domain/invoice", "os", false},
		{"the domain uses no port", "domain/invoice", "ports/repository", false},
		{"ports have a context", "ports/repository", "context", true},
		{"ports use no use case", "ports/repository", "application/command", false},
		{"ports use no library", "ports/repository", "github.com/shopspring/decimal", false},
		{"use cases use ports", "application/command", "ports/repository", true},
		{"use cases use no adapter", "application/command", "adapters/postgres", false},
		{"use cases use no library", "application/command", "github.com/jackc/pgx/v5", false},
		{"gin serves HTTP", "adapters/httpapi", "github.com/gin-gonic/gin/binding", true},
		{"only HTTP uses gin", "adapters/postgres", "github.com/gin-gonic/gin", false},
		{"HTTP does not use the store", "adapters/httpapi", "adapters/postgres/pgread", false},
		{"HTTP does not use pgx", "adapters/httpapi", "github.com/jackc/pgx/v5", false},
		{"read models build SQL", "adapters/postgres/pgread", "github.com/Masterminds/squirrel", true},
		{"stores do not build SQL", "adapters/postgres/pgstore", "github.com/Masterminds/squirrel", false},
		{"the pool does not build SQL", "adapters/postgres", "github.com/Masterminds/squirrel", false},
		{"stores share the translation of errors", "adapters/postgres/pgstore", "adapters/postgres", true},
		{"stores fold text", "adapters/postgres/pgstore", "adapters/textkey", true},
		{"HTTP does not fold text", "adapters/httpapi", "adapters/textkey", false},
		{"only the pool's package migrates", "adapters/postgres/pgread", "github.com/pressly/goose/v3", false},
		{"only textkey uses Unicode tables", "adapters/postgres", "golang.org/x/text/cases", false},
		{"textkey uses Unicode tables", "adapters/textkey", "golang.org/x/text/cases", true},
		{"localpg uses PostgreSQL's tools", "adapters/localpg", "github.com/jackc/pgx/v5/pgconn", false},
		{"localpg does not use the store", "adapters/localpg", "adapters/postgres", false},
		{"a new adapter uses no library", "adapters/mail", "github.com/google/wire", false},
		{"a new adapter uses ports", "adapters/mail", "ports/repository", true},
		{"commands parse flags", "cmd/program", "github.com/urfave/cli/v3", true},
		{"only commands parse flags", "adapters/httpapi", "github.com/urfave/cli/v3", false},
		{"bootstrap wires", "cmd/bootstrap", "github.com/google/wire", true},
		{"bootstrap passes on the pool", "cmd/bootstrap", "github.com/jackc/pgx/v5/pgxpool", true},
		{"bootstrap does not query", "cmd/bootstrap", "github.com/jackc/pgx/v5", false},
		{"only bootstrap wires", "cmd/program", "github.com/google/wire", false},
		{"programs use no tests", "cmd/program", "test/strict", false},
		{"adapters use no tests", "adapters/postgres", "test/pgtest", false},
		{"tests import each other", "test/api", "test/pgtest", true},
		{"tests start containers", "test/pgtest", "github.com/testcontainers/testcontainers-go/modules/postgres", true},
		{"nothing else starts containers", "adapters/localpg", "github.com/testcontainers/testcontainers-go", false},
		{"a name with the same prefix is another layer", "domainish", "domain/money", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			graph := Graph{"domain/money": nil, "ports/repository": nil, "application/command": nil,
				"adapters/postgres": nil, "adapters/postgres/pgread": nil,
				"adapters/textkey": nil, "test/strict": nil, "test/pgtest": nil}
			graph[test.folder] = []string{test.imported}
			complaints := CheckLayers(graph, layers)
			if allowed := len(complaints) == 0; allowed != test.allowed {
				t.Errorf("%s imports %s: allowed %v, want %v: %q", test.folder, test.imported, allowed, test.allowed, complaints)
			}
		})
	}
}

func TestCheckLayersPrintsChainFromProgram(t *testing.T) {
	graph := tree(t,
		"cmd/tool/main.go", `package main; import _ "example.org/m/domain/invoice"`,
		"domain/invoice/a.go", `package invoice; import _ "example.org/m/domain/money"`,
		"domain/money/a.go", `package money; import _ "net/http"`,
	).Graph()
	same(t, CheckLayers(graph, layers), []string{
		"cmd/tool -> domain/invoice -> domain/money -> net/http: domain may not import net/http",
	})
}

func TestCheckLayersRejectsPackageOutsideLayers(t *testing.T) {
	graph := tree(t, "helpful/a.go", `package helpful`).Graph()
	same(t, CheckLayers(graph, layers), []string{"helpful: belongs to no layer"})
}

func TestCheckLayersIgnoresBuildTags(t *testing.T) {
	graph := tree(t,
		"domain/a/a.go", `package a`,
		"domain/a/a_windows.go", "//go:build windows\n\npackage a\n\nimport _ \"os\"\n",
	).Graph()
	same(t, CheckLayers(graph, layers), []string{"domain/a -> os: domain may not import os"})
}

func TestCheckLayersIgnoresTests(t *testing.T) {
	tree := tree(t,
		"domain/a/a.go", `package a`,
		"domain/a/a_test.go", `package a_test; import ( _ "os"; _ "example.org/m/domain/a" )`,
	)
	same(t, CheckLayers(tree.Graph(), layers), nil)
}

func TestCheckPathsFollowsImports(t *testing.T) {
	graph := Graph{
		"adapters/httpapi":         {"application/query", "fmt"},
		"application/query":        {"adapters/postgres/pgread"},
		"adapters/postgres/pgread": nil,
	}
	same(t, CheckPaths(graph, forbiddenPaths), []string{
		"adapters/httpapi -> application/query -> adapters/postgres/pgread: HTTP uses the store through ports only",
	})
}

func TestCheckPathsRejectsDatabaseInDomainTests(t *testing.T) {
	tree := tree(t,
		"domain/a/a.go", `package a`,
		"domain/a/a_test.go", `package a; import _ "example.org/m/test/fixture"`,
		"test/fixture/f.go", `package fixture; import _ "example.org/m/test/pgtest"`,
		"test/pgtest/p.go", `package pgtest`,
	)
	same(t, CheckPaths(tree.TestGraph(), forbiddenTestPaths), []string{
		"domain/a -> test/fixture -> test/pgtest: the domain is tested without a database",
	})
}

func TestCheckPathsTerminatesOnCycles(t *testing.T) {
	graph := Graph{"adapters/httpapi": {"ports/a"}, "ports/a": {"ports/b"}, "ports/b": {"ports/a"}}
	same(t, CheckPaths(graph, forbiddenPaths), nil)
}

func TestCheckClockFindsEachForm(t *testing.T) {
	const now = `package a; import "time"; var t = time.Now()`
	tests := []struct {
		name, path, source string
		want               []string
	}{
		{"by its name", "domain/a/a.go", now,
			[]string{"domain/a/a.go:1: time.Now: the time must be a parameter here"}},
		{"as a value", "application/a/a.go", `package a; import "time"; var f = time.Now`,
			[]string{"application/a/a.go:1: time.Now: the time must be a parameter here"}},
		{"under another name", "ports/a/a.go", `package a; import clock "time"; var d = clock.Since(clock.Time{})`,
			[]string{"ports/a/a.go:1: time.Since: the time must be a parameter here"}},
		{"by a dot import", "domain/a/a.go", `package a; import . "time"; var d = Until(Time{})`,
			[]string{"domain/a/a.go:1: time.Until: the time must be a parameter here"}},
		{"not in a test", "domain/a/a_test.go", now, nil},
		{"not in an adapter", "adapters/a/a.go", now, nil},
		{"not in a program", "cmd/a/a.go", now, nil},
		{"not another package's Now", "domain/a/a.go", `package a; import "example.org/m/time"; var t = time.Now()`, nil},
		{"not time's other names", "domain/a/a.go", `package a; import "time"; var t = time.Unix(0, 0)`, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			same(t, CheckClock(tree(t, test.path, test.source), clockFolders), test.want)
		})
	}
}

func TestCheckNamesFindsFolderAndPackage(t *testing.T) {
	tree := tree(t,
		"domain/util/a.go", `package util`,
		"domain/money/a.go", `package money`,
		"adapters/x/a.go", `package helpers`,
		"adapters/x/a_test.go", `package helpers_test`,
		"ports/common/a.go", `package shared`,
	)
	same(t, CheckNames(tree, vagueNames), []string{
		"adapters/x: the name does not describe the package",
		"domain/util: the name does not describe the package",
		"ports/common: the name does not describe the package",
	})
}

func TestCheckLengthsNeedsCurrentReason(t *testing.T) {
	lines := func(n int) string { return "package a\n" + strings.Repeat("//\n", n-1) }
	tree := tree(t,
		"a/fits.go", lines(10),
		"a/long.go", lines(11),
		"a/known.go", lines(12),
		"a/bare.go", lines(12),
		"a/made.go", "// Code generated by hand. DO NOT EDIT.\n\n"+lines(20),
	)
	exceptions := map[string]string{
		"a/known.go": "a table",
		"a/bare.go":  "",
		"a/fits.go":  "long once",
		"a/gone.go":  "here once",
	}
	same(t, CheckLengths(tree, 10, exceptions), []string{
		"a/long.go: 11 lines, more than 10",
		"a/bare.go: is in the list of long files without a reason",
		"a/fits.go: is in the list of long files but short",
		"a/gone.go: is in the list of long files but short",
	})
}

func TestReadTreeReadsModuleOnly(t *testing.T) {
	tree := tree(t,
		"a/a.go", `package a`,
		"a/testdata/x.go", `this is not Go`,
		".hidden/x.go", `this is not Go`,
		"_old/x.go", `this is not Go`,
		"nested/go.mod", "module example.org/other\n",
		"nested/x.go", `this is not Go`,
	)
	if len(tree.Files) != 1 || tree.Files[0].Path != "a/a.go" {
		t.Errorf("read %v, want a/a.go only", tree.Files)
	}
}

func TestCheckNumbersFindsGaps(t *testing.T) {
	tests := []struct {
		name  string
		names []string
		want  []string
	}{
		{"in order", []string{"00001_users.sql", "00002_deals.sql"}, nil},
		{"none at all", nil, []string{"no migrations found"}},
		{"a gap", []string{"00001_users.sql", "00003_deals.sql"}, []string{"00003_deals.sql: expected number 00002"}},
		{"twice the same", []string{"00001_a.sql", "00001_b.sql"}, []string{"00001_b.sql: expected number 00002"}},
		{"another pattern", []string{"1_users.sql"}, []string{"1_users.sql: not named like 00001_description.sql"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { same(t, CheckNumbers(test.names), test.want) })
	}
}
