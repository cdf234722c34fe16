//go:build rules

package einvoice

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/domain/billing"
)

// hybrids is how many random hybrid invoices are judged.
const hybrids = 66

// contract 16.81
func TestFacturXIsPDFA3(t *testing.T) {
	folder := t.TempDir()
	var files []string
	put := func(name string, content []byte) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
		return path
	}
	var sample []byte
	for seed := range hybrids {
		d := various(uint64(seed))
		file := printed(t, d, billing.FacturX, picturesOf(t, seed))
		if !bytes.Equal(embedded(t, file), written(t, d, billing.CII)) {
			t.Errorf("the invoice in hybrid %d is not that of cii", seed)
		}
		put(fmt.Sprintf("%d.pdf", seed), file)
		sample = file
	}
	if verdict, err := judgePDFA(t, files); err != nil {
		t.Errorf("%v: %s", err, verdict)
	}
	files = nil
	for i, tt := range []struct{ old, changed, rule string }{
		{"/AF [", "/XX [", "6.8"},
		{"/AFRelationship", "/XFRelationship", "6.8"},
		{"<pdfaid:part>3<", "<pdfaid:part>2<", "6.6.4"},
	} {
		files = nil
		path := put(fmt.Sprintf("broken-%d.pdf", i), bytes.Replace(sample, []byte(tt.old), []byte(tt.changed), 1))
		if verdict, err := judgePDFA(t, files); err == nil || !strings.Contains(string(verdict), tt.rule) {
			t.Errorf("%s with %s: %v, %s, want rule %s", path, tt.changed, err, verdict, tt.rule)
		}
	}
}

// various returns a random document that is complete for CII, with letters of several alphabets, of one page or of many.
func various(seed uint64) billing.Document {
	src := Sample(seed, 0)
	if notes := Credits(seed); seed%8 == 7 {
		src = notes[0]
	}
	names := []string{"Скатерть, льняная", "Δίσκος", "书桌", "Desk 🪑", "Łóżko"}
	for i := range src.Invoice.Lines {
		src.Invoice.Lines[i].Name = names[(int(seed)+i)%len(names)]
	}
	switch seed % 11 {
	case 1:
		src.Invoice.Lines = slices.Repeat(src.Invoice.Lines[:1], 60)
	case 2:
		src.Invoice.Lines = slices.Repeat(src.Invoice.Lines[:1], 400)
	}
	return billing.New(src)
}

// judgePDFA returns what the judge of PDF/A-3B says, and an error if a file breaks a rule.
func judgePDFA(t *testing.T, files []string) ([]byte, error) {
	t.Helper()
	judge := os.Getenv("KONTOR_PDFA_JUDGE")
	if judge == "" {
		t.Fatal("KONTOR_PDFA_JUDGE must name the folder with the judge")
	}
	args := append([]string{"-jar", filepath.Join(judge, "pdfa-judge.jar"), filepath.Join(judge, "PDFA-3B.xml")}, files...)
	return exec.CommandContext(t.Context(), "java", args...).CombinedOutput()
}
