package testprogram

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/test/doctest"
	"github.com/kontor-crm/kontor/test/rest"
)

// Shell starts a shell with these variables and the program in its PATH. It returns its folder and a free address, at which
// kontor serve listens.
func Shell(t testing.TB, variables ...string) (shell *doctest.Shell, folder, listen string) {
	t.Helper()
	folder, listen = t.TempDir(), rest.Free(t)
	return doctest.Start(t, folder, append(variables, "KONTOR_LISTEN="+listen,
		"PATH="+filepath.Dir(Path(t))+string(os.PathListSeparator)+os.Getenv("PATH"))...), folder, listen
}

// FreshStart is the section of docs/documents.md that begins with an empty database.
const FreshStart = "From a fresh start"

// RunFreshStart runs that section of the page on an empty database, since a private PostgreSQL takes longer to start.
// It returns its shell, and the folder with its documents.
func RunFreshStart(t testing.TB, page, database string) (shell *doctest.Shell, folder string) {
	t.Helper()
	shell, folder, listen := Shell(t, "KONTOR_DATABASE_URL="+database)
	for _, block := range doctest.In(t, FreshStart, doctest.Blocks(t, page)) {
		block.Script = strings.NewReplacer("127.0.0.1:8081", listen, "unset KONTOR_DATABASE_URL\n", "").Replace(block.Script)
		shell.Run(block)
	}
	return shell, folder
}
