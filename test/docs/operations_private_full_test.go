//go:build full

package docs

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/adapters/localpg"
	"github.com/kontor-crm/kontor/test/doctest"
	"github.com/kontor-crm/kontor/test/rest"
)

// contract 1.19, 1.43, 11.1, 11.3
func TestOperationsPageMovesPrivateDatabaseToNewFolder(t *testing.T) {
	t.Parallel()
	folder := reachable(t)
	old, renewed, listen := filepath.Join(folder, "old"), filepath.Join(folder, "new"), rest.Free(t)
	on(t, old, func(database string) { fill(t, database) })

	shell := doctest.Start(t, folder, programPath(t), "KONTOR_DATA_DIR="+old, "BACKUPS="+filepath.Join(folder, "backups"),
		"NEW="+renewed, "LISTEN="+listen)
	shell.Run(doctest.Block{Page: "a service that runs", Script: "kontor serve --listen " + rest.Free(t) + " 2>serve.log &\nRUNS=$!\n" +
		"until grep -q serving serve.log; do sleep 0.1; done"})
	for _, block := range doctest.In(t, privateSection, doctest.Blocks(t, operationsPage)) {
		shell.Run(block)
	}
	shell.Run(doctest.Block{Page: "the service stops", Script: `kill "$RUNS"; wait "$RUNS"`})

	var before, after string
	on(t, old, func(database string) { before = checksums(t, database, records...) })
	on(t, renewed, func(database string) { after = checksums(t, database, records...) })
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("the data in the new folder differs:\n%s", diff)
	}
}

// on calls use with the private database of a folder.
func on(t *testing.T, folder string, use func(database string)) {
	t.Helper()
	server, err := localpg.Start(t.Context(), localpg.Options{Dir: folder, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	}()
	use(server.URL())
}

// reachable returns a folder that the database's user can access if the test runs as
// root, unlike t.TempDir.
func reachable(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "kontor-test-") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(folder); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	return folder
}
