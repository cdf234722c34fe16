package docs

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/testprogram"
)

// contract 16.10, 16.16, 16.17
func TestWalkLeadsFromAnEmptyDatabaseToDocuments(t *testing.T) {
	t.Parallel()
	_, folder := testprogram.RunFreshStart(t, filepath.Join(root, "docs", "documents.md"), pgtest.EmptyURL(t))
	for name, part := range map[string]string{
		"invoice-2026-001-facturx.pdf":   "<pdfaid:part>3<",
		"invoice-2026-001-xrechnung.xml": "kosit:xrechnung_3.0", "invoice-2026-001-peppol.xml": "poacc:billing:3.0<", "invoice-2026-001.pdf": "%PDF-1.",
	} {
		if file, err := os.ReadFile(filepath.Join(folder, name)); err != nil || !bytes.Contains(file, []byte(part)) {
			t.Errorf("%s has no %s: %v", name, part, err)
		}
	}
}
