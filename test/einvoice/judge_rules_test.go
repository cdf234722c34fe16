//go:build rules

package einvoice

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/adapters/documents"
	"github.com/kontor-crm/kontor/adapters/documents/paper"
	"github.com/kontor-crm/kontor/domain/billing"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/test/doctest"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/replay"
	"github.com/kontor-crm/kontor/test/testprogram"
)

// plan has the forms that each set of rules judges.
const plan = "en16931-ubl=ubl,peppol,xrechnung en16931-cii=cii,xrechnung-cii peppol-bis3-ubl=peppol xrechnung-ubl=xrechnung " +
	"xrechnung-cii=xrechnung-cii"

// saxon is where Debian's package has the processor.
const saxon = "/usr/share/java/Saxon-HE.jar"

// bench has documents to be judged together.
type bench struct {
	folder string
	count  int
}

// add writes the document and returns the name by which judge knows it.
func (b *bench) add(t *testing.T, f billing.Form, d billing.Document) string {
	t.Helper()
	return b.addFile(t, f, written(t, d, f))
}

// addFile adds the file of a document in the form, and returns the name by which judge knows it.
func (b *bench) addFile(t *testing.T, f billing.Form, file []byte) (name string) {
	t.Helper()
	b.count++
	name = fmt.Sprintf("%s/%04d.xml", f, b.count)
	b.put(t, name, file)
	return name
}

func (b *bench) put(t *testing.T, name string, file []byte) {
	t.Helper()
	path := filepath.Join(b.folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, file, 0o644); err != nil {
		t.Fatal(err)
	}
}

// judge returns the fatal rules that each document breaks.
func (b *bench) judge(t *testing.T) map[string][]string {
	t.Helper()
	rules, err := filepath.Abs(os.Getenv("KONTOR_EINVOICE_RULES"))
	if err != nil || os.Getenv("KONTOR_EINVOICE_RULES") == "" {
		t.Fatal("KONTOR_EINVOICE_RULES must name the folder with the rules")
	}
	at := func(path string) string { return (&url.URL{Scheme: "file", Path: path}).String() }
	command := exec.CommandContext(t.Context(), "java", "-cp", saxon, "net.sf.saxon.Transform", "-xsl:judge.xsl", "-it",
		"rules="+at(rules), "documents="+at(b.folder), "plan="+plan)
	var failed bytes.Buffer
	command.Stderr = &failed
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, failed.Bytes())
	}
	broken := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		path, finding, _ := strings.Cut(strings.TrimSpace(line), "\t")
		flag, rule, _ := strings.Cut(finding, " ")
		if flag == "fatal" {
			broken[path] = append(broken[path], rule)
		}
	}
	return broken
}

// samples is how many random documents are drawn with all data, and again with some missing.
const samples = 105

// unofficial reports whether the rules for the form lack one of Check: the specification of XRechnung has the two of Peppol.
func unofficial(f billing.Form, rule string) bool {
	isXRechnung := f == billing.XRechnung || f == billing.XRechnungCII
	return rule == "KONTOR-ROUNDING" || rule == "KONTOR-IBAN" || isXRechnung && (rule == "PEPPOL-EN16931-R010" || rule == "PEPPOL-EN16931-R020")
}

// contract 16.10, 16.11, 16.12
func TestCheckAgreesWithTheOfficialRules(t *testing.T) {
	b := &bench{folder: t.TempDir()}
	expected, accepted := map[string][]fault.Lack{}, map[billing.Form]int{}
	add := func(d billing.Document, forms ...billing.Form) {
		for _, f := range forms {
			findings := billing.Check(d, f)
			if findings = slices.DeleteFunc(findings, func(x fault.Lack) bool { return unofficial(f, x.Rule) }); len(findings) == 0 {
				accepted[f]++
			}
			expected[b.add(t, f, d)] = findings
		}
	}
	for seed := range uint64(samples) {
		add(billing.New(Sample(seed, 0)), Forms...)
		add(billing.New(Sample(seed+samples, 12)), Forms...)
	}
	for seed := range uint64(samples / 5) {
		for _, src := range Credits(seed) {
			add(billing.New(src), Forms...)
		}
	}
	for _, d := range realDocuments(t, 300) {
		add(d, billing.UBL)
	}
	for _, name := range b.addPage(t) {
		expected[name] = nil
	}
	broken := b.judge(t)
	named := map[string]bool{}
	for path, findings := range expected {
		if len(findings) == 0 && len(broken[path]) > 0 {
			t.Errorf("%s is refused: %s", path, strings.Join(broken[path], "; "))
		}
		for _, f := range findings {
			named[f.Rule] = true
			if !slices.ContainsFunc(broken[path], func(rule string) bool { return strings.HasPrefix(rule, f.Rule+" ") }) {
				t.Errorf("%s breaks no rule %s (%s of %s), but %s", path, f.Rule, f.Field, f.Record, strings.Join(broken[path], "; "))
			}
		}
	}
	t.Logf("accepted %v, found %v", accepted, slices.Sorted(maps.Keys(named)))
	for _, f := range Forms {
		if accepted[f] < 100 {
			t.Errorf("only %d documents for %s are accepted", accepted[f], f)
		}
	}
	if len(named) < 20 {
		t.Errorf("only %d rules are found", len(named))
	}
}

func TestMain(m *testing.M) { os.Exit(testprogram.Run(m)) }

const page = "../../docs/documents.md"

// fetch loads documents of an invoice.
const fetch = `fetch() {
	for as in $2; do
		curl -s -S -f -O -J "$KONTOR/rest/invoice/$1/document?as=$as" -H "Authorization: Bearer $TOKEN"
	done
}
`

// addPage adds the electronic documents of the page: that of its walk in all forms, and the issued invoice and the credit note
// of its other sections by the norm. It returns their names.
func (b *bench) addPage(t *testing.T) (names []string) {
	t.Helper()
	shell, folder := testprogram.RunFreshStart(t, page, pgtest.EmptyURL(t))
	shell.Run(doctest.Block{Page: "the other forms", Script: fetch + `fetch 1 "ubl cii xrechnung-cii"`})
	add := func(folder, name string, f billing.Form) {
		file, err := os.ReadFile(filepath.Join(folder, name+"-"+string(f)+".xml"))
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, b.addFile(t, f, file))
	}
	for _, f := range Forms {
		add(folder, "invoice-2026-001", f)
	}
	shell, folder, listen := testprogram.Shell(t, "KONTOR_DATABASE_URL="+pgtest.EmptyURL(t))
	shell.Run(doctest.Block{Page: "a service with demo data", Script: `kontor serve --demo >serve.out 2>serve.log &
until grep -q kt_ serve.out; do sleep 0.1; done
export KONTOR=http://` + listen + ` TOKEN=$(grep -o 'kt_[A-Za-z0-9_-]*' serve.out | head -n 1)`})
	for _, block := range doctest.Blocks(t, page) {
		if block.Section != testprogram.FreshStart {
			shell.Run(block)
		}
	}
	shell.Run(doctest.Block{Page: "issued documents", Script: fetch + `fetch 14 "ubl cii"; fetch 15 "ubl cii"`})
	for _, f := range []billing.Form{billing.UBL, billing.CII} {
		add(folder, "invoice-R2026-0001", f)
		add(folder, "credit-note-C2026-0001", f)
	}
	return names
}

// realDocuments returns documents of the first real invoices; each of them is rendered, as all others are.
func realDocuments(t *testing.T, judged int) (sampled []billing.Document) {
	t.Helper()
	sales := replay.Sample(t, "")
	step := max(1, len(sales.Invoices)/judged)
	for i, sale := range sales.Invoices {
		d := billing.New(Real(sale))
		for _, f := range []billing.Form{billing.UBL, billing.CII} {
			if found := billing.Check(d, f); found != nil {
				t.Fatalf("invoice %s: %v", sale.Number, found)
			}
			if err := documents.Write(t.Context(), io.Discard, d, f, paper.Pictures{}); err != nil {
				t.Fatalf("invoice %s: %v", sale.Number, err)
			}
		}
		if i%step == 0 && len(sampled) < judged {
			sampled = append(sampled, d)
		}
	}
	t.Logf("%d real invoices, %d of them judged", len(sales.Invoices), len(sampled))
	return sampled
}
