package architecture

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/kontor-crm/kontor"

// root is the module's root seen from this package.
var root = os.DirFS("../..")

func readHouse(t *testing.T) Tree {
	t.Helper()
	tree, err := ReadTree(module, root)
	if err != nil {
		t.Fatal(err)
	}
	if len(tree.Files) < 10 {
		t.Fatalf("only %d Go files found; is this the module's root?", len(tree.Files))
	}
	return tree
}

func report(t *testing.T, complaints []string) {
	t.Helper()
	for _, complaint := range complaints {
		t.Error(complaint)
	}
}

func TestEveryImportStaysInItsRoom(t *testing.T) {
	report(t, CheckRooms(readHouse(t).Graph(), rooms))
}

func TestNoPathCrossesAWall(t *testing.T) {
	report(t, CheckWalls(readHouse(t).Graph(), walls))
}

func TestNoTestOfTheCoreNeedsADatabase(t *testing.T) {
	report(t, CheckWalls(readHouse(t).TestGraph(), testWalls))
}

func TestTheClockIsReadAtTheEdgeOnly(t *testing.T) {
	report(t, CheckClock(readHouse(t), clockRooms))
}

func TestPackageNamesSayWhatTheyHold(t *testing.T) {
	report(t, CheckNames(readHouse(t), vagueNames))
}

func TestFilesAreShort(t *testing.T) {
	report(t, CheckLengths(readHouse(t), maxLines, longFiles))
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

func TestStoresSpeakPlainSQL(t *testing.T) {
	looked := 0
	for _, file := range readHouse(t).Files {
		if within(file.Folder(), "adapters/postgres") && !file.IsTest() {
			looked++
			report(t, CheckLiterals(file))
		}
	}
	if looked == 0 {
		t.Fatal("no file below adapters/postgres found")
	}
}

// migrationFiles are the names of the SQL files in their order.
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
