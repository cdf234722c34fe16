package architecture

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/kontor-crm/kontor"

// root is the module's root, relative to this package.
var root = os.DirFS("../..")

var readTree = sync.OnceValues(func() (Tree, error) { return ReadTree(module, root) })

// readModule parses the module once.
func readModule(t *testing.T) Tree {
	t.Helper()
	tree, err := readTree()
	if err != nil {
		t.Fatal(err)
	}
	if len(tree.Files) < 10 {
		t.Fatalf("found only %d Go files: not the module's root?", len(tree.Files))
	}
	return tree
}

func report(t *testing.T, complaints []string) {
	t.Helper()
	for _, complaint := range complaints {
		t.Error(complaint)
	}
}

func TestImportsFollowLayers(t *testing.T) {
	report(t, CheckLayers(readModule(t).Graph(), layers))
}

func TestForbiddenPathsDoNotExist(t *testing.T) {
	report(t, CheckPaths(readModule(t).Graph(), forbiddenPaths))
}

func TestCoreTestsNeedNoDatabase(t *testing.T) {
	report(t, CheckPaths(readModule(t).TestGraph(), forbiddenTestPaths))
}

func TestClockIsReadInOuterLayersOnly(t *testing.T) {
	report(t, CheckClock(readModule(t), clockFolders))
}

func TestPackageNamesAreDescriptive(t *testing.T) {
	report(t, CheckNames(readModule(t), vagueNames))
}

func TestFilesAreShort(t *testing.T) {
	report(t, CheckLengths(readModule(t), maxLines, longFiles))
}

func TestMigrationsAreNumberedWithoutGaps(t *testing.T) {
	report(t, CheckNumbers(migrationFiles(t)))
}

func TestMigrationsArePlainSQL(t *testing.T) {
	for _, name := range migrationFiles(t) {
		sql, err := fs.ReadFile(root, path.Join("migrations", name))
		if err != nil {
			t.Fatal(err)
		}
		report(t, CheckMigration(path.Join("migrations", name), string(sql)))
	}
}

func TestStoresUsePlainSQL(t *testing.T) {
	looked := 0
	for _, file := range readModule(t).Files {
		if within(file.Folder(), "adapters/postgres") && !file.IsTest() {
			looked++
			report(t, CheckLiterals(file))
		}
	}
	if looked == 0 {
		t.Fatal("no file below adapters/postgres found")
	}
}

// migrationFiles returns the sorted names of the SQL files.
func migrationFiles(t *testing.T) []string {
	t.Helper()
	entries, err := fs.ReadDir(root, "migrations")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), ".sql") {
			names = append(names, entry.Name())
		}
	}
	slices.Sort(names)
	return names
}

func TestRecipesNameTheFilesOfTheirModels(t *testing.T) {
	page, err := fs.ReadFile(root, "CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	report(t, CheckRecipes(readModule(t), string(page), recipes))
}

func TestDiagramOfPackagesIsThatOfTheImports(t *testing.T) {
	page, err := fs.ReadFile(root, "CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	report(t, CheckDiagram(readModule(t).Graph(), string(page)))
}
