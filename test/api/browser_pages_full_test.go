//go:build full

package api_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/kontor-crm/kontor/test/rest"
)

// axe returns the script of axe-core, which npm loads.
func axe(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	load := exec.CommandContext(t.Context(), "sh", "-c", "npm pack --silent axe-core@4.10.2 && tar xzf axe-core-*.tgz package/axe.min.js")
	load.Dir = folder
	if out, err := load.CombinedOutput(); err != nil {
		t.Fatalf("load axe-core: %v: %s", err, out)
	}
	script, err := os.ReadFile(filepath.Join(folder, "package", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(script)
}

// paths are the pages that are checked: lists and records with and without data, an invoice in all its pages, errors.
var paths = []string{
	"/", "/login", "/rest/client", "/rest/performer", "/rest/rule", "/rest/rule/1", "/rest/user/1", "/rest/status", "/rest/client/1", "/rest/deal/1", "/rest/payment", "/rest/nowhere", "/rest/contact",
	"/rest/invoice", "/rest/invoice?number=2026", "/rest/invoice/1", "/rest/invoice/1/explain", "/rest/invoice-items", "/rest/performer/1/party",
	"/rest/report/receivables?by=invoice", "/rest/report/revenue", "/rest/report/vat", "/rest/report/overdue",
	"/rest/invoice/1/document?as=html", "/rest/invoice/1/document/check?as=xrechnung", "/rest/invoice/1/document?as=xrechnung",
}

// billed creates an invoice with the id 1, and what it needs.
func billed(t *testing.T, s proxied) {
	t.Helper()
	c := rest.Client{URL: s.url, Token: s.token}
	for _, request := range []struct{ method, path, body string }{
		{"POST", "/rest/status", `{"name": "New", "default": true}`},
		{"POST", "/rest/invoice-type", `{"name": "Invoice"}`},
		{"POST", "/rest/performer", `{"name": "Nordlicht Workshop", "vat_use": true, "vat_percent": 19, "leader": "Dana Moser", "booker": "Ole Harms"}`},
		{"PUT", "/rest/performer/1/party", `{"legal_name": "Nordlicht Möbel GmbH", "city": "Kiel", "iban": "DE02 1203 0000 0000 2020 51", "currency": "EUR"}`},
		{"POST", "/rest/client", `{"type": 1, "name": "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"}`},
		{"POST", "/rest/invoice", `{"number": "2026-001", "date": "2026-11-26", "performer_id": 1, "client_id": 1, "type_id": 1, "notice": "Thank you.",
			"items": [{"name": "Standing desk, oak, 160 cm", "units": "pcs", "count": 4, "price": "99745.1234"},
				{"name": "Fitting", "units": "man-hours", "count": 2.5, "price": "58"}]}`},
	} {
		if _, err := c.Call(t.Context(), request.method, request.path, request.body, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// contract 2.61, 2.65, 2.93
func TestPagesAreAccessibleOnSmallAndLargeScreens(t *testing.T) {
	script := axe(t)
	s := startBehind(t, "/office")
	billed(t, s)
	b := open(t)
	b.run("log in", chromedp.Navigate(s.url+"/rest/client"), enter(`input[name="token"]`, s.token), click("main button"),
		chromedp.WaitVisible(chromedp.CSS(".actions")))
	if at := result(b, "read the address", chromedp.Location()); at != s.url+"/rest/client" {
		t.Errorf("the login leads to %s", at)
	}
	for _, look := range []struct {
		width  int64
		scheme string
	}{{1280, "light"}, {360, "light"}, {1280, "dark"}} {
		width := look.width
		b.run("change the width", chromedp.EmulateViewport(width, 900))
		media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: look.scheme}}}
		if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, media); err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			b.run("open "+path, chromedp.Navigate(s.url+path), chromedp.WaitVisible(chromedp.CSS("h1")))
			_ = result(b, "load axe-core", chromedp.Evaluate[bool](script+";true"))
			found := result(b, "check "+path, chromedp.Evaluate[[]string](`axe.run().then(r => r.violations.map(v => v.id + ": " + v.nodes.map(n => n.html).join(" ")))`, chromedp.EvalAwaitPromise))
			if w := result(b, "measure "+path, chromedp.Evaluate[int64](`document.documentElement.scrollWidth`)); w > width {
				t.Errorf("%s is %d wide at %d", path, w, width)
			}
			if size := result(b, "weigh "+path, chromedp.Evaluate[int64](`document.documentElement.outerHTML.length`)); size > 100_000 {
				t.Errorf("%s has %d characters", path, size)
			}
			if len(found) > 0 {
				t.Errorf("%s at %d, %s: %s", path, width, look.scheme, strings.Join(found, "\n"))
			}
		}
	}
}
