package docs

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/test/doctest"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/testprogram"
)

// walk is the section of docs/documents.md that begins with an empty database.
const walk = "From a fresh start"

// contract 16.10, 16.16, 16.17
func TestWalkLeadsFromAnEmptyDatabaseToDocuments(t *testing.T) {
	t.Parallel()
	shell, folder, listen := testprogram.Shell(t, "KONTOR_DATABASE_URL="+pgtest.EmptyURL(t))
	for _, block := range doctest.In(t, walk, doctest.Blocks(t, filepath.Join(root, "docs", "documents.md"))) {
		// On the test's database, since a private PostgreSQL takes longer to start.
		block.Script = strings.NewReplacer("127.0.0.1:8081", listen, "unset KONTOR_DATABASE_URL\n", "").Replace(block.Script)
		shell.Run(block)
	}
	for name, part := range map[string]string{
		"invoice-2026-001-facturx.pdf":   "<pdfaid:part>3<",
		"invoice-2026-001-xrechnung.xml": "kosit:xrechnung_3.0", "invoice-2026-001-peppol.xml": "poacc:billing:3.0<", "invoice-2026-001.pdf": "%PDF-1.",
	} {
		if file, err := os.ReadFile(filepath.Join(folder, name)); err != nil || !bytes.Contains(file, []byte(part)) {
			t.Errorf("%s has no %s: %v", name, part, err)
		}
	}
}
