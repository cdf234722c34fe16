package httpapi

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// reference is the response with the documentation page.
func reference(t *testing.T) *httptest.ResponseRecorder {
	t.Helper()
	w, _ := do(newGet("/docs"), noRows)
	if w.Code != http.StatusOK || !isMedia(w.Header().Get("Content-Type"), "text/html") {
		t.Fatalf("the page: got %d, %s", w.Code, w.Header().Get("Content-Type"))
	}
	return w
}

// pageAddresses are the links of the page.
func pageAddresses(t *testing.T) (addresses []string) {
	t.Helper()
	for _, found := range regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllStringSubmatch(reference(t).Body.String(), -1) {
		if !strings.HasPrefix(found[1], "#") {
			addresses = append(addresses, found[1])
		}
	}
	if len(addresses) < 6 {
		t.Fatalf("the page links only %q", addresses)
	}
	return addresses
}

// assets are the paths of the files that the page loads.
func assets(t *testing.T) (paths []string) {
	t.Helper()
	for _, address := range pageAddresses(t) {
		if strings.HasPrefix(address, "docs/assets/") {
			paths = append(paths, "/"+address)
		}
	}
	return paths
}

func TestDocsPageLinksAreRelativeAndExist(t *testing.T) {
	for _, address := range pageAddresses(t) {
		u, err := url.Parse(address)
		if err != nil || u.IsAbs() || u.Host != "" || strings.HasPrefix(u.Path, "/") {
			t.Errorf("%s is not relative to the page", address)
			continue
		}
		w, _ := do(newGet("/"+address), noRows)
		if w.Code != http.StatusOK || w.Body.Len() == 0 {
			t.Errorf("%s: got %d and %d bytes", address, w.Code, w.Body.Len())
		}
	}
}

// contract 1.58
func TestDocsPagePolicyAllowsOnlyTheService(t *testing.T) {
	w := reference(t)
	want := map[string]string{
		"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
			"frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
		"X-Content-Type-Options": "nosniff",
		"Referrer-Policy":        "no-referrer",
		"Cache-Control":          "private, no-cache",
	}
	for name, value := range want {
		if got := w.Header().Get(name); got != value {
			t.Errorf("%s is %q, want %q", name, got, value)
		}
	}
	for _, inside := range []string{`<script>`, `<style`, ` style=`, ` on[a-z]+=`, `javascript:`, `<base`, `<iframe`} {
		if found := regexp.MustCompile(inside).FindString(w.Body.String()); found != "" {
			t.Errorf("the page contains %q, which its policy forbids", found)
		}
	}
}

func TestDocsPageFilesAreImmutableAndCompressed(t *testing.T) {
	media := map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".png": "image/png"}
	compressed := 0
	for _, path := range assets(t) {
		plain, _ := do(newGet(path), noRows)
		h := plain.Header()
		if got := h.Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
			t.Errorf("%s: Cache-Control is %q", path, got)
		}
		if got := h.Get("Content-Type"); got == "" || got != media[path[strings.LastIndex(path, "."):]] {
			t.Errorf("%s: Content-Type is %q", path, got)
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Content-Encoding") != "" {
			t.Errorf("%s: %v", path, h)
		}
		w, _ := do(newGet(path, "Accept-Encoding", "br, gzip;q=0.5"), noRows)
		if w.Header().Get("Content-Encoding") == "" {
			continue
		}
		compressed++
		if w.Header().Get("Content-Encoding") != "gzip" || h.Get("Vary") != "Accept-Encoding" || w.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: %v, and compressed %v", path, h, w.Header())
		}
		if !bytes.Equal(decompressed(t, w.Body), plain.Body.Bytes()) {
			t.Errorf("%s: the compressed content differs", path)
		}
	}
	if compressed != 3 {
		t.Errorf("%d files are sent compressed, want the script and the style of Swagger UI and the script of the page", compressed)
	}
}

func decompressed(t *testing.T, r io.Reader) []byte {
	t.Helper()
	z, err := gzip.NewReader(r)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// contract 1.58, 2.61
func TestRootShowsBrowsersTheListsAndLinksForOthers(t *testing.T) {
	const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"
	const links = `{"docs":"https://example.org/office/docs","openapi":"https://example.org/office/openapi.json","health":"https://example.org/office/healthz"}`
	for accept, want := range map[string]string{
		browser: "", "text/html": "", "*/*": links, "": links, "application/json": links, "application/json, text/html;q=0": links,
	} {
		w, _ := do(newGet("/", "Accept", accept), noRows, withBaseURL("https://example.org/office/"))
		if w.Code != 200 || w.Header().Get("Vary") != "Accept, Accept-Encoding" {
			t.Errorf("Accept %q: %d, %v", accept, w.Code, w.Header())
		}
		if want != "" && w.Body.String() != want {
			t.Errorf("Accept %q: the body is %s", accept, w.Body)
		}
		for _, path := range []string{"rest/user", "docs", "login", "page.css"} {
			if want == "" && !strings.Contains(w.Body.String(), `href="/office/`+path+`"`) {
				t.Errorf("Accept %q: no link to %s in %s", accept, path, w.Body)
			}
		}
	}
}

// withBaseURL sets the public URL of the service.
func withBaseURL(address string) func(*Config) {
	u, err := url.Parse(address)
	if err != nil {
		panic(err)
	}
	return func(c *Config) { c.BaseURL = u }
}

func TestDocsPageTrailingSlashRedirects(t *testing.T) {
	for _, address := range []string{"/docs/", "/docs/?a=/", "/docs//"} {
		w, _ := do(newGet(address), noRows, withBaseURL("https://example.org/office"))
		if w.Code != http.StatusFound || w.Header().Get("Location") != "https://example.org/office/docs" {
			t.Errorf("%s: %d, %v", address, w.Code, w.Header())
		}
	}
	if w, _ := do(newGet("/docs?a=/"), noRows); w.Code != http.StatusOK {
		t.Errorf("a slash in the query: got %d", w.Code)
	}
}

func TestDocsPageUnknownFileIsNotFound(t *testing.T) {
	folder := assets(t)[0][:len("/docs/assets/0123456789ab/")]
	for _, path := range []string{
		"/docs/nowhere", "/docs/assets", folder, folder + "swagger-ui.js", folder + "oauth2-redirect.html", folder + "index.html",
		"/docs/assets/000000000000/page.js",
	} {
		if w, _ := do(newGet(path), noRows); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}
