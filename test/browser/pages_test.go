//go:build full

package browser

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
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

// contract 2.61, 2.65
func TestPagesAreAccessibleOnSmallAndLargeScreens(t *testing.T) {
	script := axe(t)
	s := start(t, "/office")
	b := open(t)
	b.run("log in", chromedp.Navigate(s.url+"/rest/client"), enter(`input[name="token"]`, s.token), click("main button"),
		chromedp.WaitVisible(chromedp.CSS(".actions")))
	if at := result(b, "read the address", chromedp.Location()); at != s.url+"/rest/client" {
		t.Errorf("the login leads to %s", at)
	}
	for _, width := range []int64{1280, 360} {
		b.run("change the width", chromedp.EmulateViewport(width, 900))
		for _, path := range []string{"/", "/login", "/rest/client", "/rest/performer", "/rest/rule", "/rest/rule/1", "/rest/user/1", "/rest/status", "/rest/nowhere", "/rest/contact"} {
			b.run("open "+path, chromedp.Navigate(s.url+path), chromedp.WaitVisible(chromedp.CSS("h1")))
			_ = result(b, "load axe-core", chromedp.Evaluate[bool](script+";true"))
			found := result(b, "check "+path, chromedp.Evaluate[[]string](`axe.run().then(r => r.violations.map(v => v.id + ": " + v.nodes.map(n => n.html).join(" ")))`, chromedp.EvalAwaitPromise))
			if w := result(b, "measure "+path, chromedp.Evaluate[int64](`document.documentElement.scrollWidth`)); w > width {
				t.Errorf("%s is %d wide at %d", path, w, width)
			}
			if len(found) > 0 {
				t.Errorf("%s at %d: %s", path, width, strings.Join(found, "\n"))
			}
		}
	}
}
