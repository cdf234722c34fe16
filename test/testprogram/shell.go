package testprogram

import (
	"os"
	"path/filepath"
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
