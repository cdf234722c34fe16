package facturx_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/documents/facturx"
)

// A PDF as the library ends it, after a picture with the bytes of a catalogue.
const plain = "%PDF-1.3\npicture\n2 0 obj\n<<\n/Fake true\n/Names <<\n>>\nendobj\n2 0 obj\n<<\n/Type /Catalog\n/Names <<\n>>\n>>\nendobj\n" +
	"xref\n0 3\ntrailer\n<<\n/Size 3\n/Root 2 0 R\n/Info 1 0 R\n>>\nstartxref\n99\n%%EOF\n"

// contract 16.81
func TestCatalogueIsTheLastObject(t *testing.T) {
	hybrid, err := facturx.Embed([]byte(plain), []byte("<x/>"), facturx.Metadata{Title: "A & B", Date: time.Unix(0, 0)})
	if err != nil {
		t.Fatal(err)
	}
	added := string(hybrid[len(plain):])
	for _, part := range []string{"2 0 obj\n<<\n/Type /Catalog\n/Metadata 5 0 R /AF [4 0 R]", "A &amp; B", "stream\n<x/>\nendstream"} {
		if !strings.Contains(added, part) {
			t.Errorf("%s lacks %s", added, part)
		}
	}
	if strings.Contains(added, "/Fake") {
		t.Error("the catalogue is that of a picture")
	}
}

func TestAnotherEndOfAPDFIsAnError(t *testing.T) {
	for _, pdf := range []string{"", "%PDF-1.7", strings.Replace(plain, "/Info", "/Foo", 1), strings.Replace(plain, "/Root 2", "/Root 7", 1)} {
		if hybrid, err := facturx.Embed([]byte(pdf), nil, facturx.Metadata{}); err == nil || !bytes.Equal(hybrid, nil) {
			t.Errorf("%q becomes %q", pdf, hybrid)
		}
	}
}
