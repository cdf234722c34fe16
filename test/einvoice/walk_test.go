package einvoice

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/test/doctest"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/rest"
	"github.com/kontor-crm/kontor/test/testprogram"
)

func TestMain(m *testing.M) { os.Exit(testprogram.Run(m)) }

// page is the page about documents, and walk its section that begins with an empty database.
const (
	page = "../../docs/documents.md"
	walk = "From a fresh start"
)

// start returns a shell for commands of the page on an empty database, its folder, and the address for a service.
func start(t *testing.T) (shell *doctest.Shell, folder, listen string) {
	t.Helper()
	folder, listen = t.TempDir(), rest.Free(t)
	return doctest.Start(t, folder, "KONTOR_LISTEN="+listen, "KONTOR_DATABASE_URL="+pgtest.EmptyURL(t),
		"PATH="+filepath.Dir(testprogram.Path(t))+string(os.PathListSeparator)+os.Getenv("PATH")), folder, listen
}

// walked runs the walk to documents. It returns its shell, and the folder with the documents.
func walked(t *testing.T) (*doctest.Shell, string) {
	t.Helper()
	shell, folder, listen := start(t)
	for _, block := range doctest.In(t, walk, doctest.Blocks(t, page)) {
		block.Script = strings.ReplaceAll(block.Script, "127.0.0.1:8080", listen)
		shell.Run(block)
	}
	return shell, folder
}

// contract 16.10, 16.16, 16.17
func TestWalkLeadsFromAnEmptyDatabaseToDocuments(t *testing.T) {
	t.Parallel()
	_, folder := walked(t)
	for name, part := range map[string]string{
		"invoice-2026-001-xrechnung.xml": "kosit:xrechnung_3.0", "invoice-2026-001-peppol.xml": "poacc:billing:3.0<", "invoice-2026-001.pdf": "%PDF-1.",
	} {
		if file, err := os.ReadFile(filepath.Join(folder, name)); err != nil || !bytes.Contains(file, []byte(part)) {
			t.Errorf("%s has no %s: %v", name, part, err)
		}
	}
}
